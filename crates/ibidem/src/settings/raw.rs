//! Settings as they are written, and the one step from there to settings that can be used.

mod audit;
mod breakers;
mod entailment;
mod judging;
mod language_model;
mod reading;
mod reranker;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::onnx::{OnnxSettings, Pooling};
use ibidem_adapters::qdrant::{QdrantSettings, Quantization};
use ibidem_adapters::skos_files::SkosFilesSettings;
use ibidem_adapters::skosmos::SkosmosSettings;
use ibidem_adapters::watched_vocabulary::WatchedSettings;
use ibidem_language::bm25::{Analysis, Language};
use ibidem_server::{ConnectionLimits, MetricsReaders};
use ibidem_store::StoreSettings;
use ibidem_words::Sha256Hash;
use serde::Deserialize;

use self::audit::RawAudit;
use self::breakers::RawBreakers;
use self::entailment::RawEntailment;
use self::language_model::RawLanguageModel;
use self::reading::RawReading;
use self::reranker::RawReranker;
use super::Sources;
use super::checked::{
    LanguageModelSettings, LogFormat, LogSettings, PolicySettings, ServerSettings, Settings, TerminologySettings,
    VocabularySource,
};

/// A vocabulary file is read into memory.
pub(crate) const LARGEST_VOCABULARY: u64 = 256 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSettings {
    database: RawDatabase,
    index: RawIndex,
    embedding: RawEmbedding,
    originals: RawOriginals,
    jobs: RawJobs,
    reading: RawReading,
    language_model: RawLanguageModel,
    reranker: RawReranker,
    entailment: RawEntailment,
    breakers: RawBreakers,
    policy: RawPolicy,
    routing: RawRouting,
    terminology: RawTerminology,
    server: RawServer,
    log: RawLog,
    audit: RawAudit,
    receipts: RawReceipts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawReceipts {
    signing_key_file: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDatabase {
    url: String,
    max_connections: u32,
    acquire_timeout_ms: u64,
    timeout_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawIndex {
    url: String,
    also_at: Vec<String>,
    api_key: Option<String>,
    name: String,
    timeout_ms: u64,
    shards: u32,
    replicas: u32,
    write_consistency: u32,
    on_disk: bool,
    quantization: String,
    language: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEmbedding {
    model: PathBuf,
    tokenizer: PathBuf,
    runtime: PathBuf,
    name: String,
    max_tokens: usize,
    pooling: String,
    sessions: usize,
    threads: usize,
    queue: usize,
    timeout_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOriginals {
    location: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawJobs {
    lease_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicy {
    r#use: String,
    thresholds: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRouting {
    admin_email: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTerminology {
    skosmos: Option<String>,
    vocabularies: Vec<String>,
    files: Vec<PathBuf>,
    language: String,
    timeout_ms: u64,
    cache_entries: u64,
    cache_ms: u64,
    unknown_cache_ms: u64,
    test_triggers: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawServer {
    listen: String,
    max_body_bytes: usize,
    max_json_bytes: usize,
    head_timeout_ms: u64,
    body_timeout_ms: u64,
    read_timeout_ms: u64,
    idle_timeout_ms: u64,
    request_timeout_ms: u64,
    max_connections: usize,
    max_in_flight: usize,
    key_share_percent: u8,
    metrics: String,
    metrics_token: Option<String>,
    otlp_url: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLog {
    level: String,
    format: String,
}

/// Collects every problem, so that all of them are reported at once.
#[derive(Default)]
struct Problems(Vec<String>);

impl Problems {
    fn note(&mut self, key: &str, problem: &str) {
        self.0.push(format!("`{key}` {problem}"));
    }

    fn at_least(&mut self, key: &str, value: u64, least: u64) {
        if value < least {
            self.note(key, &format!("is {value}; it must be at least {least}"));
        }
    }

    fn one_of<T>(&mut self, key: &str, value: &str, choices: &[(&str, T)]) -> Option<T>
    where
        T: Copy,
    {
        let chosen = choices.iter().find(|(name, _)| *name == value).map(|(_, choice)| *choice);
        if chosen.is_none() {
            let names: Vec<_> = choices.iter().map(|(name, _)| *name).collect();
            self.note(key, &format!("is {value:?}; it must be one of {}", names.join(", ")));
        }
        chosen
    }

    fn url(&mut self, key: &str, value: &str, schemes: &[&str]) {
        if !schemes.iter().any(|scheme| value.strip_prefix(scheme).is_some_and(|rest| !rest.is_empty())) {
            // The value is not repeated: a URL may hold a password.
            self.note(key, &format!("must begin with {}", schemes.join(" or ")));
        }
    }
}

impl RawSettings {
    pub(super) fn check(self, sources: Sources) -> Result<Settings, Vec<String>> {
        let mut problems = Problems::default();
        let analysis = self.index.analysis(&mut problems);
        let store = self.database.check(&self.jobs, analysis.clone(), &mut problems);
        let index = self.index.check(analysis, &mut problems);
        let reading = self.reading.check(&mut problems);
        let embedding_timeout = Duration::from_millis(self.embedding.timeout_ms);
        let embedding = self.embedding.check(&mut problems);
        let language_model = self.language_model.check(&mut problems);
        let server_of_models = language_model.as_ref().map(|model| &model.server);
        let reranker = self.reranker.check(embedding.as_ref(), server_of_models, &mut problems);
        let entailment = self.entailment.check(embedding.as_ref(), server_of_models, &mut problems);
        let breakers = self.breakers.check(&mut problems);
        let server = self.server.check(&mut problems);
        if let (Some(model), Some(server)) = (&language_model, &server)
            && server.request_timeout <= model.server.timeout
        {
            let problem =
                "must be more than `language_model.timeout_ms`: else no time is left to answer without a slow model";
            problems.note("server.request_timeout_ms", problem);
        }
        if let (Some(reranker), Some(server)) = (&reranker, &server)
            && server.request_timeout <= reranker.timeout
        {
            let problem =
                "must be more than `reranker.timeout_ms`: else no time is left to answer without a slow reranker";
            problems.note("server.request_timeout_ms", problem);
        }
        if let (Some(entailment), Some(server)) = (&entailment, &server)
            && server.request_timeout <= entailment.timeout
        {
            let problem =
                "must be more than `entailment.timeout_ms`: else no time is left to answer after a slow check";
            problems.note("server.request_timeout_ms", problem);
        }
        let in_a_row = [
            language_model.as_ref().map(LanguageModelSettings::longest_turn),
            reranker.as_ref().map(|reranker| reranker.timeout),
            entailment.as_ref().map(|entailment| entailment.timeout),
        ];
        let in_a_row: Duration = in_a_row.into_iter().flatten().sum();
        if problems.0.is_empty() && server.as_ref().is_some_and(|server| server.request_timeout <= in_a_row) {
            let problem = format!(
                "must be more than what one question may wait for models, one after the other ({} ms): \
                 `language_model.timeout_ms` for the answer and again for a fallback, \
                 `language_model.planner_timeout_ms` twice for a planner and once for a judge, \
                 `reranker.timeout_ms` and `entailment.timeout_ms`. Raise it, or lower these",
                in_a_row.as_millis()
            );
            problems.note("server.request_timeout_ms", &problem);
        }
        if self.routing.admin_email.as_ref().is_some_and(|email| !email.contains('@')) {
            problems.note("routing.admin_email", "is not an e-mail address; write name@host");
        }
        let terminology = self.terminology.check(&mut problems);
        let log = self.log.check(&mut problems);
        let audit = self.audit.check(&mut problems);
        match (index, embedding, entailment, server, log, audit) {
            (Some(index), Some(embedding), Some(entailment), Some(server), Some(log), Some(audit))
                if problems.0.is_empty() =>
            {
                Ok(Settings {
                    store,
                    index,
                    embedding,
                    embedding_timeout,
                    originals: self.originals.location,
                    reading,
                    language_model,
                    reranker,
                    entailment,
                    breakers,
                    policy: PolicySettings { named: self.policy.r#use, thresholds: self.policy.thresholds },
                    admin_email: self.routing.admin_email,
                    terminology,
                    server,
                    log,
                    audit,
                    signing_key_file: self.receipts.signing_key_file,
                    sources,
                })
            }
            _ => Err(problems.0),
        }
    }
}

impl RawDatabase {
    fn check(self, jobs: &RawJobs, analysis: Analysis, problems: &mut Problems) -> StoreSettings {
        problems.url("database.url", &self.url, &["postgres://", "postgresql://"]);
        problems.at_least("database.max_connections", self.max_connections.into(), 2);
        problems.at_least("database.acquire_timeout_ms", self.acquire_timeout_ms, 1);
        problems.at_least("database.timeout_ms", self.timeout_ms, 1);
        problems.at_least("jobs.lease_ms", jobs.lease_ms, 500);
        StoreSettings {
            url: self.url,
            max_connections: self.max_connections,
            acquire_timeout: Duration::from_millis(self.acquire_timeout_ms),
            read_timeout: Duration::from_millis(self.timeout_ms),
            lease: Duration::from_millis(jobs.lease_ms),
            analysis,
        }
    }
}

impl RawIndex {
    /// How texts are cut into terms: the same for the index and for the counts in the database.
    fn analysis(&self, problems: &mut Problems) -> Analysis {
        match self.language.parse::<Language>() {
            Ok(language) => Analysis::of(language),
            Err(error) => {
                problems.note("index.language", &error.to_string());
                Analysis::default()
            }
        }
    }

    fn check(self, analysis: Analysis, problems: &mut Problems) -> Option<QdrantSettings> {
        problems.url("index.url", &self.url, &["http://", "https://"]);
        for url in &self.also_at {
            problems.url("index.also_at", url, &["http://", "https://"]);
        }
        problems.at_least("index.timeout_ms", self.timeout_ms, 1);
        problems.at_least("index.shards", self.shards.into(), 1);
        problems.at_least("index.replicas", self.replicas.into(), 1);
        problems.at_least("index.write_consistency", self.write_consistency.into(), 1);
        if self.write_consistency > self.replicas {
            problems.note(
                "index.write_consistency",
                "is more than `index.replicas`: no write could succeed; lower it, or raise `index.replicas`",
            );
        }
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        if self.name.is_empty() || !self.name.chars().all(plain) {
            problems.note("index.name", "must consist of lower-case letters, digits, '-' and '_'");
        }
        let quantizations =
            [("none", Quantization::None), ("int8", Quantization::Int8), ("binary", Quantization::Binary)];
        let quantization = problems.one_of("index.quantization", &self.quantization, &quantizations)?;
        Some(QdrantSettings {
            also_at: self.also_at,
            api_key: self.api_key,
            alias: self.name,
            search_timeout: Duration::from_millis(self.timeout_ms),
            shards: self.shards,
            replicas: self.replicas,
            write_consistency: self.write_consistency,
            on_disk: self.on_disk,
            quantization,
            analysis,
            ..QdrantSettings::at(self.url)
        })
    }
}

impl RawEmbedding {
    fn check(self, problems: &mut Problems) -> Option<OnnxSettings> {
        problems.at_least("embedding.max_tokens", self.max_tokens as u64, 32);
        problems.at_least("embedding.sessions", self.sessions as u64, 1);
        problems.at_least("embedding.threads", self.threads as u64, 1);
        problems.at_least("embedding.queue", self.queue as u64, 1);
        problems.at_least("embedding.timeout_ms", self.timeout_ms, 1);
        let poolings = [("mean", Pooling::Mean), ("cls", Pooling::Cls)];
        let pooling = problems.one_of("embedding.pooling", &self.pooling, &poolings)?;
        Some(OnnxSettings {
            name: self.name,
            sessions: self.sessions,
            threads: self.threads,
            max_tokens: self.max_tokens,
            pooling,
            queue: self.queue,
            ..OnnxSettings::of(self.model, self.tokenizer, self.runtime)
        })
    }
}

impl RawTerminology {
    fn check(self, problems: &mut Problems) -> TerminologySettings {
        problems.at_least("terminology.timeout_ms", self.timeout_ms, 1);
        if let Some(url) = &self.skosmos {
            problems.url("terminology.skosmos", url, &["http://", "https://"]);
        }
        if self.skosmos.is_some() && !self.files.is_empty() {
            problems.note("terminology.files", "and `terminology.skosmos` are both set; choose one of them");
        }
        if self.language.trim().is_empty() {
            problems.note("terminology.language", "is empty; it must name a language, for example en");
        }
        let timeout = Duration::from_millis(self.timeout_ms);
        let source = match self.skosmos {
            Some(url) => Some(VocabularySource::Skosmos(SkosmosSettings {
                url,
                vocabularies: self.vocabularies,
                language: self.language.clone(),
                timeout,
            })),
            None => (!self.files.is_empty()).then(|| {
                VocabularySource::Files(SkosFilesSettings {
                    paths: self.files,
                    language: self.language.clone(),
                    max_file_bytes: LARGEST_VOCABULARY,
                })
            }),
        };
        let watched = WatchedSettings {
            timeout,
            cache_entries: self.cache_entries,
            cache_time: Duration::from_millis(self.cache_ms),
            unknown_cache_time: Duration::from_millis(self.unknown_cache_ms),
            test_triggers: self.test_triggers,
        };
        TerminologySettings { source, language: self.language, watched }
    }
}

impl RawServer {
    /// Shorter tokens can be guessed.
    const SHORTEST_TOKEN: usize = 16;

    fn metrics_readers(&self, problems: &mut Problems) -> Option<MetricsReaders> {
        // Without a token the operator has nothing to show, and nobody is let in.
        let operator = match self.metrics_token.as_deref() {
            None => MetricsReaders::Nobody,
            Some(token) => MetricsReaders::Operator(Sha256Hash::of(token.as_bytes())),
        };
        if let Some(token) = &self.metrics_token {
            let fits_a_header = token.chars().all(|c| c.is_ascii_graphic());
            if token.len() < Self::SHORTEST_TOKEN || !fits_a_header {
                let problem = "must have at least 16 printable ASCII characters and no spaces";
                problems.note("server.metrics_token", problem);
            }
        }
        if self.metrics == "admin" {
            let problem = "is admin, which let one tenant's admin read the numbers of all tenants; use operator, and set \
                           `server.metrics_token`";
            problems.note("server.metrics", problem);
            return None;
        }
        let readers = [("operator", operator), ("open", MetricsReaders::Everybody), ("off", MetricsReaders::Nobody)];
        problems.one_of("server.metrics", &self.metrics, &readers)
    }

    fn check(self, problems: &mut Problems) -> Option<ServerSettings> {
        problems.at_least("server.max_body_bytes", self.max_body_bytes as u64, 1024);
        problems.at_least("server.max_json_bytes", self.max_json_bytes as u64, 1024);
        for (key, value) in [
            ("server.head_timeout_ms", self.head_timeout_ms),
            ("server.body_timeout_ms", self.body_timeout_ms),
            ("server.read_timeout_ms", self.read_timeout_ms),
            ("server.idle_timeout_ms", self.idle_timeout_ms),
            ("server.request_timeout_ms", self.request_timeout_ms),
            ("server.max_connections", self.max_connections as u64),
            ("server.max_in_flight", self.max_in_flight as u64),
        ] {
            problems.at_least(key, value, 1);
        }
        if !(1..=100).contains(&self.key_share_percent) {
            let problem = format!("is {}; it must be from 1 to 100", self.key_share_percent);
            problems.note("server.key_share_percent", &problem);
        }
        let metrics = self.metrics_readers(problems);
        if let Some(url) = &self.otlp_url {
            problems.url("server.otlp_url", url, &["http://", "https://"]);
        }
        let Ok(listen) = self.listen.parse::<SocketAddr>() else {
            problems.note(
                "server.listen",
                &format!("is {:?}; it must have the form address:port, for example 127.0.0.1:8080", self.listen),
            );
            return None;
        };
        Some(ServerSettings {
            listen,
            max_body_bytes: self.max_body_bytes,
            max_json_bytes: self.max_json_bytes,
            body_timeout: Duration::from_millis(self.body_timeout_ms),
            request_timeout: Duration::from_millis(self.request_timeout_ms),
            max_in_flight: self.max_in_flight,
            key_share_percent: self.key_share_percent,
            connections: ConnectionLimits {
                max_connections: self.max_connections,
                head_timeout: Duration::from_millis(self.head_timeout_ms),
                idle_timeout: Duration::from_millis(self.idle_timeout_ms),
                read_timeout: Duration::from_millis(self.read_timeout_ms),
            },
            metrics: metrics?,
            metrics_token: self.metrics_token,
            otlp_url: self.otlp_url,
        })
    }
}

impl RawLog {
    fn check(self, problems: &mut Problems) -> Option<LogSettings> {
        let formats = [("text", LogFormat::Text), ("json", LogFormat::Json)];
        let format = problems.one_of("log.format", &self.format, &formats)?;
        if let Err(error) = self.level.parse::<tracing_subscriber::filter::EnvFilter>() {
            problems.note("log.level", &format!("is {:?}: {error}", self.level));
        }
        Some(LogSettings { filter: self.level, format })
    }
}
