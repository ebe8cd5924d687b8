//! The third movement: what is thin, doubled or beside the point goes, and a pool that is too thin ends here.

mod evidence;
mod sifted;

use crate::candidate::Candidate;
use ibidem_language::Terms;
use ibidem_words::{GateRecord, Reason, Refusal, Verdict};

use crate::gates::pool::WorkingPool;
pub(crate) use crate::gates::pool::{Finding, Pool};
use crate::gates::{ChecksPool, Gate, Look, keep_best};
use crate::policy::{Answerability, SiftRules};
use crate::turn::Gathered;
pub use sifted::{SiftOutcome, Sifted};

/// What the gates left, and how each of them found it.
pub(crate) struct GatesOutcome {
    pub(crate) kept: Vec<Candidate>,
    pub(crate) dropped: Vec<(&'static str, Candidate)>,
    pub(crate) trace: Vec<GateRecord>,
    pub(crate) warnings: Vec<String>,
    pub(crate) finding: Finding,
}

/// Pure: the same pool under the same rules always ends the same way.
pub(crate) fn run_gates(rules: &SiftRules, pool: Pool<'_>) -> GatesOutcome {
    let mut pool = WorkingPool::new(pool, rules.named_share);
    let mut finding = Finding::Passes;
    let mut is_checked = false;
    for gate in &rules.gates {
        if pool.reranked && rules.is_left_to_reader(gate) {
            pool.leave_out(gate.name(), Verdict::LeftToReader);
            continue;
        }
        match gate.look() {
            Look::AtEach(gate) => gate.drop_from(&mut pool),
            Look::AtAll(checks) => {
                // The first gate that looks at the pool as a whole: from here on there must be one.
                if !std::mem::replace(&mut is_checked, true) {
                    finding = evidence::any(&mut pool);
                }
                finding = match finding {
                    Finding::Passes => check(rules, gate, checks, &mut pool),
                    // A wider search is worth it only where nothing else stops.
                    Finding::TriesAgain(..) if pool.gates_look_alone => match check(rules, gate, checks, &mut pool) {
                        Finding::Passes | Finding::TriesAgain(..) => finding,
                        stops => stops,
                    },
                    stops => stops,
                };
            }
        }
    }
    keep_best::keep_best(&mut pool);
    // A gate that drops may stand behind the last that looked: nothing is ever said from nothing.
    let may_answer = match finding {
        Finding::Passes => true,
        Finding::TriesAgain(..) => pool.gates_look_alone,
        Finding::Refuses(..) | Finding::AsksBack { .. } => false,
    };
    if !is_checked || (may_answer && pool.kept.is_empty()) {
        finding = evidence::any(&mut pool);
    }
    let WorkingPool { kept, dropped, trace, warnings, .. } = pool;
    GatesOutcome { kept, dropped, trace, warnings, finding }
}

/// Where the policy asks a reader too, a gate that could not measure stops: the reader's word does not stand in for it.
fn check(rules: &SiftRules, gate: &Gate, checks: &dyn ChecksPool, pool: &mut WorkingPool<'_>) -> Finding {
    let asks_reader = rules.rules_of::<Answerability>().next().is_some();
    let unmeasured = if asks_reader && gate.measures_similarity() { pool.unmeasured(gate.name()) } else { None };
    unmeasured.unwrap_or_else(|| checks.check(pool))
}

pub fn sift(gathered: Gathered) -> SiftOutcome {
    let Gathered { asked, candidates, reranked, background, mut log, search, confirmed_since: _ } = gathered;
    let policy = asked.policy.clone();
    let pool = Pool {
        terms: Terms::of(&asked.question.query),
        most_kept: asked.question.max_context_chunks,
        reranked,
        round: search.round,
        fallback_reasons: &log.fallback_reasons,
        unread: log.unread.as_deref(),
        gates_look_alone: true,
        candidates,
    };
    let outcome = run_gates(&policy.rules.sift, pool);
    let GatesOutcome { kept: evidence, dropped, trace, warnings: of_gates, finding } = outcome;
    log.warnings.extend(of_gates);
    log.trace = trace;
    let next_steps = policy.rules.wording.next_steps.clone();
    let refusal = |reason, explanation| Refusal { reason, explanation, suggestions: next_steps };
    let sifted = Sifted::new(asked, evidence, dropped, background, log);
    match finding {
        Finding::Passes => SiftOutcome::Enough(sifted),
        Finding::Refuses(Reason::RetrievalUnavailable, explanation) => {
            let suggestions = vec![policy.rules.wording.texts().again.clone()];
            SiftOutcome::Refused {
                sifted,
                refusal: Refusal { reason: Reason::RetrievalUnavailable, explanation, suggestions },
            }
        }
        Finding::Refuses(reason, explanation) => SiftOutcome::Refused { sifted, refusal: refusal(reason, explanation) },
        Finding::AsksBack { reason, explanation, text, ask_for } => {
            let refusal = Refusal { reason, explanation, suggestions: ask_for };
            SiftOutcome::Unclear { sifted, refusal, text }
        }
        Finding::TriesAgain(reason, explanation) => {
            SiftOutcome::TooThin { sifted, refusal: refusal(reason, explanation) }
        }
    }
}

#[cfg(test)]
pub(crate) mod fixtures;
#[cfg(test)]
mod tests;
