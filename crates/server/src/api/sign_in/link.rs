//! `POST /auth/link`: a link that signs a browser in once becomes a key of an admin.

use std::time::Instant;

use axum::Json;
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, Duration, Utc};
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, NewKey};
use ibidem_words::{HandIn, Role, TenantId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// A key that a link became ends by itself when a trial did not end in order.
const KEY_LASTS: Duration = Duration::hours(12);

/// What stands behind `#link=` in the address that `ibidem try` prints.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkBody {
    token: String,
}

/// The key that the link became.
#[derive(Serialize, ToSchema)]
pub(crate) struct LinkedKey {
    /// The key of an admin, shown only now.
    secret: String,
    expires_at: DateTime<Utc>,
}

/// Signs in by a link that `ibidem try` printed.
///
/// Such a link is good once, for a quarter of an hour, and until the next one is printed. Servers started in another way
/// give none out.
#[utoipa::path(post, path = "/auth/link", operation_id = "sign_in_by_link", tag = "sign-in", request_body = LinkBody,
    responses(
        (status = 200, body = LinkedKey),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn open(
    State(state): State<AppState>,
    Sent(LinkBody { token }): Sent<LinkBody>,
) -> Result<Response, Problem> {
    let links = state.links.as_ref().filter(|links| links.take(&token, Instant::now()));
    let links = links.ok_or_else(Problem::no_such_link)?;
    let tenant = TenantId::named("default");
    let expires_at = Utc::now() + KEY_LASTS;
    let (name, role, hand_in) = ("sign-in link".to_owned(), Role::Admin, HandIn::Everywhere);
    let new = NewKey { tenant, name, role, tags: Vec::new(), hand_in, expires_at: Some(expires_at) };
    let key = state.store.create_key(&new).await?;
    links.became(key.id);
    let act = ActionRecord::by_operator(AuditedAction::CreateKey, Some(tenant));
    state.recorder.actions.record(ActionRecord { object: Some(ActionObject::new("key", key.id)), ..act });
    Ok(([(CACHE_CONTROL, "no-store")], Json(LinkedKey { secret: key.secret, expires_at })).into_response())
}
