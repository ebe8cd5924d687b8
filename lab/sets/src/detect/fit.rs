//! Fitting the verifier by words and vectors: which weights tell supported claims from others, on pairs made for it.

use std::collections::BTreeMap;
use std::path::Path;

use ibidem_engine::speak::verify::lexical::LexicalEntailment;
use ibidem_engine::speak::verify::windows::windows_of;
use ibidem_ports::entailment::Pair;
use serde::{Deserialize, Serialize};

use super::score::{area_under_curve, share};
use super::{DetectError, lines};

mod logistic;

pub use logistic::Fitted;

/// A claim, what it is held against, and whether that supports it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ClaimPair {
    /// Sets count alike, however many pairs they have.
    pub set: String,
    pub kind: String,
    pub passages: Vec<String>,
    pub claim: String,
    pub supported: bool,
    /// Others only show how many of their kind get past.
    #[serde(default = "yes")]
    pub fitted: bool,
}

fn yes() -> bool {
    true
}

pub fn claim_pairs(file: &Path) -> Result<Vec<ClaimPair>, DetectError> {
    lines(file, "a claim with its passages", 0, |line| serde_json::from_str(line).map_err(|error| error.to_string()))
}

/// The signs of a claim against each window of its passages.
pub type Windows = Vec<[f64; SIGNS]>;
pub const SIGNS: usize = 6;

/// A pair with its signs.
#[derive(Clone, Debug, Serialize)]
pub struct Observed {
    pub pair: ClaimPair,
    pub windows: Windows,
}

/// Pairs whose claim has no word that could be supported are left out.
pub async fn observe(entailment: &LexicalEntailment, pairs: Vec<ClaimPair>, mut done: impl FnMut()) -> Vec<Observed> {
    let mut observed = Vec::with_capacity(pairs.len());
    for pair in pairs {
        let passages: Vec<&str> = pair.passages.iter().map(String::as_str).collect();
        let windows = windows_of(&passages).into_iter();
        let asked: Vec<Pair> = windows.map(|premise| Pair { premise, claim: pair.claim.clone() }).collect();
        let windows: Windows = entailment.signs(&asked).await.iter().flatten().map(|signs| signs.values()).collect();
        if !windows.is_empty() {
            observed.push(Observed { pair, windows });
        }
        done();
    }
    observed
}

/// What weights do to one kind of pairs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OfKind {
    pub set: String,
    pub kind: String,
    pub supported: bool,
    pub fitted: bool,
    pub pairs: usize,
    /// The share that is let through.
    pub let_through: f64,
}

pub fn by_kind(observed: &[Observed], fitted: &Fitted) -> Vec<OfKind> {
    let mut kinds: BTreeMap<(&str, bool, &str), Vec<&Observed>> = BTreeMap::new();
    for one in observed {
        kinds.entry((&one.pair.set, !one.pair.supported, &one.pair.kind)).or_default().push(one);
    }
    let each = kinds.into_iter().map(|((set, unsupported, kind), pairs)| OfKind {
        set: set.to_owned(),
        kind: kind.to_owned(),
        supported: !unsupported,
        fitted: pairs.iter().all(|one| one.pair.fitted),
        pairs: pairs.len(),
        let_through: share(pairs.iter().filter(|one| fitted.best(&one.windows).0 >= 0.0).count(), pairs.len()),
    });
    each.collect()
}

/// The weights, and how well they tell pairs apart that they were not fitted on: every second pair in turn.
pub fn fit(observed: &[Observed], most_dropped: f64, columns: &[usize]) -> (Fitted, BTreeMap<String, f64>) {
    let fitted_on: Vec<&Observed> = observed.iter().filter(|one| one.pair.fitted).collect();
    let mut held_out: Vec<(&Observed, f64)> = Vec::new();
    for half in 0..2 {
        let (trained, tested): (Vec<_>, Vec<_>) =
            fitted_on.iter().enumerate().partition(|(place, _)| place % 2 == half);
        let trained: Vec<&Observed> = trained.into_iter().map(|(_, one)| *one).collect();
        let weights = logistic::fit(&trained, most_dropped, columns);
        held_out.extend(tested.into_iter().map(|(_, one)| (*one, weights.best(&one.windows).0)));
    }
    let mut areas = BTreeMap::new();
    for (one, _) in &held_out {
        if !areas.contains_key(&one.pair.set) {
            let of_set = held_out.iter().filter(|(other, _)| other.pair.set == one.pair.set);
            let scores: Vec<(bool, f64)> = of_set.map(|(other, score)| (other.pair.supported, *score)).collect();
            areas.insert(one.pair.set.clone(), area_under_curve(&scores));
        }
    }
    (logistic::fit(&fitted_on, most_dropped, columns), areas)
}
