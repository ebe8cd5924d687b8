//! Settings that can be used as they are.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::http_reranker::HttpRerankerSettings;
use ibidem_adapters::onnx::{OnnxRerankerSettings, OnnxSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_adapters::qdrant::QdrantSettings;
use ibidem_adapters::skos_files::SkosFilesSettings;
use ibidem_adapters::skosmos::SkosmosSettings;
use ibidem_adapters::watched_vocabulary::WatchedSettings;
use ibidem_engine::yes_no::YesNoSettings;
use ibidem_store::StoreSettings;

/// Everything an operator can set, each value checked.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) store: StoreSettings,
    pub(crate) index: QdrantSettings,
    pub(crate) embedding: OnnxSettings,
    pub(crate) originals: PathBuf,
    /// None when no language model is configured: then the sources speak for themselves.
    pub(crate) language_model: Option<OpenAiSettings>,
    /// None when nobody reads passages together with the question: then their vectors decide.
    pub(crate) planner: Option<OpenAiSettings>,
    pub(crate) reranker: Option<RerankerSettings>,
    pub(crate) policy: PolicySettings,
    pub(crate) terminology: TerminologySettings,
    pub(crate) server: ServerSettings,
    pub(crate) log: LogSettings,
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
    Onnx(OnnxRerankerSettings),
    Http(HttpRerankerSettings),
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ServerSettings {
    pub(crate) listen: SocketAddr,
    pub(crate) max_body_bytes: usize,
    pub(crate) request_timeout: Duration,
    pub(crate) max_in_flight: usize,
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
