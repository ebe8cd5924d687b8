//! The section `terminology`.

use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::skos_files::SkosFilesSettings;
use ibidem_adapters::skosmos::SkosmosSettings;
use ibidem_adapters::watched_vocabulary::WatchedSettings;
use serde::Deserialize;

use super::Problems;
use crate::settings::checked::{TerminologySettings, VocabularySource};

/// A vocabulary file is read into memory.
pub const LARGEST_VOCABULARY: u64 = 256 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTerminology {
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

impl RawTerminology {
    pub(super) fn check(self, problems: &mut Problems) -> TerminologySettings {
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
