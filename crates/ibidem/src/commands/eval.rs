//! `ibidem eval`: how well this installation answers and refuses, measured on the golden set and on the trial's questions.
//! What needs a public data set is in the workbench.

mod check;
mod diff;
mod follow_ups;
mod lint;
mod promote;
mod run;
mod trial;

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
    /// Asks conversations whose questions go on with one another ("and for part-timers?"), and counts those that are
    /// answered rightly to their end. Load the documents first.
    FollowUps(follow_ups::FollowUps),
    /// Compares the results of two runs of the golden set: figures, and questions whose outcome changed.
    Diff(diff::Diff),
    /// Exits with 1 when a run of the golden set is worse than an earlier one.
    Check(check::Check),
    /// Asks the trial's questions about the demo documents and counts right answers, wrong ones and refusals. Load the
    /// documents first, as `just trial` does.
    Trial(trial::Trial),
}

impl Eval {
    /// Of those that ask anything of the documents.
    pub(crate) fn act(&self) -> Option<ActionRecord> {
        match self {
            Self::Trial(command) => command.act(),
            Self::Run(_) | Self::FollowUps(_) => Some(ActionRecord::by_operator(AuditedAction::MeasureQuality, None)),
            Self::Promote(_) => Some(ActionRecord::by_operator(AuditedAction::ReadAudit, None)),
            Self::Lint(_) | Self::Check(_) | Self::Diff(_) => None,
        }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let measured = match self {
            Self::Lint(command) => return command.run().await,
            Self::Promote(command) => return command.run(settings).await,
            Self::Check(command) => return command.run(),
            Self::FollowUps(command) => return command.run(settings).await,
            Self::Diff(command) => command.run(),
            Self::Run(command) => command.run(settings).await,
            Self::Trial(command) => command.run(settings).await,
        };
        measured.map(|()| ExitCode::SUCCESS)
    }
}
