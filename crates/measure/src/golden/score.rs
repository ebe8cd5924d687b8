//! The figures of a run.

use std::collections::BTreeMap;

use ibidem_words::Reason;
use serde::{Deserialize, Serialize};

use super::halves::Half;
use super::is_about_evidence;
use super::judged::Judged;
use super::run::{Measured, rounded};
use crate::metrics::percentile;

/// How a group of questions did. A share of nothing is null.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Score {
    /// Of the answered, the share that was answered from what it is to be answered from.
    pub precision: Option<f64>,
    /// Of those that are to be answered, the share that was answered so.
    pub recall: Option<f64>,
    pub f1: Option<f64>,
    pub count: usize,
    /// With the outcome they must have, whatever it is.
    pub right: usize,
}

/// So many of so many.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Share {
    pub count: usize,
    pub of: usize,
    pub rate: f64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Abstention {
    /// Of all questions.
    pub rate: f64,
    pub by_reason: BTreeMap<String, usize>,
}

/// In milliseconds, of one question after the other. They say how long this machine took: no check compares them.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Latency {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

/// So many questions that must become one thing became another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Confused {
    pub expected: String,
    pub actual: String,
    pub count: usize,
}

impl Confused {
    /// Where nothing answers a question, any reason that is about the evidence is the right one.
    pub fn is_right(&self) -> bool {
        let about_evidence =
            |name: &str| Reason::ALL.into_iter().any(|reason| is_about_evidence(reason) && reason.as_str() == name);
        self.expected == self.actual || (about_evidence(&self.expected) && about_evidence(&self.actual))
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Metrics {
    pub overall: Score,
    pub by_collection: BTreeMap<String, Score>,
    pub by_category: BTreeMap<String, Score>,
    /// The half that thresholds were chosen by, and the one they were not.
    pub by_half: BTreeMap<Half, Score>,
    pub abstention: Abstention,
    /// Of those that are to be answered, refused or asked back.
    pub false_refusals: Share,
    /// Of those that must not be answered, answered.
    pub hallucinations: Share,
    /// Of the answers about terms, those that are not the vocabulary's own.
    pub terminology_hallucination: Share,
    /// Of the sentences of all answers, those with a marker that leads to a citation.
    pub citation_compliance: Share,
    pub latency: Latency,
    pub confusion: Vec<Confused>,
}

impl Metrics {
    pub fn of(measured: &[Measured]) -> Self {
        let all: Vec<&Measured> = measured.iter().collect();
        let to_answer = || measured.iter().filter(|one| !one.expected.abstain);
        let to_refuse = || measured.iter().filter(|one| one.expected.abstain);
        let judged = |judged: Judged| measured.iter().filter(move |one| one.judged == judged).count();
        let terms = || measured.iter().filter_map(|one| one.vocabularys_own);
        let sentences = |of: fn(&Measured) -> usize| measured.iter().map(of).sum();
        Self {
            overall: Score::of(&all),
            by_collection: by_collection(measured),
            by_category: grouped(measured, |one| one.category.to_string()),
            by_half: grouped(measured, |one| one.half),
            abstention: abstention(measured),
            false_refusals: Share::of(judged(Judged::FalseRefusal), to_answer().count()),
            hallucinations: Share::of(judged(Judged::FalseAnswer), to_refuse().count()),
            terminology_hallucination: Share::of(terms().filter(|own| !own).count(), terms().count()),
            citation_compliance: Share::of(sentences(|one| one.sentences.cited), sentences(|one| one.sentences.all)),
            latency: latency(measured),
            confusion: confusion(measured),
        }
    }
}

impl Score {
    pub fn of(measured: &[&Measured]) -> Self {
        let answered = measured.iter().filter(|one| one.actual.is_answered()).count();
        let to_answer = measured.iter().filter(|one| !one.expected.abstain).count();
        Self::from_counts(measured, answered, to_answer)
    }

    fn from_counts(measured: &[&Measured], answered: usize, to_answer: usize) -> Self {
        let rightly = measured.iter().filter(|one| one.judged == Judged::Answered).count();
        let (precision, recall) = (share(rightly, answered), share(rightly, to_answer));
        let f1 = precision.zip(recall).map(|(precision, recall)| {
            let sum = precision + recall;
            if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum }
        });
        Self {
            precision: precision.map(rounded),
            recall: recall.map(rounded),
            f1: f1.map(rounded),
            count: measured.len(),
            right: measured.iter().filter(|one| one.judged.is_right()).count(),
        }
    }
}

impl Share {
    pub fn of(count: usize, of: usize) -> Self {
        Self { count, of, rate: rounded(share(count, of).unwrap_or(0.0)) }
    }
}

/// A question belongs to the collections it is to be answered from. One that must not be answered, and belongs to none,
/// counts where it was answered from: those answers are wrong there.
fn by_collection(measured: &[Measured]) -> BTreeMap<String, Score> {
    let mut groups: BTreeMap<String, Vec<&Measured>> = BTreeMap::new();
    for one in measured {
        for collection in collections_of(one) {
            groups.entry(collection).or_default().push(one);
        }
    }
    groups.into_iter().map(|(collection, group)| (collection, Score::of(&group))).collect()
}

fn collections_of(one: &Measured) -> Vec<String> {
    if !one.expected.doc_types.is_empty() {
        return one.expected.doc_types.clone();
    }
    match one.expected.route.collection() {
        Some(collection) => vec![collection.to_owned()],
        None => one.actual.doc_types.clone(),
    }
}

fn grouped<K: Ord>(measured: &[Measured], of: impl Fn(&Measured) -> K) -> BTreeMap<K, Score> {
    let mut groups: BTreeMap<K, Vec<&Measured>> = BTreeMap::new();
    for one in measured {
        groups.entry(of(one)).or_default().push(one);
    }
    groups.into_iter().map(|(name, group)| (name, Score::of(&group))).collect()
}

fn abstention(measured: &[Measured]) -> Abstention {
    let mut by_reason = BTreeMap::new();
    for one in measured.iter().filter(|one| !one.actual.is_answered()) {
        *by_reason.entry(actual_outcome(one)).or_default() += 1;
    }
    let abstained: usize = by_reason.values().sum();
    Abstention { rate: rounded(share(abstained, measured.len()).unwrap_or(0.0)), by_reason }
}

fn confusion(measured: &[Measured]) -> Vec<Confused> {
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for one in measured {
        let expected = one.expected.reason.map_or("answered", |reason| reason.as_str());
        *counts.entry((expected.to_owned(), actual_outcome(one))).or_default() += 1;
    }
    counts.into_iter().map(|((expected, actual), count)| Confused { expected, actual, count }).collect()
}

fn actual_outcome(one: &Measured) -> String {
    match (one.judged, one.actual.reason) {
        (Judged::WrongSource, _) => "answered from elsewhere".to_owned(),
        _ if one.actual.is_answered() => "answered".to_owned(),
        (_, Some(reason)) => reason.as_str().to_owned(),
        (_, None) => one.actual.action.as_str().to_owned(),
    }
}

fn latency(measured: &[Measured]) -> Latency {
    if measured.is_empty() {
        return Latency::default();
    }
    let mut values: Vec<f64> = measured.iter().map(|one| one.latency_ms).collect();
    let mut at = |share| rounded(percentile(&mut values, share));
    Latency { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1.0) }
}

fn share(count: usize, of: usize) -> Option<f64> {
    (of > 0).then(|| count as f64 / of as f64)
}
