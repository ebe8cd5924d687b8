//! A cross-encoder in this process, from a folder in the layout everybody publishes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use ibidem_engine::ports::reranker::{RerankError, Reranker};
use serde::Deserialize;

use super::cross_encoder::CrossEncoder;
use super::pairs::Pairs;
use super::queue::{Lane, Model};
use super::request::Trouble;
use super::tokens::Window;
use super::workers::{Room, Workers};
use super::{LoadError, OnnxSettings, runtime};

const MODEL: &str = "model.onnx";
const TOKENIZER: &str = "tokenizer.json";
const CONFIG: &str = "config.json";

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OnnxRerankerSettings {
    /// A name for people.
    pub name: String,
    /// Has `model.onnx`, `tokenizer.json` and `config.json`.
    pub folder: PathBuf,
    /// The ONNX Runtime library; one for all models of a process.
    pub runtime: PathBuf,
    /// Sessions working side by side, each with its own copy of the weights.
    pub sessions: usize,
    /// Threads of each session.
    pub threads: usize,
    /// Most tokens of a question with a passage; less where the model's own window is smaller.
    pub max_tokens: usize,
    /// Pairs that may wait; beyond it callers wait outside.
    pub queue: usize,
    /// Most tokens in a batch, padding included.
    pub batch_tokens: usize,
}

impl OnnxRerankerSettings {
    /// Arranged as the embedding model is, for the same reasons.
    pub fn of(folder: impl Into<PathBuf>, runtime: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let embedding = OnnxSettings::of("", "", runtime);
        Self {
            name: folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
            folder,
            runtime: embedding.runtime,
            sessions: embedding.sessions,
            threads: embedding.threads,
            max_tokens: 512,
            queue: embedding.queue,
            batch_tokens: embedding.batch_tokens,
        }
    }
}

