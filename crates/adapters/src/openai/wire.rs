//! The protocol's JSON, as far as it is used.

use ibidem_ports::language_model::{LikelyToken, Prompt, PromptMessage, ReplyForm, Usage};
use ibidem_words::Speaker;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::dialect::{Binding, Dialect};
use super::grammar::grammar;

/// As many as the protocol allows.
const LIKELY_TOKENS: u32 = 20;

/// How much a model may think before it answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    Off,
    Low,
    Medium,
    High,
}

#[derive(Serialize)]
pub(super) struct ChatRequest<'a> {
    pub(super) model: &'a str,
    pub(super) messages: Vec<ChatMessage<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
    /// The same for models that think: their thoughts count too.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u32>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<StreamOptions>,
    /// The same prompt gets the same words, where the server can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u32>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) likelihoods: Option<Likelihoods>,
    /// How the servers that know thoughts are told how much of them there may be. Those that do not know a field ignore
    /// it, or refuse it once.
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chat_template_kwargs: Option<TemplateArguments>,
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<ResponseFormat<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grammar: Option<String>,
    #[serde(skip)]
    pub(super) thinking: Option<Thinking>,
    #[serde(skip)]
    pub(super) form: Option<&'a ReplyForm>,
}

/// What binds a reply to a form.
#[derive(Clone, Copy, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ResponseFormat<'a> {
    JsonSchema { json_schema: NamedSchema<'a> },
    JsonObject,
}

#[derive(Clone, Copy, Serialize)]
struct NamedSchema<'a> {
    name: &'a str,
    schema: &'a serde_json::Value,
    /// The reply has the schema's properties and no others.
    strict: bool,
}

impl<'a> ResponseFormat<'a> {
    fn of(form: &'a ReplyForm) -> Self {
        Self::JsonSchema { json_schema: NamedSchema { name: form.name, schema: &form.schema, strict: true } }
    }

    fn as_far_as(self, binding: Binding) -> Option<Self> {
        match binding {
            Binding::Schema => Some(self),
            Binding::Object => Some(Self::JsonObject),
            Binding::Grammar | Binding::None => None,
        }
    }
}

#[derive(Clone, Copy, Serialize)]
struct TemplateArguments {
    enable_thinking: bool,
}

impl Thinking {
    /// No server knows less than `low` under this name for all of its models.
    fn effort(self) -> &'static str {
        match self {
            Self::Off | Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

#[derive(Clone, Copy, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct Likelihoods {
    logprobs: bool,
    top_logprobs: u32,
}

#[derive(Clone, Copy, Serialize)]
pub(super) struct ChatMessage<'a> {
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
            temperature: Some(prompt.temperature),
            max_tokens: Some(prompt.max_tokens),
            max_completion_tokens: None,
            stream: true,
            stream_options: Some(StreamOptions { include_usage: true }),
            seed: Some(0),
            likelihoods: None,
            reasoning_effort: None,
            chat_template_kwargs: None,
            response_format: None,
            grammar: None,
            thinking: None,
            form: prompt.form.as_ref(),
        }
    }

    /// For the likelihood of the first token alone.
    pub(super) fn first_token(model: &'a str, prompt: &'a Prompt) -> Self {
        Self {
            temperature: Some(0.0),
            max_tokens: Some(1),
            stream: false,
            stream_options: None,
            likelihoods: Some(Likelihoods { logprobs: true, top_logprobs: LIKELY_TOKENS }),
            ..Self::streamed(model, prompt)
        }
    }

    /// The same, and the model is told how much it may think; where nobody says, that is its own affair.
    pub(super) fn thinking(self, thinking: Option<Thinking>) -> Self {
        Self { thinking: thinking.or(self.thinking), ..self }
    }

    /// The same as this server takes it for this model.
    pub(super) fn spoken(&self, dialect: Dialect) -> Self {
        let bound = self.max_tokens.or(self.max_completion_tokens);
        Self {
            model: self.model,
            messages: self.messages.clone(),
            temperature: self.temperature.filter(|_| !dialect.no_temperature),
            max_tokens: bound.filter(|_| !dialect.completion_tokens),
            max_completion_tokens: bound.filter(|_| dialect.completion_tokens),
            stream: self.stream,
            stream_options: self.stream_options.filter(|_| !dialect.no_stream_options),
            seed: self.seed.filter(|_| !dialect.no_seed),
            likelihoods: self.likelihoods,
            reasoning_effort: self.thinking.filter(|_| !dialect.no_effort).map(Thinking::effort),
            chat_template_kwargs: self
                .thinking
                .filter(|_| !dialect.no_template)
                .map(|thinking| TemplateArguments { enable_thinking: thinking != Thinking::Off }),
            response_format: self.form.and_then(|form| ResponseFormat::of(form).as_far_as(dialect.binding)),
            grammar: self.form.filter(|_| dialect.binding == Binding::Grammar).and_then(|form| grammar(&form.schema)),
            thinking: self.thinking,
            form: self.form,
        }
    }
}

