//! The protocol's JSON, as far as it is used.

use ibidem_engine::ports::language_model::{Prompt, PromptMessage, Usage};
use ibidem_engine::words::Speaker;
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    temperature: f64,
    max_tokens: u32,
    stream: bool,
    stream_options: StreamOptions,
    /// The same prompt gets the same words, where the server can.
    seed: u32,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: Speaker,
    content: &'a str,
}

impl<'a> ChatRequest<'a> {
    pub(super) fn of(model: &'a str, prompt: &'a Prompt) -> Self {
        let message = |message: &'a PromptMessage| ChatMessage { role: message.role, content: &message.content };
        Self {
            model,
            messages: prompt.messages.iter().map(message).collect(),
            temperature: prompt.temperature,
            max_tokens: prompt.max_tokens,
            stream: true,
            stream_options: StreamOptions { include_usage: true },
            seed: 0,
        }
    }
}

/// One event of the stream. Servers add fields freely; what is not needed is not looked at.
#[derive(Deserialize)]
pub(super) struct ChatChunk {
    #[serde(default)]
    pub(super) choices: Vec<Choice>,
    #[serde(default)]
    pub(super) usage: Option<ChatUsage>,
    #[serde(default)]
    pub(super) error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    pub(super) delta: Delta,
}

#[derive(Default, Deserialize)]
pub(super) struct Delta {
    #[serde(default)]
    pub(super) content: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct ChatUsage {
    prompt_tokens: u32,
    completion_tokens: u32,
}

impl From<ChatUsage> for Usage {
    fn from(usage: ChatUsage) -> Self {
        Self { prompt_tokens: usage.prompt_tokens, completion_tokens: usage.completion_tokens }
    }
}

#[derive(Deserialize)]
pub(super) struct ModelList {
    pub(super) data: Vec<ModelName>,
}

#[derive(Deserialize)]
pub(super) struct ModelName {
    pub(super) id: String,
}

/// What an error body says, in a few words.
pub(super) fn error_text(body: &[u8]) -> String {
    const LONGEST: usize = 300;
    let said = serde_json::from_slice::<serde_json::Value>(body).ok().and_then(|value| {
        let error = value.get("error")?;
        let message = error.get("message").unwrap_or(error);
        message.as_str().map(str::to_owned)
    });
    let said = said.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    said.chars().take(LONGEST).collect()
}
