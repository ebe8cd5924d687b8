//! The section `audit`.

use std::path::PathBuf;

use serde::Deserialize;

use super::Problems;
use crate::settings::checked::{AuditSettings, HashKeySource, RecordedTexts};

/// Shorter secrets can be found by trying.
const SHORTEST_KEY: usize = 32;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAudit {
    r#use: Switch,
    retention_days: Option<u32>,
    queries: String,
    hash_key: Option<String>,
    hash_key_file: Option<PathBuf>,
}

/// YAML takes `on` and `off` for words or for true and false, as its reader pleases.
#[derive(Deserialize)]
#[serde(untagged)]
enum Switch {
    Thrown(bool),
    Word(String),
}

impl RawAudit {
    pub(super) fn check(self, problems: &mut Problems) -> Option<AuditSettings> {
        let records = match &self.r#use {
            Switch::Thrown(is_on) => Some(*is_on),
            Switch::Word(word) => problems.one_of("audit.use", word, &[("on", true), ("off", false)]),
        };
        if let Some(days) = self.retention_days {
            problems.at_least("audit.retention_days", days.into(), 1);
        }
        let is_hashed = problems.one_of("audit.queries", &self.queries, &[("plain", false), ("hashed", true)])?;
        let texts = match (is_hashed, self.hash_key, self.hash_key_file) {
            (false, ..) => RecordedTexts::Plain,
            (true, Some(key), None) => {
                if key.len() < SHORTEST_KEY {
                    // The value is not repeated: it is a secret.
                    problems.note("audit.hash_key", &format!("must have at least {SHORTEST_KEY} characters"));
                }
                RecordedTexts::Hashed(HashKeySource::Given(key))
            }
            (true, None, Some(file)) => RecordedTexts::Hashed(HashKeySource::File(file)),
            (true, ..) => {
                problems.note(
                    "audit.queries",
                    "is hashed: exactly one of `audit.hash_key` and `audit.hash_key_file` is needed",
                );
                return None;
            }
        };
        Some(AuditSettings { records: records?, retention_days: self.retention_days, texts })
    }
}
