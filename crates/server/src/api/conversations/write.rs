//! Conversations are begun, renamed and deleted.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use ibidem_store::{ActionObject, DeletedConversation, Talker};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{ConversationBody, NewConversationBody, RenamingBody, conversation_id, title};
use crate::audit::Act;
use crate::identity::Caller;
use crate::json::Sent;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

/// Begins a conversation.
///
/// Questions are asked in it by `POST /v1/answers` with its id as `conversation_id`. Only the key that began it sees it.
#[utoipa::path(post, path = "/v1/conversations", operation_id = "create_conversation", tag = "conversations",
    request_body = NewConversationBody, security(("api_key" = [])),
    responses(
        (status = 201, body = ConversationBody),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn create(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Sent(body): Sent<NewConversationBody>,
) -> Result<(StatusCode, Json<ConversationBody>), Problem> {
    let title = body.title.as_deref().map(title).transpose()?;
    let row = state.store.create_conversation(&Talker::of(&caller.0), title.as_deref()).await?;
    act.on(ActionObject::new("conversation", row.id));
    Ok((StatusCode::CREATED, Json(row.into())))
}

/// Gives a conversation another title.
#[utoipa::path(patch, path = "/v1/conversations/{id}", operation_id = "rename_conversation", tag = "conversations",
    params(("id" = Uuid, Path)), request_body = RenamingBody, security(("api_key" = [])),
    responses(
        (status = 200, body = ConversationBody),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn rename(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    Sent(body): Sent<RenamingBody>,
) -> Result<Json<ConversationBody>, Problem> {
    let (id, talker) = (conversation_id(&id)?, Talker::of(&caller.0));
    let title = title(&body.title)?;
    state.store.rename_conversation(&talker, id, &title).await?;
    let row = state.store.conversation(&talker, id).await?.ok_or_else(Problem::no_such_conversation)?;
    Ok(Json(row.into()))
}

/// What a deletion took away.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeletedConversationBody {
    id: Uuid,
    /// Questions with their answers.
    turns: u64,
    /// Records of these questions from which the words were taken. A record that is written a moment later loses them
    /// too.
    records: u64,
}

/// Erases a conversation.
///
/// Its questions and answers are deleted, and their words are taken out of the records of the audit; numbers, codes and
/// times stay there. It cannot be taken back.
#[utoipa::path(delete, path = "/v1/conversations/{id}", operation_id = "delete_conversation", tag = "conversations",
    params(("id" = Uuid, Path)), security(("api_key" = [])),
    responses(
        (status = 200, body = DeletedConversationBody),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn remove(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<DeletedConversationBody>, Problem> {
    let id = conversation_id(&id)?;
    let deleted = state.store.delete_conversation(&Talker::of(&caller.0), id).await?;
    let DeletedConversation { turns, records } = deleted.ok_or_else(Problem::no_such_conversation)?;
    act.detail("turns", turns);
    Ok(Json(DeletedConversationBody { id, turns, records }))
}