/// One event of the stream. Servers add fields freely; what is not needed is not looked at.
#[derive(Deserialize)]
pub(super) struct ChatChunk {
    #[serde(default)]
    pub(super) choices: Option<Vec<Choice>>,
    #[serde(default)]
    pub(super) usage: Option<ChatUsage>,
    #[serde(default)]
    pub(super) error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    pub(super) delta: Option<Delta>,
    /// In the last event with text, or the one after it.
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
}

impl Choice {
    /// Whether it is a thought, or has one beside its text.
    pub(super) fn is_thought(&self) -> bool {
        self.delta.as_ref().is_some_and(|delta| delta.reasoning_content.is_some() || delta.reasoning.is_some())
    }

    /// What it adds to the text.
    pub(super) fn text(self) -> Option<String> {
        Some(self.delta?.content?.text()).filter(|text| !text.is_empty())
    }
}

#[derive(Default, Deserialize)]
pub(super) struct Delta {
    #[serde(default)]
    content: Option<Content>,
    /// Thoughts, by the names that servers give them. What is in them is not read.
    #[serde(default)]
    reasoning_content: Option<IgnoredAny>,
    #[serde(default)]
    reasoning: Option<IgnoredAny>,
}

/// Some servers write text in typed parts, of which thoughts are one type.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Deserialize)]
struct ContentPart {
    #[serde(default)]
    r#type: Option<String>,
    #[serde(default)]
    text: Option<String>,
}

impl Content {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                let is_text = |part: &ContentPart| part.r#type.as_deref().is_none_or(|name| name.ends_with("text"));
                parts.into_iter().filter(is_text).filter_map(|part| part.text).collect()
            }
        }
    }
}

/// A reply in one piece, as far as its first token goes.
#[derive(Deserialize)]
pub(super) struct Completion {
    #[serde(default)]
    choices: Vec<CompletionChoice>,
    /// Where Ollama has them.
    #[serde(default)]
    logprobs: Option<Vec<WrittenToken>>,
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
        let written = logprobs.and_then(|logprobs| logprobs.content).or(self.logprobs);
        let first = written.unwrap_or_default().into_iter().next();
        let tokens = first.map(|token| token.top_logprobs).unwrap_or_default().into_iter();
        let mut tokens: Vec<LikelyToken> =
            tokens.filter_map(|token| Some(LikelyToken { text: token.token, logprob: token.logprob? })).collect();
        tokens.sort_by(|one, other| other.logprob.total_cmp(&one.logprob));
        tokens
    }
}

#[derive(Clone, Copy, Deserialize)]
pub(super) struct ChatUsage {
    #[serde(default)]
    prompt_tokens: u32,
    #[serde(default)]
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
    let message = serde_json::from_slice::<serde_json::Value>(body).ok().and_then(|value| {
        let error = value.get("error")?;
        let message = error.get("message").unwrap_or(error);
        message.as_str().map(str::to_owned)
    });
    let message = message.unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    message.chars().take(LONGEST).collect()
}
