//! The gates that look at the pool as a whole.

use ibidem_words::{Candidate, Reason, RetrievalQuality, as_shown};

use super::dropping::Dropping;
use super::{keywords, record, shown};
use crate::policy::{Coverage, Gate, NoContext};

/// What a gate found.
pub(crate) enum Finding {
    Passes,
    Refuses(Reason, String),
    AsksBack { reason: Reason, explanation: String, text: String, ask_for: Vec<String> },
    TriesAgain(Reason, String),
}

/// `best` is the best similarity of all that was found, before anything was dropped.
pub(super) fn any_evidence(pool: &mut Dropping, best: Option<f64>) -> Finding {
    let stops = pool.kept.is_empty();
    pool.trace.push(record("evidence", stops, pool.kept.len() as f64, 1.0));
    if !stops {
        return Finding::Passes;
    }
    if let Some((reason, explanation)) = pool.last_word.take() {
        return Finding::Refuses(reason, explanation);
    }
    match best.zip(pool.strictest) {
        // Something was found, and every bit of it was too far away.
        Some((best, least)) if best < least => Finding::Refuses(Reason::LowSimilarity, too_far(&shown(best), least)),
        _ => {
            let explanation = "No passage was found that bears on the question (0 of at least 1)".to_owned();
            Finding::Refuses(Reason::NoResults, explanation)
        }
    }
}

pub(super) fn look(
    gate: &Gate,
    pool: &mut Dropping,
    round: u32,
    fallback_reasons: &[String],
    warnings: &mut Vec<String>,
) -> Finding {
    match gate {
        Gate::Top1Similarity(threshold) => top1_similarity(pool, *threshold),
        Gate::NoContext(rule) => no_context(pool, rule),
        Gate::Coverage(rule) => coverage(pool, rule, round),
        Gate::RetrievalConfidence(least) => retrieval_confidence(pool, *least, fallback_reasons),
        Gate::MissingKeywords(most_missing) => {
            warnings.extend(keywords::warn(pool, *most_missing));
            Finding::Passes
        }
        _ => Finding::Passes,
    }
}

fn best(pool: &Dropping) -> f64 {
    pool.kept.iter().map(Candidate::similarity).fold(0.0, f64::max)
}

fn too_far(observed: &str, threshold: f64) -> String {
    format!("Top-1 similarity ({observed}) below threshold ({})", shown(threshold))
}

fn top1_similarity(pool: &mut Dropping, threshold: f64) -> Finding {
    let observed = best(pool);
    let stops = observed < threshold;
    pool.trace.push(record("top1_similarity", stops, observed, threshold));
    if !stops {
        return Finding::Passes;
    }
    Finding::Refuses(Reason::LowSimilarity, too_far(&shown(observed), threshold))
}

/// How well the search went, with what its fallbacks cost.
fn retrieval_confidence(pool: &mut Dropping, least: f64, fallback_reasons: &[String]) -> Finding {
    let observed = RetrievalQuality::of(best(pool), fallback_reasons.to_vec()).confidence_score;
    let stops = observed < least;
    pool.trace.push(record("retrieval_confidence", stops, observed, least));
    if !stops {
        return Finding::Passes;
    }
    let explanation = format!("Retrieval confidence ({}) below threshold ({})", shown(observed), shown(least));
    Finding::Refuses(Reason::LowConfidence, explanation)
}

/// Too few, or too weak on the whole: what is missing is asked for, where the policy knows what to ask.
fn no_context(pool: &mut Dropping, rule: &NoContext) -> Finding {
    let hits = pool.kept.len();
    let sum: f64 = pool.kept.iter().map(Candidate::similarity).sum();
    let mean = if hits == 0 { 0.0 } else { as_shown(sum / hits as f64) };
    let (few, weak) = (hits < rule.least_hits, mean < rule.least_mean);
    pool.trace.push(record("no_context_hits", few, hits as f64, rule.least_hits as f64));
    pool.trace.push(record("no_context_mean", weak, mean, rule.least_mean));
    let explanation = match (few, weak) {
        (false, false) => return Finding::Passes,
        (true, _) => format!("Hits ({hits}) below threshold ({})", rule.least_hits),
        (false, true) => format!("Mean similarity ({}) below threshold ({})", shown(mean), shown(rule.least_mean)),
    };
    if rule.ask_for.is_empty() {
        return Finding::Refuses(Reason::LowSimilarity, explanation);
    }
    let lines = rule.ask_for.iter().map(|detail| format!("\n- {detail}"));
    let text = std::iter::once(rule.clarify.trim().to_owned()).chain(lines).collect();
    Finding::AsksBack { reason: Reason::LowSimilarity, explanation, text, ask_for: rule.ask_for.clone() }
}

fn coverage(pool: &mut Dropping, rule: &Coverage, round: u32) -> Finding {
    let observed = best(pool);
    let is_primary =
        |candidate: &&Candidate| rule.primary_kind.is_none() || candidate.passage.kind == rule.primary_kind;
    let primary = pool.kept.iter().filter(is_primary).count();
    let enough_of_kind = primary >= rule.least_of_kind;
    let threshold = if enough_of_kind { rule.sufficient } else { rule.confident };
    let stops = observed < threshold;
    pool.trace.push(record("coverage", stops, observed, threshold));
    if !stops {
        return Finding::Passes;
    }
    let kind =
        rule.primary_kind.as_ref().map_or_else(|| "passages".to_owned(), |kind| format!("passages of the kind {kind}"));
    let explanation = if observed < rule.bail_out {
        format!("Best similarity ({}) below what is worth another look ({})", shown(observed), shown(rule.bail_out))
    } else {
        format!(
            "Best similarity ({}) below threshold ({}) with {primary} of {} {kind}",
            shown(observed),
            shown(threshold),
            rule.least_of_kind
        )
    };
    if observed >= rule.bail_out && round == 0 {
        return Finding::TriesAgain(Reason::LowCoverage, explanation);
    }
    Finding::Refuses(Reason::LowCoverage, explanation)
}
