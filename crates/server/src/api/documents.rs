//! `POST /v1/documents`: a document is handed in.

pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod remove;
pub(crate) mod retag;

use std::str::FromStr;

use axum::Json;
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request, State};
use axum::http::StatusCode;
use chrono::Utc;
use ibidem_ports::intake::{Format, Submission, Submitted};
use ibidem_store::ActionObject;
use ibidem_words::{CollectionName, DocumentId, DocumentKind, Sha256Hash, Tag};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::audit::Act;
use crate::identity::Caller;
use crate::permissions::{self, Power};
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// The fields of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the form; nothing reads it")]
pub(crate) struct DocumentForm {
    /// The document; the ending of its file name says which format it has. `/auth/me` lists the endings.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    collection: String,
    /// Who may see it, separated by commas; `public` is everybody of the tenant. Without it only you see the document.
    tags: Option<String>,
    /// The name that identifies the document: uploading under the same name again makes a new version. Default: the
    /// file's name.
    name: Option<String>,
    title: Option<String>,
    /// How people refer to it, for instance ADR-0012.
    address: Option<String>,
    kind: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub(crate) struct DocumentAccepted {
    document_id: Uuid,
    /// `queued`, `retagged` (same content, other tags) or `unchanged`
    outcome: &'static str,
    /// Its tags. `key:` or `person:` and an id is the tag of that key or person alone.
    tags: Vec<String>,
    /// Who can see it, in a sentence.
    visible_to: String,
}

/// The parts of the form that arrived.
#[derive(Default)]
struct Form {
    file: Option<(String, Vec<u8>)>,
    collection: Option<String>,
    tags: Option<String>,
    name: Option<String>,
    title: Option<String>,
    address: Option<String>,
    kind: Option<String>,
}

impl Form {
    async fn read(mut parts: Multipart) -> Result<Self, Problem> {
        let mut form = Self::default();
        while let Some(part) = parts.next_field().await.map_err(unreadable)? {
            let place = match part.name().unwrap_or_default() {
                "file" => {
                    let name = part.file_name().unwrap_or_default().to_owned();
                    form.file = Some((name, part.bytes().await.map_err(unreadable)?.to_vec()));
                    continue;
                }
                "collection" => &mut form.collection,
                "tags" => &mut form.tags,
                "name" => &mut form.name,
                "title" => &mut form.title,
                "address" => &mut form.address,
                "kind" => &mut form.kind,
                other => return Err(Problem::invalid(format!("There is no form field {other:?}."))),
            };
            *place = text_of(part).await?;
        }
        Ok(form)
    }
}

async fn text_of(part: Field<'_>) -> Result<Option<String>, Problem> {
    let text = part.text().await.map_err(unreadable)?;
    Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty()))
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
fn unreadable(error: MultipartError) -> Problem {
    Problem::malformed(error.status(), error.body_text())
}

fn parsed<T: FromStr>(field: &str, written: &str) -> Result<T, Problem>
where
    T::Err: ToString,
{
    written.parse().map_err(|error: T::Err| Problem::invalid(format!("{field}: {}", error.to_string())))
}

