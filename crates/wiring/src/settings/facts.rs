//! Facts from other systems: the sections `terminology` and `tools`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use ibidem_adapters::mcp::{McpSettings, Reached};
use ibidem_adapters::skos_files::SkosFilesSettings;
use ibidem_adapters::skosmos::SkosmosSettings;
use ibidem_adapters::watched_vocabulary::WatchedSettings;
use serde::{Deserialize, Deserializer};

use super::read::Problems;
use super::value::{AtLeast, HttpUrl, Millis, checked};

/// A vocabulary file is read into memory.
pub const LARGEST_VOCABULARY: u64 = 256 * 1024 * 1024;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerminologySettings {
    pub skosmos: Option<HttpUrl>,
    vocabularies: Vec<String>,
    files: Vec<PathBuf>,
    #[serde(deserialize_with = "language")]
    pub language: String,
    timeout_ms: Millis,
    cache_entries: u64,
    cache_ms: Millis<0>,
    unknown_cache_ms: Millis<0>,
    pub test_triggers: bool,
}

fn language<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let problem = "is empty; it must name a language, for example en";
    checked(deserializer, |language: &String| !language.trim().is_empty(), problem)
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum VocabularySource {
    Skosmos(SkosmosSettings),
    Files(SkosFilesSettings),
}

impl TerminologySettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        let is_one = self.skosmos.is_none() || self.files.is_empty();
        problems.unless(is_one, "terminology.files", "and `terminology.skosmos` are both set; choose one of them");
    }

    /// None when there is no vocabulary: then questions about terms are questions like any other.
    pub fn source(&self) -> Option<VocabularySource> {
        let (language, timeout) = (self.language.clone(), self.timeout_ms.get());
        if let Some(url) = &self.skosmos {
            let (url, vocabularies) = (url.to_string(), self.vocabularies.clone());
            return Some(VocabularySource::Skosmos(SkosmosSettings { url, vocabularies, language, timeout }));
        }
        let (paths, max_file_bytes) = (self.files.clone(), LARGEST_VOCABULARY);
        let files = SkosFilesSettings { paths, language, max_file_bytes };
        (!self.files.is_empty()).then_some(VocabularySource::Files(files))
    }

    pub fn watched(&self) -> WatchedSettings {
        WatchedSettings {
            timeout: self.timeout_ms.get(),
            cache_entries: self.cache_entries,
            cache_time: self.cache_ms.get(),
            unknown_cache_time: self.unknown_cache_ms.get(),
            test_triggers: self.test_triggers,
        }
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSettings {
    /// By name; empty when nothing is looked up in other systems.
    pub servers: BTreeMap<String, ToolServerSettings>,
    timeout_ms: Millis,
    at_once: AtLeast<usize, 1>,
    max_message_bytes: AtLeast<usize, 1024>,
}

/// A program, or an address.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolServerSettings {
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    url: Option<HttpUrl>,
    /// Holds what a server at an address is shown.
    pub token_file: Option<PathBuf>,
    timeout_ms: Option<Millis>,
    at_once: Option<AtLeast<usize, 1>>,
}

impl ToolSettings {
    pub(super) fn check(&self, problems: &mut Problems) {
        for (name, server) in &self.servers {
            let key = format!("tools.servers.{name}");
            problems.name(&key, name);
            let is_one = server.url.is_some() == server.command.is_empty();
            problems.unless(is_one, &key, "needs a `command` or a `url`, and not both");
            let is_for_url = server.token_file.is_none() || server.url.is_some() || server.command.is_empty();
            problems.unless(is_for_url, &format!("{key}.token_file"), "is for a server with a `url`");
        }
    }

    /// For one call of a server.
    pub fn timeout(&self, server: &ToolServerSettings) -> Duration {
        server.timeout_ms.unwrap_or(self.timeout_ms).get()
    }

    pub fn mcp(&self, server: &ToolServerSettings, token: Option<String>) -> McpSettings {
        let reached = match &server.url {
            Some(url) => Reached::Url { url: url.to_string(), token },
            None => Reached::Program { command: server.command.clone(), environment: server.environment.clone() },
        };
        let at_once = server.at_once.unwrap_or(self.at_once).get();
        McpSettings { reached, at_once, most_bytes: self.max_message_bytes.get() }
    }
}
