//! The gate that decides: opened, to see what it would be asked about, and closed again at the number that was chosen.

use ibidem_engine::explain::{ExplainedCandidate, Explanation};
use ibidem_engine::policy::{Answerability, CalibratedGate, CollectionThresholds, Policy, Top1Similarity};
use ibidem_words::GateRecord;

/// The gate of a policy that a threshold can be chosen for: the reader's where there is a reader, else one that looks at
/// the pool as a whole.
pub fn deciding(policy: &Policy, has_reader: bool) -> Option<CalibratedGate> {
    let rules = &policy.rules.sift;
    if has_reader && rules.rules_of::<Answerability>().next().is_some() {
        return Some(CalibratedGate::Answerability);
    }
    if rules.rules_of::<Top1Similarity>().next().is_some() {
        return Some(CalibratedGate::Top1Similarity);
    }
    rules.rules_of::<CollectionThresholds>().next().map(|_| CalibratedGate::DistanceThreshold)
}

/// The policy with this gate at this number; it promises nothing any more.
pub fn set(policy: &Policy, gate: CalibratedGate, number: f64) -> Policy {
    let mut policy = policy.clone();
    policy.rules.calibration = None;
    let rules = &mut policy.rules.sift;
    match gate {
        CalibratedGate::Answerability => {
            for threshold in rules.rules_of_mut::<Answerability>() {
                threshold.0 = number;
            }
        }
        CalibratedGate::Top1Similarity => {
            for threshold in rules.rules_of_mut::<Top1Similarity>() {
                threshold.0 = number;
            }
        }
        CalibratedGate::DistanceThreshold => {
            for thresholds in rules.rules_of_mut::<CollectionThresholds>() {
                for own in thresholds.collections.values_mut().chain([&mut thresholds.default]) {
                    own.distance_threshold = number;
                }
            }
        }
    }
    policy
}

/// The policy as if the gate were not there: every other gate decides as it does.
pub fn opened(policy: &Policy, gate: CalibratedGate) -> Policy {
    let open = match gate {
        CalibratedGate::Answerability | CalibratedGate::Top1Similarity => 0.0,
        CalibratedGate::DistanceThreshold => 1.0,
    };
    set(policy, gate, open)
}

/// The gate's own number for a score: what is at least so similar is at most so far away.
pub fn number(gate: CalibratedGate, score: f64) -> f64 {
    match gate {
        CalibratedGate::Answerability | CalibratedGate::Top1Similarity => score,
        CalibratedGate::DistanceThreshold => as_shown(1.0 - score),
    }
}

/// What the gate would look at, of a question that every other gate lets through: it is answered when this reaches the
/// threshold. None where another gate stops it.
pub fn score(gate: CalibratedGate, explanation: &Explanation) -> Option<f64> {
    if explanation.decision.action.is_some() {
        return None;
    }
    match gate {
        CalibratedGate::Answerability | CalibratedGate::Top1Similarity => observed(gate, &explanation.trace),
        CalibratedGate::DistanceThreshold => closest(explanation).map(|closest| as_shown(closest.similarity)),
    }
}

/// What a gate that looks at the pool as a whole observed.
pub(super) fn observed(gate: CalibratedGate, trace: &[GateRecord]) -> Option<f64> {
    let name = gate.to_string();
    trace.iter().find(|record| record.gate == name && record.verdict.has_looked()).map(|record| record.observed)
}

/// The closest of the candidates that would be left if the gate were so strict that it left only one.
pub(super) fn closest(explanation: &Explanation) -> Option<&ExplainedCandidate> {
    let only_crowded_out = ["duplicates", "per_document", "max_context_chunks"];
    let candidates = explanation
        .candidates
        .iter()
        .filter(|candidate| candidate.dropped_by.is_none_or(|gate| only_crowded_out.contains(&gate)));
    // Of equals the first, which is the better one.
    candidates.reduce(|best, next| if next.similarity > best.similarity { next } else { best })
}

/// As gates compare: at four places.
fn as_shown(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}
