//! `POST /v1/memory/pins`, `POST /v1/memory/notes`, `PUT` and `DELETE /v1/memory/{id}`.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use ibidem_ports::curate::{CheckedEntry, EntryDraft};
use ibidem_store::{ActionObject, Author, MemoryOutcome};
use ibidem_words::{Identity, MemoryKind, Reference, Scope, Tag};

use super::{EntryReply, NoteBody, PinBody, ReferenceBody, RewordingBody, entry_id};
use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Checked;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// Pins a question to sources.
///
/// It is used as soon as a worker has published it.
#[utoipa::path(post, path = "/v1/memory/pins", tag = "memory", request_body = PinBody, security(("api_key" = [])),
    responses(
        (status = 201, body = EntryReply),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn pin(
    State(state): State<AppState>,
    act: Act,
    Caller(identity): Caller,
    Checked(body): Checked<PinBody>,
) -> Result<(StatusCode, Json<EntryReply>), Problem> {
    let references = references_of(body.references)?;
    let draft = EntryDraft { kind: MemoryKind::Pin, triggers: body.triggers, references, tags: body.tags };
    create(&state, act, &identity, draft).await
}

/// Stores a background note.
///
/// It is used as soon as a worker has published it.
#[utoipa::path(post, path = "/v1/memory/notes", tag = "memory", request_body = NoteBody, security(("api_key" = [])),
    responses(
        (status = 201, body = EntryReply),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn note(
    State(state): State<AppState>,
    act: Act,
    Caller(identity): Caller,
    Checked(body): Checked<NoteBody>,
) -> Result<(StatusCode, Json<EntryReply>), Problem> {
    let (kind, references) = (MemoryKind::Note { text: body.text }, references_of(body.references)?);
    let draft = EntryDraft { kind, triggers: body.triggers, references, tags: body.tags };
    create(&state, act, &identity, draft).await
}

/// Replaces the text of an entry. The old text is no longer used.
#[utoipa::path(put, path = "/v1/memory/{id}", tag = "memory", params(("id" = Uuid, Path)),
    request_body = RewordingBody, security(("api_key" = [])),
    responses(
        (status = 200, body = EntryReply),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn replace(
    State(state): State<AppState>,
    Caller(identity): Caller,
    Path(id): Path<String>,
    Checked(body): Checked<RewordingBody>,
) -> Result<Json<EntryReply>, Problem> {
    let (id, scope) = (entry_id(&id)?, Scope::of(&identity));
    let former = state.store.entry(&scope, id).await?.ok_or_else(Problem::no_such_entry)?;
    let kind = match (former.entry.kind, body.text) {
        (MemoryKind::Pin, None) => MemoryKind::Pin,
        (MemoryKind::Pin, Some(_)) => {
            return Err(Problem::invalid("text: this entry is a pin, which has none; make a note of it instead."));
        }
        (MemoryKind::Note { .. }, Some(text)) => MemoryKind::Note { text },
        (MemoryKind::Note { .. }, None) => return Err(Problem::invalid("text: this entry is a note; send its text.")),
    };
    let references = references_of(body.references)?;
    let author = may_write_for(&identity, &body.tags)?;
    let draft = EntryDraft { kind, triggers: body.triggers, references, tags: body.tags };
    let checked = checked(&state, draft).await?;
    done(&state.store.replace_entry(&author, id, &checked).await?)?;
    EntryReply::of(&state, &scope, id).await.map(Json)
}

/// Removes an entry and its text at once.
#[utoipa::path(delete, path = "/v1/memory/{id}", tag = "memory", params(("id" = Uuid, Path)),
    security(("api_key" = [])),
    responses(
        (status = 204, description = "It is gone"),
        (status = 403, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn remove(
    State(state): State<AppState>,
    Caller(identity): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    done(&state.store.remove_entry(&Author::of(&identity), entry_id(&id)?).await?)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn create(
    state: &AppState,
    act: Act,
    identity: &Identity,
    draft: EntryDraft,
) -> Result<(StatusCode, Json<EntryReply>), Problem> {
    let author = may_write_for(identity, &draft.tags)?;
    let checked = checked(state, draft).await?;
    let id = state.store.create_entry(&author, &checked).await?;
    act.on(ActionObject::new("memory", id));
    Ok((StatusCode::CREATED, Json(EntryReply::of(state, &Scope::of(identity), id).await?)))
}

/// Nobody writes for those they share no tag with, whatever their role.
fn may_write_for(identity: &Identity, tags: &[Tag]) -> Result<Author, Problem> {
    let author = Author::of(identity);
    match author.foreign(tags) {
        None => Ok(author),
        Some(tag) => {
            Err(Problem::forbidden(format!("This key does not carry the tag {tag:?} itself.", tag = tag.as_str())))
        }
    }
}

fn references_of(bodies: Vec<ReferenceBody>) -> Result<Vec<Reference>, Problem> {
    let references = bodies.into_iter().map(Reference::try_from).collect::<Result<_, _>>();
    references.map_err(|error| Problem::invalid(format!("references: {error}")))
}

/// Counting tokens takes its time, on a thread where it may.
async fn checked(state: &AppState, draft: EntryDraft) -> Result<CheckedEntry, Problem> {
    let window = state.window.clone();
    let checked = tokio::task::spawn_blocking(move || draft.checked(&window)).await;
    let checked = checked.map_err(|error| {
        tracing::error!(%error, "checking an entry was interrupted");
        Problem::internal()
    })?;
    checked.map_err(|error| Problem::invalid(format!("{error}.")))
}

fn done(outcome: &MemoryOutcome) -> Result<(), Problem> {
    match outcome {
        MemoryOutcome::Done => Ok(()),
        MemoryOutcome::NotFound => Err(Problem::no_such_entry()),
        // Which tag that is, is not this key's to know.
        MemoryOutcome::Foreign(_) => {
            Err(Problem::forbidden("The entry is also for people with a tag that this key does not carry itself."))
        }
    }
}
