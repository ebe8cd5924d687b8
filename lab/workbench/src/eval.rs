//! `ibidem-workbench eval`: how well this installation finds, answers and refuses, on sets whose answers are known.

mod addresses;
mod adversarial;
mod answer_or_refuse;
mod detect;
mod fit;
mod follow_ups;
mod gather;
mod retrieval;
mod similarity;
mod trial;

use ibidem_store::{ActionRecord, AuditedAction};
use std::process::ExitCode;

use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Eval {
    /// Measures whether documents are found by their addresses. Load them with addresses first.
    Addresses(addresses::Addresses),
    /// Measures how many misleading sentences the configured verifier catches, and how many faithful ones it drops.
    Adversarial(adversarial::Adversarial),
    /// Measures how well the configured verifier finds unsupported statements, on answers in which people marked them.
    Detect(detect::Detect),
    /// Fits the weights of the lexical verifier, on pairs of claims and passages.
    Fit(fit::Fit),
    /// Measures which passages each way of retrieval brings, and in which order, on a set in the format of BEIR.
    Gather(gather::Gather),
    /// Measures search by meaning and by keywords on a set in the format of BEIR. Load its corpus first.
    Retrieval(retrieval::Retrieval),
    /// Measures which questions each similarity threshold lets through, on a set in the format of SQuAD 2.0. Load its
    /// paragraphs first.
    Similarity(similarity::Similarity),
    /// Measures which questions each policy file answers and refuses, on a set in the format of SQuAD 2.0.
    AnswerOrRefuse(answer_or_refuse::AnswerOrRefuse),
    /// Asks conversations whose questions go on with one another ("and for part-timers?"), and counts those that are
    /// answered rightly to their end. Load the documents first.
    FollowUps(follow_ups::FollowUps),
    /// Asks the trial's questions about the demo documents and counts right answers, wrong ones and refusals. Load the
    /// documents first, as `just lab trial` does.
    Trial(trial::Trial),
}

impl Eval {
    /// Of those that ask anything of the documents.
    pub(crate) fn act(&self) -> Option<ActionRecord> {
        match self {
            Self::Trial(command) => command.act(),
            Self::Addresses(_)
            | Self::Gather(_)
            | Self::Retrieval(_)
            | Self::Similarity(_)
            | Self::AnswerOrRefuse(_)
            | Self::FollowUps(_) => Some(ActionRecord::by_operator(AuditedAction::MeasureQuality, None)),
            Self::Adversarial(_) | Self::Detect(_) | Self::Fit(_) => None,
        }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let measured = match self {
            Self::Adversarial(command) => return command.run(settings).await,
            Self::FollowUps(command) => return command.run(settings).await,
            Self::Addresses(command) => command.run(settings).await,
            Self::Detect(command) => command.run(settings).await,
            Self::Fit(command) => command.run(settings).await,
            Self::Gather(command) => command.run(settings).await,
            Self::Retrieval(command) => command.run(settings).await,
            Self::Similarity(command) => command.run(settings).await,
            Self::AnswerOrRefuse(command) => command.run(settings).await,
            Self::Trial(command) => command.run(settings).await,
        };
        measured.map(|()| ExitCode::SUCCESS)
    }
}
