//! The gates a policy file can name, each in a file of its own. The file has the gate's rule as it is written in a
//! policy file, its look at the pool, its words for people, what it contradicts, and its tests.
//!
//! A new gate is a file here, its `mod` line, and its line in `gates!`. The trait [`GateRule`] says what the file must
//! have; a gate that lacks any of it does not compile.

mod answerability;
mod collections;
mod contradictions;
mod coverage;
mod duplicates;
pub(crate) mod keep_best;
mod min_similarity;
mod missing_keywords;
mod no_context;
mod noise_floor;
mod per_document;
pub(crate) mod pool;
mod retrieval_confidence;
pub(crate) mod top1_similarity;

use serde::Deserialize;

pub use collections::{Thresholds, ThresholdsOverlay};
pub(crate) use contradictions::contradictions;
pub use contradictions::warnings;
use pool::{Finding, WorkingPool};

/// One gate's rule: everything that is known about the gate.
pub(crate) trait GateRule {
    /// Its name in a policy file: the name of its variant in snake case.
    fn name() -> &'static str
    where
        Self: Sized;

    /// What people are told where a policy does not have it.
    fn when_absent() -> Absent
    where
        Self: Sized;

    /// Whether it looks at each candidate for itself, or at the pool as a whole.
    fn look(&self) -> Look<'_>;

    /// What it does with its numbers, in words: a line or more of `ibidem policy explain`.
    fn words(&self) -> Vec<String>;

    /// Every number of it that must be between 0 and 1, by its name in a policy file.
    fn shares(&self) -> Vec<(&'static str, f64)>;

    /// What in itself cannot be meant: a policy file that says so is not read.
    fn contradictions(&self) -> Vec<String> {
        Vec::new()
    }

    /// What has no effect because of the gates that stand before it. `ibidem policy check` warns of it.
    fn without_effect_after(&self, _before: &[Gate]) -> Vec<String> {
        Vec::new()
    }

    /// What has no effect wherever it stands among these gates. `ibidem policy check` warns of it.
    fn without_effect_among(&self, _gates: &[Gate]) -> Vec<String> {
        Vec::new()
    }

    /// Whether it stops by how similar the passages are: where that could not be measured, it does.
    fn measures_similarity(&self) -> bool {
        false
    }

    /// The least similarity of the best that is left behind it, if it demands one.
    fn least_similarity(&self) -> Option<f64> {
        None
    }
}

/// How a gate looks.
pub(crate) enum Look<'a> {
    AtEach(&'a dyn DropsCandidates),
    AtAll(&'a dyn ChecksPool),
}

/// A gate that looks at each candidate for itself. Pure.
pub(crate) trait DropsCandidates {
    fn drop_from(&self, pool: &mut WorkingPool<'_>);

    /// Whether it may leave nothing of a pool that had something.
    fn may_drop_all(&self) -> bool;
}

/// A gate that looks at the pool as a whole, which has at least one candidate. Pure.
pub(crate) trait ChecksPool {
    fn check(&self, pool: &mut WorkingPool<'_>) -> Finding;
}

/// What is so where a policy does not have a gate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Absent {
    /// It is off; this is what it is called.
    Off(&'static str),
    /// This is done all the same.
    Still(&'static str),
}

/// A rule that some gate has.
pub trait RuleOfGate: Sized + 'static {
    /// None where the gate is another one.
    fn of(gate: &Gate) -> Option<&Self>;

    fn of_mut(gate: &mut Gate) -> Option<&mut Self>;
}

/// The one list of gates: the variant, whose name in snake case is the gate's in a policy file, and the rule's type.
macro_rules! gates {
    ($($variant:ident($module:ident::$rule:ident),)+) => {
        $(pub use $module::$rule;)+

        /// A gate is one rule of a policy file, with its numbers.
        #[derive(Clone, PartialEq, Debug, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Gate {
            $($variant($rule),)+
        }

        impl Gate {
            /// Every gate there is: its name in a policy file, and what is so without it.
            pub fn all() -> impl Iterator<Item = (&'static str, Absent)> {
                [$((<$rule>::name(), <$rule>::when_absent())),+].into_iter()
            }

            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => <$rule>::name(),)+
                }
            }

            fn rule(&self) -> &dyn GateRule {
                match self {
                    $(Self::$variant(rule) => rule,)+
                }
            }
        }

        $(impl RuleOfGate for $rule {
            fn of(gate: &Gate) -> Option<&Self> {
                if let Gate::$variant(rule) = gate { Some(rule) } else { None }
            }

            fn of_mut(gate: &mut Gate) -> Option<&mut Self> {
                if let Gate::$variant(rule) = gate { Some(rule) } else { None }
            }
        })+
    };
}

gates! {
    NoiseFloor(noise_floor::NoiseFloor),
    MinSimilarity(min_similarity::MinSimilarity),
    Duplicates(duplicates::Duplicates),
    PerDocument(per_document::PerDocument),
    Collections(collections::CollectionThresholds),
    KeepBest(keep_best::KeepBest),
    Top1Similarity(top1_similarity::Top1Similarity),
    Answerability(answerability::Answerability),
    NoContext(no_context::NoContext),
    RetrievalConfidence(retrieval_confidence::RetrievalConfidence),
    Coverage(coverage::Coverage),
    MissingKeywords(missing_keywords::MissingKeywords),
}

impl Gate {
    /// What it does with its numbers, in words.
    pub fn words(&self) -> Vec<String> {
        self.rule().words()
    }

    /// The least similarity of the best that is left behind it, if it demands one.
    pub fn least_similarity(&self) -> Option<f64> {
        self.rule().least_similarity()
    }

    /// Whether these names, the gate's first, lead to a number of it that must be between 0 and 1. Of several of a kind
    /// (the thresholds of each collection) only the first and the last name count.
    pub(crate) fn has_share(&self, names: &[String]) -> bool {
        let called = match names {
            [] => return false,
            [gate] => gate.clone(),
            [gate, .., last] => format!("{gate}.{last}"),
        };
        self.rule().shares().iter().any(|(share, _)| *share == called)
    }

    pub(crate) fn measures_similarity(&self) -> bool {
        self.rule().measures_similarity()
    }

    pub(crate) fn look(&self) -> Look<'_> {
        self.rule().look()
    }
}

#[cfg(test)]
mod tests;
