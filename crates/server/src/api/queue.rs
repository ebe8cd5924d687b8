//! `GET /v1/queue`: how far the intake of the tenant's documents is.

use axum::Json;
use axum::extract::State;
use chrono::{DateTime, Utc};
use ibidem_store::{GivenUp, TenantQueue};
use serde::Serialize;
use utoipa::ToSchema;

use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// So many documents that could not be read are named.
const MOST_NAMED: u16 = 50;

/// A document that could not be read.
#[derive(Serialize, ToSchema)]
pub(crate) struct FailedDocument {
    /// The file, as it was handed in.
    file: String,
    collection: String,
    failed_at: DateTime<Utc>,
    /// Why it was given up.
    reason: String,
}

impl From<GivenUp> for FailedDocument {
    fn from(GivenUp { source_location, collection, failed_at, reason }: GivenUp) -> Self {
        Self { file: source_location, collection, failed_at, reason }
    }
}

/// The intake of a tenant's documents.
#[derive(Serialize, ToSchema)]
pub(crate) struct QueueBody {
    /// Documents that wait to be read.
    waiting: u64,
    /// Those of them that failed before and are tried again.
    retrying: u64,
    /// Documents that a worker is reading.
    running: u64,
    /// Documents that could not be read and were given up.
    failed: u64,
    /// Since when the oldest of the waiting waits.
    oldest_waiting: Option<DateTime<Utc>>,
    /// Documents and curated answers that were read, and that wait for their place in the search index.
    publications: u64,
    /// Since when the oldest of them waits.
    oldest_publication: Option<DateTime<Utc>>,
    /// How many versions of documents were read within the last hour.
    taken_in_last_hour: u64,
    /// The documents that were given up last, at most 50: those with a tag that the caller carries, and public ones.
    failures: Vec<FailedDocument>,
}

/// Reads how far the intake of documents is.
///
/// Counted over the whole tenant. Names and reasons are shown of documents that are for the caller.
#[utoipa::path(get, path = "/v1/queue", operation_id = "read_queue", tag = "metrics", security(("api_key" = [])),
    responses(
        (status = 200, body = QueueBody),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(State(state): State<AppState>, caller: Caller) -> Result<Json<QueueBody>, Problem> {
    let scope = caller.scope();
    let TenantQueue {
        waiting,
        retrying,
        running,
        failed,
        oldest_waiting,
        publications,
        oldest_publication,
        taken_in_last_hour,
    } = state.store.tenant_queue(&scope).await?;
    let failures = if failed > 0 { state.store.given_up(&scope, MOST_NAMED).await? } else { Vec::new() };
    Ok(Json(QueueBody {
        waiting,
        retrying,
        running,
        failed,
        oldest_waiting,
        publications,
        oldest_publication,
        taken_in_last_hour,
        failures: failures.into_iter().map(FailedDocument::from).collect(),
    }))
}
