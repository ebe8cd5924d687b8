//! One way to take a turn: whatever door a question comes in by, its identity, deadline, limits, metrics, logs, trace and
//! record are the same.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use chrono::{TimeDelta, Utc};
use futures::channel::oneshot;
use ibidem_engine::ask::AskError;
use ibidem_engine::listener::Listener;
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::Deadline;
use ibidem_store::{ActionRecord, AuditedAction, KeyEmbedding, TurnPlace};
use ibidem_words::{Answer, Identity, Question, Scope};
use tracing::Instrument as _;
use uuid::Uuid;

use crate::audit::Act;
use crate::conversations::TalkingIn;
use crate::embedding;
use crate::identity::Caller;
use crate::limits::RequestSlot;
use crate::logs;
use crate::policy_places::PolicySettings;
use crate::problem::Problem;
use crate::request_id::RequestId;
use crate::state::AppState;
use crate::traces;

/// A request that wants to ask something: who, until when, and its place among those under way.
pub(crate) struct TurnRequest {
    state: AppState,
    caller: Caller,
    request_id: Uuid,
    slot: RequestSlot,
    deadline: Deadline,
    act: Act,
    /// None where it belongs to no conversation.
    talking: Option<TalkingIn>,
    /// None where the key is not for pages of other sites.
    embedding: Option<KeyEmbedding>,
    /// None where nobody counted them.
    policy_settings: Option<PolicySettings>,
}

impl FromRequestParts<AppState> for TurnRequest {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let given = &parts.extensions;
        let (Some(RequestId(request_id)), Some(slot), Some(deadline)) =
            (given.get().copied(), given.get::<RequestSlot>().cloned(), given.get::<Deadline>().copied())
        else {
            tracing::error!("a request came in without an id, a place or a deadline");
            return Err(Problem::internal());
        };
        let (act, embedding) = (Act::of(given), given.get::<KeyEmbedding>().cloned());
        let policy_settings = given.get::<PolicySettings>().copied();
        let state = state.clone();
        Ok(Self { state, caller, request_id, slot, deadline, act, talking: None, embedding, policy_settings })
    }
}

/// An answer on its way. The turn ends in a record whether or not anybody waits for it.
pub(crate) struct Pending(oneshot::Receiver<Result<Answer, AskError>>);

impl Pending {
    pub(crate) async fn whole(self) -> Result<Answer, Problem> {
        Ok(self.0.await.map_err(|_| Problem::internal())??)
    }
}

impl TurnRequest {
    pub(crate) fn request_id(&self) -> Uuid {
        self.request_id
    }

    pub(crate) fn state(&self) -> &AppState {
        &self.state
    }

    pub(crate) fn scope(&self) -> Scope {
        self.caller.scope()
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.caller.0
    }

    /// The same, as part of a conversation.
    #[must_use]
    pub(crate) fn within(self, talking: Option<TalkingIn>) -> Self {
        Self { talking, ..self }
    }

    /// It is another action than the route says.
    pub(crate) fn is(&self, action: AuditedAction) {
        self.act.is(action);
    }

    /// Starts the turn in a task of its own.
    pub(crate) async fn begin(self, question: Question, listener: Box<dyn Listener>) -> Result<Pending, Problem> {
        let question = match &self.embedding {
            Some(embedding) => embedding::confined(embedding, question)?,
            None => question,
        };
        logs::route(&question.collections);
        tracing::info!("a question came in");
        self.act.asks(&question.query);
        let of_key = self.embedding.as_ref().and_then(|embedding| embedding.policy);
        let policy = match of_key {
            Some(sha256) => self.state.policy_places.by_hash(&self.state.store, sha256).await?,
            None => self.state.policy_for(self.caller.0.tenant(), self.policy_settings, &question.collections).await?,
        };
        let asked = Asked {
            request_id: self.request_id,
            at: Utc::now(),
            scope: self.caller.scope(),
            policy,
            question,
            deadline: self.deadline,
        };
        let longest = TimeDelta::from_std(self.state.limits.longest_reply()).unwrap_or(TimeDelta::MAX);
        let (identity, talking, act) = (self.caller.0, self.talking, self.act);
        let place = self.state.quotas.begin_turn(&self.state.store, &identity, longest).await?;
        let (done, answer) = oneshot::channel();
        spawn(self.state, self.slot, Turn { identity, asked, act, talking, place, listener, done });
        Ok(Pending(answer))
    }
}

/// A question on its way, with those who wait for what becomes of it.
struct Turn {
    identity: Identity,
    asked: Asked,
    act: Act,
    /// None where it belongs to no conversation.
    talking: Option<TalkingIn>,
    /// Its place among the turns under way, where they are limited.
    place: Option<TurnPlace>,
    listener: Box<dyn Listener>,
    done: oneshot::Sender<Result<Answer, AskError>>,
}

/// Starts a turn in a task of its own: it ends in a record whether anybody still listens or not.
fn spawn(state: AppState, slot: RequestSlot, turn: Turn) {
    let turns = state.turns.clone();
    let engine = state.engine_in_force();
    // Before the task: there its parent would not be found.
    let traced = traces::turn();
    let task = async move {
        let Turn { identity, asked, act, talking, place, mut listener, done } = turn;
        let (scope, policy) = (asked.scope.clone(), asked.policy.clone());
        let (answer, record) = match engine.turn(&identity, asked, listener.as_mut()).instrument(traced.clone()).await {
            Ok((mut answer, mut record)) => {
                state.hand_over.queue(&state.store, &state.engine, &mut answer, &mut record).await;
                (Ok(answer), Some(record))
            }
            Err(error) => (Err(error), None),
        };
        // A stream has begun its reply before anybody knows how the turn ends.
        act.ended(answer.as_ref().err().map_or(ActionRecord::DONE, |error| Problem::of(error).kind()));
        drop(act);
        if let Some(record) = &record {
            state.metrics.turn(record);
            logs::turn(record);
            traces::turn_ended(&traced, record);
        }
        drop(traced);
        let is_first = match (&talking, &record) {
            (Some(talking), Some(record)) => talking.keep(&state, record).await,
            _ => false,
        };
        if let Err(error) = state.quotas.end_turn(&state.store, &identity, place, record.as_ref()).await {
            tracing::warn!(%error, "what a turn used is not counted");
        }
        // The answer goes out first: nobody waits for the record.
        drop(listener);
        let _ = done.send(answer);
        let first_question = record.as_ref().filter(|_| is_first).map(|record| record.question.query.clone());
        if let Some(record) = record {
            state.recorder.turn(&scope, record).await;
        }
        drop(slot);
        if let (Some(talking), Some(question)) = (talking, first_question) {
            talking.name(&state, &policy, &question).await;
        }
    };
    turns.spawn(task.in_current_span());
}
