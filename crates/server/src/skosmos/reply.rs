//! Answers and refusals in the words of a Skosmos.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

/// JSON, as chosen for this caller.
pub(super) fn json(body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json; charset=utf-8"), (header::VARY, "Accept")];
    (headers, body.to_string()).into_response()
}

pub(super) fn bad_request(reason: &str) -> Response {
    refused(StatusCode::BAD_REQUEST, "Bad Request", reason)
}

pub(super) fn not_found(reason: &str) -> Response {
    refused(StatusCode::NOT_FOUND, "Not Found", reason)
}

pub(super) fn refused(status: StatusCode, title: &str, reason: &str) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
    (status, headers, format!("{} {title} : {reason}", status.as_u16())).into_response()
}

/// What a Skosmos says when it fails itself.
pub(super) fn failed(said: &'static str) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/html; charset=UTF-8")];
    (StatusCode::INTERNAL_SERVER_ERROR, headers, said).into_response()
}
