//! Embeddings by a server that speaks the form of OpenAI: `/v1/embeddings`.

mod wire;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder, EmbeddingModel, TokenCounter};
use ibidem_words::{ModelHash, Sha256Hash, SimilarityScale};
use reqwest::StatusCode;

use crate::model_server::{ModelServer, PostError, in_batches};
use crate::onnx::encoder::normalise;
use crate::onnx::tokens::Tokens;
use crate::onnx::{LoadError, Prefixes, read_file};
use wire::{Request, vectors};

/// A vector of 4,096 numbers is some 80 kB of JSON; nothing asked for here comes near this.
const LARGEST_REPLY: usize = 256 * 1024 * 1024;

/// Whoever asks a question waits less. Ingesting has no limit of its own, and must not wait for a server that is gone.
const SILENCE: Duration = Duration::from_secs(120);

/// Servers refuse a text with nothing in it, and with it the whole request.
const NOTHING: &str = ".";

#[derive(Clone, PartialEq, Eq)]
pub struct HttpEmbedderSettings {
    /// The whole address, for instance `http://127.0.0.1:8080/v1/embeddings`.
    pub url: String,
    /// The model to ask for.
    pub name: String,
    pub api_key: Option<String>,
    /// The model's `tokenizer.json`: passages are split by its tokens.
    pub tokenizer: PathBuf,
    /// The model's window, its special tokens included.
    pub max_tokens: usize,
    pub prefixes: Prefixes,
    /// What is sent as `input_type`, to servers that put prefixes before the texts themselves.
    pub input_types: InputTypes,
    /// Texts in one request.
    pub batch_size: usize,
    /// Requests under way at the same time, for each question and for each document.
    pub at_once: usize,
    pub scale: SimilarityScale,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InputTypes {
    pub query: Option<String>,
    pub passage: Option<String>,
}

impl fmt::Debug for HttpEmbedderSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpEmbedderSettings")
            .field("name", &self.name)
            .field("max_tokens", &self.max_tokens)
            .field("prefixes", &self.prefixes)
            .field("input_types", &self.input_types)
            .field("batch_size", &self.batch_size)
            .field("at_once", &self.at_once)
            // The key is secret, and the address may hold a password.
            .finish_non_exhaustive()
    }
}

/// An embedding server. Questions wait for it in the time that its caller gives it.
pub struct HttpEmbedder {
    settings: HttpEmbedderSettings,
    server: ModelServer,
    tokens: Tokens,
    model: EmbeddingModel,
}

