//! Overload and deadlines: an early answer instead of a growing queue.

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;
use crate::state::AppState;

pub(crate) async fn bound(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let Ok(_place) = state.in_flight.try_acquire() else {
        return Problem::overloaded().into_response();
    };
    let limit = state.limits.request_timeout;
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::deadline(limit.as_secs_f64()).into_response(),
    }
}
