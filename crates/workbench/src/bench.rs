//! `ibidem bench`: what Ibidem adds to the parts it stands on, measured side by side in one run.

mod answers;
mod corpus;
mod gather;
mod ingest;
mod prepared;
mod readiness;
mod scratch;
mod search;
mod terms;

use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// What Ibidem itself costs on a question, beside embedding, index and a model that answers at once.
    Answers(answers::AnswersBench),
    /// What recording every turn costs, with and without it in turns.
    Audit(answers::AuditBench),
    /// Where the time of gathering goes, stage by stage, with more and more variants of a question.
    Gather(gather::GatherBench),
    /// Ingest, end to end, beside the embedding model alone on the same passages.
    Ingest(ingest::IngestBench),
    /// `POST /v1/search` beside the search engine alone with the same requests.
    Search(search::SearchBench),
    /// A question about a term, remembered and not, beside the vocabulary server's own time.
    Terms(terms::TermsBench),
}

impl Bench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        match self {
            Self::Answers(command) => command.run(settings).await,
            Self::Audit(command) => command.run(settings).await,
            Self::Gather(command) => command.run(settings).await,
            Self::Ingest(command) => command.run(settings).await,
            Self::Search(command) => command.run(settings).await,
            Self::Terms(command) => command.run(settings).await,
        }
    }
}

/// The value that this share of them does not exceed.
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    ibidem_lab::metrics::percentile(&mut values, share)
}
