//! Whose fault it is that a part gave no answer.

use std::fmt::Display;
use std::time::Duration;

use crate::ports::embedder::EmbedError;
use crate::ports::entailment::EntailmentError;
use crate::ports::index::IndexError;
use crate::ports::language_model::ModelError;
use crate::ports::reranker::RerankError;
use crate::ports::vocabulary::VocabularyError;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The part's own: it counts against it.
    Part,
    /// The caller's, or the operator's: it says nothing about how the part is.
    Others,
}

/// The error of a port, as a breaker sees it.
pub trait Fault: Display {
    fn blame(&self) -> Blame;

    /// The part was not asked, because it had failed too often.
    fn is_circuit_open(&self) -> bool;

    fn circuit_open(again_in: Duration) -> Self;

    fn late(after: Duration) -> Self;
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn no_answer_within(after: Duration) -> String {
    format!("no answer within {} ms", milliseconds(after))
}

/// Every port's error says in the same way that the part was not asked.
macro_rules! circuit_open_is_a_variant {
    () => {
        fn is_circuit_open(&self) -> bool {
            matches!(self, Self::CircuitOpen { .. })
        }

        fn circuit_open(again_in: Duration) -> Self {
            Self::CircuitOpen { again_in_ms: milliseconds(again_in) }
        }
    };
}

impl Fault for EmbedError {
    fn blame(&self) -> Blame {
        match self {
            Self::Unavailable(_) => Blame::Part,
            // A full queue is many callers, and not a model that fails.
            Self::TooLong { .. } | Self::Overloaded | Self::CircuitOpen { .. } => Blame::Others,
        }
    }

    circuit_open_is_a_variant!();

    fn late(after: Duration) -> Self {
        Self::Unavailable(no_answer_within(after))
    }
}

impl Fault for RerankError {
    fn blame(&self) -> Blame {
        match self {
            Self::Unavailable(_) | Self::Timeout(_) | Self::Failed(_) => Blame::Part,
            Self::TooLong(_) | Self::CircuitOpen { .. } => Blame::Others,
        }
    }

    circuit_open_is_a_variant!();

    fn late(after: Duration) -> Self {
        Self::Timeout(milliseconds(after))
    }
}

impl Fault for EntailmentError {
    fn blame(&self) -> Blame {
        match self {
            Self::Unavailable(_) | Self::Timeout(_) | Self::Failed(_) => Blame::Part,
            Self::TooLong(_) | Self::CircuitOpen { .. } => Blame::Others,
        }
    }

    circuit_open_is_a_variant!();

    fn late(after: Duration) -> Self {
        Self::Timeout(milliseconds(after))
    }
}

impl Fault for ModelError {
    fn blame(&self) -> Blame {
        match self {
            Self::Connection(_) | Self::Timeout(_) | Self::Failed(_) => Blame::Part,
            // A server that says what it does not have answers well.
            Self::NotAllowed { .. } | Self::NotServed { .. } | Self::TooLong(_) | Self::CircuitOpen { .. } => {
                Blame::Others
            }
        }
    }

    circuit_open_is_a_variant!();

    fn late(after: Duration) -> Self {
        Self::Timeout(milliseconds(after))
    }
}

impl Fault for VocabularyError {
    fn blame(&self) -> Blame {
        match self {
            Self::Timeout(_) | Self::Unavailable(_) => Blame::Part,
            Self::InvalidTerm | Self::CircuitOpen { .. } => Blame::Others,
        }
    }

    circuit_open_is_a_variant!();

    fn late(after: Duration) -> Self {
        Self::Timeout(milliseconds(after))
    }
}

impl Fault for IndexError {
    fn blame(&self) -> Blame {
        match self {
            Self::Unavailable(_) => Blame::Part,
            Self::Rejected(_) | Self::OtherModel { .. } | Self::Missing | Self::CircuitOpen { .. } => Blame::Others,
        }
    }

    circuit_open_is_a_variant!();

    fn late(after: Duration) -> Self {
        Self::Unavailable(no_answer_within(after))
    }
}
