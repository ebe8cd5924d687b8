//! `ibidem eval`: how well this installation finds, measured on sets whose answers are known.

mod retrieval;

use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Eval {
    /// Runs a retrieval set in the form of BEIR through each lane. Its corpus must have been ingested.
    Retrieval(retrieval::Retrieval),
}

impl Eval {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        match self {
            Self::Retrieval(command) => command.run(settings).await,
        }
    }
}
