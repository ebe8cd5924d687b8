//! The router: the endpoints of the table, and what stands before them.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post_service;
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;

use crate::api::{endpoints, handlers};
use crate::audit::record_action;
use crate::openai::errors::write_chat_errors;
use crate::problem::{Problem, write_problems};
use crate::rules::Bounds;
use crate::state::AppState;
use crate::{embedding, host, limits, mcp, request_id, rules};

/// Everything that is served: the API, and the doors that call it.
pub fn router(state: AppState) -> Router {
    let (api, limits) = (api(state.clone()), state.limits);
    let at_once = Arc::new(Semaphore::new(limits.max_in_flight));
    let only_reads = state.engine_in_force().parts.tools.is_empty();
    let agents = post_service(mcp::service(api.clone(), limits.max_json_bytes, only_reads));
    let agents = Router::new()
        .route(mcp::PATH, agents)
        .layer(from_fn_with_state(state.clone(), mcp::admit))
        .layer(from_fn_with_state(limits.max_json_bytes, limits::bound_size))
        .layer(from_fn_with_state((limits, at_once), limits::bound_probe))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(endpoints(), rules::find))
        .layer(from_fn(host::named_once))
        .layer(from_fn(write_problems))
        .layer(from_fn_with_state(state, request_id::assign));
    api.merge(agents)
}

fn api(state: AppState) -> Router {
    let limits = state.limits;
    let [ordinary, uploads, probes] = [Bounds::Ordinary, Bounds::Upload, Bounds::Probe]
        .map(|bounds| Router::from(handlers(|rules| rules.bounds == bounds)));
    let bounded = ordinary
        .fallback(|| async { Problem::not_found() })
        .layer(DefaultBodyLimit::max(limits.max_json_bytes))
        .layer(from_fn_with_state(limits.max_json_bytes, limits::bound_size))
        .merge(
            uploads
                .layer(DefaultBodyLimit::max(limits.max_body_bytes))
                .layer(from_fn_with_state(limits.max_body_bytes, limits::bound_size)),
        )
        .layer(from_fn_with_state(state.clone(), limits::bound));
    let at_once = Arc::new(Semaphore::new(limits::PROBES_AT_ONCE));
    let probes = probes.layer(from_fn_with_state((limits, at_once), limits::bound_probe));
    bounded
        .merge(probes)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(state.clone(), record_action))
        .layer(from_fn_with_state(endpoints(), rules::find))
        .layer(from_fn(host::named_once))
        .layer(from_fn(write_problems))
        .layer(from_fn(write_chat_errors))
        .layer(from_fn(embedding::tell_browsers))
        .layer(from_fn_with_state(state.clone(), request_id::assign))
        .with_state(state)
}

/// A panic is a mistake in this program: the caller gets a problem document, the log the reason.
#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer calls")]
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let reason = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    tracing::error!(reason, "a handler panicked");
    Problem::internal().into_response()
}
