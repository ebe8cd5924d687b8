//! `ibidem-workbench eval retrieval`: nDCG and recall of each lane on a set in the form of BEIR.

use std::path::PathBuf;

use ibidem_lab::beir::judged_queries;
use ibidem_lab::retrieval::{LANES, LaneScore, RetrievalRun, run_lane};
use ibidem_words::CollectionName;
use serde::Serialize;

use crate::compose::Parts;
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Retrieval {
    /// A folder with queries.jsonl and qrels_test.tsv.
    folder: PathBuf,
    #[command(flatten)]
    access: ReaderAccess,
    /// The collection into which its corpus.jsonl was loaded.
    #[arg(long)]
    collection: CollectionName,
    /// How many passages each query asks for; a document has the rank of its best passage.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(10..=1_000))]
    passages: u16,
    /// Takes only this many queries, from the first on.
    #[arg(long)]
    limit_queries: Option<usize>,
    /// Prints the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    model: String,
    collection: String,
    passages: u16,
    lanes: Vec<LaneScore>,
}

impl Retrieval {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let mut queries = judged_queries(&self.folder)?;
        queries.truncate(self.limit_queries.unwrap_or(usize::MAX).max(1));
        let parts = Parts::ready(settings).await?;
        let searcher = parts.searcher();
        let scope = self.access.scope();
        let run = RetrievalRun { collection: self.collection.clone(), passages: self.passages.into() };
        let bar = console::bar((queries.len() * LANES.len()) as u64, "queries, {msg}, {eta} left")?;
        let mut lanes = Vec::new();
        for lane in LANES {
            bar.set_message(lane.0);
            lanes.push(run_lane(&searcher, &scope, &run, lane, &queries, || bar.inc(1)).await?);
        }
        bar.finish_and_clear();
        anyhow::ensure!(
            lanes.iter().any(|lane| lane.recall_at_100 > 0.0),
            "not one document of the set was found; ingest its corpus first: \
             ibidem ingest {}/corpus.jsonl --collection {} --tags public --wait",
            self.folder.display(),
            self.collection
        );
        let model = settings.embedding.name.clone();
        let report = Report { model, collection: self.collection.to_string(), passages: self.passages, lanes };
        if self.json {
            return console::say_json(&report);
        }
        console::say(&table(&report));
        Ok(())
    }
}

fn table(report: &Report) -> String {
    let mut table = console::table(&["lane", "nDCG@10", "recall@10", "recall@100", "MRR", "ms/query"]);
    for score in &report.lanes {
        table.add_row([
            score.lane.to_owned(),
            format!("{:.4}", score.ndcg_at_10),
            format!("{:.4}", score.recall_at_10),
            format!("{:.4}", score.recall_at_100),
            format!("{:.4}", score.mrr),
            format!("{:.1}", score.milliseconds_per_query),
        ]);
    }
    let queries = report.lanes.first().map_or(0, |score| score.queries);
    format!("{table}\n{queries} queries, {} passages each, {}", report.passages, report.model)
}
