//! `GET /metrics`: what is counted, for Prometheus.

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use ibidem_words::Sha256Hash;

use crate::identity::bearer;
use crate::problem::{Problem, ProblemDocument};
use crate::state::{AppState, MetricsReaders};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Reads what is counted, over all tenants, in the OpenMetrics form.
///
/// `server.metrics` says who may: whoever has the operator's token (`server.metrics_token`), everybody, or nobody. No
/// API key opens it: a key is a tenant's, and the numbers are of all tenants.
#[utoipa::path(get, path = "/metrics", tag = "metrics", security((), ("api_key" = [])),
    responses(
        (status = 200, body = String, content_type = "application/openmetrics-text"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read_metrics(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    match state.metrics_readers {
        MetricsReaders::Nobody => return Err(Problem::not_found()),
        MetricsReaders::Everybody => {}
        MetricsReaders::Operator(token) => {
            let given = bearer(request.headers()).ok_or_else(Problem::unauthenticated)?;
            // Digests are compared: how far they agree tells nothing about the token.
            if Sha256Hash::of(given.as_bytes()) != token {
                return Err(Problem::unauthenticated());
            }
        }
    }
    if !state.hand_over.targets.is_empty() {
        // The worker sends them, and the database is what both see. A database that is away leaves the last numbers.
        match state.store.hand_over_counts().await {
            Ok(counts) => state.metrics.hand_overs(&counts),
            Err(error) => tracing::warn!(%error, "the hand-overs could not be counted"),
        }
    }
    let text = state.metrics.text().map_err(|error| {
        tracing::error!(%error, "the metrics could not be written");
        Problem::internal()
    })?;
    Ok(([(CONTENT_TYPE, OPENMETRICS)], text).into_response())
}
