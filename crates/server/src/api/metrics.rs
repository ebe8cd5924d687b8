//! `GET /metrics`: what is counted, for Prometheus.

use axum::extract::{FromRequestParts as _, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use ibidem_engine::words::Role;

use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::{AppState, MetricsReaders};

const OPENMETRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Reads what is counted, over all tenants, in the OpenMetrics form.
///
/// `server.metrics` says who may: those with an admin's key, everybody, or nobody.
#[utoipa::path(get, path = "/metrics", tag = "metrics", security((), ("api_key" = [])),
    responses(
        (status = 200, body = String, content_type = "application/openmetrics-text"),
        (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read_metrics(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    match state.metrics_readers {
        MetricsReaders::Nobody => return Err(Problem::not_found()),
        MetricsReaders::Everybody => {}
        MetricsReaders::Admins => {
            let (mut parts, _) = request.into_parts();
            Caller::from_request_parts(&mut parts, &state).await?.require(Role::Admin)?;
        }
    }
    let text = state.metrics.text().map_err(|error| {
        tracing::error!(%error, "the metrics could not be written");
        Problem::internal()
    })?;
    Ok(([(CONTENT_TYPE, OPENMETRICS)], text).into_response())
}
