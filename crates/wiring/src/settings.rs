//! Settings: defaults, then a file, then the environment, then flags; checked once, in one step.
//!
//! Each section is one struct, whose fields are the settings. A field's type says what it may hold, and `check` of a section
//! what its settings must be together.

mod documents;
mod entailment;
mod facts;
mod language_model;
mod layers;
mod models;
mod people;
mod policy;
mod read;
mod reranker;
mod server;
mod stores;
mod value;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use documents::{JobSettings, OriginalsSettings, ReadingSettings};
pub use entailment::{EntailmentSettings, EntailmentSource, SecondVerifierSettings};
pub use facts::{LARGEST_VOCABULARY, TerminologySettings, ToolServerSettings, ToolSettings, VocabularySource};
use ibidem_server::QuotaSettings;
pub use language_model::{LanguageModelSettings, ModelRoles, TokenizerSource};
pub use models::{EmbeddingSettings, EmbeddingUse};
pub use people::{AgentSettings, HandOverSettings, HandOverTargetSettings, SignInSettings};
pub use policy::{Breakers, PolicySettings, RoutingSettings};
pub use reranker::{BuiltInReaders, RerankerSettings, RerankerSource, SecondReaderSettings};
use serde::Deserialize;
pub use server::{LogFormat, LogSettings, ServerSettings};
pub use stores::{
    AuditSettings, ConversationSettings, DatabaseSettings, IndexSettings, ReceiptSettings, RecordedTexts,
};
pub use value::{AtLeast, Given, HttpUrl, Millis, SecretSource, Within, Word};

use layers::{Layer, merged};
use read::Problems;

/// Everything an operator can set, each value checked.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    pub database: DatabaseSettings,
    pub index: IndexSettings,
    pub embedding: EmbeddingSettings,
    pub originals: OriginalsSettings,
    pub jobs: JobSettings,
    pub reading: ReadingSettings,
    pub language_model: LanguageModelSettings,
    pub reranker: RerankerSettings,
    pub entailment: EntailmentSettings,
    pub breakers: Breakers,
    pub policy: PolicySettings,
    pub routing: RoutingSettings,
    pub terminology: TerminologySettings,
    pub server: ServerSettings,
    /// What keys, people and tenants may use.
    #[serde(with = "server::Limits")]
    pub limits: QuotaSettings,
    pub log: LogSettings,
    pub audit: AuditSettings,
    pub conversations: ConversationSettings,
    pub receipts: ReceiptSettings,
    pub sign_in: SignInSettings,
    pub agents: AgentSettings,
    pub tools: ToolSettings,
    pub hand_over: HandOverSettings,
    #[serde(skip)]
    pub sources: Sources,
}

impl Settings {
    fn check(&self, problems: &mut Problems) {
        self.index.check(problems);
        self.embedding.check(problems);
        self.originals.check(problems);
        self.language_model.check(problems);
        self.check_reranker(problems);
        self.check_entailment(problems);
        self.terminology.check(problems);
        self.audit.check(problems);
        self.sign_in.check(problems);
        self.agents.check(problems);
        self.tools.check(problems);
        self.hand_over.check(self.jobs.lease_ms.get(), problems);
        self.check_times(problems);
    }

    /// A question must have time left when the models that it waits for are slow.
    fn check_times(&self, problems: &mut Problems) {
        const KEY: &str = "server.request_timeout_ms";
        let request = self.server.request_timeout_ms.get();
        let model = self.language_model();
        let writing = model.map_or(Duration::ZERO, |model| model.timeout_ms.get());
        let reranker = self.reranker().map_or(Duration::ZERO, |_| self.reranker.timeout_ms.get());
        let entailment = self.entailment.timeout_ms.get();
        for (key, timeout, left) in [
            ("language_model", writing, "to answer without a slow model"),
            ("reranker", reranker, "to answer without a slow reranker"),
            ("entailment", entailment, "to answer after a slow check"),
        ] {
            let problem = format!("must be more than `{key}.timeout_ms`: else no time is left {left}");
            problems.unless(request > timeout, KEY, &problem);
        }
        let turn = model.map_or(Duration::ZERO, LanguageModelSettings::longest_turn);
        let in_a_row = turn + self.longest_reading() + entailment;
        if problems.told.is_empty() && request <= in_a_row {
            let problem = format!(
                "must be more than what one question may wait for models, one after the other ({} ms): \
                 `language_model.timeout_ms` for the answer and again for a fallback, \
                 `language_model.planner_timeout_ms` twice for a planner and once for a judge, \
                 `reranker.timeout_ms` (twice with `reranker.second`) and `entailment.timeout_ms`. Raise it, or lower \
                 these",
                in_a_row.as_millis()
            );
            problems.note(KEY, &problem);
        }
    }
}

