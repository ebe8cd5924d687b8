//! What a policy says about choosing evidence: the gates, in the order in which they look.

use serde::Deserialize;

use crate::sift::gates::{self, Gate, RuleOfGate};

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiftRules {
    /// Those that drop candidates and those that look at what is left, in the order in which they look.
    pub gates: Vec<Gate>,
}

impl SiftRules {
    /// The rules of one kind of gate; a policy that was checked has at most one.
    pub fn rules_of<R: RuleOfGate>(&self) -> impl Iterator<Item = &R> {
        self.gates.iter().filter_map(R::of)
    }

    /// The same, to change them.
    pub fn rules_of_mut<R: RuleOfGate>(&mut self) -> impl Iterator<Item = &mut R> {
        self.gates.iter_mut().filter_map(R::of_mut)
    }

    /// What can never have an effect, or an effect that nobody can mean.
    pub fn warnings(&self) -> Vec<String> {
        gates::warnings(&self.gates)
    }

    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        found.extend(gates::contradictions(&self.gates));
    }
}
