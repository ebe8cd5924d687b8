//! `/healthz`: this process runs. `/readyz`: it can serve.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use crate::state::AppState;

#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `ok`, or `not_ready`.
    status: &'static str,
    /// The parts that are not ready; their reasons are in the log.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_ready: Vec<&'static str>,
}

const OK: Health = Health { status: "ok", not_ready: Vec::new() };

/// Whether this process runs.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = Health)))]
pub(crate) async fn healthz() -> Json<Health> {
    Json(OK)
}

/// Whether this process can serve: database, schema, index and embedding model.
#[utoipa::path(get, path = "/readyz", tag = "health",
    responses((status = 200, body = Health), (status = 503, body = Health)))]
pub(crate) async fn readyz(State(state): State<AppState>) -> (StatusCode, Json<Health>) {
    let missing = state.readiness.missing().await;
    if missing.is_empty() {
        return (StatusCode::OK, Json(OK));
    }
    for (part, reason) in &missing {
        tracing::warn!(part, reason, "not ready");
    }
    let not_ready = missing.into_iter().map(|(part, _)| part).collect();
    (StatusCode::SERVICE_UNAVAILABLE, Json(Health { status: "not_ready", not_ready }))
}
