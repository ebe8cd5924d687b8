//! The second movement: what is thin, doubled or beside the point goes, and a pool that is too thin ends here.

mod duplicates;
mod keywords;

pub use keywords::{same_word, significant_terms};

use std::collections::HashMap;

use duplicates::Distinct;

use crate::policy::SiftRules;
use crate::turn::{Gathered, Sieve, Sifted};
use crate::words::{Candidate, DocumentId, GateRecord, Reason, Refusal, Verdict};

/// Pure: the same pool under the same rules always ends the same way.
pub fn sift(gathered: Gathered) -> Sieve {
    let Gathered { asked, candidates, reranked, background, fallback_reasons, mut warnings, .. } = gathered;
    let rules = asked.policy.rules.sift.clone();
    let noise_floor = if reranked { rules.noise_floor_reranked.or(rules.noise_floor) } else { rules.noise_floor };
    let best =
        candidates.iter().filter(|candidate| candidate.is_measured()).map(Candidate::similarity).reduce(f64::max);

    let mut sieve = Dropping { trace: Vec::new(), dropped: Vec::new() };
    let evidence = sieve.noise_floor(candidates, noise_floor);
    let evidence = sieve.min_similarity(evidence, rules.min_similarity);
    let evidence = sieve.duplicates(evidence, rules.duplicates);
    let mut evidence = sieve.per_document(evidence, rules.per_document);
    let beyond = evidence.split_off(evidence.len().min(asked.question.max_context_chunks));
    sieve.dropped.extend(beyond.into_iter().map(|candidate| ("max_context_chunks", candidate)));
    let Dropping { mut trace, dropped } = sieve;

    let refusal = any_evidence(&evidence, best, noise_floor.into_iter().chain(rules.min_similarity), &mut trace)
        .or_else(|| top1_similarity(&evidence, &rules, &mut trace))
        .map(|(reason, explanation)| Refusal {
            reason,
            explanation,
            suggestions: asked.policy.rules.wording.next_steps.clone(),
        });
    if refusal.is_none() {
        warnings.extend(keywords::warn(&asked.question.query, &evidence, rules.missing_keywords, &mut trace));
    }
    let sifted = Sifted { asked, evidence, dropped, background, fallback_reasons, trace, warnings };
    match refusal {
        Some(refusal) => Sieve::Stopped { sifted, refusal },
        None => Sieve::Through(sifted),
    }
}

fn record(gate: &str, stops: bool, observed: f64, threshold: f64) -> GateRecord {
    let verdict = if stops { Verdict::Stop } else { Verdict::Pass };
    GateRecord { gate: gate.to_owned(), verdict, observed, threshold }
}

/// The gates that look at one candidate at a time.
struct Dropping {
    trace: Vec<GateRecord>,
    dropped: Vec<(&'static str, Candidate)>,
}

impl Dropping {
    /// Keeps what passes. A gate that drops candidates passes as a whole; what it observed is how many it dropped.
    fn gate(
        &mut self,
        gate: &'static str,
        threshold: f64,
        candidates: Vec<Candidate>,
        passes: impl FnMut(&Candidate) -> bool,
    ) -> Vec<Candidate> {
        let (kept, dropped): (Vec<_>, Vec<_>) = candidates.into_iter().partition(passes);
        let observed = dropped.len() as f64;
        self.trace.push(GateRecord { gate: gate.to_owned(), verdict: Verdict::Pass, observed, threshold });
        self.dropped.extend(dropped.into_iter().map(|candidate| (gate, candidate)));
        kept
    }

    fn noise_floor(&mut self, candidates: Vec<Candidate>, floor: Option<f64>) -> Vec<Candidate> {
        let Some(floor) = floor else { return candidates };
        self.gate("noise_floor", floor, candidates, |candidate| candidate.forced || candidate.similarity() >= floor)
    }

    fn min_similarity(&mut self, candidates: Vec<Candidate>, least: Option<f64>) -> Vec<Candidate> {
        let Some(least) = least else { return candidates };
        // Where meaning was not searched there is nothing to compare.
        let passes = |candidate: &Candidate| !candidate.is_measured() || candidate.similarity() >= least;
        self.gate("min_similarity", least, candidates, passes)
    }

    fn duplicates(&mut self, candidates: Vec<Candidate>, most: Option<f64>) -> Vec<Candidate> {
        let Some(most) = most else { return candidates };
        let mut better = Distinct::default();
        self.gate("duplicates", most, candidates, |candidate| better.takes(&candidate.passage.text, most))
    }

    fn per_document(&mut self, candidates: Vec<Candidate>, most: Option<usize>) -> Vec<Candidate> {
        let Some(most) = most else { return candidates };
        let mut seen: HashMap<DocumentId, usize> = HashMap::new();
        self.gate("per_document", most as f64, candidates, |candidate| {
            let count = seen.entry(candidate.passage.passage.document).or_default();
            *count += 1;
            *count <= most
        })
    }
}

/// `best` is the best similarity of all that was found, before anything was dropped.
fn any_evidence(
    evidence: &[Candidate],
    best: Option<f64>,
    thresholds: impl Iterator<Item = f64>,
    trace: &mut Vec<GateRecord>,
) -> Option<(Reason, String)> {
    let stops = evidence.is_empty();
    trace.push(record("evidence", stops, evidence.len() as f64, 1.0));
    let least = thresholds.reduce(f64::max);
    stops.then(|| match best.zip(least) {
        // Something was found, and every bit of it was too far away.
        Some((best, least)) if best < least => (Reason::LowSimilarity, too_far(&shown(best), least)),
        _ => (Reason::NoResults, "No passage was found that bears on the question (0 of at least 1)".to_owned()),
    })
}

fn too_far(observed: &str, threshold: f64) -> String {
    format!("Top-1 similarity ({observed}) below threshold ({})", shown(threshold))
}

fn top1_similarity(evidence: &[Candidate], rules: &SiftRules, trace: &mut Vec<GateRecord>) -> Option<(Reason, String)> {
    let threshold = rules.top1_similarity?;
    let observed = evidence.iter().map(Candidate::similarity).fold(0.0, f64::max);
    let stops = observed < threshold;
    trace.push(record("top1_similarity", stops, observed, threshold));
    stops.then(|| {
        let measured = evidence.iter().any(Candidate::is_measured);
        let observed = if measured { shown(observed) } else { "not measured".to_owned() };
        (Reason::LowSimilarity, too_far(&observed, threshold))
    })
}

/// A number as people read it: two places, or more where two would hide the difference that decided.
fn shown(number: f64) -> String {
    let two = format!("{number:.2}");
    let exact = (two.parse::<f64>().unwrap_or(number) - number).abs() < 5e-5;
    let written = if exact { two } else { format!("{number:.4}") };
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
