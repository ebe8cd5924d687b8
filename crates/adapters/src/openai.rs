//! Language models by any server that speaks OpenAI's chat protocol.

mod about;
mod connection;
mod dialect;
mod grammar;
mod ollama;
mod reply;
mod thoughts;
mod wire;

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, ModelFault, Piece, Pieces, Prompt};
use moka::future::Cache;
use reqwest::StatusCode;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use crate::bounded::{self, ReadError};
pub use about::{AboutServer, RerankScale, Reranks, ServerKind};
pub use connection::{Connection, Protocol};
pub use dialect::Binding;
use dialect::Dialects;
use ollama::OllamaRequest;
use reply::Ended;
use thoughts::Thoughts;
pub use wire::Thinking;
use wire::{ChatRequest, Completion, ModelList, error_text};

/// How long a server may take to name its models while a question waits for that.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long what it named counts: a model that was just loaded is soon allowed.
const SERVED_FOR: Duration = Duration::from_secs(10);

/// A reply in one piece holds a list of models, the likelihoods of one token, or what is wrong: nothing near this.
const LARGEST_REPLY: usize = 1 << 20;

#[derive(Clone, PartialEq, Eq)]
pub struct OpenAiSettings {
    pub connection: Connection,
    /// The model that writes when nobody asks for another.
    pub model: String,
    /// Further models that may be asked for.
    pub also_allowed: Vec<String>,
    /// For the whole of an answer.
    pub timeout: Duration,
}

/// What is sent with each request to a model, where somebody says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SentAlong {
    /// How much the model is to hold; for servers that let the asker say it, which is Ollama.
    pub window: Option<u32>,
    pub thinking: Option<Thinking>,
}

/// A model server. Cheap to clone.
#[derive(Clone)]
pub struct OpenAiModel {
    settings: OpenAiSettings,
    sent_along: SentAlong,
    client: reqwest::Client,
    /// The models the server named last; none of one that has no list.
    served: Cache<(), Option<Arc<Vec<String>>>>,
    dialects: Dialects,
}

impl OpenAiModel {
    pub fn new(settings: OpenAiSettings) -> Result<Self, ModelError> {
        let client = settings.connection.client(settings.timeout)?;
        let served = Cache::builder().max_capacity(1).time_to_live(SERVED_FOR).build();
        Ok(Self { settings, sent_along: SentAlong::default(), client, served, dialects: Dialects::default() })
    }

    #[must_use]
    pub fn sending(self, sent_along: SentAlong) -> Self {
        Self { sent_along, ..self }
    }

    /// Another model of the same server, by itself and with a time limit of its own.
    pub fn other(&self, model: &str, timeout: Duration) -> Self {
        let settings =
            OpenAiSettings { model: model.to_owned(), also_allowed: Vec::new(), timeout, ..self.settings.clone() };
        Self { settings, sent_along: SentAlong::default(), ..self.clone() }
    }

    /// The models the server says it has, asked at this moment, each with its window where the server says; none of a
    /// server that has no list, as a deployment of one model. A server that writes for others meanwhile may take as long as
    /// for an answer.
    pub async fn listed(&self) -> Result<Option<Vec<(String, Option<u32>)>>, ModelError> {
        let Some(mut listed) = self.listed_within(self.settings.timeout).await? else { return Ok(None) };
        if listed.iter().any(|(_, window)| window.is_none()) {
            let about = self.about().await;
            for (name, window) in &mut listed {
                *window = window.or_else(|| about.window(name));
            }
        }
        Ok(Some(listed))
    }

    async fn listed_within(&self, limit: Duration) -> Result<Option<Vec<(String, Option<u32>)>>, ModelError> {
        let list = async {
            let connection = &self.settings.connection;
            let request = connection.authorised(self.client.get(connection.address("/models")));
            let reply = request.send().await.map_err(|error| connection_failed(&error))?;
            if matches!(reply.status(), StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
                return Ok(None);
            }
            let reply = reply.error_for_status().map_err(|error| connection_failed(&error))?;
            let list = parse_reply::<ModelList>(reply).await?;
            Ok(Some(list.data.into_iter().map(|model| (model.id.clone(), model.window())).collect()))
        };
        tokio::time::timeout(limit, list).await.unwrap_or_else(|_| Err(ModelError::late(limit)))
    }

    /// The names alone, where a question waits for them.
    async fn named_soon(&self) -> Result<Option<Vec<String>>, ModelError> {
        let listed = self.listed_within(self.settings.timeout.min(PATIENCE)).await?;
        Ok(listed.map(|listed| listed.into_iter().map(|(name, _)| name).collect()))
    }

