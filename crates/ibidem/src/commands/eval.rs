//! `ibidem eval`: how well this installation answers and refuses, measured on a golden set of its own.

mod check;
mod diff;
mod judge;
mod lint;
mod promote;
mod run;

use ibidem_store::{ActionRecord, AuditedAction};
use std::process::ExitCode;

use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Eval {
    /// Checks a golden set for mistakes. It needs no server.
    Lint(lint::Lint),
    /// Adds reviewed answers to the golden set.
    Promote(promote::Promote),
    /// Asks every question of the golden set and compares the outcomes with the expected ones. Load its documents
    /// first.
    Run(run::Run),
    /// Compares the results of two runs of the golden set: figures, and questions whose outcome changed.
    Diff(diff::Diff),
    /// Exits with 1 when a run of the golden set is worse than an earlier one.
    Check(check::Check),
    /// Lets a model that wrote neither compare two files of answers to the same questions, without knowing who wrote
    /// which.
    Judge(judge::Judge),
}

impl Eval {
    /// Of those that ask anything of the documents.
    pub(crate) fn act(&self) -> Option<ActionRecord> {
        match self {
            Self::Run(_) => Some(ActionRecord::by_operator(AuditedAction::MeasureQuality, None)),
            Self::Promote(_) => Some(ActionRecord::by_operator(AuditedAction::ReadAudit, None)),
            Self::Lint(_) | Self::Check(_) | Self::Diff(_) | Self::Judge(_) => None,
        }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let measured = match self {
            Self::Lint(command) => return command.run().await,
            Self::Promote(command) => return command.run(settings).await,
            Self::Check(command) => return command.run(),
            Self::Diff(command) => command.run(),
            Self::Run(command) => command.run(settings).await,
            Self::Judge(command) => command.run(settings).await,
        };
        measured.map(|()| ExitCode::SUCCESS)
    }
}
