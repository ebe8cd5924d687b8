//! `GET /v1/documents/{id}` and below: a document that an answer cites, its passages, and its original.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, NaiveDate, Utc};
use ibidem_ports::catalogue::Catalogue as _;
use ibidem_ports::intake::Format;
use ibidem_store::{ActionObject, KeptVersion, ReadableDocument};
use ibidem_words::{CharSpan, DocumentId, LineAbove, PassageKey};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// More than anybody looks through.
const MOST_VERSIONS: u16 = 100;

/// A document as it is now.
#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentBody {
    /// The document, whatever its version.
    document_id: Uuid,
    /// Counted from 1.
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
    /// How its original was read, for instance `markdown`.
    format: String,
    /// When it was last changed.
    updated_at: DateTime<Utc>,
    /// Whether it is in force: `in_force`, `superseded`, `rejected`, `deprecated`, `draft`, `expired` or `not_yet`.
    status: &'static str,
    /// Addresses of what replaced it.
    replaced_by: Vec<String>,
    /// The first day on which it holds, where it says so.
    valid_from: Option<NaiveDate>,
    /// The last day on which it holds, where it says so.
    valid_to: Option<NaiveDate>,
    /// How many passages it has; they are numbered from 0.
    passages: u32,
    /// Its text, which spans point into.
    text: String,
    /// Digest of the text.
    document_sha256: String,
    /// Where this API gives the original file.
    original: String,
    /// The versions that are kept of it, the newest first, up to 100.
    versions: Vec<VersionBody>,
}

/// A version of a document. Receipts and citations name it by its number and the digest of its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct VersionBody {
    /// Counted from 1.
    version: u32,
    /// When this version was last changed.
    updated_at: DateTime<Utc>,
    /// When it was taken in.
    taken_in_at: DateTime<Utc>,
    /// How many passages it has.
    passages: u32,
    /// Digest of its text.
    document_sha256: String,
}

impl From<KeptVersion> for VersionBody {
    fn from(kept: KeptVersion) -> Self {
        let KeptVersion { version, updated_at, taken_in_at, passages, text_sha256 } = kept;
        Self { version, updated_at, taken_in_at, passages, document_sha256: text_sha256.to_string() }
    }
}

/// A passage as it is now, with its place in the document.
#[derive(Serialize, ToSchema)]
pub(crate) struct PassageBody {
    /// `{document_id}:{chunk_index}`
    source_id: String,
    /// The document that it is of.
    document_id: Uuid,
    /// The version that it is of, which is the current one.
    version: u32,
    /// The title of the document.
    document_name: String,
    /// What people call the document by.
    address: Option<String>,
    /// The collection that the document is in.
    collection: String,
    /// Where the document came from.
    file: String,
    /// Its number in the document, from 0.
    chunk_index: u32,
    /// The page it begins on; null in formats without pages.
    page_number: Option<u32>,
    /// The headings it lies under.
    section: Option<String>,
    /// Its place in the document's text.
    span: CharSpan,
    /// What it says.
    text: String,
    /// Lines of the document above it that its sentences are quoted with: its heading, what leads its list in, the head
    /// of its table.
    above: Vec<LineBody>,
    /// Whether the document is in force.
    status: &'static str,
    /// Addresses of what replaced the document.
    replaced_by: Vec<String>,
    /// Digest of the whole document's text, which `span` points into.
    document_sha256: String,
    /// Where this API gives the document.
    document: String,
    /// Where this API gives the original file.
    original: String,
}

/// A line of the document.
#[derive(Serialize, ToSchema)]
pub(crate) struct LineBody {
    /// What it says.
    text: String,
    /// Its place in the document's text.
    span: CharSpan,
}

impl From<&LineAbove> for LineBody {
    fn from(line: &LineAbove) -> Self {
        Self { text: line.text.clone(), span: line.span }
    }
}

