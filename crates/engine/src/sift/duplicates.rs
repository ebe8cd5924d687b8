//! Near-duplicates: of two passages that say the same, the better one is enough.

use std::collections::BTreeSet;

use super::dropping;
use crate::words::{Candidate, GateRecord};

/// Keeps candidates in order, dropping each that is more alike to a better one than `most`.
pub(super) fn drop(candidates: Vec<Candidate>, most: Option<f64>, trace: &mut Vec<GateRecord>) -> Vec<Candidate> {
    let Some(most) = most else { return candidates };
    let before = candidates.len();
    let mut kept: Vec<(Candidate, BTreeSet<String>)> = Vec::with_capacity(before);
    for candidate in candidates {
        let shingles = shingles(&candidate.passage.text);
        if !kept.iter().any(|(_, better)| similarity(better, &shingles) > most) {
            kept.push((candidate, shingles));
        }
    }
    trace.push(dropping("duplicates", before - kept.len(), most));
    kept.into_iter().map(|(candidate, _)| candidate).collect()
}

/// Runs of three words, in lower case: alike where the wording is, whatever the spacing.
fn shingles(text: &str) -> BTreeSet<String> {
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    if words.len() < 3 {
        return words.into_iter().collect();
    }
    words.windows(3).map(|run| run.join(" ")).collect()
}

/// Share of common runs among all (Jaccard). Two empty texts are the same.
fn similarity(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let common = one.intersection(other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}
