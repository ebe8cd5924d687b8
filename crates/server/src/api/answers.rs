//! `POST /v1/answers`: a question goes in, a cited answer or an honest refusal comes out. `GET` reads one again.

use std::convert::Infallible;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use futures::channel::mpsc;
use futures::{StreamExt as _, stream};
use ibidem_engine::listener::{Listener, Nobody};
use ibidem_words::{Answer, Citation, CollectionName, Message, Question, QuestionDraft};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::conversations::TalkingIn;
use crate::identity::Caller;
use crate::json::{Sent, count};
use crate::problem::{Problem, ProblemDocument};
use crate::state::AppState;
use crate::turns::TurnRequest;

/// A question to be answered from the documents.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuestionBody {
    /// The question, 1 to 4,000 characters.
    #[schema(min_length = 1, max_length = 4000)]
    query: String,
    /// Only these collections; all that the key can see when left out.
    #[serde(default)]
    #[schema(value_type = Vec<String>, max_items = 100)]
    collections: Vec<CollectionName>,
    /// The conversation so far, oldest first: at most 100 messages of at most 16,000 characters, and 100,000 characters
    /// in all.
    #[serde(default)]
    #[schema(max_items = 100)]
    history: Vec<Message>,
    /// A model of the allow-list.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    model: Option<String>,
    /// How many passages the answer may rest on.
    #[serde(default = "default_context_chunks", deserialize_with = "count")]
    #[schema(minimum = 1, maximum = 20, default = 5)]
    max_context_chunks: usize,
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    session_id: Option<String>,
    /// The conversation that the question belongs to: what was asked there before is its history, and the question and
    /// its answer are kept there. Not together with `history`.
    #[serde(default)]
    conversation_id: Option<Uuid>,
    /// The token of an answer's `confirmation`: what was proposed there is done. `query` is then recorded and not asked. The
    /// query `confirm with` and the token does the same.
    #[serde(default)]
    #[schema(min_length = 36, max_length = 36)]
    confirmation: Option<String>,
    /// Send each sentence as soon as it may be shown, as server-sent events.
    #[serde(default)]
    stream: bool,
}

fn default_context_chunks() -> usize {
    Question::DEFAULT_CONTEXT_CHUNKS
}

/// A sentence of the stream, with what it cites. The last event is the whole answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct SentenceEvent {
    text: String,
    citations: Vec<Citation>,
}

/// Passes sentences on. A caller who hung up is no reason to stop: the record is made all the same.
struct StreamListener(mpsc::UnboundedSender<SentenceEvent>);

impl Listener for StreamListener {
    fn sentence(&mut self, text: &str, citations: Vec<Citation>) {
        let _ = self.0.unbounded_send(SentenceEvent { text: text.to_owned(), citations });
    }
}

/// Asks a question.
///
/// The reply is an answer with its citations, or a refusal with its reason: both have status 200.
/// With `stream: true` it is a stream of `sentence` events and one `answer` event, which holds what the reply without
/// a stream holds; or one `error` event with a problem document.
#[utoipa::path(post, path = "/v1/answers", tag = "answers", request_body = QuestionBody, security(("api_key" = [])),
    responses(
        (status = 200, content((Answer = "application/json"), (SentenceEvent = "text/event-stream"))),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn ask(turn: TurnRequest, Sent(body): Sent<QuestionBody>) -> Result<Response, Problem> {
    let talking = body.conversation_id.map(|id| TalkingIn::of(turn.identity(), id));
    let history = match &talking {
        None => body.history,
        Some(_) if !body.history.is_empty() => {
            return Err(Problem::invalid("history: leave it out; the conversation has its own."));
        }
        Some(TalkingIn { talker, conversation }) => {
            let so_far = turn.state().store.conversation_so_far(talker, &turn.scope(), *conversation).await?;
            so_far.ok_or_else(Problem::no_such_conversation)?
        }
    };
    let turn = turn.within(talking);
    let question = Question::checked(QuestionDraft {
        query: body.query,
        collections: body.collections,
        history,
        model: body.model,
        max_context_chunks: body.max_context_chunks,
        session_id: body.session_id.or_else(|| body.conversation_id.map(|id| id.to_string())),
        confirmation: body.confirmation,
        conversation: None,
    })?;
    if !body.stream {
        return Ok(Json(turn.begin(question, Box::new(Nobody)).await?.whole().await?).into_response());
    }
    let request_id = turn.request_id();
    let (sentences, heard) = mpsc::unbounded();
    let answer = turn.begin(question, Box::new(StreamListener(sentences))).await?;
    let sentences = heard.map(|sentence| event("sentence", &sentence));
    let last = stream::once(async move {
        match answer.whole().await {
            Ok(answer) => event("answer", &answer),
            Err(problem) => event("error", &problem.document(request_id)),
        }
    });
    Ok(Sse::new(sentences.chain(last)).keep_alive(KeepAlive::default()).into_response())
}

/// What is left of an answer when something in it was withdrawn.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what the stored answer says; nothing reads it")]
pub(crate) struct Withdrawn {
    /// How many citations are no longer there.
    citations: usize,
    /// Which sentences of the answer are no longer there: 1 is the first.
    sentences: Vec<usize>,
    /// Which other fields are not as they were given.
    fields: Vec<String>,
}

/// A stored answer.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what the store hands out; nothing reads it")]
pub(crate) struct AnswerAgain {
    #[serde(flatten)]
    answer: Answer,
    /// Only where something was withdrawn.
    asked_at: Option<chrono::DateTime<Utc>>,
    /// Only where something was withdrawn.
    withdrawn: Option<Withdrawn>,
}

/// Reads an answer again.
///
/// Only the key that asked can: an answer that is not there and one that is somebody else's are the same. The catalogue
/// is asked again. While this key may see every document that the answer cites, it is returned as it was given. When one
/// of them was removed or erased, or this key may no longer see it, the reply has `withdrawn`: every sentence that rests
/// on it is taken out of `answer`, its citations out of `citations`, and `offers`, `suggestions`, `warnings` and `route_to`
/// are empty. So are the offers of a refusal that found no such document, and an owner whose tag this key no longer has.
/// A receipt is of the whole answer: it is there where the answer is as it was given, and null where it has `withdrawn`. A
/// newer version of a document withdraws nothing.
#[utoipa::path(get, path = "/v1/answers/{request_id}", tag = "answers", params(("request_id" = Uuid, Path)),
    security(("api_key" = [])),
    responses(
        (status = 200, body = AnswerAgain),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
pub(crate) async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(request_id): Path<String>,
) -> Result<Json<serde_json::Value>, Problem> {
    let request_id: Uuid = request_id.parse().map_err(|_| Problem::no_such_answer())?;
    let answer = state.store.answer(caller.0.tenant(), caller.0.subject().id(), request_id).await?;
    let answer = answer.ok_or_else(Problem::no_such_answer)?;
    let scope = caller.scope();
    let visible = state.store.still_visible(&scope, &answer.passages()).await?;
    Ok(Json(answer.masked(&scope, &visible)))
}

fn event(name: &str, value: &impl Serialize) -> Result<Event, Infallible> {
    // Plain strings and numbers: serialising them cannot fail.
    Ok(Event::default().event(name).data(serde_json::to_string(value).unwrap_or_default()))
}