/// Reads a document.
///
/// One that the key may not see is as if it did not exist.
#[utoipa::path(get, path = "/v1/documents/{id}", operation_id = "read_document", tag = "documents",
    params(("id" = Uuid, Path, description = "The document")),
    security(("api_key" = [])),
    responses(
        (status = 200, body = DocumentBody),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn document(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DocumentBody>, Problem> {
    let document = visible(&state, &caller, &id).await?;
    let versions = state.store.kept_versions(&caller.scope(), document.id, MOST_VERSIONS).await?;
    let status = document.validity.on(Utc::now().date_naive()).as_str();
    Ok(Json(DocumentBody {
        versions: versions.into_iter().map(VersionBody::from).collect(),
        original: original_link(document.id),
        document_id: document.id.0,
        version: document.version,
        document_name: document.title,
        address: document.address,
        collection: document.collection,
        kind: document.kind,
        file: document.source_location,
        format: document.format,
        updated_at: document.updated_at,
        status,
        replaced_by: document.validity.replaced_by,
        valid_from: document.validity.valid_from,
        valid_to: document.validity.valid_to,
        passages: document.passages,
        text: document.text,
        document_sha256: document.text_sha256.to_string(),
    }))
}

/// Reads a passage of a document.
///
/// It is of the document's current version. One that the key may not see is as if it did not exist.
#[utoipa::path(get, path = "/v1/documents/{id}/passages/{chunk_index}", operation_id = "read_passage", tag = "documents",
    params(("id" = Uuid, Path, description = "The document"),
        ("chunk_index" = u32, Path, description = "The passage's number in the document, from 0")),
    security(("api_key" = [])),
    responses(
        (status = 200, body = PassageBody),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn passage(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Path((id, chunk_index)): Path<(String, String)>,
) -> Result<Json<PassageBody>, Problem> {
    let chunk_index: u32 = chunk_index.parse().map_err(|_| Problem::no_such_document())?;
    let id = named(&act, &id)?;
    let scope = caller.scope();
    let version = state.store.current_version(&scope, id).await?.ok_or_else(Problem::no_such_document)?;
    let key = PassageKey { document: id, version, chunk_index };
    let passage = state.store.visible(&scope, &[key]).await?.pop().ok_or_else(Problem::no_such_document)?;
    let status = passage.validity.on(Utc::now().date_naive()).as_str();
    Ok(Json(PassageBody {
        source_id: key.source_id().to_string(),
        document_id: id.0,
        version,
        document_name: passage.title,
        address: passage.address,
        collection: passage.collection.into(),
        file: passage.source_location,
        chunk_index,
        page_number: passage.page,
        section: passage.section,
        span: passage.span,
        text: passage.text,
        above: passage.above.all().map(LineBody::from).collect(),
        status,
        replaced_by: passage.validity.replaced_by,
        document_sha256: passage.document_sha256.to_string(),
        document: format!("/v1/documents/{id}"),
        original: original_link(id),
    }))
}

/// Downloads a document's original file.
///
/// As a file to keep, never as a page to show: originals are not to be trusted. One that the key may not see is as if it
/// did not exist.
#[utoipa::path(get, path = "/v1/documents/{id}/original", operation_id = "read_original", tag = "documents",
    params(("id" = Uuid, Path, description = "The document")),
    security(("api_key" = [])),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn original(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    named(&act, &id)?;
    let document = visible(&state, &caller, &id).await?;
    let bytes = state.originals.fetch(caller.0.tenant(), document.original).await?;
    let name = format!("attachment; filename=\"{}.{}\"", document.id, extension(&document.format));
    let headers = [
        (CONTENT_TYPE, "application/octet-stream".to_owned()),
        (CONTENT_DISPOSITION, name),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

/// The usual ending of a format's files.
fn extension(format: &str) -> &'static str {
    let format: Result<Format, _> = format.parse();
    format.ok().and_then(|format| format.endings().first()).unwrap_or(&"txt")
}

fn original_link(document: DocumentId) -> String {
    format!("/v1/documents/{document}/original")
}

/// The document that a path names, which the record of the action names too.
fn named(act: &Act, id: &str) -> Result<DocumentId, Problem> {
    let id: Uuid = id.parse().map_err(|_| Problem::no_such_document())?;
    act.on(ActionObject::new("document", id));
    Ok(DocumentId(id))
}

async fn visible(state: &AppState, caller: &Caller, id: &str) -> Result<ReadableDocument, Problem> {
    let id: Uuid = id.parse().map_err(|_| Problem::no_such_document())?;
    let document = state.store.readable(&caller.scope(), DocumentId(id)).await?;
    document.ok_or_else(Problem::no_such_document)
}