    /// How its model was bound to the form of a reply, as far as it was asked for one.
    pub fn binding(&self) -> Binding {
        self.dialects.of(&self.settings.model).binding
    }

    /// Whether its model was seen to think.
    pub fn thinks(&self) -> bool {
        self.dialects.of(&self.settings.model).thinks
    }

    fn late(&self) -> ModelError {
        ModelError::late(self.settings.timeout)
    }

    /// The model to ask, if it may be asked.
    fn chosen(&self, prompt: &Prompt) -> Result<String, ModelError> {
        let model = prompt.model.clone().unwrap_or_else(|| self.settings.model.clone());
        let allowed = self.allowed();
        if allowed.contains(&model) {
            Ok(model)
        } else {
            Err(ModelError::Own(ModelFault::NotAllowed { model, allowed }))
        }
    }

    /// A reply with a status of success, not read yet. A parameter that the server refuses is left out or renamed from
    /// then on, once for each.
    async fn ask(
        &self,
        model: &str,
        request: &ChatRequest<'_>,
        deadline: Instant,
    ) -> Result<reqwest::Response, ModelError> {
        loop {
            let dialect = self.dialects.of(model);
            let connection = &self.settings.connection;
            let spoken = request.spoken(dialect);
            let post = |address: String| connection.authorised(self.client.post(address));
            let request = match connection.protocol {
                Protocol::OpenAi => post(connection.address("/chat/completions")).json(&spoken),
                Protocol::Ollama => {
                    let asked = OllamaRequest::of(&spoken, self.sent_along.window);
                    post(connection.address_beside("/api/chat")).json(&asked)
                }
            };
            let reply = match tokio::time::timeout_at(deadline, request.send()).await {
                Err(_) => return Err(self.late()),
                Ok(Err(error)) => return Err(connection_failed(&error)),
                Ok(Ok(reply)) => reply,
            };
            if reply.status().is_success() {
                return Ok(reply);
            }
            let status = reply.status();
            let body = match tokio::time::timeout_at(deadline, bounded::body(reply, LARGEST_REPLY)).await {
                Err(_) => return Err(self.late()),
                Ok(body) => body,
            };
            let is_about_request = matches!(status.as_u16(), 400 | 422);
            let learned = body.as_ref().ok().filter(|_| is_about_request).and_then(|body| {
                let learned = dialect.after(&String::from_utf8_lossy(body))?;
                self.dialects.learn(model, |known| *known = learned);
                Some(())
            });
            if learned.is_some() {
                continue;
            }
            return match tokio::time::timeout_at(deadline, self.refused(model, status, body)).await {
                Err(_) => Err(self.late()),
                Ok(error) => Err(error),
            };
        }
    }

    /// A reply as it comes, and whether it turned out to be nothing but a thought.
    async fn begin(
        &self,
        model: &str,
        request: &ChatRequest<'_>,
        prompt: &Prompt,
        begins_thinking: bool,
        deadline: Instant,
    ) -> Result<(Pieces, Arc<AtomicBool>), ModelError> {
        let reply = self.ask(model, request, deadline).await?;
        let in_thought = Arc::new(AtomicBool::new(false));
        let (noticed, dialects, name) = (in_thought.clone(), self.dialects.clone(), model.to_owned());
        let noticed = move |ended| {
            noticed.fetch_or(ended == Ended::WhileThinking, Ordering::Relaxed);
            dialects.learn(&name, |known| {
                known.thinks = true;
                known.begins_thinking |= ended == Ended::HavingBegunThinking;
            });
        };
        let thoughts = Thoughts::new(begins_thinking);
        let reply = (reply, self.settings.connection.protocol);
        Ok((reply::pieces(reply, prompt.max_tokens, deadline, self.late(), thoughts, noticed), in_thought))
    }

    /// What a reply that is no success means.
    async fn refused(&self, model: &str, status: StatusCode, body: Result<Vec<u8>, ReadError>) -> ModelError {
        let text = match body {
            Ok(body) => error_text(&body),
            Err(ReadError::Connection(_)) => String::new(),
            Err(too_long) => too_long.to_string(),
        };
        let lower = text.to_lowercase();
        let names_model = ["model not found", "invalid model"].iter().any(|words| lower.contains(words));
        if status == StatusCode::NOT_FOUND || (status.is_client_error() && names_model) {
            let served = self.named_soon().await.ok().flatten().unwrap_or_default();
            return ModelError::Own(ModelFault::NotServed { model: model.to_owned(), served });
        }
        let about_length = ["context", "too long", "too large", "exceed"].iter().any(|word| lower.contains(word));
        // A rate that was exceeded is no length.
        if status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS && about_length {
            return ModelError::Own(ModelFault::TooLong(text));
        }
        ModelError::Own(ModelFault::Failed(format!("status {}: {text}", status.as_u16())))
    }
}

