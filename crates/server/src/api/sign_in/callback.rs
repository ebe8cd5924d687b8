//! `GET /auth/callback`: the identity provider sends a browser back, and a session begins.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use ibidem_ports::identity_provider::Returned;
use ibidem_store::{ActionObject, ActionRecord, AuditedAction, NewSession};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{configured, for_browser, redirect};
use crate::problem::{Problem, ProblemDocument};
use crate::sign_in::{Cookie, admitted};
use crate::state::AppState;

/// What the provider sends along. What it adds beside these is not ours to refuse.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallbackQuery {
    /// The code that is exchanged for tokens. It is used once.
    code: Option<String>,
    /// As it was sent to the provider.
    state: Option<String>,
    /// The provider that sends the browser back.
    iss: Option<String>,
    /// Why nobody signed in.
    error: Option<String>,
}

/// Ends a sign-in: the code is exchanged, what the provider says is checked, and a session begins.
#[utoipa::path(get, path = "/auth/callback", operation_id = "callback", tag = "sign-in", params(CallbackQuery),
    responses(
        (status = 302, description = "To the page that the browser came from, with the cookie of a new session. Where nobody \
            was signed in, a browser is sent to `/`, which says why"),
        (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn callback(
    State(state): State<AppState>,
    headers: HeaderMap,
    query: Result<Query<CallbackQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    signed_in(&state, &headers, query).await.or_else(|problem| for_browser(&headers, problem))
}

async fn signed_in(
    state: &AppState,
    headers: &HeaderMap,
    query: Result<Query<CallbackQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let sign_in = configured(state)?;
    let Query(query) = query.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))?;
    let browser = Cookie::SignIn.value(sign_in, headers);
    let (Some(browser), Some(sent)) = (browser, query.state) else { return Err(Problem::sign_in_failed()) };
    // Once: a code or a state that comes a second time finds nothing.
    let kept = state.store.take_sign_in(&sent, &browser).await?.ok_or_else(Problem::sign_in_failed)?;
    if let Some(error) = query.error {
        let error: String = error.chars().filter(char::is_ascii_graphic).take(100).collect();
        tracing::info!(error, "the identity provider let nobody in");
        return Err(Problem::sign_in_failed());
    }
    let code = query.code.ok_or_else(Problem::sign_in_failed)?;
    let returned = Returned {
        code,
        issuer: query.iss,
        redirect_uri: sign_in.callback_url(),
        nonce: kept.nonce,
        verifier: kept.verifier,
    };
    let signed_in = sign_in.provider.redeem(&returned).await.map_err(|error| Problem::of_sign_in(&error))?;
    let identity = admitted(state.store.admit_person(sign_in.tenant, &signed_in.person).await)?;
    // Always a new one: a session that a browser came with is nobody's.
    let new = NewSession {
        provider_session: signed_in.provider_session,
        id_token: signed_in.id_token,
        lifetime: sign_in.lifetime,
    };
    let secret = state.store.open_session(&identity, &new).await?;
    let mut act = ActionRecord::by_operator(AuditedAction::SignIn, Some(sign_in.tenant));
    act.is_by(&identity);
    act.object = Some(ActionObject::new("person", identity.subject().id()));
    state.recorder.actions.record(act);
    let cookies = [Cookie::Session.set(sign_in, &secret, sign_in.lifetime)?, Cookie::SignIn.take_back(sign_in)?];
    redirect(&kept.return_to, cookies)
}
