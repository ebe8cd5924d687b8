//! `POST /v1/chat/completions`: the question of a conversation, answered whole or as a stream.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use chrono::Utc;
use futures::channel::mpsc;
use futures::{StreamExt as _, stream};
use ibidem_engine::listener::{Listener, Nobody};
use ibidem_store::AuditedAction;
use ibidem_words::{Answer, Citation, Question, QuestionDraft, Sha256Hash};
use serde::Serialize;

use super::background;
use super::errors::ChatError;
use super::models::collections_of;
use super::numbering::Numbering;
use super::reply::{Chunk, Completion, Head, Links, ShownText, Usage};
use super::request::{ChatBody, Conversation};
use crate::json::Sent;
use crate::problem::Problem;
use crate::turns::TurnRequest;

/// No program's id of a chat is longer, in characters.
const LONGEST_CHAT_ID: usize = 200;

/// Answers the last question of a conversation.
///
/// The same turn as `POST /v1/answers`, in the form of OpenAI's chat completions: the same text, sources and refusals.
/// A refusal is an ordinary reply, with what came nearest, why, whom to ask and what can be asked instead; the whole
/// answer is in `ibidem`. A chat program's own prompts for titles, tags and
/// follow-ups, which begin with `### Task:`, are answered by rule and counted nowhere as questions. What would change
/// something in another system is proposed, and done after the message `confirm with` and the token of the proposal.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "chat", request_body = ChatBody, security(("api_key" = [])),
    responses(
        (status = 200, content((Completion = "application/json"), (Chunk = "text/event-stream"))),
        (status = 400, body = ChatError),
        (status = 401, body = ChatError),
        (status = 404, body = ChatError),
        (status = 429, body = ChatError),
        (status = 503, body = ChatError),
    ))]
pub(crate) async fn complete(
    turn: TurnRequest,
    headers: HeaderMap,
    Sent(body): Sent<ChatBody>,
) -> Result<Response, Problem> {
    let head = Head { request_id: turn.request_id(), created: Utc::now().timestamp(), model: body.model.clone() };
    let conversation = Conversation::of(&body.messages)
        .ok_or_else(|| Problem::invalid("messages: there is no text of the user in them"))?;
    let streams = body.stream.unwrap_or(false);
    let with_usage = body.stream_options.and_then(|options| options.include_usage).unwrap_or(false);
    let collections = collections_of(turn.state(), &turn.scope(), &body.model).await?;
    if let Some(reply) = background::reply_to(&conversation.query) {
        turn.is(AuditedAction::AnswerByRule);
        return Ok(by_rule(head, reply, streams));
    }
    let question = Question::checked(QuestionDraft {
        query: conversation.query,
        collections,
        history: conversation.history,
        conversation: Some(conversation_of(&headers, conversation.opening)),
        ..QuestionDraft::default()
    })?;
    let links = Links::for_caller(&headers, turn.state().public_url());
    if !streams {
        let answer = turn.begin(question, Box::new(Nobody)).await?.whole().await?;
        return Ok(Json(head.completion(ShownText::of(&answer, &links), Some(answer))).into_response());
    }
    let (sentences, heard) = mpsc::unbounded();
    let passed_on = Arc::new(Mutex::new(String::new()));
    let pieces = Pieces::new(sentences, passed_on.clone());
    let answer = turn.begin(question, Box::new(pieces)).await?;
    let request_id = head.request_id;
    let (opening, middle, last) = (head.clone(), head.clone(), head);
    let pieces = heard.map(move |text| Ok(event(&middle.piece(text))));
    let ending = stream::once(async move {
        match answer.whole().await {
            Ok(answer) => {
                let passed_on = std::mem::take(&mut *passed_on.lock().unwrap_or_else(PoisonError::into_inner));
                ending(&last, answer, &links, with_usage, &passed_on)
            }
            Err(problem) => vec![event(&ChatError::from(problem.document(request_id)))],
        }
    });
    let ending = ending.flat_map(|events| stream::iter(events.into_iter().chain([done()]).map(Ok)));
    let opening = stream::once(async move { Ok::<_, Infallible>(event(&opening.opening())) });
    Ok(Sse::new(opening.chain(pieces).chain(ending)).keep_alive(KeepAlive::default()).into_response())
}

/// What ties a confirmation to this conversation: the chat's own id where the program sends it, else how it began.
fn conversation_of(headers: &HeaderMap, opening: Sha256Hash) -> String {
    match headers.get("x-openwebui-chat-id").and_then(|id| id.to_str().ok()) {
        Some(id) => format!("chat {}", id.chars().take(LONGEST_CHAT_ID).collect::<String>()),
        None => format!("begun {opening}"),
    }
}

/// Passes sentences on, with their markers as the whole text has them.
pub(super) struct Pieces {
    numbering: Numbering,
    sentences: mpsc::UnboundedSender<String>,
    /// The space after the last sentence. It goes out with the next one: the whole text ends without it.
    held: String,
    /// What was passed on so far.
    passed_on: Arc<Mutex<String>>,
}

impl Pieces {
    pub(super) fn new(sentences: mpsc::UnboundedSender<String>, passed_on: Arc<Mutex<String>>) -> Self {
        Self { numbering: Numbering::default(), sentences, held: String::new(), passed_on }
    }
}

impl Listener for Pieces {
    fn sentence(&mut self, text: &str, citations: Vec<Citation>) {
        let mut piece = std::mem::take(&mut self.held);
        piece.push_str(&self.numbering.renumber(text, &citations));
        self.held = piece.split_off(piece.trim_end().len());
        if piece.is_empty() {
            return;
        }
        self.passed_on.lock().unwrap_or_else(PoisonError::into_inner).push_str(&piece);
        let _ = self.sentences.unbounded_send(piece);
    }
}

/// What follows the sentences: the list of sources, the annotations, the end. A refusal has no sentences: all of it
/// comes here.
fn ending(head: &Head, answer: Answer, links: &Links, with_usage: bool, passed_on: &str) -> Vec<Event> {
    let (shown, usage) = (ShownText::of(&answer, links), Usage::of(&answer));
    let text = missing(&shown, &answer, passed_on);
    let text = (!text.is_empty()).then(|| event(&head.piece(text)));
    let annotations = (!shown.annotations.is_empty()).then(|| event(&head.annotated(shown.annotations)));
    let end = event(&head.end(Some(answer)));
    let usage = with_usage.then(|| event(&head.usage(usage)));
    text.into_iter().chain(annotations).chain([end]).chain(usage).collect()
}

/// What is missing of the whole text, so that a stream says the same.
pub(super) fn missing(shown: &ShownText, answer: &Answer, passed_on: &str) -> String {
    let rest = shown.content.strip_prefix(passed_on).map(str::to_owned);
    rest.unwrap_or_else(|| ShownText::sources(answer))
}

/// A reply that no document and no model has a part in.
fn by_rule(head: Head, reply: String, streams: bool) -> Response {
    if !streams {
        return Json(head.completion(ShownText::plain(reply), None)).into_response();
    }
    let events = [event(&head.opening()), event(&head.piece(reply)), event(&head.end(None)), done()];
    Sse::new(stream::iter(events.map(Ok::<_, Infallible>))).into_response()
}

fn event(value: &impl Serialize) -> Event {
    // Plain strings and numbers: serialising them cannot fail.
    Event::default().data(serde_json::to_string(value).unwrap_or_default())
}

fn done() -> Event {
    Event::default().data("[DONE]")
}