#[async_trait]
impl LanguageModel for OpenAiModel {
    fn default_model(&self) -> &str {
        &self.settings.model
    }

    fn allowed(&self) -> Vec<String> {
        std::iter::once(&self.settings.model).chain(&self.settings.also_allowed).cloned().collect()
    }

    async fn served(&self) -> Result<Vec<String>, ModelError> {
        let listed = async { Ok(self.named_soon().await?.map(Arc::new)) };
        match self.served.try_get_with((), listed).await {
            // What may be asked for is there, as far as anybody can tell, where there is no list.
            Ok(served) => Ok(served.map_or_else(|| self.allowed(), |served| served.to_vec())),
            Err(error) => Err(ModelError::clone(&error)),
        }
    }

    /// A reply that is nothing but a thought is asked for once more, without thoughts.
    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        let model = self.chosen(&prompt)?;
        let deadline = Instant::now() + self.settings.timeout;
        let request = ChatRequest::streamed(&model, &prompt).thinking(self.sent_along.thinking);
        let begins_thinking = self.dialects.of(&model).begins_thinking;
        let (mut pieces, in_thought) = self.begin(&model, &request, &prompt, begins_thinking, deadline).await?;
        // The first piece of text, or the end, tells which it is.
        let first = pieces.next().await;
        let is_unbound =
            |piece: &Piece| matches!(piece, Piece::Text(text) if !text.trim_ascii_start().starts_with(b"{"));
        if prompt.form.is_some() && first.iter().flatten().any(is_unbound) {
            self.dialects.learn(&model, |known| {
                if known.binding == Binding::Grammar {
                    known.binding = known.binding.weaker();
                }
            });
        }
        if !in_thought.load(Ordering::Relaxed) {
            return Ok(Box::pin(stream::iter(first).chain(pieces)));
        }
        Ok(self.begin(&model, &request.thinking(Some(Thinking::Off)), &prompt, false, deadline).await?.0)
    }

    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        let model = self.chosen(&prompt)?;
        let deadline = Instant::now() + self.settings.timeout;
        let reply = self.ask(&model, &ChatRequest::first_token(&model, &prompt), deadline).await?;
        let read = tokio::time::timeout_at(deadline, parse_reply::<Completion>(reply));
        let completion = read.await.map_err(|_| self.late())??;
        let tokens = completion.first_tokens();
        if tokens.is_empty() {
            let missing = "it gives no log-probabilities; use a server that knows `top_logprobs`";
            return Err(ModelError::Own(ModelFault::Failed(missing.to_owned())));
        }
        Ok(tokens)
    }
}

/// A reply in one piece.
async fn parse_reply<T: DeserializeOwned>(reply: reqwest::Response) -> Result<T, ModelError> {
    let body = bounded::body(reply, LARGEST_REPLY).await.map_err(broken_off)?;
    serde_json::from_slice(&body).map_err(|error| ModelError::Own(ModelFault::Failed(error.to_string())))
}

/// A reply that cannot be read to its end.
fn broken_off(error: ReadError) -> ModelError {
    match error {
        ReadError::Connection(error) => connection_failed(&error),
        too_long => ModelError::Own(ModelFault::Failed(too_long.to_string())),
    }
}

fn connection_failed(error: &reqwest::Error) -> ModelError {
    if error.is_connect() || error.is_request() {
        ModelError::Unavailable(reason(error))
    } else {
        ModelError::Own(ModelFault::Failed(reason(error)))
    }
}

/// The innermost cause, without the URL, which may hold a secret. What the operating system says of a connection is said
/// in words.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    let Some(mut cause) = error.source() else { return error.to_string() };
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let reason = match cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind) {
        Some(ErrorKind::ConnectionRefused) => "nothing listens at its address: check that it runs, and its address",
        Some(ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe) => {
            "it closed the connection before its reply was complete"
        }
        Some(ErrorKind::UnexpectedEof) => "its reply ended before it was complete",
        Some(ErrorKind::TimedOut) => "it cannot be reached in time",
        Some(ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable) => "there is no way to its address",
        _ => return cause.to_string(),
    };
    reason.to_owned()
}
