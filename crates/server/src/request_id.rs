//! Every request has an id: the caller's, if it is a UUID, or one made at entry.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;
use uuid::Uuid;

use crate::logs;
use crate::metrics::Metrics;
use crate::traces::TracedRequest;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RequestId(pub(crate) Uuid);

/// Names the request in all of its log lines, and counts and logs how it ended.
pub(crate) async fn assign(State(metrics): State<Arc<Metrics>>, mut request: Request, next: Next) -> Response {
    let given = request.headers().get(X_REQUEST_ID).and_then(|value| value.to_str().ok()?.parse::<Uuid>().ok());
    let id = given.unwrap_or_else(Uuid::new_v4);
    request.extensions_mut().insert(RequestId(id));
    let is_api = request.uri().path().starts_with("/v1/");
    let traced = TracedRequest::of(id, &request);
    // The log's span is inside: what handlers note for the log's lines is noted on the innermost span.
    let span = traced.span.in_scope(|| logs::request_span(id, request.method(), request.uri().path(), traced.caller));
    let answered = async {
        let began = Instant::now();
        let response = next.run(request).await;
        let (status, duration_ms) = (response.status(), began.elapsed().as_millis());
        // Probes and readings of the metrics come all day long.
        if is_api {
            metrics.response(status);
            tracing::info!(status = status.as_u16(), duration_ms, "a request was replied to");
        } else {
            tracing::debug!(status = status.as_u16(), duration_ms, "a request was replied to");
        }
        response
    };
    let mut response = answered.instrument(span).instrument(traced.span.clone()).await;
    traced.replied(response.status());
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }
    response
}
