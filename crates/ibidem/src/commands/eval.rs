//! `ibidem eval`: how well this installation finds, measured on sets whose answers are known.

mod addresses;
mod adversarial;
mod answer_or_refuse;
mod check;
mod detect;
mod diff;
mod fit;
mod gather;
mod judge;
mod lint;
mod promote;
mod retrieval;
mod run;
mod similarity;

use ibidem_store::{ActionRecord, AuditedAction};
use std::process::ExitCode;

use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Eval {
    /// Asks for documents by their addresses. They must have been ingested with them.
    Addresses(addresses::Addresses),
    /// Shows what the configured verifier catches of sentences made to slip past it, and what it wrongly drops.
    Adversarial(adversarial::Adversarial),
    /// Detects what models made up, with the configured verifier, on answers in which people marked it.
    Detect(detect::Detect),
    /// Fits the weights of the verifier that needs no model of its own, on pairs made for it.
    Fit(fit::Fit),
    /// Shows what each way of gathering brings to the judge, and in what order, on a set in the form of BEIR.
    Gather(gather::Gather),
    /// Checks a set of questions with known outcomes before anything is measured by it. Nothing has to run.
    Lint(lint::Lint),
    /// Runs a retrieval set in the form of BEIR through each lane. Its corpus must have been ingested.
    Retrieval(retrieval::Retrieval),
    /// Shows what thresholds on similarity do, on a set in the form of SQuAD 2.0. Its paragraphs must have been ingested.
    Similarity(similarity::Similarity),
    /// Asks what paragraphs answer and what they only seem to, of a set in the form of SQuAD 2.0, under each policy.
    AnswerOrRefuse(answer_or_refuse::AnswerOrRefuse),
    /// Compares two files of answers to the same questions, blind, by a model that wrote neither.
    Judge(judge::Judge),
    /// Adds answers that somebody reviewed to the golden set.
    Promote(promote::Promote),
    /// Runs the golden set: what is answered, refused and cited, beside what must be. Its documents must have been
    /// ingested.
    Run(run::Run),
    /// Compares two runs of the golden set.
    Diff(diff::Diff),
    /// Fails when a run of the golden set is worse than another.
    Check(check::Check),
}

impl Eval {
    /// Of those that ask anything of the documents.
    pub(crate) fn act(&self) -> Option<ActionRecord> {
        match self {
            Self::Addresses(_)
            | Self::Gather(_)
            | Self::Retrieval(_)
            | Self::Run(_)
            | Self::Similarity(_)
            | Self::AnswerOrRefuse(_) => Some(ActionRecord::by_operator(AuditedAction::MeasureQuality, None)),
            Self::Promote(_) => Some(ActionRecord::by_operator(AuditedAction::ReadAudit, None)),
            Self::Lint(_)
            | Self::Check(_)
            | Self::Diff(_)
            | Self::Adversarial(_)
            | Self::Detect(_)
            | Self::Fit(_)
            | Self::Judge(_) => None,
        }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let measured = match self {
            Self::Lint(command) => return command.run().await,
            Self::Promote(command) => return command.run(settings).await,
            Self::Check(command) => return command.run(),
            Self::Diff(command) => command.run(),
            Self::Adversarial(command) => return command.run(settings).await,
            Self::Addresses(command) => command.run(settings).await,
            Self::Detect(command) => command.run(settings).await,
            Self::Fit(command) => command.run(settings).await,
            Self::Gather(command) => command.run(settings).await,
            Self::Retrieval(command) => command.run(settings).await,
            Self::Run(command) => command.run(settings).await,
            Self::Similarity(command) => command.run(settings).await,
            Self::AnswerOrRefuse(command) => command.run(settings).await,
            Self::Judge(command) => command.run(settings).await,
        };
        measured.map(|()| ExitCode::SUCCESS)
    }
}
