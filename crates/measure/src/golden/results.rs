//! What a run leaves behind: figures, and everything that is needed to compare them with another run's.

use std::path::Path;

use chrono::{DateTime, Utc};
use ibidem_words::{GateRecord, Sha256Hash};
use serde::{Deserialize, Serialize};

use super::actual::Actual;
use super::judged::Judged;
use super::run::Measured;
use super::score::Metrics;
use super::targets::{Target, targets};
use super::{Category, Expected};

#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error("{0} is not what `ibidem eval run --output` writes: {1}")]
    NotResults(String, serde_json::Error),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Results {
    pub meta: Meta,
    pub metrics: Metrics,
    pub targets: Vec<Target>,
    pub failures: Vec<Failure>,
    /// Every question, for comparing and for plots.
    pub questions: Vec<Measured>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Meta {
    pub timestamp: DateTime<Utc>,
    /// Of everything in `config`.
    pub config_hash: Sha256Hash,
    /// As `git hash-object` names the set.
    pub golden_set_blob: String,
    pub version: String,
    pub total: usize,
    pub passed: usize,
    pub failed: usize,
    /// Whether every target is reached.
    pub pass: bool,
    pub config: Config,
}

/// What decides the outcomes, besides the documents.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Config {
    pub policy: String,
    /// Of the policy with the thresholds laid over it.
    pub policy_sha256: Sha256Hash,
    pub embedding_model: String,
    pub embedding_sha256: Sha256Hash,
    /// Null where the sources' own sentences answer.
    pub answering_model: Option<String>,
    pub reranker: Option<String>,
    pub verifier: String,
    pub max_context_chunks: usize,
    /// Documents that were visible.
    pub documents: u64,
}

impl Config {
    pub fn hash(&self) -> Sha256Hash {
        // Fields come out in the order in which they stand above.
        Sha256Hash::of(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A question that had another outcome than it must have.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    pub id: String,
    pub query: String,
    pub category: Category,
    pub judged: Judged,
    pub expected: Expected,
    pub actual: Actual,
    pub reason: String,
    pub trace: Vec<GateRecord>,
}

/// When and of what a run was.
pub struct Run {
    pub timestamp: DateTime<Utc>,
    pub golden_set_blob: String,
    pub config: Config,
}

impl Results {
    pub fn of(run: Run, questions: Vec<Measured>) -> Self {
        let metrics = Metrics::of(&questions);
        let targets = targets(&metrics);
        let failures: Vec<Failure> = questions.iter().filter(|one| !one.judged.is_right()).map(failure).collect();
        let meta = Meta {
            timestamp: run.timestamp,
            config_hash: run.config.hash(),
            golden_set_blob: run.golden_set_blob,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            total: questions.len(),
            passed: questions.len() - failures.len(),
            failed: failures.len(),
            pass: targets.iter().all(|target| target.reached),
            config: run.config,
        };
        Self { meta, metrics, targets, failures, questions }
    }

    /// As it is written to a file: a line for each failure and each question, so that two versions of the file compare.
    pub fn written(&self) -> serde_json::Result<String> {
        let lines = |values: Vec<String>| format!("[\n{}\n]", values.join(",\n"));
        let failures = self.failures.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        let questions = self.questions.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
        Ok(format!(
            "{{\n\"meta\": {},\n\"metrics\": {},\n\"targets\": {},\n\"failures\": {},\n\"questions\": {}\n}}\n",
            serde_json::to_string_pretty(&self.meta)?,
            serde_json::to_string_pretty(&self.metrics)?,
            serde_json::to_string_pretty(&self.targets)?,
            lines(failures),
            lines(questions)
        ))
    }

    pub fn load(file: &Path) -> Result<Self, ResultsError> {
        let name = || file.display().to_string();
        let text = std::fs::read_to_string(file).map_err(|error| ResultsError::Unreadable(name(), error))?;
        serde_json::from_str(&text).map_err(|error| ResultsError::NotResults(name(), error))
    }
}

fn failure(measured: &Measured) -> Failure {
    Failure {
        id: measured.id.clone(),
        query: measured.query.clone(),
        category: measured.category,
        judged: measured.judged,
        expected: measured.expected.clone(),
        actual: measured.actual.clone(),
        reason: measured.reason.clone().unwrap_or_default(),
        trace: measured.trace.clone(),
    }
}
