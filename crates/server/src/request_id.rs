//! Every request has an id: the caller's, if it is a UUID, or one made at entry.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument as _;
use uuid::Uuid;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RequestId(pub(crate) Uuid);

pub(crate) async fn assign(mut request: Request, next: Next) -> Response {
    let given = request.headers().get(X_REQUEST_ID).and_then(|value| value.to_str().ok()?.parse::<Uuid>().ok());
    let id = given.unwrap_or_else(Uuid::new_v4);
    request.extensions_mut().insert(RequestId(id));
    let span =
        tracing::info_span!("request", request_id = %id, method = %request.method(), path = request.uri().path());
    let mut response = next.run(request).instrument(span).await;
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(X_REQUEST_ID, value);
    }
    response
}
