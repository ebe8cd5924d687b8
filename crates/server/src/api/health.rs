//! `/healthz`: this process runs. `/readyz`: it can serve.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use ibidem_words::Sha256Hash;
use ibidem_words::degrade::BreakerState;
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
    /// The parts that failed too often and are left alone for now, by the names of their breakers. This process serves
    /// without them, and its answers say so.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_alone: Vec<String>,
    /// Of the policy in force: what the receipts of answers name. Only where readiness is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    policy_sha256: Option<Sha256Hash>,
}

/// Whether this process runs.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = Health)))]
pub(crate) async fn healthz() -> Json<Health> {
    Json(Health { status: "ok", not_ready: Vec::new(), left_alone: Vec::new(), policy_sha256: None })
}

/// Whether this process can serve: database, schema, index and embedding model.
#[utoipa::path(get, path = "/readyz", tag = "health",
    responses((status = 200, body = Health), (status = 503, body = Health)))]
pub(crate) async fn readyz(State(state): State<AppState>) -> (StatusCode, Json<Health>) {
    let missing = state.readiness.missing().await;
    let policy_sha256 = Some(state.policy_in_force().hash);
    let breakers = state.counts.breakers().states().into_iter();
    let left_alone =
        breakers.filter(|(_, state, _)| *state != BreakerState::Closed.as_number()).map(|(part, ..)| part).collect();
    if missing.is_empty() {
        return (StatusCode::OK, Json(Health { status: "ok", not_ready: Vec::new(), left_alone, policy_sha256 }));
    }
    for (part, reason) in &missing {
        tracing::warn!(part, reason, "not ready");
    }
    let not_ready = missing.into_iter().map(|(part, _)| part).collect();
    (StatusCode::SERVICE_UNAVAILABLE, Json(Health { status: "not_ready", not_ready, left_alone, policy_sha256 }))
}