/// The commented reference that ships with the source is the defaults themselves: it cannot drift.
const DEFAULTS: &str = include_str!("../../../config/ibidem.yaml");

/// Settings are a few pages of text; what is larger is something else.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    #[error("the settings file {} cannot be read: {reason}; check --config or IBIDEM_CONFIG", .path.display())]
    File { path: std::path::PathBuf, reason: String },
    #[error("{source_name} is not valid YAML: {reason}")]
    Yaml { source_name: String, reason: String },
    #[error("--set {0:?} must have the form section.key=value, for example server.listen=127.0.0.1:8080")]
    Flag(String),
    #[error("setting `{key}`: {reason}")]
    Key { key: String, reason: String },
    #[error("the settings cannot be used; problems found: {}\n{}", .0.len(), .0.iter().map(|problem| format!("  - {problem}")).collect::<Vec<_>>().join("\n"))]
    Checked(Vec<String>),
}

/// Where settings come from, so that they can be read again.
#[derive(Clone, Default)]
pub struct Sources {
    pub file: Option<PathBuf>,
    environment: Vec<(String, String)>,
    flags: Vec<String>,
    /// The user's own folder for data.
    data_folder: PathBuf,
}

/// Where data is of somebody who has no home.
const DATA_OF_THE_SYSTEM: &str = "/var/lib/ibidem";

fn data_folder(environment: &[(String, String)]) -> PathBuf {
    let folder = |name: &str| {
        let found = environment.iter().find(|(known, _)| known == name).map(|(_, folder)| PathBuf::from(folder));
        found.filter(|folder| folder.is_absolute())
    };
    let of_user = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")));
    of_user.map_or_else(|| DATA_OF_THE_SYSTEM.into(), |folder| folder.join("ibidem"))
}

/// Loads the settings from every layer. `environment` is passed in so that nothing else reads it.
pub fn load(
    file: Option<&Path>,
    environment: impl Iterator<Item = (String, String)>,
    flags: &[String],
) -> Result<Settings, SettingsError> {
    let environment: Vec<(String, String)> = environment.collect();
    let data_folder = data_folder(&environment);
    let is_setting = |(name, _): &(String, String)| name.starts_with(layers::ENVIRONMENT_PREFIX);
    let sources = Sources {
        file: file.map(Path::to_owned),
        environment: environment.into_iter().filter(is_setting).collect(),
        flags: flags.to_vec(),
        data_folder,
    };
    let text = sources.text()?;
    sources.load(text.as_deref())
}

impl Sources {
    /// The file's text, where there is a file.
    pub fn text(&self) -> Result<Option<String>, SettingsError> {
        let Some(path) = &self.file else { return Ok(None) };
        let unreadable = |error: std::io::Error| SettingsError::File { path: path.clone(), reason: error.to_string() };
        let mut text = String::new();
        let file = std::fs::File::open(path).map_err(unreadable)?;
        file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
        if text.len() as u64 > MOST_BYTES {
            let reason = format!("it is larger than {MOST_BYTES} bytes, so it is hardly a settings file");
            return Err(SettingsError::File { path: path.clone(), reason });
        }
        Ok(Some(text))
    }

    /// Where a folder of data is. A relative one is beside the settings file, or, without such a file, in the user's
    /// folder for data: never in whatever folder a program was started in, where the next one would not find it.
    pub(crate) fn data(&self, location: &Path) -> PathBuf {
        let file = self.file.as_deref().and_then(|file| std::path::absolute(file).ok());
        file.as_deref().and_then(Path::parent).unwrap_or(&self.data_folder).join(location)
    }

    /// The settings with this text in place of the file.
    pub fn load(&self, text: Option<&str>) -> Result<Settings, SettingsError> {
        let defaults = merged(vec![Layer::yaml("the defaults", DEFAULTS)?])?;
        let mut layers = vec![Layer::Typed(defaults.clone())];
        if let (Some(path), Some(text)) = (&self.file, text) {
            layers.push(Layer::yaml(&path.display().to_string(), text)?);
        }
        layers.push(Layer::environment(self.environment.iter().cloned()));
        layers.push(Layer::flags(&self.flags)?);
        let mut problems = Problems::default();
        let settings: Option<Settings> = read::read(&merged(layers)?, &defaults, &mut problems);
        match settings.inspect(|settings| settings.check(&mut problems)) {
            Some(settings) if problems.told.is_empty() => Ok(Settings { sources: self.clone(), ..settings }),
            _ => Err(SettingsError::Checked(problems.told)),
        }
    }
}

#[cfg(test)]
mod tests;
