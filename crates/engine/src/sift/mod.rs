//! The second movement: what is thin, doubled or beside the point goes, and a pool that is too thin ends here.

mod dropping;
mod keywords;
mod pool;
mod sifted;

use ibidem_language::Terms;
use ibidem_words::{Candidate, GateRecord, Refusal, Verdict};

use crate::policy::Gate;
use crate::turn::Gathered;
use dropping::Dropping;
pub(crate) use pool::Finding;
pub use sifted::{Sieve, Sifted};

/// What the gates look at: a pool, and what they must know of how it came about.
pub(crate) struct Pool<'a> {
    pub(crate) terms: Terms,
    pub(crate) most_kept: usize,
    pub(crate) reranked: bool,
    /// 0, or 1 where the first round brought too little and a wider one followed.
    pub(crate) round: u32,
    pub(crate) fallback_reasons: &'a [String],
    /// Best first.
    pub(crate) candidates: Vec<Candidate>,
}

/// What the gates left, and how each of them found it.
pub(crate) struct Strained {
    pub(crate) kept: Vec<Candidate>,
    pub(crate) dropped: Vec<(&'static str, Candidate)>,
    pub(crate) trace: Vec<GateRecord>,
    pub(crate) warnings: Vec<String>,
    pub(crate) finding: Finding,
}

/// Pure: the same pool under the same gates always ends the same way.
pub(crate) fn strain(gates: &[Gate], pool: Pool<'_>) -> Strained {
    let Pool { terms, most_kept, reranked, round, fallback_reasons, candidates } = pool;
    let mut dropping = Dropping::new(terms, most_kept, reranked, candidates);
    let best = dropping.kept.iter().map(Candidate::similarity).reduce(f64::max);
    let mut warnings = Vec::new();
    let mut finding = Finding::Passes;
    let mut is_looked_at = false;
    for gate in gates {
        if dropping.applies(gate) {
            continue;
        }
        // The first gate that looks at the pool as a whole: from here on there must be one.
        if !std::mem::replace(&mut is_looked_at, true) {
            finding = pool::any_evidence(&mut dropping, best);
        }
        if matches!(finding, Finding::Passes) {
            finding = pool::look(gate, &mut dropping, round, fallback_reasons, &mut warnings);
        }
    }
    dropping.keep_best();
    // A gate that drops may stand behind the last that looked: nothing is ever said from nothing.
    if !is_looked_at || (matches!(finding, Finding::Passes) && dropping.kept.is_empty()) {
        finding = pool::any_evidence(&mut dropping, best);
    }
    let Dropping { kept, dropped, trace, .. } = dropping;
    Strained { kept, dropped, trace, warnings, finding }
}

pub fn sift(gathered: Gathered) -> Sieve {
    let Gathered { asked, candidates, reranked, background, mut log, search } = gathered;
    let policy = asked.policy.clone();
    let pool = Pool {
        terms: Terms::of(&asked.question.query),
        most_kept: asked.question.max_context_chunks,
        reranked,
        round: search.round,
        fallback_reasons: &log.fallback_reasons,
        candidates,
    };
    let strained = strain(&policy.rules.sift.gates, pool);
    let Strained { kept: evidence, dropped, trace, warnings: of_gates, finding } = strained;
    log.warnings.extend(of_gates);
    log.trace = trace;
    let next_steps = policy.rules.wording.next_steps.clone();
    let refusal = |reason, explanation| Refusal { reason, explanation, suggestions: next_steps };
    let sifted = Sifted::new(asked, evidence, dropped, background, log);
    match finding {
        Finding::Passes => Sieve::Through(sifted),
        Finding::Refuses(reason, explanation) => Sieve::Stopped { sifted, refusal: refusal(reason, explanation) },
        Finding::AsksBack { reason, explanation, text, ask_for } => {
            let refusal = Refusal { reason, explanation, suggestions: ask_for };
            Sieve::Unclear { sifted, refusal, text }
        }
        Finding::TriesAgain(reason, explanation) => Sieve::Thin { sifted, refusal: refusal(reason, explanation) },
    }
}

/// How a gate that may stop found the pool.
fn record(gate: &str, stops: bool, observed: f64, threshold: f64) -> GateRecord {
    let verdict = if stops { Verdict::Stop } else { Verdict::Pass };
    GateRecord { gate: gate.to_owned(), verdict, observed, threshold }
}

/// A number as people read it: two places, or more where two would hide the difference that decided.
fn shown(number: f64) -> String {
    let two = format!("{number:.2}");
    let exact = (two.parse::<f64>().unwrap_or(number) - number).abs() < 5e-5;
    let written = if exact { two } else { format!("{number:.4}") };
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The names gates have in policies and traces.
fn name(gate: &Gate) -> &'static str {
    match gate {
        Gate::NoiseFloor(_) => "noise_floor",
        Gate::MinSimilarity(_) => "min_similarity",
        Gate::Duplicates(_) => "duplicates",
        Gate::PerDocument(_) => "per_document",
        Gate::Collections(_) => "collections",
        Gate::KeepBest(_) => "max_context_chunks",
        Gate::Top1Similarity(_) => "top1_similarity",
        Gate::NoContext(_) => "no_context",
        Gate::RetrievalConfidence(_) => "retrieval_confidence",
        Gate::Coverage(_) => "coverage",
        Gate::MissingKeywords(_) => "keywords",
    }
}

#[cfg(test)]
mod tests;
