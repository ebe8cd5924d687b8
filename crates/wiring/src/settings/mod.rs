//! Settings: defaults, then a file, then the environment, then flags; checked once, in one step.

mod checked;
mod layers;
mod raw;

use std::io::Read as _;
use std::path::{Path, PathBuf};

pub use checked::{
    AgentCredential, AgentSettings, AuditSettings, BuiltInReaders, EmbeddingSettings, EmbeddingSource,
    EntailmentSource, HandOverSettings, HandOverTargetSettings, HandOverWay, HashKeySource, LanguageModelSettings,
    LogFormat, LogSettings, RecordedTexts, RerankerSource, SecondReaderSettings, SecondVerifierSettings, SecretSource,
    Settings, SignInSettings, TokenizerSource, ToolServerSettings, VocabularySource,
};
pub use raw::LARGEST_VOCABULARY;

use layers::{Layer, merged};
use raw::RawSettings;

/// The commented reference that ships with the source is the defaults themselves: it cannot drift.
const DEFAULTS: &str = include_str!("../../../../config/ibidem.yaml");

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
#[derive(Clone)]
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
    fn data(&self, location: &Path) -> PathBuf {
        let file = self.file.as_deref().and_then(|file| std::path::absolute(file).ok());
        file.as_deref().and_then(Path::parent).unwrap_or(&self.data_folder).join(location)
    }

    /// The settings with this text in place of the file.
    pub fn load(&self, text: Option<&str>) -> Result<Settings, SettingsError> {
        let mut layers = vec![Layer::yaml("the defaults", DEFAULTS)?];
        if let (Some(path), Some(text)) = (&self.file, text) {
            layers.push(Layer::yaml(&path.display().to_string(), text)?);
        }
        layers.push(Layer::environment(self.environment.iter().cloned()));
        layers.push(Layer::flags(&self.flags)?);
        let merged = merged(layers)?;
        let raw: RawSettings = serde_path_to_error::deserialize(merged).map_err(|error| SettingsError::Key {
            key: error.path().to_string(),
            reason: format!("{}; config/ibidem.yaml describes every setting", error.inner()),
        })?;
        raw.check(self.clone()).map_err(SettingsError::Checked)
    }
}

#[cfg(test)]
mod tests;
