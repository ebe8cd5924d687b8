//! `GET /auth/login`: a browser is sent to the identity provider.

use std::time::Duration;

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use ibidem_ports::identity_provider::Beginning;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{configured, for_browser, redirect};
use crate::problem::{Problem, ProblemDocument};
use crate::sign_in::Cookie;
use crate::state::AppState;

/// How long a sign-in may take at the provider.
const SIGN_IN_WITHIN: Duration = Duration::from_secs(600);

const LONGEST_RETURN: usize = 2_000;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LoginQuery {
    /// The path of the page to return to, on this server. Default: `/`.
    #[param(max_length = 2000, pattern = "^/([^/\\\\].*)?$")]
    return_to: Option<String>,
}

/// Sends a browser to the identity provider.
///
/// It comes back to `/auth/callback`, within ten minutes.
#[utoipa::path(get, path = "/auth/login", operation_id = "login", tag = "sign-in", params(LoginQuery),
    responses(
        (status = 302, description = "To the identity provider"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn login(
    State(state): State<AppState>,
    headers: HeaderMap,
    query: Result<Query<LoginQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    sent_to_provider(&state, query).await.or_else(|problem| for_browser(&headers, problem))
}

async fn sent_to_provider(
    state: &AppState,
    query: Result<Query<LoginQuery>, QueryRejection>,
) -> Result<Response, Problem> {
    let sign_in = configured(state)?;
    let Query(query) = query.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))?;
    let return_to = query.return_to.unwrap_or_else(|| "/".to_owned());
    if !is_own_path(&return_to) {
        return Err(Problem::invalid("return_to: must be a path on this server, for example `/`"));
    }
    let begun = state.store.begin_sign_in(&return_to, SIGN_IN_WITHIN).await?;
    let beginning = Beginning {
        redirect_uri: sign_in.callback_url(),
        state: begun.state,
        nonce: begun.nonce,
        verifier: begun.verifier,
    };
    let address = sign_in.provider.sign_in_address(&beginning).await.map_err(|error| Problem::of_sign_in(&error))?;
    let cookie = Cookie::SignIn.set(sign_in, &begun.browser, SIGN_IN_WITHIN)?;
    redirect(&address, [cookie])
}

/// A path, and never the address of another site in the form of one.
fn is_own_path(written: &str) -> bool {
    let mut signs = written.chars();
    written.len() <= LONGEST_RETURN
        && signs.next() == Some('/')
        && !matches!(signs.next(), Some('/' | '\\'))
        && written.chars().all(|sign| sign.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_returns_to_this_server_only() {
        for own in ["/", "/ask?q=1#a", "/a//b"] {
            assert!(is_own_path(own), "{own}");
        }
        for other in
            ["", "//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example", "/a\r\nb", "ask"]
        {
            assert!(!is_own_path(other), "{other:?}");
        }
    }
}
