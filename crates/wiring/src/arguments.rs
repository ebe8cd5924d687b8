//! The options that every program has.

use std::path::{Path, PathBuf};

use crate::settings::{self, Settings};

/// Where settings come from.
#[derive(clap::Args)]
pub struct SettingsArguments {
    /// Reads settings from this file. They override the defaults, which config/ibidem.yaml lists and describes.
    #[arg(long, global = true, env = "IBIDEM_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    /// Sets one setting and overrides the file and the environment; may be repeated.
    #[arg(long = "set", global = true, value_name = "SECTION.KEY=VALUE")]
    set: Vec<String>,
}

impl SettingsArguments {
    pub fn load(&self) -> anyhow::Result<Settings> {
        Ok(settings::load(self.config.as_deref(), std::env::vars(), &self.set)?)
    }

    /// The same with this file where none is named, and these settings over all others.
    pub fn load_over(&self, file: &Path, over: &[String]) -> anyhow::Result<Settings> {
        let file = self.config.as_deref().unwrap_or(file);
        let flags: Vec<String> = self.set.iter().chain(over).cloned().collect();
        Ok(settings::load(Some(file), std::env::vars(), &flags)?)
    }
}
