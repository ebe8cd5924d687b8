//! `POST /auth/logout`, `POST /auth/backchannel-logout`: a session ends here, or the provider says that it has.

use axum::Json;
use axum::extract::{RawForm, State};
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, ProviderLogout};
use ibidem_words::SubjectId;
use serde::Serialize;
use utoipa::ToSchema;

use super::configured;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::sign_in::{Cookie, open_session};
use crate::state::AppState;

/// What is left to do after a session has ended here.
#[derive(Serialize, ToSchema)]
pub(crate) struct LoggedOut {
    /// Send the browser there to end the session at the identity provider too; null where the provider has no such page.
    provider_url: Option<String>,
}

/// The form that a provider sends.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form; nothing reads it")]
pub(crate) struct LogoutForm {
    /// The provider's signed word that a session is over.
    logout_token: String,
}

/// Ends the session that the request came with.
///
/// The session's cookie is taken back. A key or an access token has no session to end.
#[utoipa::path(post, path = "/auth/logout", operation_id = "logout", tag = "sign-in", security(("api_key" = [])),
    responses(
        (status = 200, body = LoggedOut),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn logout(
    State(state): State<AppState>,
    headers: HeaderMap,
    Caller(identity): Caller,
) -> Result<Response, Problem> {
    let sign_in = configured(&state)?;
    let missing = || Problem::no_such("There is no session to end", "A key or an access token has none.");
    let session = open_session(&state.store, sign_in, &headers).await?.ok_or_else(missing)?;
    if session.identity.subject().id() != identity.subject().id() {
        return Err(missing());
    }
    state.store.end_session(&identity, session.id).await?;
    // A provider that does not answer keeps nobody signed in here.
    let provider_url = match sign_in.provider.logout_address(&session.id_token, &sign_in.public_url).await {
        Ok(address) => address,
        Err(error) => {
            tracing::warn!(%error, "the identity provider does not say how to log out there");
            None
        }
    };
    let mut response = Json(LoggedOut { provider_url }).into_response();
    response.headers_mut().insert(SET_COOKIE, Cookie::Session.take_back(sign_in)?);
    Ok(response)
}

/// Ends the sessions that the identity provider says are over. For the provider, not for people.
#[utoipa::path(post, path = "/auth/backchannel-logout", operation_id = "backchannel_logout", tag = "sign-in",
    request_body(content = LogoutForm, content_type = "application/x-www-form-urlencoded"),
    responses(
        (status = 200, description = "They have ended, if there were any"),
        (status = 400, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn backchannel(State(state): State<AppState>, RawForm(form): RawForm) -> Result<Response, Problem> {
    let sign_in = configured(&state)?;
    let token = field(&form, "logout_token").ok_or_else(Problem::logout_refused)?;
    let over = sign_in.provider.logged_out(&token).await.map_err(|error| Problem::of_logout(&error))?;
    let ended = ProviderLogout {
        issuer: &over.issuer,
        subject: over.subject.as_deref(),
        provider_session: over.provider_session.as_deref(),
    };
    for person in state.store.end_provider_sessions(sign_in.tenant, &ended).await? {
        let object = ActionObject::new("person", SubjectId::Person(person));
        let act = ActionRecord::by_operator(AuditedAction::ProviderLogout, Some(sign_in.tenant));
        state.recorder.actions.record(ActionRecord { object: Some(object), by: None, ..act });
    }
    Ok((StatusCode::OK, [(CACHE_CONTROL, "no-store")]).into_response())
}

/// A field of a form, as it was written: a token has no sign that would be written otherwise.
fn field(form: &[u8], name: &str) -> Option<String> {
    let form = std::str::from_utf8(form).ok()?;
    let mut fields = form.split('&').filter_map(|field| field.split_once('='));
    fields.find(|(found, _)| *found == name).map(|(_, value)| value.to_owned())
}
