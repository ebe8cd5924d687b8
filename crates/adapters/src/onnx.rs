//! Embeddings, reranking and entailment by ONNX Runtime in this process.

mod answer_span;
mod bare;
mod claim_input;
mod config;
mod cross_encoder;
pub(crate) mod encoder;
mod entailment;
pub(crate) mod labels;
mod model_files;
mod on_demand;
mod pair_model;
mod pairs;
mod queue;
mod request;
mod reranker;
mod runtime;
mod session;
pub(crate) mod tokens;
mod workers;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder, EmbeddingModel, TokenCounter};
use ibidem_words::{ModelHash, Sha256Hash, SimilarityScale};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

pub use bare::BareReader;
pub use claim_input::ClaimInput;
use encoder::Encoder;
pub use entailment::OnnxEntailment;
pub use model_files::{BuiltInModel, ModelFiles};
pub use on_demand::OnDemandReranker;
pub use pair_model::{PairModelError, PairModelSettings};
use queue::{Lane, Model};
use request::Trouble;
pub use reranker::OnnxReranker;
pub use runtime::NO_TELEMETRY;
pub use tokens::Prefixes;
pub(crate) use tokens::plain_tokenizer;
use tokens::{Tokens, Window};
use workers::{Room, Workers};

/// How one vector is made of the vectors of a text's tokens. Models that do it themselves are left to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean, as the sentence-transformers family does.
    #[default]
    Mean,
    /// The first token's, as the BGE family does.
    Cls,
}

impl Pooling {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Cls => "cls",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OnnxSettings {
    /// A name for people.
    pub name: String,
    /// The model, one self-contained ONNX file.
    pub model: PathBuf,
    /// Its `tokenizer.json`.
    pub tokenizer: PathBuf,
    /// The ONNX Runtime library; one for all models of a process.
    pub runtime: PathBuf,
    /// Sessions working side by side, each with its own copy of the weights.
    pub sessions: usize,
    /// Threads of each session.
    pub threads: usize,
    /// The model's window, its special tokens included.
    pub max_tokens: usize,
    pub pooling: Pooling,
    pub prefixes: Prefixes,
    /// What its cosines mean; it does not decide vectors.
    pub scale: SimilarityScale,
    /// Texts that may wait, queries and passages each. Beyond it queries are turned away and passages wait outside.
    pub queue: usize,
    /// Most tokens in a batch, padding included: what a query may have to wait for.
    pub batch_tokens: usize,
}

/// Each session has the weights in memory once more.
const MOST_SESSIONS: usize = 4;

impl OnnxSettings {
    /// The fastest arrangement measured: a session to a core, as threads of one session wait for each other at every
    /// layer, and small batches, as large ones outgrow the core's cache. Beyond a few sessions their memory counts more.
    pub fn of(model: impl Into<PathBuf>, tokenizer: impl Into<PathBuf>, runtime: impl Into<PathBuf>) -> Self {
        let model = model.into();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let sessions = cores.min(MOST_SESSIONS);
        Self {
            name: model.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            model,
            tokenizer: tokenizer.into(),
            runtime: runtime.into(),
            sessions,
            threads: cores / sessions,
            max_tokens: 256,
            pooling: Pooling::Mean,
            prefixes: Prefixes::default(),
            scale: SimilarityScale::COSINE,
            queue: 256,
            batch_tokens: 256,
        }
    }
}

/// Why a model cannot be used, and what to do about it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LoadError {
    #[error("the ONNX Runtime library {} cannot be loaded: {reason}; set embedding.runtime to a libonnxruntime of version 1.17 or newer", .path.display())]
    Runtime { path: PathBuf, reason: String },
    #[error("this process already runs the ONNX Runtime library {}, not {}; name the same library for all models", .loaded.display(), .wanted.display())]
    SecondRuntime { wanted: PathBuf, loaded: PathBuf },
    #[error(
        "ONNX Runtime would send reports to its maker and is not loaded; start the program with ORT_DISABLE_TELEMETRY=1 in its environment"
    )]
    Telemetry,
    #[error("{} cannot be read: {reason}; set embedding.model and embedding.tokenizer to existing files", .path.display())]
    File { path: PathBuf, reason: String },
    #[error("{} is not a usable tokenizer: {reason}; set embedding.tokenizer to the tokenizer.json published with the model", .path.display())]
    Tokenizer { path: PathBuf, reason: String },
    #[error("{} is not a usable embedding model: {reason}; set embedding.model to a text embedding model in one ONNX file", .path.display())]
    Model { path: PathBuf, reason: String },
    #[error(
        "a window of {max_tokens} tokens leaves no room beside the {special_tokens} tokens of the model's own marks and the prefixes; raise embedding.max_tokens"
    )]
    Window { max_tokens: usize, special_tokens: usize },
    #[error("embedding.{setting} must be at least 1")]
    Zero { setting: &'static str },
    #[error("the embedding server cannot be used: {0}; check embedding.url and embedding.name")]
    Server(String),
    #[error("no thread can be started for the embedding model: {0}")]
    Thread(String),
}

