//! The second movement: what is thin, doubled or beside the point goes, and a pool that is too thin ends here.

mod duplicates;
mod keywords;

pub use keywords::significant_terms;

use std::collections::HashMap;

use crate::policy::SiftRules;
use crate::turn::{Gathered, Sieve, Sifted};
use crate::words::{Candidate, DocumentId, GateRecord, Reason, Refusal, Verdict};

/// Pure: the same pool under the same rules always ends the same way.
pub fn sift(gathered: Gathered) -> Sieve {
    let Gathered { asked, candidates, fallback_reasons } = gathered;
    let rules = asked.policy.rules.sift.clone();
    let mut trace = Vec::new();
    let mut warnings = Vec::new();

    let best =
        candidates.iter().filter(|candidate| candidate.cosine.is_some()).map(Candidate::similarity).reduce(f64::max);
    let evidence = noise_floor(candidates, rules.noise_floor, &mut trace);
    let evidence = min_similarity(evidence, rules.min_similarity, &mut trace);
    let evidence = duplicates::drop(evidence, rules.duplicates, &mut trace);
    let mut evidence = per_document(evidence, rules.per_document, &mut trace);
    evidence.truncate(asked.question.max_context_chunks);

    let refusal = any_evidence(&evidence, best, &rules, &mut trace)
        .or_else(|| top1_similarity(&evidence, &rules, &mut trace))
        .map(|(reason, explanation)| Refusal {
            reason,
            explanation,
            suggestions: asked.policy.rules.wording.next_steps.clone(),
        });
    if refusal.is_none() {
        warnings.extend(keywords::warn(&asked.question.query, &evidence, rules.missing_keywords, &mut trace));
    }
    let sifted = Sifted { asked, evidence, fallback_reasons, trace, warnings };
    match refusal {
        Some(refusal) => Sieve::Stopped { sifted, refusal },
        None => Sieve::Through(sifted),
    }
}

fn record(gate: &str, stops: bool, observed: f64, threshold: f64) -> GateRecord {
    let verdict = if stops { Verdict::Stop } else { Verdict::Pass };
    GateRecord { gate: gate.to_owned(), verdict, observed, threshold }
}

/// A step that drops candidates passes; what it observed is how many it dropped.
fn dropping(gate: &str, dropped: usize, threshold: f64) -> GateRecord {
    GateRecord { gate: gate.to_owned(), verdict: Verdict::Pass, observed: dropped as f64, threshold }
}

fn noise_floor(candidates: Vec<Candidate>, floor: Option<f64>, trace: &mut Vec<GateRecord>) -> Vec<Candidate> {
    let Some(floor) = floor else { return candidates };
    let before = candidates.len();
    let kept: Vec<_> =
        candidates.into_iter().filter(|candidate| candidate.forced || candidate.similarity() >= floor).collect();
    trace.push(dropping("noise_floor", before - kept.len(), floor));
    kept
}

fn min_similarity(candidates: Vec<Candidate>, least: Option<f64>, trace: &mut Vec<GateRecord>) -> Vec<Candidate> {
    let Some(least) = least else { return candidates };
    let before = candidates.len();
    // Where meaning was not searched there is nothing to compare.
    let kept: Vec<_> = candidates
        .into_iter()
        .filter(|candidate| candidate.cosine.is_none() || candidate.similarity() >= least)
        .collect();
    trace.push(dropping("min_similarity", before - kept.len(), least));
    kept
}

fn per_document(candidates: Vec<Candidate>, most: Option<usize>, trace: &mut Vec<GateRecord>) -> Vec<Candidate> {
    let Some(most) = most else { return candidates };
    let before = candidates.len();
    let mut seen: HashMap<DocumentId, usize> = HashMap::new();
    let kept: Vec<_> = candidates
        .into_iter()
        .filter(|candidate| {
            let count = seen.entry(candidate.passage.passage.document).or_default();
            *count += 1;
            *count <= most
        })
        .collect();
    trace.push(dropping("per_document", before - kept.len(), most as f64));
    kept
}

/// `best` is the best similarity of all that was found, before anything was dropped.
fn any_evidence(
    evidence: &[Candidate],
    best: Option<f64>,
    rules: &SiftRules,
    trace: &mut Vec<GateRecord>,
) -> Option<(Reason, String)> {
    let stops = evidence.is_empty();
    trace.push(record("evidence", stops, evidence.len() as f64, 1.0));
    let least = rules.noise_floor.into_iter().chain(rules.min_similarity).reduce(f64::max);
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
        let measured = evidence.iter().any(|candidate| candidate.cosine.is_some());
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
