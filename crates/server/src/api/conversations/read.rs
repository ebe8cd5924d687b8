//! Conversations are listed, read and exported.

use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use ibidem_language::markers::quoted;
use ibidem_store::{ActionObject, Talker};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{ConversationBody, TurnBody, conversation_id};
use crate::api::cursor;
use crate::audit::Act;
use crate::identity::Caller;
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;

const MOST_A_PAGE: u16 = 100;
/// Of one conversation; the latest are shown.
const MOST_TURNS: u32 = 1_000;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ConversationsPage {
    /// Where the page before ended: its `next`.
    #[param(pattern = "^[0-9]{1,16}_[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$")]
    cursor: Option<String>,
    /// How many, 1 to 100.
    #[serde(default = "default_limit")]
    #[param(minimum = 1, maximum = 100, default = 50)]
    limit: u16,
}

fn default_limit() -> u16 {
    50
}

#[derive(Serialize, ToSchema)]
pub(crate) struct ConversationsBody {
    /// The one that was last asked in first.
    conversations: Vec<ConversationBody>,
    /// Where the next page begins; null on the last.
    next: Option<String>,
}

/// Lists the key's own conversations.
#[utoipa::path(get, path = "/v1/conversations", operation_id = "list_conversations", tag = "conversations",
    params(ConversationsPage), security(("api_key" = [])),
    responses(
        (status = 200, body = ConversationsBody),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn list(
    State(state): State<AppState>,
    caller: Caller,
    page: Result<Query<ConversationsPage>, QueryRejection>,
) -> Result<Json<ConversationsBody>, Problem> {
    let Query(page) = page.map_err(|rejection| Problem::malformed(rejection.status(), rejection.body_text()))?;
    if !(1..=MOST_A_PAGE).contains(&page.limit) {
        return Err(Problem::invalid(format!("limit: ask for 1 to {MOST_A_PAGE} conversations at once")));
    }
    let after = page.cursor.as_deref().map(cursor::parse).transpose()?;
    // One more than asked for tells whether there is a next page.
    let mut rows = state.store.conversations(&Talker::of(&caller.0), after, page.limit + 1).await?;
    let is_last = rows.len() <= usize::from(page.limit);
    rows.truncate(page.limit.into());
    let next = rows.last().filter(|_| !is_last).map(|last| cursor::of(last.changed_at, last.id));
    Ok(Json(ConversationsBody { conversations: rows.into_iter().map(ConversationBody::from).collect(), next }))
}

/// A conversation with its questions and answers.
#[derive(Serialize, ToSchema)]
pub(crate) struct WholeConversation {
    #[serde(flatten)]
    conversation: ConversationBody,
    /// The latest 1,000 at most, oldest first.
    questions: Vec<TurnBody>,
}

async fn whole(state: &AppState, caller: &Caller, id: &str) -> Result<WholeConversation, Problem> {
    let (id, talker) = (conversation_id(id)?, Talker::of(&caller.0));
    let row = state.store.conversation(&talker, id).await?.ok_or_else(Problem::no_such_conversation)?;
    let turns = state.store.conversation_turns(&talker, id, MOST_TURNS).await?;
    let turns = state.store.shown_turns(&caller.scope(), turns).await?;
    Ok(WholeConversation { conversation: row.into(), questions: turns.into_iter().map(TurnBody::from).collect() })
}

/// Reads a conversation.
///
/// The catalogue is asked again for every passage that its answers cite: what this key may no longer see is taken out,
/// as in `GET /v1/answers/{request_id}`.
#[utoipa::path(get, path = "/v1/conversations/{id}", operation_id = "read_conversation", tag = "conversations",
    params(("id" = Uuid, Path)), security(("api_key" = [])),
    responses(
        (status = 200, body = WholeConversation),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<WholeConversation>, Problem> {
    whole(&state, &caller, &id).await.map(Json)
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExportForm {
    /// As `GET /v1/conversations/{id}` has it, receipts included.
    #[default]
    Json,
    /// Questions, answers and sources, for people to read.
    Markdown,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportAs {
    /// `json` or `markdown`.
    #[serde(default)]
    #[param(inline)]
    format: ExportForm,
}

/// Exports a conversation as a file.
#[utoipa::path(get, path = "/v1/conversations/{id}/export", operation_id = "export_conversation",
    tag = "conversations", params(("id" = Uuid, Path), ExportAs), security(("api_key" = [])),
    responses(
        (status = 200, content((WholeConversation = "application/json"), (String = "text/markdown"))),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn export(
    State(state): State<AppState>,
    act: Act,
    caller: Caller,
    wanted: Result<Query<ExportAs>, QueryRejection>,
    Path(id): Path<String>,
) -> Result<Response, Problem> {
    let Query(ExportAs { format }) =
        wanted.map_err(|rejection| Problem::invalid(format!("{}.", rejection.body_text())))?;
    let whole = whole(&state, &caller, &id).await?;
    let id = whole.conversation.id;
    act.on(ActionObject::new("conversation", id));
    Ok(match format {
        ExportForm::Json => {
            let file = format!("attachment; filename=\"conversation-{id}.json\"");
            ([(CONTENT_DISPOSITION, file)], Json(whole)).into_response()
        }
        ExportForm::Markdown => {
            let file = format!("attachment; filename=\"conversation-{id}.md\"");
            let headers = [(CONTENT_TYPE, "text/markdown; charset=utf-8".to_owned()), (CONTENT_DISPOSITION, file)];
            (headers, markdown(&whole)).into_response()
        }
    })
}

fn markdown(whole: &WholeConversation) -> String {
    let mut text = format!("# {}\n", on_one_line(&whole.conversation.title));
    for turn in &whole.questions {
        let asked_at = turn.asked_at.format("%Y-%m-%d %H:%M UTC");
        text.push_str(&format!("\n## {}\n\n{asked_at}\n", on_one_line(&turn.question)));
        if let Some(rewritten) = &turn.rewritten_question {
            text.push_str(&format!("\nSearched for: {}\n", on_one_line(rewritten)));
        }
        text.push_str(&format!("\n{}\n", turn.answer["answer"].as_str().unwrap_or_default().trim()));
        let citations = turn.answer["citations"].as_array().map_or(&[][..], Vec::as_slice);
        for citation in citations {
            let (marker, name) = (&citation["marker"], citation["document_name"].as_str().unwrap_or_default());
            let section = citation["section"].as_str().map(|section| format!(", {section}")).unwrap_or_default();
            let named = on_one_line(&format!("{name}{section}"));
            text.push_str(&format!("\n- [{marker}] {}", quoted(&named)));
        }
        if !citations.is_empty() {
            text.push('\n');
        }
    }
    text
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
