//! `ibidem-workbench eval similarity`: what thresholds on the best passage's similarity do with this embedding model.

use std::path::PathBuf;

use ibidem_lab::similarity::{Passed, observe, passed, strictest};
use ibidem_lab::squad::halves;
use ibidem_words::CollectionName;
use serde::Serialize;

use crate::compose::Parts;
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Similarity {
    /// A file in the format of SQuAD 2.0.
    file: PathBuf,
    #[command(flatten)]
    access: ReaderAccess,
    /// The collection into which its paragraphs were loaded, each with its article's title.
    #[arg(long)]
    collection: CollectionName,
    /// The largest share of answerable questions that a threshold may refuse.
    #[arg(long, default_value_t = 0.05)]
    false_refusals: f64,
    /// Prints the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    model: String,
    model_sha256: String,
    /// The threshold that keeps false refusals within the limit, on the half it was chosen by.
    chosen: f64,
    chosen_by: Half,
    tested_on: Half,
}

#[derive(Serialize)]
struct Half {
    questions: usize,
    answerable: usize,
    at: Vec<Passed>,
}

impl Similarity {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let [choosing, testing] = halves(&self.file)?;
        let parts = Parts::ready(settings).await?;
        let (searcher, scope) = (parts.searcher(), self.access.scope());
        let bar = console::bar((choosing.len() + testing.len()) as u64, "questions, {eta} left")?;
        let chosen_by = observe(&searcher, &scope, &self.collection, &choosing, || bar.inc(1)).await?;
        let tested_on = observe(&searcher, &scope, &self.collection, &testing, || bar.inc(1)).await?;
        bar.finish_and_clear();
        anyhow::ensure!(
            chosen_by.iter().any(|observed| observed.top1_elsewhere > 0.0),
            "nothing was found in {}; ingest the paragraphs first, as `just lab thresholds` does",
            self.collection
        );
        let chosen = strictest(&chosen_by, self.false_refusals);
        let mut thresholds: Vec<f64> = (4..=14).map(|twentieths| f64::from(twentieths) / 20.0).collect();
        thresholds.push(chosen);
        thresholds.sort_by(f64::total_cmp);
        thresholds.dedup();
        let half = |observed: &[_], answerable| Half {
            questions: observed.len(),
            answerable,
            at: thresholds.iter().map(|threshold| passed(observed, *threshold)).collect(),
        };
        let count = |questions: &[ibidem_measure::squad::SquadQuestion]| {
            questions.iter().filter(|question| question.answerable).count()
        };
        let model = parts.embedder.model();
        let report = Report {
            model: model.name.clone(),
            model_sha256: model.hash.0.to_string(),
            chosen,
            chosen_by: half(&chosen_by, count(&choosing)),
            tested_on: half(&tested_on, count(&testing)),
        };
        if self.json {
            return console::say_json(&report);
        }
        show(&report, self.false_refusals);
        Ok(())
    }
}

fn show(report: &Report, most: f64) {
    for (what, half) in [("chosen by", &report.chosen_by), ("tested on", &report.tested_on)] {
        console::say(&format!("{what} {} questions, {} of them answerable", half.questions, half.answerable));
        let mut table =
            console::table(&["threshold", "false refusals", "unanswerable let through", "article absent, let through"]);
        for at in &half.at {
            table.add_row([
                format!("{:.2}", at.threshold),
                format!("{:.4}", at.false_refusals),
                format!("{:.4}", at.unanswerable_passed),
                format!("{:.4}", at.elsewhere_passed),
            ]);
        }
        console::say(&format!("{table}\n"));
    }
    console::say(&format!(
        "{:.2} is the strictest threshold that refuses at most {most} of the answerable questions of the first half; \
         model {}, hash {:.12}",
        report.chosen, report.model, report.model_sha256
    ));
}
