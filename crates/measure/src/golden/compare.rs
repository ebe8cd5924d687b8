//! Two runs beside each other: what changed, and whether that is a loss that must not pass unnoticed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::judged::Judged;
use super::results::Results;
use super::score::{Metrics, Score};

/// A figure before and after. None where there was nothing to make it of.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Figure {
    pub name: String,
    pub before: Option<f64>,
    pub after: Option<f64>,
}

impl Figure {
    pub fn change(&self) -> Option<f64> {
        self.before.zip(self.after).map(|(before, after)| after - before)
    }
}

/// A question whose outcome is another one now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Flipped {
    pub id: String,
    pub query: String,
    pub before: Judged,
    pub after: Judged,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Difference {
    /// Figures of other questions, or of the same under other settings, cannot be compared as if nothing had changed.
    pub same_questions: bool,
    pub same_config: bool,
    pub figures: Vec<Figure>,
    pub by_collection: Vec<Figure>,
    pub flipped: Vec<Flipped>,
    /// In only one of the two.
    pub unpaired: Vec<String>,
}

impl Difference {
    pub fn between(before: &Results, after: &Results) -> Self {
        let (flipped, unpaired) = flipped(before, after);
        Self {
            same_questions: before.meta.golden_set_blob == after.meta.golden_set_blob,
            same_config: before.meta.config_hash == after.meta.config_hash,
            figures: figures(&before.metrics, &after.metrics),
            by_collection: by_collection(&before.metrics, &after.metrics),
            flipped,
            unpaired,
        }
    }
}

fn figures(before: &Metrics, after: &Metrics) -> Vec<Figure> {
    let figure = |name: &str, of: &dyn Fn(&Metrics) -> Option<f64>| Figure {
        name: name.to_owned(),
        before: of(before),
        after: of(after),
    };
    vec![
        figure("precision", &|metrics| metrics.overall.precision),
        figure("recall", &|metrics| metrics.overall.recall),
        figure("f1", &|metrics| metrics.overall.f1),
        figure("abstention", &|metrics| Some(metrics.abstention.rate)),
        figure("false refusals", &|metrics| Some(metrics.false_refusals.rate)),
        figure("hallucinations", &|metrics| Some(metrics.hallucinations.rate)),
        figure("terminology hallucination", &|metrics| Some(metrics.terminology_hallucination.rate)),
        figure("citation compliance", &|metrics| Some(metrics.citation_compliance.rate)),
        figure("p95 latency, ms", &|metrics| Some(metrics.latency.p95)),
    ]
}

fn by_collection(before: &Metrics, after: &Metrics) -> Vec<Figure> {
    let names: BTreeSet<&String> = before.by_collection.keys().chain(after.by_collection.keys()).collect();
    let mut figures = Vec::new();
    for name in names {
        for (what, of) in [
            ("precision", (|score: &Score| score.precision) as fn(&Score) -> Option<f64>),
            ("recall", |score: &Score| score.recall),
        ] {
            let figure = |metrics: &Metrics| metrics.by_collection.get(name).and_then(of);
            figures.push(Figure { name: format!("{name} {what}"), before: figure(before), after: figure(after) });
        }
    }
    figures
}

fn flipped(before: &Results, after: &Results) -> (Vec<Flipped>, Vec<String>) {
    let old: BTreeMap<&str, Judged> = before.questions.iter().map(|one| (one.id.as_str(), one.judged)).collect();
    let new: BTreeSet<&str> = after.questions.iter().map(|one| one.id.as_str()).collect();
    let mut unpaired: Vec<String> = old.keys().filter(|id| !new.contains(*id)).map(|id| (*id).to_owned()).collect();
    let mut flipped = Vec::new();
    for one in &after.questions {
        match old.get(one.id.as_str()) {
            None => unpaired.push(one.id.clone()),
            Some(judged) if *judged != one.judged => flipped.push(Flipped {
                id: one.id.clone(),
                query: one.query.clone(),
                before: *judged,
                after: one.judged,
            }),
            Some(_) => {}
        }
    }
    (flipped, unpaired)
}

/// How much may be lost, in absolute terms: 0.05 is five of a hundred questions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    pub precision: f64,
    pub recall: f64,
    /// How much more often no answer may be given.
    pub abstention: f64,
}

/// Numbers made of the same counts may differ in their last digit.
const ROUNDING: f64 = 1e-9;

/// Everything that got worse by more than is tolerated; nothing when all is well. Speed is not compared: it is the
/// machine's.
pub fn losses(current: &Results, baseline: &Results, tolerance: Tolerance) -> Vec<String> {
    let (now, then) = (&current.metrics, &baseline.metrics);
    let mut losses = Vec::new();
    let mut compare = |name: &str, loss: f64, allowed: f64, before: f64, after: f64| {
        if loss > allowed + ROUNDING {
            losses.push(format!("{name} went from {before:.4} to {after:.4}, by more than {allowed}"));
        }
    };
    // A run that answered nothing has no precision, and has lost all of it.
    let share = |share: Option<f64>| share.unwrap_or(0.0);
    for (name, of, allowed) in [
        ("precision", (|score: &Score| score.precision) as fn(&Score) -> Option<f64>, tolerance.precision),
        ("recall", |score: &Score| score.recall, tolerance.recall),
    ] {
        let (before, after) = (share(of(&then.overall)), share(of(&now.overall)));
        compare(name, before - after, allowed, before, after);
    }
    let (before, after) = (then.abstention.rate, now.abstention.rate);
    compare("the share of questions without an answer", after - before, tolerance.abstention, before, after);
    // These two are promises: nothing of them may be lost.
    let (before, after) = (then.terminology_hallucination.rate, now.terminology_hallucination.rate);
    compare("terminology hallucination", after - before, 0.0, before, after);
    let (before, after) = (then.citation_compliance.rate, now.citation_compliance.rate);
    compare("citation compliance", before - after, 0.0, before, after);
    let missing: Vec<&str> = baseline
        .questions
        .iter()
        .map(|one| one.id.as_str())
        .filter(|id| !current.questions.iter().any(|one| one.id == *id))
        .collect();
    if !missing.is_empty() {
        losses.push(format!("{} questions of the baseline were not asked: {}", missing.len(), missing.join(", ")));
    }
    losses
}
