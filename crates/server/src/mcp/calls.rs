//! A tool's call of the API, within this process.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, HeaderValue, Method, Request};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// No reply of the API is larger: a document's text at most.
const LARGEST_REPLY: usize = 64 * 1024 * 1024;

/// What is called.
pub(super) struct ApiCall {
    method: Method,
    path: String,
    body: Option<Value>,
}

impl ApiCall {
    pub(super) fn get(path: String) -> Self {
        Self { method: Method::GET, path, body: None }
    }

    pub(super) fn post(path: &str, body: Value) -> Self {
        Self { method: Method::POST, path: path.to_owned(), body: Some(body) }
    }
}

/// What the API said.
pub(super) struct Replied {
    pub(super) is_success: bool,
    pub(super) body: Value,
}

impl Replied {
    /// The tool was given something that no call can be made of.
    pub(super) fn wrong(detail: &str) -> Self {
        Self { is_success: false, body: json!({ "detail": detail }) }
    }
}

/// Calls the API with what the agent sent as credentials.
pub(super) async fn reply(api: Router, headers: &HeaderMap, call: ApiCall) -> Replied {
    let body = call.body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
    let mut request = Request::new(body);
    *request.method_mut() = call.method;
    let Ok(uri) = call.path.parse() else { return Replied::wrong("this cannot be asked for") };
    *request.uri_mut() = uri;
    let mut headers = headers.clone();
    // They are of the agent's own request: its body, and how it wants to be answered.
    for of_the_body in [CONTENT_LENGTH, TRANSFER_ENCODING, ACCEPT] {
        headers.remove(of_the_body);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    *request.headers_mut() = headers;
    let response = match api.oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    let is_success = response.status().is_success();
    let body = to_bytes(response.into_body(), LARGEST_REPLY).await.unwrap_or_default();
    Replied { is_success, body: serde_json::from_slice(&body).unwrap_or_default() }
}
