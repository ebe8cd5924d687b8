//! BM25 in two halves. A passage's half depends on its own text alone and is kept in the index; a query's half is how
//! rare its terms are among the passages that the asker may see. Their product is BM25 over exactly those passages, so
//! that no other document changes a score or an order.

mod analysis;
mod query;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::language::Language;
pub use analysis::Analysis;
pub use query::Query;

/// A term as the index knows it: a hash of its stem.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub u32);

/// Terms, each once and in order, with a number each: what one of the two halves is made of.
pub type TermWeights = Vec<(TermId, f32)>;

/// Saturation of a term that is repeated, and how much the length of a passage counts: the usual values.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Steps that both halves are rounded to, both powers of two. With them every product is a whole number of 1/8192, and
/// every score below 2,048 is exact in 32 bits. A sum of exact numbers does not depend on the order of its parts, which
/// the index chooses by what else it holds: without this, hidden documents could change the last digit of a score.
const PASSAGE_STEPS: f32 = 128.0;
const QUERY_STEPS: f32 = 64.0;

/// How many passages there are in a scope, and how many of them have a term; those that none has are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TermCounts {
    pub passages: u64,
    pub with_term: BTreeMap<TermId, u64>,
}

/// The distinct terms of one document: how many passages it has, and how many of them have each term.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DocumentTerms {
    pub passages: u32,
    pub with_term: BTreeMap<TermId, u32>,
}

/// The query's half: its terms by how rare they are in the scope. A term that no visible passage has is left out.
pub fn weighed(terms: &BTreeSet<TermId>, counts: &TermCounts) -> TermWeights {
    let weight = |term: &TermId| {
        let with_term = *counts.with_term.get(term)?;
        (with_term > 0).then(|| (*term, in_steps(rarity(counts.passages, with_term), QUERY_STEPS)))
    };
    terms.iter().filter_map(weight).collect()
}

/// The query's half where nothing is known about the scope: every term counts alike.
pub fn unweighed(terms: &BTreeSet<TermId>) -> TermWeights {
    terms.iter().map(|term| (*term, 1.0)).collect()
}

/// The score of a passage that repeats terms of these rarities without end: no passage scores more.
fn in_attainable(rarities: f32) -> f32 {
    (K1 + 1.0) * rarities
}

/// The score of a passage for a query: both in order of their terms.
pub fn score(passage: &TermWeights, query: &TermWeights) -> f32 {
    let of_passage: BTreeMap<TermId, f32> = passage.iter().copied().collect();
    query.iter().filter_map(|(term, weight)| Some(weight * of_passage.get(term)?)).sum()
}

/// Okapi's inverse document frequency, in the form that is never negative.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "a weight needs no more digits")]
fn rarity(passages: u64, with_term: u64) -> f32 {
    let (passages, with_term) = (passages.max(with_term) as f64, with_term as f64);
    (1.0 + (passages - with_term + 0.5) / (with_term + 0.5)).ln() as f32
}

/// What a term adds to a passage that has it so often.
fn saturated(times: f32, length: f32, mean_length: f32) -> f32 {
    let weight = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / mean_length));
    in_steps(weight, PASSAGE_STEPS)
}

/// Rounded, and never to nothing.
fn in_steps(value: f32, steps: f32) -> f32 {
    (value * steps).round().max(1.0) / steps
}

#[cfg(test)]
mod tests;
