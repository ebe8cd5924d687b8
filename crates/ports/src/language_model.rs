//! A language model that writes, piece by piece, and how much of a prompt it takes.

mod estimate;
mod writing;

use std::fmt;
use std::pin::Pin;

use async_trait::async_trait;
use futures::Stream;

use crate::degrade::{Blame, OwnFault, PartError};
pub use estimate::Estimate;
use ibidem_words::Speaker;

/// A prompt message is one line of the conversation that the model continues.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PromptMessage {
    pub role: Speaker,
    pub content: String,
}

/// What to write, and with what limits.
#[derive(Clone, PartialEq, Debug)]
pub struct Prompt {
    /// A model of the allow-list; none means the configured one.
    pub model: Option<String>,
    pub messages: Vec<PromptMessage>,
    pub temperature: f64,
    pub max_tokens: u32,
    /// The form that the reply must have; none for text as the model likes it.
    pub form: Option<ReplyForm>,
}

/// The form of a reply: one JSON value that a schema describes.
///
/// A server that knows schemas binds the model to it. Any other only hears of it in the messages, so whoever asks reads
/// the reply as one that may be anything.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplyForm {
    /// What the form is called: letters and `_`.
    pub name: &'static str,
    /// A JSON Schema of an object, with every property required and none beside them.
    pub schema: serde_json::Value,
}

/// What arrives while a model writes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Bytes of text, cut anywhere.
    Text(Vec<u8>),
    /// The end, with what the server counted, and why it is not the model's own end where it is not.
    Done { usage: Option<Usage>, cut: Option<Cut> },
}

/// Why a reply ends before the model had finished it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cut {
    /// It reached the most tokens that it may have.
    Length,
    /// A filter of the server took the rest.
    Filter,
}

impl Cut {
    /// Reads how the protocol of language model servers calls it; none for an end of the model's own.
    pub fn of(finish_reason: &str) -> Option<Self> {
        match finish_reason {
            "length" => Some(Self::Length),
            "content_filter" => Some(Self::Filter),
            _ => None,
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Length => "it reached the most tokens that it may write",
            Self::Filter => "a filter of the model server took the rest",
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub prompt_tokens: u32,
    pub completion_tokens: u32,
}

/// When it does not answer, fall back.
pub type ModelError = PartError<ModelFault>;

/// Named by what the caller does about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    /// The asker's mistake: tell which models there are.
    #[error("the model {model:?} is not allowed; allowed are: {}", .allowed.join(", "))]
    NotAllowed { model: String, allowed: Vec<String> },
    /// The operator's mistake: tell how to get it.
    #[error(
        "the model {model:?} is not served; load it on the model server (with Ollama: `ollama pull {model}`), served \
         are: {}",
        .served.join(", ")
    )]
    NotServed { model: String, served: Vec<String> },
    /// Ask with less.
    #[error("the prompt is too long for the model: {0}")]
    TooLong(String),
    /// Use what is whole, and say that it is not all.
    #[error("the model's reply was cut: {0}")]
    Cut(Cut),
    /// Fall back: the server answered, but not as a model does.
    #[error("the model server failed: {0}")]
    Failed(String),
}

impl ModelFault {
    /// Its stream ended, and it had not said that this was all.
    pub fn broke_off() -> Self {
        Self::Failed("the stream ended before the model did".to_owned())
    }
}

impl OwnFault for ModelFault {
    const PART: &'static str = "the model";
    const UNAVAILABLE: &'static str = "the model server cannot be reached";

    fn blame(&self) -> Blame {
        match self {
            Self::Failed(_) => Blame::Part,
            // A server that says what it does not have answers well.
            Self::NotAllowed { .. } | Self::NotServed { .. } | Self::TooLong(_) | Self::Cut(_) => Blame::Others,
        }
    }
}

/// A token a model may go on with.
#[derive(Clone, PartialEq, Debug)]
pub struct LikelyToken {
    /// Holds the token as it would be written, white space before it included.
    pub text: String,
    /// How probable it was among all tokens, as a natural logarithm.
    pub logprob: f64,
}

/// What a model takes and gives at most, in tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ModelLimits {
    /// The prompt and the answer together.
    pub window: u32,
    /// Kept free for the answer.
    pub response: u32,
}

impl Default for ModelLimits {
    /// What every model of today takes.
    fn default() -> Self {
        Self { window: 8_192, response: 1_024 }
    }
}

/// Counts tokens as a language model does.
///
/// It is asked once for all texts of a prompt, and waited for: tokenising is work for threads of its own, or for the
/// model's server. It never fails, but counts too many where it cannot count well.
#[async_trait]
pub trait Tokenizer: Send + Sync {
    /// How it counts, for people.
    fn name(&self) -> &str;

    /// A number for each text, in their order: never less than the text adds to a prompt in which it begins a line.
    async fn count(&self, texts: Vec<String>) -> Vec<usize>;
}

/// Dropping it ends the model's work.
pub type Pieces = Pin<Box<dyn Stream<Item = Result<Piece, ModelError>> + Send>>;

#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// The model that writes when a prompt names none.
    fn default_model(&self) -> &str;

    /// The models a prompt may name, the default one among them.
    fn allowed(&self) -> Vec<String>;

    /// The models that are really there. A model in this process has what it may be asked for.
    async fn served(&self) -> Result<Vec<String>, ModelError> {
        Ok(self.allowed())
    }

    /// Begins to write. Every piece arrives within the model's own time limit, or the stream ends in a timeout.
    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError>;

    /// The tokens the model would most likely begin with, likeliest first: a judgement with its certainty, for a
    /// question that one word answers. Nothing is drawn by lot, so the prompt's temperature and length do not count.
    async fn first_tokens(&self, prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError>;
}

/// Servers that keep several versions of a model call the plain one the latest.
pub fn is_same_model(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.strip_suffix(":latest").unwrap_or(name).to_owned();
    plain(one) == plain(other)
}
