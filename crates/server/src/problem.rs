//! Errors as RFC 9457 problem documents, made in one place: here, and by what they are about below.

mod limits;
mod missing;
mod parts;
mod sign_in;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ibidem_words::CollectionName;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::request_id::RequestId;

/// What went wrong, for the caller. `type` is a stable name; `detail` says what to do.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct ProblemDocument {
    /// A stable name for this sort of problem.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) title: &'static str,
    pub(crate) status: u16,
    pub(crate) detail: String,
    /// The request this is about, as in the logs.
    pub(crate) request_id: Uuid,
}

/// A problem on its way out; it becomes a document when the request's id is known.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    kind: &'static str,
    title: &'static str,
    detail: String,
    /// After how many seconds it may be worth trying again.
    retry_after: Option<u64>,
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: impl Into<String>) -> Self {
        Self { status, kind, title, detail: detail.into(), retry_after: None }
    }

    pub(crate) fn invalid(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_request", "The request is not valid", detail)
    }

    pub(crate) fn malformed(status: StatusCode, detail: impl Into<String>) -> Self {
        Self::new(status, "malformed_request", "The request cannot be read", detail)
    }

    pub(crate) fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", "You may not do that", detail)
    }

    /// Writing into a collection is a right of its own.
    pub(crate) fn not_your_collection(collection: &CollectionName) -> Self {
        let collection = collection.as_str();
        Self::new(
            StatusCode::FORBIDDEN,
            "not_your_collection",
            "You may not hand documents in to this collection",
            format!(
                "It needs the right to hand in to the collection {collection:?}. An admin gives it with a key or a group \
                 (`hand_in`)."
            ),
        )
    }

    /// Two documents of one address would be taken for each other.
    pub(crate) fn address_taken(address: &str) -> Self {
        Self::new(
            StatusCode::CONFLICT,
            "address_taken",
            "Another document has this address",
            format!(
                "The address {address:?} is that of another document, which you may not change, and stays with it. Hand \
                 yours in with an address of its own, or without one."
            ),
        )
    }

    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "There is no such endpoint",
            "The API is described at /openapi.json.",
        )
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "This endpoint does not support that method",
            "The API is described at /openapi.json.",
        )
    }

    pub(crate) fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "The server has an internal error",
            "The operator can find the reason in the server's log, under this request id.",
        )
    }

    /// The stable name of this sort of problem.
    pub(crate) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The problem as the caller reads it.
    pub(crate) fn document(self, request_id: Uuid) -> ProblemDocument {
        ProblemDocument {
            kind: self.kind,
            title: self.title,
            status: self.status.as_u16(),
            detail: self.detail,
            request_id,
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes every problem, and every bare error status, as a document with the request's id. A door whose callers read
/// another form finds the document beside it.
pub(crate) async fn write_problems(request: Request, next: Next) -> Response {
    let request_id = request.extensions().get::<RequestId>().copied();
    let mut response = next.run(request).await;
    let problem = match response.extensions_mut().remove::<Problem>() {
        Some(problem) => problem,
        None if response.status() == StatusCode::METHOD_NOT_ALLOWED => Problem::method_not_allowed(),
        None => return response,
    };
    let status = problem.status;
    let retry_after = problem.retry_after;
    let document = problem.document(request_id.map_or_else(Uuid::nil, |id| id.0));
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if status == StatusCode::UNAUTHORIZED {
        // Whoever knows where tokens are to be had has said so already.
        response.headers_mut().entry(header::WWW_AUTHENTICATE).or_insert(HeaderValue::from_static("Bearer"));
    }
    write(&mut response, "application/problem+json", &document);
    response.extensions_mut().insert(document);
    response
}

/// Puts a document in place of a reply's body.
pub(crate) fn write(response: &mut Response, content_type: &'static str, document: &impl Serialize) {
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    // Serialising plain strings and numbers cannot fail; an empty body would still carry the status.
    *response.body_mut() = Body::from(serde_json::to_vec(document).unwrap_or_default());
}
