//! A request says once whom it is for.

use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use crate::problem::Problem;

/// Refuses a request with two `Host` headers (RFC 9112, section 3.2): a proxy before this server may go by the one and
/// somebody behind it by the other.
pub(crate) async fn named_once(request: Request, next: Next) -> Response {
    if request.headers().get_all(header::HOST).iter().nth(1).is_some() {
        let detail = "The request has more than one Host header. Send one.";
        return Problem::malformed(StatusCode::BAD_REQUEST, detail).into_response();
    }
    next.run(request).await
}
