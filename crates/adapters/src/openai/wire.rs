//! The protocol's JSON, as far as it is used.

use ibidem_ports::language_model::{LikelyToken, Prompt, PromptMessage, Usage};
use ibidem_words::Speaker;
use serde::{Deserialize, Serialize};

/// As many as the protocol allows.
const LIKELY_TOKENS: u32 = 20;

#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<ChatMessage<'a>>,
    temperature: f64,
    max_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    /// The same prompt gets the same words, where the server can.
    seed: u32,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    likelihoods: Option<Likelihoods>,
}

#[derive(Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Serialize)]
struct Likelihoods {
    logprobs: bool,
    top_logprobs: u32,
}

#[derive(Serialize)]
struct ChatMessage<'a> {
    role: Speaker,
    content: &'a str,
}

impl<'a> ChatRequest<'a> {
    /// For words that are shown as they come.
    pub(super) fn streamed(model: &'a str, prompt: &'a Prompt) -> Self {
        let message = |message: &'a PromptMessage| ChatMessage { role: message.role, content: &message.content };
        Self {
            model,
            messages: prompt.messages.iter().map(message).collect(),
            temperature: prompt.temperature,
            max_tokens: prompt.max_tokens,
            stream: true,
            stream_options: Some(StreamOptions { include_usage: true }),
            seed: 0,
            likelihoods: None,
        }
    }

    /// For the likelihood of the first token alone.
    pub(super) fn first_token(model: &'a str, prompt: &'a Prompt) -> Self {
        Self {
            temperature: 0.0,
            max_tokens: 1,
            stream: false,
            stream_options: None,
            likelihoods: Some(Likelihoods { logprobs: true, top_logprobs: LIKELY_TOKENS }),
            ..Self::streamed(model, prompt)
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
    /// In the last event with text, or the one after it.
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
pub(super) struct Delta {
    #[serde(default)]
    pub(super) content: Option<String>,
}

/// A reply in one piece, as far as its first token goes.
#[derive(Deserialize)]
pub(super) struct Completion {
    #[serde(default)]
    choices: Vec<CompletionChoice>,
}

#[derive(Deserialize)]
struct CompletionChoice {
    #[serde(default)]
    logprobs: Option<Logprobs>,
}

#[derive(Deserialize)]
struct Logprobs {
    #[serde(default)]
    content: Option<Vec<WrittenToken>>,
}

#[derive(Deserialize)]
struct WrittenToken {
    #[serde(default)]
    top_logprobs: Vec<TopToken>,
}

#[derive(Deserialize)]
struct TopToken {
    token: String,
    /// Some servers write impossibility as null.
    logprob: Option<f64>,
}

impl Completion {
    /// Likeliest first; none when the server does not say.
    pub(super) fn first_tokens(self) -> Vec<LikelyToken> {
        let logprobs = self.choices.into_iter().next().and_then(|choice| choice.logprobs);
        let first = logprobs.and_then(|logprobs| logprobs.content).unwrap_or_default().into_iter().next();
        let tokens = first.map(|token| token.top_logprobs).unwrap_or_default().into_iter();
        let mut tokens: Vec<LikelyToken> =
            tokens.filter_map(|token| Some(LikelyToken { text: token.token, logprob: token.logprob? })).collect();
        tokens.sort_by(|one, other| other.logprob.total_cmp(&one.logprob));
        tokens
    }
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
    /// As llama.cpp says it: of one slot.
    #[serde(default)]
    meta: Option<ModelMeta>,
    /// As vLLM says it.
    #[serde(default)]
    max_model_len: Option<u32>,
}

#[derive(Deserialize)]
struct ModelMeta {
    #[serde(default)]
    n_ctx: Option<u32>,
}

impl ModelName {
    /// The window it is served with, where the server says.
    pub(super) fn window(&self) -> Option<u32> {
        self.max_model_len.or_else(|| self.meta.as_ref()?.n_ctx)
    }
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
