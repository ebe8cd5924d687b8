//! What a list of gates says that cannot be meant, and what in it can never have an effect.

use super::{Gate, Look};

/// What cannot be meant: a policy file that says so is not read.
pub(crate) fn contradictions(gates: &[Gate]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, share) in gates.iter().flat_map(|gate| gate.rule().shares()) {
        if !(0.0..=1.0).contains(&share) {
            found.push(format!("sift.{name} must be between 0 and 1"));
        }
    }
    found.extend(gates.iter().flat_map(|gate| gate.rule().contradictions()));
    let is_doubled = |(at, gate): (usize, &Gate)| gates[..at].iter().any(|other| other.name() == gate.name());
    if gates.iter().enumerate().any(is_doubled) {
        found.push("sift: a gate stands there twice: which of its numbers counts?".to_owned());
    }
    found
}

/// What can never have an effect, or an effect that nobody can mean. A policy file that says so is read all the same.
pub fn warnings(gates: &[Gate]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, gate) in gates.iter().enumerate() {
        let before = &gates[..at];
        found.extend(gate.rule().without_effect_after(before));
        found.extend(drops_too_late(gate, before));
    }
    found.extend(gates.iter().flat_map(|gate| gate.rule().without_effect_among(gates)));
    found
}

/// A gate that may drop everything, behind one that has looked at the pool as a whole.
fn drops_too_late(gate: &Gate, before: &[Gate]) -> Option<String> {
    let may_drop_all = match gate.look() {
        Look::AtEach(gate) => gate.may_drop_all(),
        Look::AtAll(_) => false,
    };
    let looked = before.iter().find(|other| matches!(other.look(), Look::AtAll(_)))?;
    may_drop_all.then(|| {
        format!(
            "sift.gates: {} drops after {} has looked: what is left may be nothing, and no gate sees it",
            gate.name(),
            looked.name()
        )
    })
}

/// A least similarity that a gate before it demands already.
pub(super) fn never_decides(setting: &str, number: f64, before: &[Gate]) -> Option<String> {
    let demanded = before.iter().filter_map(|gate| Some((gate.name(), gate.least_similarity()?)));
    // Of equals the first.
    let (name, least) = demanded.reduce(|strictest, next| if next.1 > strictest.1 { next } else { strictest })?;
    (number <= least).then(|| {
        format!(
            "{setting} ({number}) is not above sift.{name} ({least}), which stands before it: \
             where meaning was searched, what it would stop never gets there"
        )
    })
}

/// A least similarity that everything has.
pub(super) fn demands_nothing(setting: &str, number: f64) -> Option<String> {
    (number == 0.0).then(|| {
        format!("{setting} is 0: next to nothing is below it; leaving the gate out says openly that it is off")
    })
}
