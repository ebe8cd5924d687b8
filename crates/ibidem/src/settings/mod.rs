//! Settings: defaults, then a file, then the environment, then flags; checked once, in one step.

mod checked;
mod layers;
mod raw;

use std::path::Path;

pub(crate) use checked::{EntailmentSource, LogFormat, LogSettings, RerankerSource, Settings, VocabularySource};
pub(crate) use raw::LARGEST_VOCABULARY;

use layers::{Layer, merged};
use raw::RawSettings;

/// The commented reference that ships with the source is the defaults themselves: it cannot drift.
const DEFAULTS: &str = include_str!("../../../../config/ibidem.yaml");

#[derive(Debug, thiserror::Error)]
pub(crate) enum SettingsError {
    #[error("{} cannot be read: {reason}", .path.display())]
    File { path: std::path::PathBuf, reason: String },
    #[error("{source_name} is not valid YAML: {reason}")]
    Yaml { source_name: String, reason: String },
    #[error("--set {0:?} does not read section.key=value")]
    Flag(String),
    #[error("setting `{key}`: {reason}")]
    Key { key: String, reason: String },
    #[error("{} settings are wrong:\n{}", .0.len(), .0.iter().map(|problem| format!("  - {problem}")).collect::<Vec<_>>().join("\n"))]
    Checked(Vec<String>),
}

/// Loads the settings from every layer. `environment` is passed in so that nothing else reads it.
pub(crate) fn load(
    file: Option<&Path>,
    environment: impl Iterator<Item = (String, String)>,
    flags: &[String],
) -> Result<Settings, SettingsError> {
    let mut layers = vec![Layer::yaml("the defaults", DEFAULTS)?];
    if let Some(path) = file {
        let text = std::fs::read_to_string(path)
            .map_err(|error| SettingsError::File { path: path.to_owned(), reason: error.to_string() })?;
        layers.push(Layer::yaml(&path.display().to_string(), &text)?);
    }
    layers.push(Layer::environment(environment));
    layers.push(Layer::flags(flags)?);
    let merged = merged(layers)?;
    let raw: RawSettings = serde_path_to_error::deserialize(merged).map_err(|error| SettingsError::Key {
        key: error.path().to_string(),
        reason: format!("{}; config/ibidem.yaml describes every setting", error.inner()),
    })?;
    raw.check().map_err(SettingsError::Checked)
}

#[cfg(test)]
mod tests;
