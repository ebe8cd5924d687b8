//! `/healthz`: this process runs. `/readyz`: it can serve.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use ibidem_ports::degrade::BreakerState;
use ibidem_words::Sha256Hash;
use serde::Serialize;
use utoipa::ToSchema;

use crate::state::AppState;

/// The part without which nothing is recorded.
const DATABASE: &str = "database";

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
    /// The parts that cannot be written, because a disk is full or may only be read: `database`, `originals`. Without the
    /// database this process is not ready: what it answers could not be recorded. Without the originals it answers, and
    /// takes no documents in.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cannot_write: Vec<&'static str>,
    /// Of the policy in force: what the receipts of answers name. Only where readiness is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    policy_sha256: Option<Sha256Hash>,
}

/// Whether this process runs.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = Health)))]
pub(crate) async fn healthz() -> Json<Health> {
    Json(Health {
        status: "ok",
        not_ready: Vec::new(),
        left_alone: Vec::new(),
        cannot_write: Vec::new(),
        policy_sha256: None,
    })
}

/// Whether this process can serve: database, schema, index and embedding model, and whether there is room to write.
#[utoipa::path(get, path = "/readyz", tag = "health",
    responses((status = 200, body = Health), (status = 503, body = Health)))]
pub(crate) async fn readyz(State(state): State<AppState>) -> (StatusCode, Json<Health>) {
    let (missing, unwritten) = tokio::join!(state.readiness.missing(), state.readiness.cannot_write());
    let policy_sha256 = Some(state.policy_in_force().hash);
    let breakers = state.counts.breakers().states().into_iter();
    let left_alone =
        breakers.filter(|(_, state, _)| *state != BreakerState::Closed.as_number()).map(|(part, ..)| part).collect();
    for (part, reason) in &missing {
        tracing::warn!(part, reason, "not ready");
    }
    for (part, reason) in &unwritten {
        tracing::warn!(part, reason, "cannot be written");
    }
    let mut not_ready: Vec<&'static str> = missing.into_iter().map(|(part, _)| part).collect();
    let cannot_write: Vec<&'static str> = unwritten.into_iter().map(|(part, _)| part).collect();
    if cannot_write.contains(&DATABASE) && !not_ready.contains(&DATABASE) {
        not_ready.push(DATABASE);
    }
    let (code, status) = match not_ready.is_empty() {
        true => (StatusCode::OK, "ok"),
        false => (StatusCode::SERVICE_UNAVAILABLE, "not_ready"),
    };
    (code, Json(Health { status, not_ready, left_alone, cannot_write, policy_sha256 }))
}
