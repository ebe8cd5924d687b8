//! Settings that can be used as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::hand_over::Secret;
use ibidem_adapters::http_embedder::HttpEmbedderSettings;
use ibidem_adapters::http_entailment::HttpEntailmentSettings;
use ibidem_adapters::http_reranker::HttpRerankerSettings;
use ibidem_adapters::mcp::McpSettings;
use ibidem_adapters::object_store::OriginalsLocation;
use ibidem_adapters::oidc::OidcSettings;
use ibidem_adapters::onnx::{ClaimInput, OnnxSettings, PairModelSettings};
use ibidem_adapters::openai::OpenAiSettings;
use ibidem_adapters::qdrant::QdrantSettings;
use ibidem_adapters::skos_files::SkosFilesSettings;
use ibidem_adapters::skosmos::SkosmosSettings;
use ibidem_adapters::watched_vocabulary::WatchedSettings;
use ibidem_engine::policy::{Policy, PolicyLimits};
use ibidem_engine::yes_no::YesNoSettings;
use ibidem_ingest::read::child::ReadingLimits;
use ibidem_ports::degrade::BreakerSettings;
use ibidem_ports::language_model::ModelLimits;
use ibidem_ports::language_model::is_same_model;
use ibidem_server::{ConnectionLimits, MetricsReaders, QuotaSettings};
use ibidem_store::{Retention, Retries, StoreSettings};
use ibidem_words::TenantId;

use super::Sources;

/// Everything an operator can set, each value checked.
#[derive(Clone)]
pub struct Settings {
    pub store: StoreSettings,
    pub index: QdrantSettings,
    pub embedding: EmbeddingSettings,
    pub originals: OriginalsLocation,
    pub reading: ReadingSettings,
    /// None when no language model is configured: then the sources speak for themselves.
    pub language_model: Option<LanguageModelSettings>,
    /// None when nobody reads passages together with the question: then their vectors decide.
    pub reranker: Option<RerankerSettings>,
    pub entailment: EntailmentSettings,
    pub breakers: BreakerSettings,
    pub policy: PolicySettings,
    /// Whom a question goes to when what it is about has no owner.
    pub admin_email: Option<String>,
    pub terminology: TerminologySettings,
    pub server: ServerSettings,
    pub log: LogSettings,
    pub audit: AuditSettings,
    /// What keys, people and tenants may use.
    pub limits: QuotaSettings,
    /// How long conversations are kept.
    pub conversations: Retention,
    /// None when the key that signs receipts is in the database.
    pub signing_key_file: Option<PathBuf>,
    /// None when nobody signs in.
    pub sign_in: Option<SignInSettings>,
    /// What `ibidem mcp` connects agents to.
    pub agents: AgentSettings,
    /// Tool servers by name; empty when nothing is looked up in other systems.
    pub tools: BTreeMap<String, ToolServerSettings>,
    /// Where routed questions are handed to.
    pub hand_over: HandOverSettings,
    pub sources: Sources,
}

impl Settings {
    /// Whether a question and its passages are read together under this policy.
    pub fn reads_passages(&self, policy: &Policy) -> bool {
        self.reranker.is_some() && policy.rules.gather.rerank.is_some()
    }
}

/// The embedding model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbeddingSettings {
    /// The model in this process, or how one beside a server's would be arranged: other models in this process are
    /// arranged alike.
    pub onnx: OnnxSettings,
    pub source: EmbeddingSource,
    /// The hash of the model whose scale of similarity is configured.
    pub scale_of: Option<String>,
    /// For the vectors of one question.
    pub timeout: Duration,
}

