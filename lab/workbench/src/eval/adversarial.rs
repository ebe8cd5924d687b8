//! `ibidem-workbench eval adversarial`: what the configured verifier catches of sentences made to slip past it.

use std::path::PathBuf;
use std::process::ExitCode;

use ibidem_engine::policy::VerificationRules;
use ibidem_engine::speak::verify::Verifier;
use ibidem_lab::adversarial;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_words::SentenceVerdict;

use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Args)]
pub(crate) struct Adversarial {
    /// A file of sentences with the passages they cite.
    #[arg(default_value = "lab/data/adversarial/pairs.jsonl")]
    file: PathBuf,
    /// Also prints the sentences that were judged wrongly.
    #[arg(long)]
    wrong: bool,
}

/// What is aimed at: all of what a rule can decide, most of the rest, and few of the faithful.
const LEAST_OF_THE_REST: f64 = 0.8;
const MOST_FAITHFUL_DROPPED: f64 = 0.1;

impl Adversarial {
    /// Fails when an aim is missed, so that scripts can tell.
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<ExitCode> {
        let pairs = adversarial::load(&self.file)?;
        let embedder = Part::bare(compose::embedder(settings).await? as _);
        let entailment = compose::entailment(settings, Some(embedder)).await?;
        let verifier =
            Verifier { rules: VerificationRules::default(), entailment: &entailment, deadline: Deadline::NONE };
        let mut objected = std::collections::HashSet::new();
        for pair in &pairs {
            let (check, _) = verifier.cited(&pair.sentence, &pair.cited()).await;
            let objects = check.verdict != SentenceVerdict::Supported;
            if objects {
                objected.insert(pair.id.clone());
            }
            if self.wrong && objects == pair.supported {
                let why = check.why.unwrap_or_else(|| format!("support {:.2} by {}", check.support, check.by));
                console::note(&format!("{} ({:?}): {} — {why}", pair.id, pair.class, pair.sentence));
            }
        }
        let scores = adversarial::score(&pairs, |pair| objected.contains(&pair.id));
        let mut table = console::table(&["class", "sentences", "objected to", "share", "aim"]);
        let mut is_reached = true;
        for row in &scores {
            let share = row.objected as f64 / row.sentences.max(1) as f64;
            let (aim, reached) = match row.class {
                class if class.is_faithful() => ("at most 0.10 of all faithful", true),
                class if class.is_deterministic() => ("1.00", share >= 1.0),
                _ => ("0.80", share >= LEAST_OF_THE_REST),
            };
            is_reached &= reached;
            let class = format!("{:?}", row.class);
            let missed = if reached { "" } else { " (missed)" };
            table.add_row([
                class,
                row.sentences.to_string(),
                row.objected.to_string(),
                format!("{share:.2}"),
                format!("{aim}{missed}"),
            ]);
        }
        let dropped = adversarial::faithful_dropped(&scores);
        is_reached &= dropped <= MOST_FAITHFUL_DROPPED;
        console::say(&table.to_string());
        console::say(&format!(
            "faithful dropped: {dropped:.3} (at most {MOST_FAITHFUL_DROPPED}); verifier: {}",
            entailment.port().name()
        ));
        Ok(if is_reached { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
