//! Every request that reads or changes data is recorded as an action: who, what, and how it ended.

use std::borrow::Cow;
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::Extensions;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use chrono::Utc;
use ibidem_store::{ActionObject, ActionRecord, ActionRow, AuditedAction};
use ibidem_words::Identity;
use serde_json::json;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::queue::Queue;
use crate::problem::Problem;
use crate::request_id::RequestId;
use crate::rules::{Recorded, Rules};

/// How often what was turned away is put on record.
const TALLY_EVERY: Duration = Duration::from_secs(1);

/// An action under way. It is put on record when the last who holds it lets go: a caller who hangs up leaves a record
/// too. Where nothing is recorded, nothing becomes of what is noted.
#[derive(Clone, Default)]
pub(crate) struct Act(Option<Arc<Held>>);

struct Held {
    actions: Actions,
    noted: Mutex<Noted>,
}

struct Noted {
    record: ActionRecord,
    /// How the request was replied to; none if it never was.
    replied: Option<Cow<'static, str>>,
    /// How what the request began ended after its reply.
    ended: Option<Cow<'static, str>>,
}

impl Act {
    fn begin(actions: &Actions, action: AuditedAction, request: &Request) -> Self {
        let record = ActionRecord {
            acted_at: Utc::now(),
            tenant: None,
            by: None,
            action,
            object: named_object(action, request.uri().path()),
            outcome: Cow::Borrowed("hung_up"),
            request_id: request.extensions().get::<RequestId>().map(|id| id.0),
            query: None,
            details: json!({}),
        };
        let noted = Mutex::new(Noted { record, replied: None, ended: None });
        Self(Some(Arc::new(Held { actions: actions.clone(), noted })))
    }

    /// The action that a request is.
    pub(crate) fn of(given: &Extensions) -> Self {
        given.get::<Self>().cloned().unwrap_or_default()
    }

    fn note(&self, change: impl FnOnce(&mut Noted)) {
        if let Some(held) = &self.0 {
            change(&mut held.noted.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    pub(crate) fn by(&self, identity: &Identity) {
        self.note(|noted| noted.record.is_by(identity));
    }

    /// It is another action than the route says.
    pub(crate) fn is(&self, action: AuditedAction) {
        self.note(|noted| noted.record.action = action);
    }

    pub(crate) fn on(&self, object: ActionObject) {
        self.note(|noted| noted.record.object = Some(object));
    }

    pub(crate) fn asks(&self, query: &str) {
        self.note(|noted| noted.record.query = Some(query.to_owned()));
    }

    /// A number or a code, never anybody's words.
    pub(crate) fn detail(&self, name: &str, value: impl Into<serde_json::Value>) {
        self.note(|noted| noted.record.details[name] = value.into());
    }

    /// How it ended when its reply had begun already.
    pub(crate) fn ended(&self, outcome: impl Into<Cow<'static, str>>) {
        self.note(|noted| noted.ended = Some(outcome.into()));
    }
}

impl<S: Sync> FromRequestParts<S> for Act {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.extensions))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let noted = self.noted.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut record = noted.record.clone();
        if let Some(outcome) = noted.ended.take().or_else(|| noted.replied.take()) {
            record.outcome = outcome;
        }
        if record.by.is_some() {
            self.actions.record(record);
        } else {
            self.actions.count(record.action, record.outcome);
        }
    }
}

/// How often each action was turned away, by its outcome.
type TurnedAway = HashMap<(AuditedAction, Cow<'static, str>), u64>;

/// Where actions are left to be recorded.
///
/// Requests that were turned away before anybody knew whose they were, without a valid key or because there were too many,
/// are counted, so that a flood of them is not a flood of records.
#[derive(Clone)]
pub(crate) struct Actions {
    /// None when nothing is recorded.
    queue: Option<Arc<Queue<ActionRow>>>,
    turned_away: Arc<Mutex<TurnedAway>>,
    /// An orderly stop waits for them.
    tasks: TaskTracker,
}

impl Actions {
    pub(super) fn new(queue: Option<Arc<Queue<ActionRow>>>, tasks: TaskTracker) -> Self {
        Self { queue, turned_away: Arc::default(), tasks }
    }

    /// Puts an action on record.
    pub(crate) fn record(&self, record: ActionRecord) {
        let Some(queue) = self.queue.clone() else { return };
        if let Err(row) = queue.try_put(record)
            && tokio::runtime::Handle::try_current().is_ok()
        {
            // The database is behind. While it is away no key is known, and nothing more comes.
            self.tasks.spawn(async move { queue.put_row(row).await });
        }
    }

    fn count(&self, action: AuditedAction, outcome: Cow<'static, str>) {
        let mut counted = self.turned_away.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = counted.is_empty();
        *counted.entry((action, outcome)).or_default() += 1;
        if is_first && let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let actions = self.clone();
            runtime.spawn(async move {
                tokio::time::sleep(TALLY_EVERY).await;
                actions.put_down();
            });
        }
    }

    /// Puts what was counted on record.
    pub(super) fn put_down(&self) {
        let counted = std::mem::take(&mut *self.turned_away.lock().unwrap_or_else(PoisonError::into_inner));
        let Some(queue) = &self.queue else { return };
        for ((action, outcome), requests) in counted {
            let record = ActionRecord {
                by: None,
                outcome,
                details: json!({ "requests": requests }),
                ..ActionRecord::by_operator(action, None)
            };
            if queue.try_put(record).is_err() {
                tracing::error!(action = action.as_str(), requests, "requests that were turned away are not on record");
            }
        }
    }

    pub(super) fn hurry(&self) {
        if let Some(queue) = &self.queue {
            queue.hurry();
        }
    }

    pub(super) async fn finish(&self) {
        if let Some(queue) = &self.queue {
            queue.finish().await;
        }
    }
}

/// Puts the request on record, when it has ended.
pub(crate) async fn record_action(State(actions): State<Actions>, mut request: Request, next: Next) -> Response {
    let Some(action) = action_of(&request).filter(|_| actions.queue.is_some()) else {
        return next.run(request).await;
    };
    let act = Act::begin(&actions, action, &request);
    request.extensions_mut().insert(act.clone());
    let response = next.run(request).await;
    let outcome = outcome_of(&response);
    act.note(|noted| noted.replied = Some(outcome));
    response
}

fn action_of(request: &Request) -> Option<AuditedAction> {
    let rules =
        request.extensions().get::<&'static Rules>().filter(|rules| rules.method == request.method().as_str())?;
    match rules.recorded {
        Recorded::As(action) => Some(action),
        Recorded::Not(_) => None,
    }
}

fn outcome_of(response: &Response) -> Cow<'static, str> {
    match response.extensions().get::<Problem>() {
        Some(problem) => Cow::Borrowed(problem.kind()),
        None if response.status().is_success() => Cow::Borrowed(ActionRecord::DONE),
        None => Cow::Owned(response.status().as_u16().to_string()),
    }
}

/// What the path names, if it is an id: whatever else somebody wrote there is not kept.
fn named_object(action: AuditedAction, path: &str) -> Option<ActionObject> {
    let id: Uuid = path.rsplit('/').next()?.parse().ok()?;
    let (kind, _) = action.as_str().split_once('.')?;
    Some(ActionObject::new(kind, id))
}
