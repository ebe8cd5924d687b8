//! Answers and refusals in the words of a Skosmos.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

/// JSON, as chosen for this caller.
pub(super) fn json(body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json; charset=utf-8"), (header::VARY, "Accept")];
    (headers, body.to_string()).into_response()
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Refusal {
    BadRequest(String),
    NotFound(String),
    NoConcept,
    NotAcceptable(String),
    /// What a Skosmos says when it fails itself.
    Failed(&'static str),
}

impl Refusal {
    pub(super) fn missing(parameter: &str) -> Self {
        Self::BadRequest(format!("{parameter} parameter missing"))
    }

    pub(super) fn invalid(parameter: &str) -> Self {
        Self::BadRequest(format!("{parameter} parameter is invalid"))
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, title, reason) = match self {
            Self::BadRequest(reason) => (StatusCode::BAD_REQUEST, "Bad Request", reason),
            Self::NotFound(reason) => (StatusCode::NOT_FOUND, "Not Found", reason),
            // The title that a Skosmos has for it.
            Self::NoConcept => (StatusCode::NOT_FOUND, "Bad Request", "no concept found with given uri".to_owned()),
            Self::NotAcceptable(reason) => (StatusCode::NOT_ACCEPTABLE, "Not Acceptable", reason),
            Self::Failed(reason) => {
                let headers = [(header::CONTENT_TYPE, "text/html; charset=UTF-8")];
                return (StatusCode::INTERNAL_SERVER_ERROR, headers, reason).into_response();
            }
        };
        let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        (status, headers, format!("{} {title} : {reason}", status.as_u16())).into_response()
    }
}
