//! `ibidem-workbench bench`: what Ibidem adds to the parts it stands on, measured side by side in one run.

mod answers;
mod corpus;
mod gather;
mod ingest;
mod load;
mod prepared;
mod processes;
mod reader;
mod readiness;
mod scale;
mod scratch;
mod search;
pub(crate) mod stages;
mod terms;

use crate::settings::Settings;

#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Measures how much time Ibidem itself adds to an answer, over HTTP.
    ///
    /// The time of embedding, index and model is subtracted; the model server is one that answers at once. The first part
    /// sends questions at a fixed rate, the second from several clients as fast as they are answered.
    Answers(answers::AnswersBench),
    /// Measures what it costs to record every question, in rounds with and without the audit.
    Audit(answers::AuditBench),
    /// Measures where the time of retrieval goes, step by step, with several forms of each question.
    ///
    /// The embedding model and the index are the configured ones. The planner and the reranker answer at once. It fails
    /// when a question asks the index more than once.
    Gather(gather::GatherBench),
    /// Measures how fast documents are loaded, compared with the embedding model alone on the same passages.
    Ingest(ingest::IngestBench),
    /// Measures how long the reader takes for the candidates of one question, compared with the model alone.
    Reader(reader::ReaderBench),
    /// Measures how search grows with the number of passages: what it finds of the best ten beside exact search, for
    /// askers who see all, a tenth, a hundredth and a thousandth; latency and throughput; memory and disk.
    ///
    /// Only the index is filled and asked: no catalogue and no HTTP.
    ///
    /// The vectors are made from a real model's: between two of them, and a little beside. Its own index is kept for
    /// later runs; each setting of quantization and disk has another.
    Scale(scale::ScaleBench),
    /// Measures how fast POST /v1/search is, compared with the search engine alone with the same requests.
    ///
    /// Before it measures, it checks that both find the same passages.
    Search(search::SearchBench),
    /// Measures how fast a question about a term is answered, with and without the cache, compared with the vocabulary
    /// server alone.
    Terms(terms::TermsBench),
}

impl Bench {
    /// Whether processor time by stage is wanted. That takes time itself, also while nothing is counted.
    pub(crate) fn counts_stages(&self) -> bool {
        matches!(self, Self::Answers(command) if command.stages)
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        match self {
            Self::Answers(command) => command.run(settings).await,
            Self::Audit(command) => command.run(settings).await,
            Self::Gather(command) => command.run(settings).await,
            Self::Ingest(command) => command.run(settings).await,
            Self::Reader(command) => command.run(settings).await,
            Self::Scale(command) => command.run(settings).await,
            Self::Search(command) => command.run(settings).await,
            Self::Terms(command) => command.run(settings).await,
        }
    }
}

/// The value that this share of them does not exceed.
fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    ibidem_measure::metrics::percentile(&mut values, share)
}

/// The median of some rounds, with the lowest and the highest.
fn spread(values: impl IntoIterator<Item = f64>) -> String {
    let values: Vec<f64> = values.into_iter().collect();
    let [lowest, median, highest] = [0.0, 0.5, 1.0].map(|share| percentile(values.clone(), share));
    if values.len() < 2 { format!("{median:.2}") } else { format!("{median:.2} ({lowest:.2}–{highest:.2})") }
}
