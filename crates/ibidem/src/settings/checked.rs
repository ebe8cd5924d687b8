//! Settings that can be used as they are.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_embedder::HttpEmbedderSettings;
use ibidem_adapters::http_reranker::HttpRerankerSettings;
use ibidem_adapters::onnx::{OnnxSettings, PairModelSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_adapters::qdrant::QdrantSettings;
use ibidem_adapters::skos_files::SkosFilesSettings;
use ibidem_adapters::skosmos::SkosmosSettings;
use ibidem_adapters::watched_vocabulary::WatchedSettings;
use ibidem_engine::yes_no::YesNoSettings;
use ibidem_ingest::read::child::ReadingLimits;
use ibidem_server::{ConnectionLimits, MetricsReaders};
use ibidem_store::StoreSettings;
use ibidem_words::degrade::BreakerSettings;
use ibidem_words::ports::language_model::ModelLimits;
use ibidem_words::ports::language_model::is_same_model;

use super::Sources;

/// Everything an operator can set, each value checked.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) store: StoreSettings,
    pub(crate) index: QdrantSettings,
    pub(crate) embedding: EmbeddingSettings,
    pub(crate) originals: PathBuf,
    pub(crate) reading: ReadingSettings,
    /// None when no language model is configured: then the sources speak for themselves.
    pub(crate) language_model: Option<LanguageModelSettings>,
    /// None when nobody reads passages together with the question: then their vectors decide.
    pub(crate) reranker: Option<RerankerSettings>,
    pub(crate) entailment: EntailmentSettings,
    pub(crate) breakers: BreakerSettings,
    pub(crate) policy: PolicySettings,
    /// Whom a question goes to when what it is about has no owner.
    pub(crate) admin_email: Option<String>,
    pub(crate) terminology: TerminologySettings,
    pub(crate) server: ServerSettings,
    pub(crate) log: LogSettings,
    pub(crate) audit: AuditSettings,
    /// None when the key that signs receipts is in the database.
    pub(crate) signing_key_file: Option<PathBuf>,
    pub(crate) sources: Sources,
}

/// The embedding model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EmbeddingSettings {
    /// The model in this process, or how one beside a server's would be arranged: other models in this process are
    /// arranged alike.
    pub(crate) onnx: OnnxSettings,
    pub(crate) source: EmbeddingSource,
    /// The hash of the model whose scale of similarity is configured.
    pub(crate) scale_of: Option<String>,
    /// For the vectors of one question.
    pub(crate) timeout: Duration,
}

impl EmbeddingSettings {
    pub(crate) fn name(&self) -> &str {
        &self.onnx.name
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum EmbeddingSource {
    /// In this process.
    Onnx,
    /// A server in the form of OpenAI.
    Http(HttpEmbedderSettings),
}

/// The processes that originals are read in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReadingSettings {
    pub(crate) limits: ReadingLimits,
    pub(crate) at_once: usize,
    /// Another program than this one, with the same command.
    pub(crate) program: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct LanguageModelSettings {
    /// Its model is the answering one.
    pub(crate) server: OpenAiSettings,
    pub(crate) planner: Option<String>,
    pub(crate) judge: Option<String>,
    pub(crate) titles: Option<String>,
    pub(crate) fallback: Option<String>,
    pub(crate) out_of_corpus: Option<String>,
    /// For roles that write a few words.
    pub(crate) short_timeout: Duration,
    /// What is known of models that are not among the others.
    pub(crate) any: KnownModel,
    pub(crate) known: BTreeMap<String, KnownModel>,
}

/// What fits into a model, and how that is counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct KnownModel {
    pub(crate) limits: ModelLimits,
    pub(crate) tokenizer: TokenizerSource,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TokenizerSource {
    Estimate,
    /// The model server is asked.
    Server,
    File(PathBuf),
}

impl LanguageModelSettings {
    pub(crate) fn known(&self, name: &str) -> &KnownModel {
        let known = self.known.iter().find(|(known, _)| is_same_model(known, name));
        known.map_or(&self.any, |(_, known)| known)
    }

    /// What one question may wait for these models, one after the other.
    pub(crate) fn longest_turn(&self) -> Duration {
        let answers = 1 + u32::from(self.fallback.is_some());
        let short = 2 * u32::from(self.planner.is_some()) + u32::from(self.judge.is_some());
        self.server.timeout * answers + self.short_timeout * short
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PolicySettings {
    /// A policy that is shipped, by its name, or a file.
    pub(crate) named: String,
    /// Thresholds by collection, laid over the policy's.
    pub(crate) thresholds: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RerankerSettings {
    pub(crate) source: RerankerSource,
    /// For all passages of a question.
    pub(crate) timeout: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RerankerSource {
    Onnx(PairModelSettings),
    Http(HttpRerankerSettings),
    /// The language model, asked for yes or no.
    Model(YesNoSettings),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EntailmentSettings {
    pub(crate) source: EntailmentSource,
    /// For one sentence with all its passages.
    pub(crate) timeout: Duration,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum EntailmentSource {
    /// Words and vectors, and no model beside the embedding model.
    Lexical,
    Onnx(PairModelSettings),
    /// The language model, asked for yes or no.
    Model(YesNoSettings),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TerminologySettings {
    /// None when there is no vocabulary: then questions about terms are questions like any other.
    pub(crate) source: Option<VocabularySource>,
    pub(crate) language: String,
    pub(crate) watched: WatchedSettings,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum VocabularySource {
    Skosmos(SkosmosSettings),
    Files(SkosFilesSettings),
}

#[derive(Clone, Debug)]
pub(crate) struct ServerSettings {
    pub(crate) listen: SocketAddr,
    pub(crate) max_body_bytes: usize,
    pub(crate) max_json_bytes: usize,
    pub(crate) body_timeout: Duration,
    pub(crate) request_timeout: Duration,
    pub(crate) max_in_flight: usize,
    pub(crate) key_share_percent: u8,
    pub(crate) connections: ConnectionLimits,
    /// Who may read what is counted.
    pub(crate) metrics: MetricsReaders,
    /// What `ibidem metrics` shows the server.
    pub(crate) metrics_token: Option<String>,
    /// Where traces go; none when nobody collects them.
    pub(crate) otlp_url: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LogSettings {
    pub(crate) filter: String,
    pub(crate) format: LogFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct AuditSettings {
    /// Whether turns are recorded at all.
    pub(crate) records: bool,
    /// None when records are kept for ever.
    pub(crate) retention_days: Option<u32>,
    pub(crate) texts: RecordedTexts,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RecordedTexts {
    Plain,
    Hashed(HashKeySource),
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum HashKeySource {
    Given(String),
    File(PathBuf),
}

/// A secret is in no log.
impl std::fmt::Debug for HashKeySource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Given(_) => f.write_str("Given"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}
