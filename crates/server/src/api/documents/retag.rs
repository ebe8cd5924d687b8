//! `PATCH /v1/documents/{id}`: a document gets other tags.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use ibidem_store::{RemovalOutcome, RetagOutcome};
use ibidem_words::{DocumentId, Tag};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Sent;
use crate::permissions::{self, Power};
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// More tags than anybody reads.
const MOST_TAGS: usize = 100;

/// Who may see a document from now on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetagBody {
    /// Its tags, 1 to 100; `public` is everybody of the tenant. A curator names only tags that they carry, and the
    /// document keeps the tags that they do not carry. What an admin names is all that it has.
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 100)]
    tags: Vec<Tag>,
}

/// Changes who may see a document. It counts from everybody's next request on.
///
/// A curator changes documents that have one of the curator's own tags, in collections that they may hand in to. One that
/// the key may not see is as if it did not exist, except to admins.
#[utoipa::path(patch, path = "/v1/documents/{id}", operation_id = "retag_document", tag = "documents",
    params(("id" = Uuid, Path, description = "The document")), request_body = RetagBody, security(("api_key" = [])),
    responses(
        (status = 204, description = "It has these tags now"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn retag(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Path(id): Path<String>,
    Sent(RetagBody { tags }): Sent<RetagBody>,
) -> Result<StatusCode, Problem> {
    let id: Uuid = id.parse().map_err(|_| Problem::no_such_document())?;
    if !(1..=MOST_TAGS).contains(&tags.len()) {
        return Err(Problem::invalid(format!("tags: name 1 to {MOST_TAGS} of them")));
    }
    act.detail("tags", tags.len());
    if permissions::may(&caller.0, Power::GiveForeignTags) {
        return match state.store.retag(caller.0.tenant(), DocumentId(id), &tags).await? {
            RemovalOutcome::Done => Ok(published(&state, &caller, DocumentId(id)).await),
            RemovalOutcome::NotFound => Err(Problem::no_such_document()),
        };
    }
    if let Some(foreign) = tags.iter().find(|tag| !caller.0.carries(tag)) {
        return Err(Problem::forbidden(format!("You do not carry the tag {:?} yourself.", foreign.as_str())));
    }
    match state.store.retag_within(&caller.scope(), &caller.0.hands_in(), DocumentId(id), &tags).await? {
        RetagOutcome::Done => Ok(published(&state, &caller, DocumentId(id)).await),
        RetagOutcome::NotFound => Err(Problem::no_such_document()),
        RetagOutcome::NotTheirs => Err(Problem::forbidden("The document has none of your own tags; ask an admin.")),
        RetagOutcome::NotTheirCollection(collection) => Err(Problem::not_your_collection(&collection)),
    }
}

/// Whoever may see it now finds it from the next request on, too: the index follows before the reply.
async fn published(state: &AppState, caller: &Caller, document: DocumentId) -> StatusCode {
    state.publish_now(caller.0.tenant(), document).await;
    StatusCode::NO_CONTENT
}
