//! `ibidem-workbench eval fit`: the weights of the verifier by words and vectors, on pairs made for it.

use ibidem_ports::degrade::Part;
use std::collections::BTreeMap;
use std::path::PathBuf;

use ibidem_engine::speak::verify::lexical::LexicalEntailment;
use ibidem_lab::detect::fit::{Fitted, OfKind, SIGNS, by_kind, claim_pairs, fit, observe};

use crate::compose;
use crate::console;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Fit {
    /// Files with one claim per line, its passages, and whether they support it, as lab/bench/claim_pairs.py writes them.
    #[arg(required = true)]
    pairs: Vec<PathBuf>,
    /// The share of supported claims that may be dropped, as a mean over the sets. The score at which exactly this share is
    /// dropped becomes 0.5, from which on a claim counts as supported.
    #[arg(long, default_value_t = 0.05)]
    dropped: f64,
    /// Prints what each claim was judged by as JSON, one claim per line, and fits no weights.
    #[arg(long)]
    signs: bool,
}

/// Signs that words alone have: all but the similarity, which comes last.
const BY_WORDS: [usize; SIGNS - 1] = [0, 1, 2, 3, 4];
const ALL: [usize; SIGNS] = [0, 1, 2, 3, 4, 5];

impl Fit {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let mut pairs = Vec::new();
        for file in &self.pairs {
            pairs.extend(claim_pairs(file)?);
        }
        let entailment = LexicalEntailment::with_embedder(Part::bare(compose::embedder(settings).await?));
        let bar = console::bar(pairs.len() as u64, "claims, {eta} left")?;
        let observed = observe(&entailment, pairs, || bar.inc(1)).await;
        bar.finish_and_clear();
        if self.signs {
            for one in &observed {
                console::say(&serde_json::to_string(one)?);
            }
            return Ok(());
        }
        for (name, columns) in [("WITH_SIMILARITY", &ALL[..]), ("BY_WORDS", &BY_WORDS[..])] {
            let (fitted, held_out) = fit(&observed, self.dropped, columns);
            show(name, &fitted, &held_out, &by_kind(&observed, &fitted));
        }
        Ok(())
    }
}

fn show(name: &str, fitted: &Fitted, held_out: &BTreeMap<String, f64>, kinds: &[OfKind]) {
    let weights: Vec<String> = fitted.weights.iter().map(|weight| format!("{weight:.3}")).collect();
    console::say(&format!("{name}: constant {:.3}, signs [{}]", fitted.constant, weights.join(", ")));
    let areas: Vec<String> = held_out.iter().map(|(set, area)| format!("{set} {area:.3}")).collect();
    console::say(&format!("area under the curve on the half not fitted on: {}", areas.join(", ")));
    let mut table = console::table(&["set", "kind", "supported", "pairs", "let through"]);
    for kind in kinds {
        let supported = if kind.supported { "yes" } else { "no" };
        let note = if kind.fitted { "" } else { " (not fitted on)" };
        table.add_row([
            kind.set.clone(),
            format!("{}{note}", kind.kind),
            supported.to_owned(),
            kind.pairs.to_string(),
            format!("{:.3}", kind.let_through),
        ]);
    }
    console::say(&format!("{table}\n"));
}