/// An embedding model on its own threads, behind a bounded queue. Dropping it ends them.
pub struct OnnxEmbedder {
    model: EmbeddingModel,
    tokens: Arc<Tokens>,
    workers: Workers<String>,
    query_room: Room,
    passage_room: Room,
}

impl OnnxEmbedder {
    /// Reads the files, starts the sessions and embeds one word, so that a model that cannot work is found out now.
    /// Takes about a second of blocking work.
    pub fn load(settings: &OnnxSettings) -> Result<Self, LoadError> {
        for (setting, value) in [
            ("sessions", settings.sessions),
            ("threads", settings.threads),
            ("queue", settings.queue),
            ("batch_tokens", settings.batch_tokens),
        ] {
            if value == 0 {
                return Err(LoadError::Zero { setting });
            }
        }
        let model_bytes = read_file(&settings.model)?;
        let tokenizer_bytes = read_file(&settings.tokenizer)?;
        let hash = model_hash(settings, &model_bytes, &tokenizer_bytes);
        let prefixes = settings.prefixes.clone();
        let tokens = Tokens::from_bytes(&tokenizer_bytes, &settings.tokenizer, settings.max_tokens, prefixes)?;
        let environment = runtime::environment(&settings.runtime)?;

        let unusable = |reason| LoadError::Model { path: settings.model.clone(), reason };
        let mut encoders = Vec::new();
        for _ in 0..settings.sessions {
            let encoder = Encoder::new(&environment, &model_bytes, settings.threads, settings.pooling);
            encoders.push(encoder.map_err(unusable)?);
        }
        let mut dimensions = 0;
        for encoder in &mut encoders {
            let word = tokens.passage("ibidem").map_err(unusable)?;
            dimensions = encoder.embed(&[&word]).map_err(unusable)?.first().map_or(0, Vec::len);
        }
        let model = EmbeddingModel {
            name: settings.name.clone(),
            hash,
            dimensions,
            max_tokens: settings.max_tokens,
            scale: settings.scale,
        };

        let tokens = Arc::new(tokens);
        let models = encoders.into_iter().map(|encoder| EmbeddingThread { tokens: Arc::clone(&tokens), encoder });
        let workers = Workers::start("ibidem-embed", settings.batch_tokens, models.collect());
        Ok(Self {
            model,
            tokens,
            workers: workers.map_err(LoadError::Thread)?,
            query_room: Room::new(settings.queue),
            passage_room: Room::new(settings.queue),
        })
    }

    /// Counts tokens as this model does, on any thread.
    pub fn token_counter(&self) -> Arc<dyn TokenCounter> {
        Arc::clone(&self.tokens) as Arc<dyn TokenCounter>
    }

    async fn embed(
        &self,
        lane: Lane,
        texts: Vec<String>,
        room: OwnedSemaphorePermit,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(self.workers.ask(lane, texts, room).await?)
    }
}

impl From<Trouble> for EmbedError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::TooLong { index, tokens, limit } => EmbedFault::TooLong { index, tokens, limit }.into(),
            Trouble::Failed(reason) => Self::Unavailable(reason),
        }
    }
}

/// What each thread of the embedding model has.
struct EmbeddingThread {
    tokens: Arc<Tokens>,
    encoder: Encoder,
}

impl Model<String> for EmbeddingThread {
    fn read(&self, lane: Lane, position: usize, text: String) -> Result<Vec<Window>, Trouble> {
        let windows = match lane {
            Lane::Queries => self.tokens.query(&text),
            Lane::Passages => self.tokens.passage(&text).map(|window| vec![window]),
        };
        let windows = windows.map_err(Trouble::Failed)?;
        let limit = self.tokens.max_tokens;
        match windows.iter().find(|window| window.len() > limit) {
            Some(window) => Err(Trouble::TooLong { index: position, tokens: window.len(), limit }),
            None => Ok(windows),
        }
    }

    fn run(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
        self.encoder.embed(windows)
    }
}

#[async_trait]
impl Embedder for OnnxEmbedder {
    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let room = self.passage_room.wait_for(texts.len()).await?;
        self.embed(Lane::Passages, texts, room).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let room = self.query_room.take(texts.len()).ok_or(EmbedError::Own(EmbedFault::Overloaded))?;
        self.embed(Lane::Queries, texts, room).await
    }
}

impl TokenCounter for OnnxEmbedder {
    fn count(&self, text: &str) -> usize {
        self.tokens.count(text)
    }
}

pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>, LoadError> {
    std::fs::read(path).map_err(|error| LoadError::File { path: path.to_owned(), reason: error.to_string() })
}

/// Everything that decides a vector, and nothing that does not.
fn model_hash(settings: &OnnxSettings, model: &[u8], tokenizer: &[u8]) -> ModelHash {
    let pooling = settings.pooling.as_str();
    let window = settings.max_tokens.to_string();
    let mut parts =
        vec![b"ibidem text embedding 1".as_slice(), model, tokenizer, pooling.as_bytes(), window.as_bytes()];
    // Without prefixes it is the hash that models had before there were any.
    if !settings.prefixes.are_empty() {
        parts.extend([settings.prefixes.query.as_bytes(), settings.prefixes.passage.as_bytes()]);
    }
    ModelHash(Sha256Hash::of_parts(parts))
}
