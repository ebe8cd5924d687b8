//! `POST /v1/answers`: a question goes in, a cited answer or an honest refusal comes out. `GET` reads one again.

use std::convert::Infallible;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use chrono::{TimeDelta, Utc};
use futures::channel::{mpsc, oneshot};
use futures::{StreamExt as _, stream};
use ibidem_engine::ask::AskError;
use ibidem_engine::listener::{Listener, Nobody};
use ibidem_engine::turn::Asked;
use ibidem_store::{ActionRecord, TurnPlace};
use ibidem_words::degrade::Deadline;
use ibidem_words::{Answer, Citation, CollectionName, Identity, Message, Question, QuestionDraft};
use serde::{Deserialize, Serialize};
use tracing::Instrument as _;
use utoipa::ToSchema;
use uuid::Uuid;

use super::conversations::TalkingIn;
use super::json::{Sent, count};
use crate::audit::{self, Act};
use crate::identity::Caller;
use crate::limits::RequestSlot;
use crate::logs;
use crate::problem::{Problem, ProblemDocument};
use crate::request_id::RequestId;
use crate::state::AppState;
use crate::traces;

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
        (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 404, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 422, body = ProblemDocument, content_type = "application/problem+json"),
        (status = 503, body = ProblemDocument, content_type = "application/problem+json"),
    ))]
#[expect(clippy::too_many_arguments, reason = "each is one thing that is taken from the request")]
pub(crate) async fn ask(
    State(state): State<AppState>,
    Extension(request_id): Extension<RequestId>,
    Extension(slot): Extension<RequestSlot>,
    Extension(deadline): Extension<Deadline>,
    act: Option<Extension<Act>>,
    caller: Caller,
    Sent(body): Sent<QuestionBody>,
) -> Result<Response, Problem> {
    let streams = body.stream;
    let talking = body.conversation_id.map(|id| TalkingIn::of(&caller.0, id));
    let history = match &talking {
        None => body.history,
        Some(_) if !body.history.is_empty() => {
            return Err(Problem::invalid("history: leave it out; the conversation has its own."));
        }
        Some(TalkingIn { talker, conversation }) => {
            let so_far = state.store.conversation_so_far(talker, &caller.scope(), *conversation).await?;
            so_far.ok_or_else(Problem::no_such_conversation)?
        }
    };
    let question = Question::checked(QuestionDraft {
        query: body.query,
        collections: body.collections,
        history,
        model: body.model,
        max_context_chunks: body.max_context_chunks,
        session_id: body.session_id.or_else(|| body.conversation_id.map(|id| id.to_string())),
    })?;
    logs::route(&question.collections);
    tracing::info!(streams, "a question came in");
    let act = act.map(|Extension(act)| act);
    if let Some(act) = &act {
        act.asks(&question.query);
    }
    let asked = Asked {
        request_id: request_id.0,
        at: Utc::now(),
        scope: caller.scope(),
        policy: state.policy_in_force(),
        question,
        deadline,
    };
    let longest = TimeDelta::from_std(state.limits.longest_reply()).unwrap_or(TimeDelta::MAX);
    let place = state.quotas.begin_turn(&state.store, &caller.0, longest).await?;
    let (done, answer) = oneshot::channel();
    if !streams {
        begin(state, slot, Turn { identity: caller.0, asked, act, talking, place, listener: Box::new(Nobody), done });
        let answer = answer.await.map_err(|_| Problem::internal())??;
        return Ok(Json(answer).into_response());
    }
    let (sentences, heard) = mpsc::unbounded();
    let listener = Box::new(StreamListener(sentences));
    begin(state, slot, Turn { identity: caller.0, asked, act, talking, place, listener, done });
    let sentences = heard.map(|sentence| event("sentence", &sentence));
    let last = stream::once(async move {
        match answer.await {
            Ok(Ok(answer)) => event("answer", &answer),
            Ok(Err(error)) => event("error", &Problem::from(error).document(request_id.0)),
            Err(_) => event("error", &Problem::internal().document(request_id.0)),
        }
    });
    Ok(Sse::new(sentences.chain(last)).keep_alive(KeepAlive::default()).into_response())
}

/// What is left of an answer when something that it cites was withdrawn.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what the stored answer says; nothing reads it")]
pub(crate) struct Withdrawn {
    /// How many citations are no longer there.
    citations: usize,
    /// Which sentences of the answer are no longer there: 1 is the first.
    sentences: Vec<usize>,
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
/// on it is taken out of `answer`, its citations out of `citations`, and `receipt`, `suggestions`, `warnings` and
/// `route_to` are empty. A newer version of a document withdraws nothing.
#[utoipa::path(get, path = "/v1/answers/{request_id}", tag = "answers", params(("request_id" = Uuid, Path)),
    security(("api_key" = [])),
    responses(
        (status = 200, body = AnswerAgain),
        (status = 401, body = ProblemDocument, content_type = "application/problem+json"),
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
    let standing = state.store.standing(&scope, &answer.passages()).await?;
    Ok(Json(answer.shown(&scope, &standing)))
}

fn event(name: &str, value: &impl Serialize) -> Result<Event, Infallible> {
    // Plain strings and numbers: serialising them cannot fail.
    Ok(Event::default().event(name).data(serde_json::to_string(value).unwrap_or_default()))
}

/// A question on its way, with those who wait for what becomes of it.
struct Turn {
    identity: Identity,
    asked: Asked,
    /// None when nothing is recorded.
    act: Option<Act>,
    /// None where it belongs to no conversation.
    talking: Option<TalkingIn>,
    /// Its place among the turns under way, where they are limited.
    place: Option<TurnPlace>,
    listener: Box<dyn Listener>,
    done: oneshot::Sender<Result<Answer, AskError>>,
}

/// Starts a turn in a task of its own: it ends in a record whether anybody still listens or not.
fn begin(state: AppState, slot: RequestSlot, turn: Turn) {
    let turns = state.turns.clone();
    let engine = state.engine_in_force();
    // Before the task: there its parent would not be found.
    let traced = traces::turn();
    let task = async move {
        let Turn { identity, asked, act, talking, place, mut listener, done } = turn;
        let scope = asked.scope.clone();
        let (answer, record) = match engine.turn(&identity, asked, listener.as_mut()).instrument(traced.clone()).await {
            Ok((answer, record)) => (Ok(answer), Some(record)),
            Err(error) => (Err(error), None),
        };
        if let Some(act) = act {
            // A stream has begun its reply before anybody knows how the turn ends.
            act.ended(answer.as_ref().err().map_or(ActionRecord::DONE, |error| Problem::of(error).kind()));
        }
        if let Some(record) = &record {
            state.metrics.turn(record);
            logs::turn(record);
            traces::turn_ended(&traced, record);
        }
        drop(traced);
        let is_first = match (&talking, &record) {
            (Some(talking), Some(record)) => talking.keep(&state, record).await,
            _ => false,
        };
        if let Err(error) = state.quotas.end_turn(&state.store, &identity, place, record.as_ref()).await {
            tracing::warn!(%error, "what a turn used is not counted");
        }
        // The answer goes out first: nobody waits for the record.
        drop(listener);
        let _ = done.send(answer);
        let first_question = record.as_ref().filter(|_| is_first).map(|record| record.question.query.clone());
        if let Some(record) = record {
            audit::record(&state, &scope, record).await;
        }
        drop(slot);
        if let (Some(talking), Some(question)) = (talking, first_question) {
            talking.name(&state, &question).await;
        }
    };
    turns.spawn(task.in_current_span());
}
