//! Overload and deadlines: an early answer instead of a growing queue.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use ibidem_engine::degrade::Deadline;
use tokio::sync::OwnedSemaphorePermit;

use crate::problem::Problem;
use crate::state::AppState;

/// A request that does not end with its deadline gets so much of its time more, and then a status.
const GRACE_PARTS: u32 = 12;

/// A request's place among those under way. Work that outlives its request keeps it until it is done.
#[derive(Clone)]
pub(crate) struct Place(#[expect(dead_code, reason = "held, and given back when dropped")] Arc<OwnedSemaphorePermit>);

pub(crate) async fn bound(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let Ok(permit) = Arc::clone(&state.in_flight).try_acquire_owned() else {
        return Problem::overloaded().into_response();
    };
    let place = Place(Arc::new(permit));
    request.extensions_mut().insert(place.clone());
    let limit = state.limits.request_timeout;
    request.extensions_mut().insert(Deadline::after(limit, Instant::now()));
    // Whoever keeps to the deadline says more about what was late than a status can.
    match tokio::time::timeout(limit + limit / GRACE_PARTS, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Problem::deadline(limit.as_secs_f64()).into_response(),
    }
}
