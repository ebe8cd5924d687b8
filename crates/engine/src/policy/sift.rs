//! What a policy says about choosing evidence: the gates, in the order in which they look.

use serde::Deserialize;

use crate::gates::{self, Answerability, Gate, GateRule as _, RuleOfGate};

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiftRules {
    /// Those that drop candidates and those that look at what is left, in the order in which they look.
    pub gates: Vec<Gate>,
    /// The gates, by their names, that the reader decides instead: they are left out for a pool that it read, where
    /// `answerability` looks. Where no reader is configured they decide; where one is configured and failed, they decide
    /// beside `answerability`, which then lets through only what a curator chose.
    #[serde(default)]
    pub left_to_reader: Vec<String>,
    /// What a document that the question names must reach of the threshold of `answerability`, 0 to 1: the asker says that
    /// it answers, and that counts for something.
    #[serde(default = "named_share")]
    pub named_share: f64,
}

fn named_share() -> f64 {
    0.5
}

impl SiftRules {
    /// Returns the rules of one kind of gate. A policy that was checked has at most one.
    pub fn rules_of<R: RuleOfGate>(&self) -> impl Iterator<Item = &R> {
        self.gates.iter().filter_map(R::of)
    }

    /// The same, to change them.
    pub fn rules_of_mut<R: RuleOfGate>(&mut self) -> impl Iterator<Item = &mut R> {
        self.gates.iter_mut().filter_map(R::of_mut)
    }

    /// Whether a gate is left to the reader, where one has read the pool.
    pub(crate) fn is_left_to_reader(&self, gate: &Gate) -> bool {
        self.left_to_reader.iter().any(|name| name == gate.name())
    }

    /// What can never have an effect, or an effect that nobody can mean.
    pub fn warnings(&self) -> Vec<String> {
        gates::warnings(&self.gates)
    }

    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        found.extend(gates::contradictions(&self.gates));
        let has = |name: &str| self.gates.iter().any(|gate| gate.name() == name);
        let unknown = self.left_to_reader.iter().filter(|name| !has(name));
        found.extend(unknown.map(|name| format!("sift.left_to_reader names {name}, which is none of sift.gates")));
        let answerability = Answerability::name();
        if !self.left_to_reader.is_empty() && !has(answerability) {
            found.push(format!("sift.left_to_reader needs the gate {answerability}: nothing would decide instead"));
        }
        if self.left_to_reader.iter().any(|name| name == answerability) {
            found.push(format!("sift.left_to_reader names {answerability}, which is the reader's own gate"));
        }
    }
}
