//! Settings as they are written, and the one step from there to settings that can be used.

mod agents;
mod audit;
mod breakers;
mod conversations;
mod embedding;
mod entailment;
mod hand_over;
mod index;
mod language_model;
mod limits;
mod originals;
mod pair_models;
mod policy;
mod reading;
mod reranker;
mod server;
mod sign_in;
mod terminology;
mod tools;

use std::path::PathBuf;
use std::time::Duration;

use ibidem_language::bm25::Analysis;
use ibidem_store::StoreSettings;
use serde::Deserialize;

use self::agents::RawAgents;
use self::audit::RawAudit;
use self::breakers::RawBreakers;
use self::conversations::RawConversations;
use self::embedding::RawEmbedding;
use self::entailment::RawEntailment;
use self::hand_over::RawHandOver;
use self::index::RawIndex;
use self::language_model::RawLanguageModel;
use self::limits::RawLimits;
use self::originals::RawOriginals;
use self::policy::RawPolicy;
use self::reading::RawReading;
use self::reranker::RawReranker;
use self::server::RawServer;
use self::sign_in::RawSignIn;
pub use self::terminology::LARGEST_VOCABULARY;
use self::terminology::RawTerminology;
use self::tools::RawTools;
use super::Sources;
use super::checked::{LanguageModelSettings, LogFormat, LogSettings, RerankerSettings, Settings};

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
    limits: RawLimits,
    log: RawLog,
    audit: RawAudit,
    conversations: RawConversations,
    receipts: RawReceipts,
    sign_in: RawSignIn,
    agents: RawAgents,
    tools: RawTools,
    hand_over: RawHandOver,
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
struct RawJobs {
    lease_ms: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRouting {
    admin_email: Option<String>,
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
        let embedding = self.embedding.check(&mut problems);
        let language_model = self.language_model.check(&mut problems);
        let server_of_models = language_model.as_ref().map(|model| &model.server);
        let onnx = embedding.as_ref().map(|embedding| &embedding.onnx);
        let reranker = self.reranker.check(onnx, server_of_models, &mut problems);
        let entailment = self.entailment.check(onnx, server_of_models, &mut problems);
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
            reranker.as_ref().map(RerankerSettings::longest),
            entailment.as_ref().map(|entailment| entailment.timeout),
        ];
        let in_a_row: Duration = in_a_row.into_iter().flatten().sum();
        if problems.0.is_empty() && server.as_ref().is_some_and(|server| server.request_timeout <= in_a_row) {
            let problem = format!(
                "must be more than what one question may wait for models, one after the other ({} ms): \
                 `language_model.timeout_ms` for the answer and again for a fallback, \
                 `language_model.planner_timeout_ms` twice for a planner and once for a judge, \
                 `reranker.timeout_ms` (twice with `reranker.second`) and `entailment.timeout_ms`. Raise it, or lower \
                 these",
                in_a_row.as_millis()
            );
            problems.note("server.request_timeout_ms", &problem);
        }
        if self.routing.admin_email.as_ref().is_some_and(|email| !email.contains('@')) {
            problems.note("routing.admin_email", "is not an e-mail address; write name@host");
        }
        let terminology = self.terminology.check(&mut problems);
        let policy = self.policy.check(&mut problems);
        let log = self.log.check(&mut problems);
        let audit = self.audit.check(&mut problems);
        let sign_in = self.sign_in.check(&mut problems);
        let public_url = sign_in.as_ref().map(|sign_in| sign_in.public_url.clone());
        let hand_over = self.hand_over.check(public_url, store.lease, &sources, &mut problems);
        let conversations = self.conversations.check(&mut problems);
        let agents = self.agents.check(&mut problems);
        let originals = self.originals.check(&sources, &mut problems);
        let tools = self.tools.check(&mut problems);
        match (index, embedding, originals, entailment, server, log, audit, policy) {
            (
                Some(index),
                Some(embedding),
                Some(originals),
                Some(entailment),
                Some(server),
                Some(log),
                Some(audit),
                Some(policy),
            ) if problems.0.is_empty() => Ok(Settings {
                store,
                index,
                embedding,
                originals,
                reading,
                language_model,
                reranker,
                entailment,
                breakers,
                policy,
                admin_email: self.routing.admin_email,
                terminology,
                server,
                log,
                audit,
                conversations,
                limits: self.limits.check(),
                signing_key_file: self.receipts.signing_key_file,
                sign_in,
                agents,
                tools,
                hand_over,
                sources,
            }),
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

impl RawLog {
    fn check(self, problems: &mut Problems) -> Option<LogSettings> {
        let formats = [("text", LogFormat::Text), ("json", LogFormat::Json)];
        let format = problems.one_of("log.format", &self.format, &formats)?;
        if let Err(error) = self.level.parse::<tracing_subscriber::filter::EnvFilter>() {
            problems.note("log.level", &format!("is {:?}: {error}", self.level));
        }
        // A lone word that is no level would be taken for the name of a module, and nothing would be logged.
        let is_level = |word: &str| word.is_empty() || word.parse::<tracing_subscriber::filter::LevelFilter>().is_ok();
        let is_lone = |directive: &&str| !directive.contains(['=', '[']);
        for word in self.level.split(',').map(str::trim).filter(is_lone).filter(|word| !is_level(word)) {
            let levels = "off, error, warn, info, debug or trace, or module=level";
            problems.note("log.level", &format!("is {:?}: {word:?} is no level; use {levels}", self.level));
        }
        Some(LogSettings { filter: self.level, format })
    }
}
