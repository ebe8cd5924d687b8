//! `ibidem-workbench eval addresses`: whether addresses bring exactly the documents they name, and how fast.

use std::path::PathBuf;

use ibidem_lab::addresses::{KindScore, Wrong, load, run};
use ibidem_words::Question;

use crate::compose::{self, Parts};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;
use serde::Serialize;

#[derive(clap::Args)]
pub(crate) struct Addresses {
    /// A .jsonl file with one question per line: kind, query, and the expected titles.
    queries: PathBuf,
    #[command(flatten)]
    access: ReaderAccess,
    /// Uses this policy file in place of `policy.use`: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    /// Prints the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    kinds: Vec<KindScore>,
    wrong: Vec<Wrong>,
}

impl Addresses {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let queries = load(&self.queries)?;
        let policy = compose::policy(settings, self.policy.as_deref())?;
        let engine = Parts::ready(settings).await?.engine(settings).await?;
        let asked = |query: &str| self.access.asked(Question::new(query), policy.clone());
        let (kinds, wrong) = run(&engine, asked, &queries).await?;
        if self.json {
            return console::say_json(&Report { kinds, wrong });
        }
        let mut table = console::table(&["kind", "questions", "right", "p50 ms", "p95 ms"]);
        for score in &kinds {
            table.add_row([
                score.kind.clone(),
                score.queries.to_string(),
                score.right.to_string(),
                format!("{:.2}", score.p50_milliseconds),
                format!("{:.2}", score.p95_milliseconds),
            ]);
        }
        console::say(&table.to_string());
        for wrong in wrong {
            console::note(&format!("{}: {:?} instead of {:?}", wrong.query, wrong.brought, wrong.expected));
        }
        Ok(())
    }
}