impl fmt::Debug for HttpEmbedder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpEmbedder").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpEmbedder {
    /// Reads the tokenizer and embeds one word, so that a server that cannot work is found out now.
    pub async fn connect(settings: HttpEmbedderSettings) -> Result<Self, LoadError> {
        let tokenizer = read_file(&settings.tokenizer)?;
        let prefixes = settings.prefixes.clone();
        let tokens = Tokens::from_bytes(&tokenizer, &settings.tokenizer, settings.max_tokens, prefixes)?;
        let server = ModelServer::new(settings.url.clone(), settings.api_key.clone(), LARGEST_REPLY, Some(SILENCE));
        let server = server.map_err(LoadError::Server)?;
        let model = EmbeddingModel {
            name: settings.name.clone(),
            hash: ModelHash(Sha256Hash::of(&[])),
            dimensions: 0,
            max_tokens: settings.max_tokens,
            scale: settings.scale,
        };
        let mut embedder = Self { settings, server, tokens, model };
        let word = embedder.embed_passages(vec!["ibidem".to_owned()]).await;
        let word = word.map_err(|error| LoadError::Server(error.to_string()))?;
        embedder.model.dimensions = word.first().map_or(0, Vec::len);
        embedder.model.hash = embedder.hash(&tokenizer);
        Ok(embedder)
    }

    /// The same model at another address.
    #[must_use]
    pub fn moved_to(mut self, url: String) -> Self {
        self.server.url = url;
        self
    }

    /// Everything that is known to decide a vector. The weights are not known: a model over HTTP is what it is called.
    fn hash(&self, tokenizer: &[u8]) -> ModelHash {
        let HttpEmbedderSettings { name, prefixes, input_types, max_tokens, .. } = &self.settings;
        let numbers = format!("{max_tokens} {}", self.model.dimensions);
        let types = format!("{input_types:?}");
        let parts = [
            b"ibidem text embedding over http 1".as_slice(),
            name.as_bytes(),
            tokenizer,
            numbers.as_bytes(),
            prefixes.query.as_bytes(),
            prefixes.passage.as_bytes(),
            types.as_bytes(),
        ];
        ModelHash(Sha256Hash::of_parts(parts))
    }

    /// A unit vector for each text, in their order.
    async fn embed(&self, texts: Vec<String>, input_type: Option<&str>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let asked = |text: String| if text.trim().is_empty() { NOTHING.to_owned() } else { text };
        let texts: Vec<String> = texts.into_iter().map(asked).collect();
        let HttpEmbedderSettings { batch_size, at_once, .. } = self.settings;
        in_batches(texts, batch_size, at_once, |batch| self.ask(batch, input_type)).await
    }

    async fn ask(&self, texts: Vec<String>, input_type: Option<&str>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let request = Request { model: &self.settings.name, input: &texts, encoding_format: "float", input_type };
        let body = self.server.ask(&request).await.map_err(|error| match error {
            PostError::Refused { status: StatusCode::TOO_MANY_REQUESTS, .. } => EmbedFault::Overloaded.into(),
            other => EmbedError::Unavailable(other.to_string()),
        })?;
        let mut vectors = vectors(&body, texts.len()).map_err(EmbedError::Unavailable)?;
        for vector in &mut vectors {
            let wanted = self.model.dimensions;
            if wanted > 0 && vector.len() != wanted {
                let problem = format!("it sent a vector of {} numbers instead of {wanted}", vector.len());
                return Err(EmbedError::Unavailable(problem));
            }
            normalise(vector).map_err(EmbedError::Unavailable)?;
        }
        Ok(vectors)
    }
}

#[async_trait]
impl Embedder for HttpEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let limit = self.settings.max_tokens;
        let mut sent = Vec::with_capacity(texts.len());
        for (index, text) in texts.iter().enumerate() {
            let (text, tokens) = self.tokens.passage_text(text).map_err(EmbedError::Unavailable)?;
            if tokens > limit {
                return Err(EmbedFault::TooLong { index, tokens, limit }.into());
            }
            sent.push(text);
        }
        self.embed(sent, self.settings.input_types.passage.as_deref()).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut windows = Vec::with_capacity(texts.len());
        for text in &texts {
            windows.push(self.tokens.query_texts(text).map_err(EmbedError::Unavailable)?);
        }
        let sent = windows.iter().flatten().map(|(text, _)| text.clone()).collect();
        let mut vectors = self.embed(sent, self.settings.input_types.query.as_deref()).await?.into_iter();
        let joined = windows.iter().map(|windows| {
            let weights = windows.iter().map(|(_, tokens)| *tokens);
            joined(weights.zip(vectors.by_ref()))
        });
        joined.collect::<Result<_, _>>().map_err(EmbedError::Unavailable)
    }
}

impl TokenCounter for HttpEmbedder {
    fn count(&self, text: &str) -> usize {
        self.tokens.count(text)
    }
}

/// The mean of a text's windows, each weighing as much as it has tokens.
fn joined(windows: impl ExactSizeIterator<Item = (usize, Vec<f32>)>) -> Result<Vec<f32>, String> {
    let is_alone = windows.len() == 1;
    let mut sum: Vec<f32> = Vec::new();
    for (tokens, vector) in windows {
        if is_alone {
            return Ok(vector);
        }
        sum.resize(vector.len(), 0.0);
        #[expect(clippy::cast_precision_loss, reason = "a window has far fewer tokens than a float has digits")]
        let weight = tokens as f32;
        sum.iter_mut().zip(&vector).for_each(|(sum, value)| *sum += weight * value);
    }
    normalise(&mut sum)?;
    Ok(sum)
}
