//! What drops a candidate, what refuses a question, and what warns: the gates, in the policy's order. The words are the
//! gates' own.

use ibidem_engine::policy::{Absent, Gate};

use super::Teller;
use crate::commands::policy::written::is_in;

pub(super) fn tell(teller: &mut Teller<'_>) {
    teller.heading("What drops a candidate, refuses or warns, in this order and before any model runs");
    let gates = &teller.written.policy.rules.sift.gates;
    for line in gates.iter().flat_map(Gate::words) {
        teller.line(&line);
    }
    let left = &teller.written.policy.rules.sift.left_to_reader;
    if !left.is_empty() {
        let line =
            format!("Where the reader has read the passages, these are left out, and it decides: {}.", left.join(", "));
        teller.line(&line);
        teller.explained_keys.insert("sift.left_to_reader".to_owned());
    }
    teller.tell("sift.named_share", |share| {
        format!("A document that the question names needs the share {share} of the threshold of `answerability`.")
    });
    let absent = Gate::all().filter(|(name, _)| gates.iter().all(|gate| gate.name() != *name));
    let mut off = Vec::new();
    for (_, absent) in absent {
        match absent {
            Absent::Off(called) => off.push(called),
            Absent::Still(words) => teller.line(words),
        }
    }
    teller.line("Nothing was found, or nothing is left: `no_results`, or `low_similarity` if all of it was too far.");
    if !off.is_empty() {
        teller.line(&format!("Off here: {}.", off.join(", ")));
    }
    let known = |setting: &str| Gate::all().any(|(name, _)| is_in(setting, &format!("sift.{name}")));
    let of_gates: Vec<String> = teller.written.settings.keys().filter(|setting| known(setting)).cloned().collect();
    teller.explained_keys.extend(of_gates);
    let others = teller.written.settings.keys().filter(|setting| setting.starts_with("sift."));
    if others.into_iter().any(|setting| !teller.explained_keys.contains(setting)) {
        teller.heading("Further gates");
        teller.as_written("sift");
    }
}
