//! `/auth`: signing in at an identity provider, and the sessions that come of it.

pub(crate) mod callback;
pub(crate) mod link;
pub(crate) mod login;
pub(crate) mod logout;
pub(crate) mod sessions;

use axum::http::header::{ACCEPT, CACHE_CONTROL, LOCATION, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use crate::problem::Problem;
use crate::sign_in::SignIn;
use crate::state::AppState;

/// How people sign in, where anybody can.
fn configured(state: &AppState) -> Result<&SignIn, Problem> {
    state.sign_in.as_ref().ok_or_else(Problem::no_sign_in)
}

/// Somebody who signs in is shown a page, which says what went wrong in their language; a program gets the problem.
fn for_browser(headers: &HeaderMap, problem: Problem) -> Result<Response, Problem> {
    let accepts = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !accepts.contains("text/html") {
        return Err(problem);
    }
    redirect(&format!("/?problem={}", problem.kind()), [])
}

/// Sends a browser elsewhere. Never kept by anybody on the way.
fn redirect(address: &str, cookies: impl IntoIterator<Item = HeaderValue>) -> Result<Response, Problem> {
    let location = HeaderValue::try_from(address).map_err(|_| Problem::internal())?;
    let mut response = StatusCode::FOUND.into_response();
    let headers = response.headers_mut();
    headers.insert(LOCATION, location);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    for cookie in cookies {
        headers.append(SET_COOKIE, cookie);
    }
    Ok(response)
}