/// Uploads a document. It can be searched as soon as a worker has read it.
///
/// A curator needs the right to hand documents in to the collection. Who may see the document is said by `tags`. Where they
/// are left out it is for you alone, and nobody else finds it until you name tags: by uploading it again, or by `PATCH
/// /v1/documents/{id}`. Each key's documents are kept under the key's id, so that no key replaces another's, whatever they
/// are called.
#[utoipa::path(post, path = "/v1/documents", tag = "documents", security(("api_key" = [])),
    request_body(content = DocumentForm, content_type = "multipart/form-data"),
    responses(
        (status = 202, body = DocumentAccepted, description = "Queued, or only its tags changed"),
        (status = 200, body = DocumentAccepted, description = "Nothing to do"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 409, body = ProblemDocument, content_type = "application/problem+json",
            description = "`address_taken`: another document, which the caller may not change, has this address"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn submit(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    request: Request,
) -> Result<(StatusCode, Json<DocumentAccepted>), Problem> {
    let parts = Multipart::from_request(request, &state)
        .await
        .map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    let form = Form::read(parts).await?;
    let (file_name, bytes) = form.file.ok_or_else(|| Problem::invalid("The form field `file` is missing."))?;
    let collection = form.collection.ok_or_else(|| Problem::invalid("The form field `collection` is missing."))?;
    let collection: CollectionName = parsed("collection", &collection)?;
    if !caller.0.may_hand_in(&collection) {
        return Err(Problem::not_your_collection(&collection));
    }
    let tags = tags_of(&caller, form.tags.as_deref().unwrap_or_default())?;
    let visible_to = Tag::audience_in_words(&tags, caller.0.subject().id());
    let tag_names = tags.iter().map(|tag| tag.as_str().to_owned()).collect();
    let kind = form.kind.as_deref().map(|kind| parsed::<DocumentKind>("kind", kind)).transpose()?;
    let format = Format::of_file_name(&file_name).ok_or_else(|| {
        let known = Format::usual_endings();
        Problem::invalid(format!("file: {file_name:?} is of no kind that can be read: {known}"))
    })?;
    let name = form.name.unwrap_or(file_name);

    let tenant = caller.0.tenant();
    let submission = Submission {
        tenant,
        collection,
        source_location: format!("api:{}/{name}", caller.0.subject().id()),
        format,
        original: Sha256Hash::of(&bytes),
        tags,
        title: form.title,
        address: form.address,
        kind,
        updated_at: Some(Utc::now()),
    };
    let submission = submission.checked().map_err(|error| Problem::invalid(error.to_string()))?;
    if state.store.address_is_taken(&caller.scope(), &submission).await? {
        return Err(Problem::address_taken(submission.address.as_deref().unwrap_or_default()));
    }
    state.quotas.take_document(&state.store, &caller.0, bytes.len()).await?;
    state.originals.keep(tenant, bytes).await?;
    let document_id = submission.document_id().0;
    let outcomes = state.store.submit(tenant, Uuid::now_v7(), &state.reading, &[submission]).await?;
    if outcomes.first() == Some(&Submitted::Retagged) {
        state.publish_now(tenant, DocumentId(document_id)).await;
    }
    let (status, outcome) = match outcomes.first() {
        Some(Submitted::Queued) => (StatusCode::ACCEPTED, "queued"),
        Some(Submitted::Retagged) => (StatusCode::ACCEPTED, "retagged"),
        Some(Submitted::Unchanged) | None => (StatusCode::OK, "unchanged"),
    };
    act.on(ActionObject::new("document", document_id));
    act.detail("outcome", outcome);
    Ok((status, Json(DocumentAccepted { document_id, outcome, tags: tag_names, visible_to })))
}

/// A curator gives a document to audiences that the key itself belongs to; an admin to any. What is given to nobody is for
/// its uploader alone: nothing is shared because somebody left a field empty.
fn tags_of(caller: &Caller, written: &str) -> Result<Vec<Tag>, Problem> {
    let names = written.split(',').map(str::trim).filter(|name| !name.is_empty());
    let tags = names.map(|name| parsed::<Tag>("tags", name)).collect::<Result<Vec<_>, _>>()?;
    if tags.is_empty() {
        let missing =
            || Problem::invalid("The form field `tags` is missing: say who may see the document, or `public`.");
        return Ok(vec![caller.0.own_tag().ok_or_else(missing)?]);
    }
    let foreign = tags.iter().find(|tag| !caller.0.carries(tag));
    match foreign {
        Some(tag) if !permissions::may(&caller.0, Power::GiveForeignTags) => {
            Err(Problem::forbidden(format!("This key does not carry the tag {tag:?} itself.", tag = tag.as_str())))
        }
        _ => Ok(tags),
    }
}
