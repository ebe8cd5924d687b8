//! `ibidem verify`: an old answer, checked again against the documents as they are now.

use ibidem_store::{ActionRecord, AuditedAction};
use std::io::Read as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_engine::ports::embedder::Embedder;
use ibidem_engine::ports::vocabulary::Vocabulary;
use ibidem_engine::receipts::{Presented, Report, Witnesses, verify};

use crate::operator::Sight;
use crate::settings::Settings;
use crate::{compose, console};

/// Longer sentences are cut in the table.
const LONGEST_CELL: usize = 100;

#[derive(clap::Args)]
pub(crate) struct Verify {
    /// A receipt, or an answer with one, as JSON; - reads it from the standard input.
    receipt: PathBuf,
    #[command(flatten)]
    sight: Sight,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub(crate) fn act(&self) -> ActionRecord {
        self.sight.operator.act(AuditedAction::VerifyAnswer)
    }

    /// Fails when anything does not hold, so that scripts can tell. Needs the database; no index, no model server.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let json = self.read().with_context(|| format!("cannot read {}", self.receipt.display()))?;
        let presented = Presented::read(&json)?;
        let store = compose::ready_store(settings).await?;
        let corpus = store.texts(&self.sight.scope(), &presented.receipt.documents()).await?;
        let vocabulary = compose::vocabulary(settings)?;
        // As the sentences were judged before; where there is no embedding model, words alone judge.
        let embedder = compose::embedder(settings).await.ok().map(|embedder| embedder as Arc<dyn Embedder>);
        let entailment = compose::entailment(settings, embedder).await?;
        let witnesses = Witnesses {
            corpus: &corpus,
            entailment: Some(entailment.as_ref()),
            vocabulary: vocabulary.as_ref().map(|vocabulary| vocabulary as &dyn Vocabulary),
        };
        let report = verify(&presented, &witnesses).await;
        if self.json {
            console::say_json(&report)?;
        } else {
            show(&report);
        }
        Ok(if report.holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn read(&self) -> anyhow::Result<serde_json::Value> {
        let mut text = String::new();
        if self.receipt.as_os_str() == "-" {
            std::io::stdin().read_to_string(&mut text)?;
        } else {
            text = std::fs::read_to_string(&self.receipt)?;
        }
        Ok(serde_json::from_str(&text)?)
    }
}

fn show(report: &Report) {
    for line in &report.tampered {
        console::say(&format!("tampered: {line}"));
    }
    let mut table = console::table(&["", "sentence", "outcome", "why"]);
    for (number, sentence) in (1..).zip(&report.sentences) {
        let (outcome, why) = (sentence.outcome.as_str().to_owned(), sentence.why.clone());
        table.add_row([number.to_string(), shortened(&sentence.text), outcome, why]);
    }
    if !report.sentences.is_empty() {
        console::say(&table.to_string());
    }
    let held = report.sentences.iter().filter(|sentence| sentence.outcome.holds()).count();
    let all = report.sentences.len();
    let whole = if report.tampered.is_empty() { "the receipt is whole" } else { "the receipt was changed" };
    console::say(&format!("{whole}; {held} of {all} sentences hold"));
    let mut mends: Vec<&str> = report.sentences.iter().filter_map(|sentence| sentence.mend).collect();
    mends.dedup();
    for mend in mends {
        console::say(&format!("Next: {mend}"));
    }
}

/// In one line.
fn shortened(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST_CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
