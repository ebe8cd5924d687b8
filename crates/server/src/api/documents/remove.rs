//! `DELETE /v1/documents/{id}`: a document is removed, or erased with everything that repeats it.

use std::convert::Infallible;

use axum::Json;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use ibidem_store::{AuditedAction, Erased, RemovalOutcome};
use ibidem_words::DocumentId;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Thoroughness {
    /// Erase it: texts, vectors, originals, and its words in records and stored answers. It cannot be taken back.
    #[serde(default)]
    erase: bool,
}

/// Read before it is asked who calls, so that a refused erasure is on record as one.
pub(crate) struct Asked(Result<Thoroughness, Problem>);

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let query = Query::<Thoroughness>::from_request_parts(parts, state).await;
        let query = query.map(|Query(query)| query);
        if query.as_ref().is_ok_and(|query| query.erase) {
            Act::of(&parts.extensions).is(AuditedAction::EraseDocument);
        }
        Ok(Self(query.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))))
    }
}

/// What an erasure took away, and what it left.
#[derive(Serialize, ToSchema)]
pub(crate) struct ErasedBody {
    document_id: Uuid,
    /// Versions, with their texts.
    versions: u64,
    passages: u64,
    /// Stored vectors that no passage uses any more.
    vectors: u64,
    /// Originals that no other document has.
    originals: u64,
    /// Jobs that were waiting to ingest it.
    jobs: u64,
    /// Records of questions from which words were taken.
    records: u64,
    /// Sentences of stored answers that rested on it.
    sentences: u64,
    /// Earlier replies, in the histories that askers sent along, that repeated it.
    replies: u64,
    /// References of curated memory.
    references: u64,
    /// `requested`: a worker takes its points out of the index. Nothing finds it meanwhile.
    index: &'static str,
    /// What was left, each with its reason.
    kept: Vec<String>,
}

impl ErasedBody {
    fn of(document_id: Uuid, erased: Erased) -> Self {
        Self {
            document_id,
            versions: erased.versions,
            passages: erased.passages,
            vectors: erased.vectors,
            originals: erased.originals,
            jobs: erased.jobs,
            records: erased.records,
            sentences: erased.sentences,
            replies: erased.replies,
            references: erased.references,
            index: "requested",
            kept: erased.kept,
        }
    }
}

/// Removes a document at once.
///
/// For admins of its tenant. Its texts stay, so that old receipts can be checked; with `erase=true` nothing of it stays,
/// and the reply is a report. Erasing again finishes what was interrupted, and then reports zeros.
#[utoipa::path(delete, path = "/v1/documents/{id}", operation_id = "remove_document", tag = "documents",
    params(("id" = Uuid, Path), Thoroughness),
    security(("api_key" = [])),
    responses(
        (status = 200, body = ErasedBody, description = "It was erased"),
        (status = 204, description = "It was removed"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn remove(
    State(state): State<AppState>,
    Asked(query): Asked,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let is_erasure = query?.erase;
    let id: Uuid = id.parse().map_err(|_| Problem::no_such_document())?;
    let (tenant, document) = (caller.0.tenant(), DocumentId(id));
    if is_erasure {
        let erased = state.store.erase_document(state.originals.as_ref(), tenant, document).await?;
        let erased = erased.ok_or_else(Problem::no_such_document)?;
        return Ok(Json(ErasedBody::of(id, erased)).into_response());
    }
    match state.store.remove(tenant, document).await? {
        RemovalOutcome::Done => Ok(StatusCode::NO_CONTENT.into_response()),
        RemovalOutcome::NotFound => Err(Problem::no_such_document()),
    }
}