/// Why a reranker cannot be used, and what to do about it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RerankerLoadError {
    /// The library is the same for all models.
    #[error(transparent)]
    Runtime(#[from] LoadError),
    #[error("{} cannot be read: {reason}; set reranker.folder to a folder with model.onnx, tokenizer.json and config.json", .path.display())]
    File { path: PathBuf, reason: String },
    #[error("{} is not of a reranker: {reason}; set reranker.folder to a cross-encoder that gives one logit", .path.display())]
    Config { path: PathBuf, reason: String },
    #[error("{} is not a usable tokenizer: {reason}; use the tokenizer.json published with the model", .path.display())]
    Tokenizer { path: PathBuf, reason: String },
    #[error("{} is not a usable reranker: {reason}; set reranker.folder to a cross-encoder that gives one logit, in one ONNX file", .path.display())]
    Model { path: PathBuf, reason: String },
    #[error("the reranker needs at least 1 of {setting}")]
    Zero { setting: &'static str },
    #[error("no thread can be started for the reranker: {0}")]
    Thread(String),
}

/// As much of `config.json` as says whether and how the model can be used.
#[derive(Deserialize)]
struct Config {
    #[serde(default)]
    model_type: String,
    id2label: Option<BTreeMap<String, String>>,
    max_position_embeddings: Option<usize>,
    pad_token_id: Option<usize>,
}

impl Config {
    /// Entailment models and classifiers come in the same layout, and would rank nonsense.
    fn check(&self) -> Result<(), String> {
        let labels = self.id2label.iter().flatten().map(|(_, label)| label.as_str());
        let labels: Vec<&str> = labels.collect();
        if labels.len() > 1 {
            return Err(format!("it tells {} apart, and a reranker has one label", labels.join(", ")));
        }
        Ok(())
    }

    /// The model's own window, where it says so.
    fn window(&self) -> Option<usize> {
        // Models of this family count positions from behind the padding's id.
        let counts_from_padding = ["roberta", "camembert", "mpnet"].iter().any(|name| self.model_type.contains(name));
        let skipped = if counts_from_padding { self.pad_token_id.unwrap_or(1) + 1 } else { 0 };
        self.max_position_embeddings.map(|positions| positions.saturating_sub(skipped))
    }
}

/// A question with one of its passages.
struct Pair {
    question: Arc<str>,
    passage: String,
}

/// What each thread of the reranker has.
struct RerankerThread {
    pairs: Arc<Pairs>,
    encoder: CrossEncoder,
}

impl Model<Pair> for RerankerThread {
    fn read(&self, _: Lane, position: usize, pair: Pair) -> Result<Vec<Window>, Trouble> {
        // All pairs of a request have one question.
        if position == 0 {
            self.pairs.check(&pair.question)?;
        }
        let window = self.pairs.window(&pair.question, &pair.passage).map_err(Trouble::Failed)?;
        Ok(vec![window])
    }

    fn run(&mut self, windows: &[&Window]) -> Result<Vec<Vec<f32>>, String> {
        let logits = self.encoder.logits(windows)?;
        Ok(logits.into_iter().map(|logit| vec![logit]).collect())
    }
}

/// A cross-encoder on its own threads, behind a bounded queue. In no bounded time of its own; dropping it ends them.
pub struct OnnxReranker {
    name: String,
    workers: Workers<Pair>,
    room: Room,
}

impl OnnxReranker {
    /// Reads the files, starts the sessions and judges a few pairs, so that a model that cannot work is found out now.
    /// Takes about a second of blocking work.
    pub fn load(settings: &OnnxRerankerSettings) -> Result<Self, RerankerLoadError> {
        for (setting, value) in [
            ("sessions", settings.sessions),
            ("threads", settings.threads),
            ("queue", settings.queue),
            ("batch_tokens", settings.batch_tokens),
        ] {
            if value == 0 {
                return Err(RerankerLoadError::Zero { setting });
            }
        }
        let config = config(&settings.folder.join(CONFIG))?;
        let path = settings.folder.join(TOKENIZER);
        let max_tokens = config.window().map_or(settings.max_tokens, |own| own.min(settings.max_tokens));
        let pairs = Pairs::from_bytes(&read(&path)?, max_tokens);
        let pairs = Arc::new(pairs.map_err(|reason| RerankerLoadError::Tokenizer { path, reason })?);

        let path = settings.folder.join(MODEL);
        let model = read(&path)?;
        let environment = runtime::environment(&settings.runtime)?;
        let unusable = |reason| RerankerLoadError::Model { path: path.clone(), reason };
        let mut threads = Vec::new();
        for _ in 0..settings.sessions {
            let mut encoder = CrossEncoder::new(&environment, &model, settings.threads).map_err(unusable)?;
            judge_a_few(&mut encoder, &pairs).map_err(unusable)?;
            threads.push(RerankerThread { pairs: Arc::clone(&pairs), encoder });
        }
        let workers = Workers::start("ibidem-rerank", settings.batch_tokens, threads);
        let workers = workers.map_err(RerankerLoadError::Thread)?;
        Ok(Self { name: settings.name.clone(), workers, room: Room::new(settings.queue) })
    }
}

#[async_trait]
impl Reranker for OnnxReranker {
    fn name(&self) -> &str {
        &self.name
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let question: Arc<str> = question.into();
        let pairs = texts.into_iter().map(|passage| Pair { question: Arc::clone(&question), passage });
        let pairs: Vec<Pair> = pairs.collect();
        let room = self.room.wait_for(pairs.len()).await.map_err(in_other_words)?;
        let logits = self.workers.ask(Lane::Queries, pairs, room).await.map_err(in_other_words)?;
        Ok(logits.into_iter().flatten().map(sigmoid).collect())
    }
}

/// Three at once, of two lengths: fewer could not tell logits of a pair from those of several.
fn judge_a_few(encoder: &mut CrossEncoder, pairs: &Pairs) -> Result<(), String> {
    let windows = ["", "ibidem", "ibidem"].map(|passage| pairs.window("ibidem", passage));
    let windows = windows.into_iter().collect::<Result<Vec<Window>, String>>()?;
    encoder.logits(&windows.iter().collect::<Vec<_>>())?;
    Ok(())
}

fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

fn in_other_words(trouble: Trouble) -> RerankError {
    match trouble {
        Trouble::TooLong { tokens, limit, .. } => {
            RerankError::Failed(format!("the question has {tokens} tokens, and {limit} leave room for passages"))
        }
        Trouble::Failed(reason) => RerankError::Unavailable(reason),
    }
}

fn config(path: &Path) -> Result<Config, RerankerLoadError> {
    let unusable = |reason| RerankerLoadError::Config { path: path.to_owned(), reason };
    let config: Config = serde_json::from_slice(&read(path)?).map_err(|error| unusable(error.to_string()))?;
    config.check().map_err(unusable)?;
    Ok(config)
}

fn read(path: &Path) -> Result<Vec<u8>, RerankerLoadError> {
    std::fs::read(path).map_err(|error| RerankerLoadError::File { path: path.to_owned(), reason: error.to_string() })
}
