//! `GET /auth/sessions`, `DELETE /auth/sessions/{id}`: somebody's own sessions.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use ibidem_words::{Identity, SubjectId};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::configured;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// A session in a browser.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionEntry {
    id: Uuid,
    /// When the person signed in.
    created_at: DateTime<Utc>,
    /// When it was used last, to the minute.
    last_used_at: DateTime<Utc>,
    /// When it ends, however busy it is.
    expires_at: DateTime<Utc>,
}

/// Sessions that are in force, oldest first.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionsBody {
    sessions: Vec<SessionEntry>,
}

fn is_person(identity: &Identity) -> bool {
    matches!(identity.subject().id(), SubjectId::Person(_))
}

/// Lists your own sessions. A key has none.
#[utoipa::path(get, path = "/auth/sessions", operation_id = "list_sessions", tag = "sign-in",
    security(("api_key" = [])),
    responses(
        (status = 200, body = SessionsBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    Caller(identity): Caller,
) -> Result<Json<SessionsBody>, Problem> {
    if !is_person(&identity) {
        return Ok(Json(SessionsBody { sessions: Vec::new() }));
    }
    let rows = state.store.list_sessions(&identity, configured(&state)?.idle).await?;
    let sessions = rows.into_iter().map(|row| SessionEntry {
        id: row.id,
        created_at: row.created_at,
        last_used_at: row.last_used_at,
        expires_at: row.expires_at,
    });
    Ok(Json(SessionsBody { sessions: sessions.collect() }))
}

/// Ends one of your own sessions at once.
#[utoipa::path(delete, path = "/auth/sessions/{id}", operation_id = "end_session", tag = "sign-in",
    params(("id" = Uuid, Path, description = "The session's id, as the list shows it")),
    security(("api_key" = [])),
    responses(
        (status = 204, description = "It has ended"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn end(
    State(state): State<AppState>,
    Caller(identity): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let missing = || Problem::no_such("There is no such session", "`GET /auth/sessions` lists your own sessions.");
    let id: Uuid = id.parse().map_err(|_| missing())?;
    if !is_person(&identity) || !state.store.end_session(&identity, id).await? {
        return Err(missing());
    }
    Ok(StatusCode::NO_CONTENT)
}
