//! `GET /v1/documents`: the documents that the caller may see, with filters, a page after the other.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use chrono::{DateTime, Utc};
use ibidem_store::{DocumentsOf, ListedRow};
use ibidem_words::{CollectionName, Role, Status, Tag};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::parsed;
use crate::api::cursor;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST_A_PAGE: u16 = 200;
/// The longest `words`, in characters.
const LONGEST_WORDS: usize = 200;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DocumentsPage {
    /// Only documents of this collection, in any case.
    collection: Option<String>,
    /// Only documents with this tag. A tag that the caller does not carry finds nothing, unless an admin calls.
    tag: Option<String>,
    /// Only documents with this status today: `in_force`, `superseded`, `rejected`, `deprecated`, `draft`, `expired` or
    /// `not_yet`.
    #[param(value_type = Option<String>)]
    status: Option<Status>,
    /// Only documents that have each of these words in their title or address, in any case; up to 200 characters.
    #[param(max_length = 200)]
    words: Option<String>,
    /// Where the page before ended: its `next`.
    #[param(pattern = "^[0-9]{1,16}_[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$")]
    cursor: Option<String>,
    /// How many, 1 to 200.
    #[serde(default = "default_limit")]
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: u16,
}

fn default_limit() -> u16 {
    50
}

/// A document in a list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedDocument {
    /// The document, whatever its version.
    document_id: Uuid,
    /// The number of its current version, counted from 1.
    version: u32,
    /// Its title.
    document_name: String,
    /// What people call it by; null where it has no such name.
    address: Option<String>,
    /// The collection that it is in.
    collection: String,
    /// What sort of document it is within its collection.
    kind: Option<String>,
    /// Where it came from: its path below the folder that was ingested, or the name that the API was told.
    file: String,
    /// Who may see it: those of its tags that the caller carries, and `public`. An admin gets all of them.
    tags: Vec<String>,
    /// When it was last changed.
    updated_at: DateTime<Utc>,
    /// Whether it is in force: `in_force`, `superseded`, `rejected`, `deprecated`, `draft`, `expired` or `not_yet`.
    status: &'static str,
    /// Addresses of what replaced it.
    replaced_by: Vec<String>,
    /// How many passages it has.
    passages: u32,
    /// Where this API gives the document.
    document: String,
}

/// A page of documents.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentsBody {
    /// The one that was updated last first.
    documents: Vec<ListedDocument>,
    /// Where the next page begins; null on the last.
    next: Option<String>,
}

fn may_name(caller: &Caller, tag: &Tag) -> bool {
    caller.0.carries(tag) || caller.0.role() >= Role::Admin
}

fn listed(caller: &Caller, row: ListedRow, now: DateTime<Utc>) -> ListedDocument {
    let status = row.validity.on(now.date_naive()).as_str();
    ListedDocument {
        document_id: row.id.0,
        version: row.version,
        document_name: row.title,
        address: row.address,
        collection: row.collection.into(),
        kind: row.kind,
        file: row.source_location,
        // Which other audiences a document has is not told to one of them.
        tags: row.tags.into_iter().filter(|tag| may_name(caller, tag)).map(String::from).collect(),
        updated_at: row.updated_at,
        status,
        replaced_by: row.validity.replaced_by,
        passages: row.passages,
        document: format!("/v1/documents/{}", row.id),
    }
}

/// Lists the documents that the key may see.
#[utoipa::path(get, path = "/v1/documents", operation_id = "list_documents", tag = "documents", params(DocumentsPage),
    security(("api_key" = [])),
    responses(
        (status = 200, body = DocumentsBody),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    page: Result<Query<DocumentsPage>, QueryRejection>,
) -> Result<Json<DocumentsBody>, Problem> {
    let Query(page) = page.map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    if !(1..=MOST_A_PAGE).contains(&page.limit) {
        return Err(Problem::invalid(format!("limit: ask for 1 to {MOST_A_PAGE} documents at once")));
    }
    let words = page.words.unwrap_or_default();
    if words.chars().count() > LONGEST_WORDS || words.contains('\0') {
        return Err(Problem::invalid(format!("words: send up to {LONGEST_WORDS} characters that can be read")));
    }
    let collection = page.collection.as_deref().map(|written| parsed::<CollectionName>("collection", written));
    let tag = page.tag.as_deref().map(|written| parsed::<Tag>("tag", written)).transpose()?;
    let of = DocumentsOf {
        collection: collection.transpose()?.map(String::from),
        tag,
        words: words.split_whitespace().map(str::to_owned).collect(),
        status: page.status,
        after: page.cursor.as_deref().map(cursor::parse).transpose()?,
        // One more than asked for tells whether there is a next page.
        most: page.limit + 1,
    };
    // Which tags other people's documents have is not theirs to find out.
    if of.tag.as_ref().is_some_and(|tag| !may_name(&caller, tag)) {
        return Ok(Json(DocumentsBody { documents: Vec::new(), next: None }));
    }
    let now = Utc::now();
    let mut rows = state.store.documents_of(&caller.scope(), &of, now.date_naive()).await?;
    let is_last = rows.len() <= usize::from(page.limit);
    rows.truncate(page.limit.into());
    let next = rows.last().filter(|_| !is_last).map(|last| cursor::of(last.updated_at, last.id.0));
    let documents = rows.into_iter().map(|row| listed(&caller, row, now)).collect();
    Ok(Json(DocumentsBody { documents, next }))
}
