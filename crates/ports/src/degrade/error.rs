//! Why a part gave no answer: in the same shape for every part, and whose fault it is.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::time::Duration;

use ibidem_words::Fallback;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blame {
    /// The part's own: it counts against it.
    Part,
    /// The caller's, or the operator's: it says nothing about how the part is.
    Others,
}

/// The error of every port, named by what the caller does about it. Only what a port has of its own differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartError<Own> {
    /// Go on without it; it may work the next time. In milliseconds, what it was given.
    Timeout(u64),
    /// Go on without it; nothing was attempted.
    CircuitOpen {
        again_in_ms: u64,
    },
    /// Go on without it; an operator looks at the reason.
    Unavailable(String),
    Own(Own),
}

/// What only one port can say, and what its part is called.
pub trait OwnFault: Error {
    /// The part, as a sentence begins with it.
    const PART: &'static str;
    /// What is said of it before the reason why it does not answer.
    const UNAVAILABLE: &'static str;

    fn blame(&self) -> Blame;
}

/// The error of any port, as a breaker and an answer's flags see it.
pub trait Fault: Display {
    fn blame(&self) -> Blame;

    /// The part was not asked, because it had failed too often.
    fn is_circuit_open(&self) -> bool;

    /// Raises the flag of what is gone without, and one more where the part was not even asked.
    fn raise(&self, flag: Fallback, raised: &mut Vec<Fallback>) {
        flag.raise(raised);
        self.raise_if_not_asked(raised);
    }

    /// Says so where the part was not asked.
    fn raise_if_not_asked(&self, raised: &mut Vec<Fallback>) {
        if self.is_circuit_open() {
            Fallback::CircuitOpen.raise(raised);
        }
    }
}

impl<Own> PartError<Own> {
    pub fn late(after: Duration) -> Self {
        Self::Timeout(milliseconds(after))
    }

    pub fn circuit_open(again_in: Duration) -> Self {
        Self::CircuitOpen { again_in_ms: milliseconds(again_in) }
    }
}

impl<Own: OwnFault> Fault for PartError<Own> {
    fn blame(&self) -> Blame {
        match self {
            Self::Timeout(_) | Self::Unavailable(_) => Blame::Part,
            Self::CircuitOpen { .. } => Blame::Others,
            Self::Own(own) => own.blame(),
        }
    }

    fn is_circuit_open(&self) -> bool {
        matches!(self, Self::CircuitOpen { .. })
    }
}

impl<Own> From<Own> for PartError<Own> {
    fn from(own: Own) -> Self {
        Self::Own(own)
    }
}

impl<Own: OwnFault> Display for PartError<Own> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let part = Own::PART;
        match self {
            Self::Timeout(after) => write!(formatter, "{part} did not answer within {after} ms"),
            Self::CircuitOpen { again_in_ms } => {
                write!(formatter, "{part} is not asked: it failed too often, and is tried again in {again_in_ms} ms")
            }
            Self::Unavailable(reason) => write!(formatter, "{}: {reason}", Own::UNAVAILABLE),
            Self::Own(own) => Display::fmt(own, formatter),
        }
    }
}

impl<Own: OwnFault> Error for PartError<Own> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Own(own) => own.source(),
            _ => None,
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
