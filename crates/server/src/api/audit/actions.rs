//! `GET /v1/audit/actions`: who did what to the tenant's data.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use chrono::{DateTime, Utc};
use ibidem_store::{ActionEntry, ActionsOf, AuditedAction};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::api::cursor;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST_A_PAGE: u16 = 500;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// Only this action, for instance `document.submit`.
    #[param(schema_with = action_names)]
    action: Option<String>,
    /// Only by this subject: `key:` and the key's id, `person:` and the person's id, or `operator`.
    #[param(pattern = "^(operator|(key|person):[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12})$")]
    subject: Option<String>,
    /// Only on the document, entry or answer with this id.
    object_id: Option<String>,
    /// Only with this outcome, for instance `forbidden`.
    outcome: Option<String>,
    /// Only of this request.
    request_id: Option<Uuid>,
    /// Only from this moment on.
    since: Option<DateTime<Utc>>,
    /// Only before this moment.
    until: Option<DateTime<Utc>>,
    /// Where the page before ended: its `next`.
    #[param(pattern = "^[0-9]{1,16}_[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$")]
    cursor: Option<String>,
    /// How many, 1 to 500.
    #[serde(default = "default_limit")]
    #[param(minimum = 1, maximum = 500, default = 100)]
    limit: u16,
}

/// Every action that is recorded, by its name.
fn action_names() -> Object {
    let names = AuditedAction::ALL.iter().map(|action| action.as_str());
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).build()
}

fn default_limit() -> u16 {
    100
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ActionsBody {
    /// Newest first.
    actions: Vec<ActionBody>,
    /// Where the next page begins; null on the last.
    next: Option<String>,
}

/// Something that was done, or that somebody tried to do.
#[derive(Serialize, ToSchema)]
pub(crate) struct ActionBody {
    id: Uuid,
    acted_at: DateTime<Utc>,
    /// `key:` and the key's id, or `operator`.
    subject_id: Option<String>,
    /// The key's name at that time, for people to read.
    subject_name: Option<String>,
    role: Option<String>,
    action: String,
    object_kind: Option<String>,
    object_id: Option<String>,
    /// `done`, or why not.
    outcome: String,
    request_id: Option<Uuid>,
    /// Numbers and codes; and the query that was searched for, in plain text or as a keyed digest.
    #[schema(value_type = Object)]
    details: Value,
}

impl From<ActionEntry> for ActionBody {
    fn from(entry: ActionEntry) -> Self {
        Self {
            id: entry.id,
            acted_at: entry.acted_at,
            subject_id: entry.subject_id,
            subject_name: entry.subject_name,
            role: entry.role,
            action: entry.action,
            object_kind: entry.object_kind,
            object_id: entry.object_id,
            outcome: entry.outcome,
            request_id: entry.request_id,
            details: entry.details,
        }
    }
}

/// Lists what was done to the tenant's data, and by whom.
///
/// For admins of the tenant. A record appears a moment after what it tells of. docs/actions.md lists the actions.
#[utoipa::path(get, path = "/v1/audit/actions", operation_id = "list_actions", tag = "audit", params(Wanted), security(("api_key" = [])),
    responses(
        (status = 200, body = ActionsBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<ActionsBody>, Problem> {
    let Query(wanted) = wanted.map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    if !(1..=MOST_A_PAGE).contains(&wanted.limit) {
        return Err(Problem::invalid(format!("limit: ask for 1 to {MOST_A_PAGE} records at once")));
    }
    let subject = wanted.subject.map(|written| written.parse()).transpose();
    let action = wanted.action.map(|written| written.parse()).transpose();
    let after = wanted.cursor.as_deref().map(cursor::parse).transpose()?;
    let of = ActionsOf {
        tenant: Some(caller.0.tenant()),
        action: action.map_err(|error: String| Problem::invalid(format!("action: {error}.")))?,
        subject: subject.map_err(|error| Problem::invalid(format!("subject: {error}.")))?,
        object_id: wanted.object_id.filter(|id| !id.contains('\0')),
        outcome: wanted.outcome.filter(|outcome| !outcome.contains('\0')),
        request_id: wanted.request_id,
        since: wanted.since,
        until: wanted.until,
        after,
        // One more than asked for tells whether there is a next page.
        most: wanted.limit + 1,
    };
    let mut entries = state.store.actions(&of).await?;
    let is_last = entries.len() <= usize::from(wanted.limit);
    entries.truncate(wanted.limit.into());
    let next = entries.last().filter(|_| !is_last).map(|last| cursor::of(last.acted_at, last.id));
    Ok(Json(ActionsBody { actions: entries.into_iter().map(ActionBody::from).collect(), next }))
}
