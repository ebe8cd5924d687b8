//! Errors in OpenAI's form, for the endpoints that chat programs call.

use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use serde::Serialize;
use utoipa::ToSchema;

use crate::problem::{self, ProblemDocument};

/// An error in OpenAI's form.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChatError {
    error: ErrorBody,
}

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErrorBody {
    /// What went wrong, and what to do.
    message: String,
    /// `invalid_request_error`, `authentication_error`, `permission_error`, `rate_limit_error` or `server_error`.
    #[serde(rename = "type")]
    kind: &'static str,
    /// A stable name for this sort of problem.
    code: &'static str,
    /// Always null.
    param: Option<String>,
}

/// The endpoints of OpenAI's API. Those that are not served are answered in the form that their callers read.
const PATHS: [&str; 5] = ["/v1/chat/completions", "/v1/models", "/v1/completions", "/v1/embeddings", "/v1/responses"];

/// Whether whoever calls this path reads errors in OpenAI's form.
pub(super) fn is_for_chat(path: &str) -> bool {
    PATHS.contains(&path) || path.strip_prefix("/v1/models/").is_some()
}

/// The status that clients of OpenAI's API expect: they know 400 and not 422.
pub(super) fn chat_status(status: StatusCode) -> StatusCode {
    if status == StatusCode::UNPROCESSABLE_ENTITY { StatusCode::BAD_REQUEST } else { status }
}

/// Writes problems in OpenAI's form, where the caller reads it.
pub(crate) async fn write_chat_errors(request: Request, next: Next) -> Response {
    let is_for_chat = is_for_chat(request.uri().path());
    let mut response = next.run(request).await;
    if is_for_chat && let Some(document) = response.extensions_mut().remove::<ProblemDocument>() {
        *response.status_mut() = chat_status(response.status());
        problem::write(&mut response, "application/json", &ChatError::from(document));
    }
    response
}

impl From<ProblemDocument> for ChatError {
    fn from(problem: ProblemDocument) -> Self {
        let kind = match problem.status {
            401 => "authentication_error",
            403 => "permission_error",
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        let message = format!("{}. {} (request {})", problem.title, problem.detail, problem.request_id);
        Self { error: ErrorBody { message, kind, code: problem.kind, param: None } }
    }
}