impl EmbeddingSettings {
    pub fn name(&self) -> &str {
        &self.onnx.name
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EmbeddingSource {
    /// In this process.
    Onnx,
    /// A server in the form of OpenAI.
    Http(Box<HttpEmbedderSettings>),
}

/// The processes that originals are read in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadingSettings {
    pub limits: ReadingLimits,
    pub at_once: usize,
    /// Another program than this one, with the same command.
    pub program: Option<PathBuf>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct LanguageModelSettings {
    /// Its model is the answering one.
    pub server: OpenAiSettings,
    pub planner: Option<String>,
    pub judge: Option<String>,
    pub titles: Option<String>,
    pub fallback: Option<String>,
    pub out_of_corpus: Option<String>,
    /// For roles that write a few words.
    pub short_timeout: Duration,
    /// What is known of models that are not among the others.
    pub any: KnownModel,
    pub known: BTreeMap<String, KnownModel>,
}

/// What fits into a model, and how that is counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownModel {
    pub limits: ModelLimits,
    pub tokenizer: TokenizerSource,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TokenizerSource {
    Estimate,
    /// The model server is asked.
    Server,
    File(PathBuf),
}

impl LanguageModelSettings {
    pub fn known(&self, name: &str) -> &KnownModel {
        let known = self.known.iter().find(|(known, _)| is_same_model(known, name));
        known.map_or(&self.any, |(_, known)| known)
    }

    /// What one question may wait for these models, one after the other.
    pub fn longest_turn(&self) -> Duration {
        let answers = 1 + u32::from(self.fallback.is_some());
        let short = 2 * u32::from(self.planner.is_some()) + u32::from(self.judge.is_some());
        self.server.timeout * answers + self.short_timeout * short
    }
}

#[derive(Clone, PartialEq, Debug)]
pub struct PolicySettings {
    /// A policy that is shipped, by its name, or a file.
    pub named: String,
    /// Thresholds by collection, laid over the policy's.
    pub thresholds: Option<PathBuf>,
    /// What the policies of tenants may say at most, and at least.
    pub of_tenants: PolicyLimits,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RerankerSettings {
    pub source: RerankerSource,
    /// None when nobody reads the best few again.
    pub second: Option<SecondReaderSettings>,
    /// For all passages of a question, by each of the two.
    pub timeout: Duration,
}

impl RerankerSettings {
    /// What one question may wait for reading.
    pub fn longest(&self) -> Duration {
        self.timeout * (1 + u32::from(self.second.is_some()))
    }
}

/// A reader that reads the best few again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SecondReaderSettings {
    pub model: PairModelSettings,
    /// How many of a question.
    pub best: usize,
    /// It knows English and no other language.
    pub english_alone: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RerankerSource {
    /// The readers that come with the program.
    BuiltIn(Box<BuiltInReaders>),
    Onnx(PairModelSettings),
    Http(HttpRerankerSettings),
    /// The language model, asked for yes or no.
    Model(YesNoSettings),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltInReaders {
    pub english: PairModelSettings,
    /// For pairs of which either text is in another language.
    pub others: PairModelSettings,
}

#[derive(Clone, PartialEq, Debug)]
pub struct EntailmentSettings {
    pub source: EntailmentSource,
    /// How a model in this process was taught to read a passage and a sentence.
    pub input: ClaimInput,
    /// Words and vectors must support a sentence too, and the model reads only what they support.
    pub words_first: bool,
    /// None when nobody decides where the others are in doubt.
    pub second: Option<SecondVerifierSettings>,
    /// For one sentence with all its passages.
    pub timeout: Duration,
}

/// An entailment model that decides where the first one is in doubt.
#[derive(Clone, PartialEq, Debug)]
pub struct SecondVerifierSettings {
    pub model: PairModelSettings,
    pub input: ClaimInput,
    /// The scores of the first one that settle nothing.
    pub doubt: RangeInclusive<f32>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EntailmentSource {
    /// Words and vectors, and no model beside the embedding model.
    Lexical,
    Onnx(PairModelSettings),
    Http(HttpEntailmentSettings),
    /// The language model, asked for yes or no.
    Model(YesNoSettings),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TerminologySettings {
    /// None when there is no vocabulary: then questions about terms are questions like any other.
    pub source: Option<VocabularySource>,
    pub language: String,
    pub watched: WatchedSettings,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VocabularySource {
    Skosmos(SkosmosSettings),
    Files(SkosFilesSettings),
}

#[derive(Clone, Debug)]
pub struct ServerSettings {
    pub listen: SocketAddr,
    pub max_body_bytes: usize,
    pub max_json_bytes: usize,
    pub body_timeout: Duration,
    pub request_timeout: Duration,
    pub max_in_flight: usize,
    pub key_share_percent: u8,
    pub tenant_share_percent: u8,
    pub connections: ConnectionLimits,
    /// Who may read what is counted.
    pub metrics: MetricsReaders,
    /// What `ibidem metrics` shows the server.
    pub metrics_token: Option<String>,
    /// Where traces go; none when nobody collects them.
    pub otlp_url: Option<String>,
}

/// How people sign in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignInSettings {
    pub oidc: OidcSettings,
    /// The client for programs without a browser, where it is another.
    pub device_client_id: Option<String>,
    pub tenant: String,
    /// Where browsers reach the server, without a final slash.
    pub public_url: String,
    pub idle: Duration,
    pub lifetime: Duration,
}

/// The running server that `ibidem mcp` passes messages on to.
#[derive(Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// Without a final slash. None: where `server.listen` is reached from here.
    pub server: Option<String>,
    pub credential: Option<AgentCredential>,
    /// For one call of the server.
    pub timeout: Duration,
}

/// What `ibidem mcp` shows the server: an API key, or an access token.
#[derive(Clone, PartialEq, Eq)]
pub enum AgentCredential {
    Given(String),
    /// Read before each call, so that a renewed token counts at once.
    File(PathBuf),
}

/// A server of tools for facts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolServerSettings {
    pub mcp: McpSettings,
    /// None where the server asks for none.
    pub token: Option<ToolToken>,
    /// For one call.
    pub timeout: Duration,
}

/// The file that holds what a tool server is shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolToken(pub PathBuf);

/// How routed questions reach their owners.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandOverSettings {
    /// By name; empty when nothing is handed over.
    pub targets: BTreeMap<String, HandOverTargetSettings>,
    /// Where browsers reach the server, without a slash at its end.
    pub public_url: Option<String>,
    /// For sending one question.
    pub timeout: Duration,
    pub retries: Retries,
    /// How many questions of one asker are handed over within 24 hours.
    pub most_in_a_day: u32,
}

/// One place that questions are handed to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HandOverTargetSettings {
    pub tenant: String,
    pub tenant_id: TenantId,
    /// E-mail addresses of those whose questions it gets, in small letters.
    pub owners: BTreeSet<String>,
    pub way: HandOverWay,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HandOverWay {
    Webhook { url: String, secret: SecretSource },
    MailFolder { folder: PathBuf, from: String },
    Smtp { url: String, user: Option<(String, SecretSource)>, from: String },
}

/// A secret, or the file that holds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SecretSource {
    Given(Secret),
    File(PathBuf),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogSettings {
    pub filter: String,
    pub format: LogFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AuditSettings {
    /// Whether turns are recorded at all.
    pub records: bool,
    /// None when records are kept for ever.
    pub retention_days: Option<u32>,
    pub texts: RecordedTexts,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RecordedTexts {
    Plain,
    Hashed(HashKeySource),
}

#[derive(Clone, PartialEq, Eq)]
pub enum HashKeySource {
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
