//! When a request must have ended. It travels with the question, and whoever asks a part for the question hands it on.

use std::time::Duration;

use crate::clock::{self, Instant};

/// The time that a request has, if it is bounded at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadline(Option<Bound>);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Bound {
    at: Instant,
    budget: Duration,
}

impl Deadline {
    /// Whoever asks waits as long as the parts may take: on the command line, and for work that nobody waits for.
    pub const NONE: Self = Self(None);

    /// Sets the deadline so much time from now on.
    pub fn after(budget: Duration) -> Self {
        // What ends after the end of time does not end.
        Self(clock::now().checked_add(budget).map(|at| Bound { at, budget }))
    }

    /// The same, or this moment where that comes first.
    #[must_use]
    pub fn or_at(self, moment: Instant) -> Self {
        match self.0 {
            Some(bound) if bound.at <= moment => self,
            _ => Self(Some(Bound { at: moment, budget: moment.saturating_duration_since(clock::now()) })),
        }
    }

    /// What is left of it; none where it is not bounded.
    pub fn left(&self) -> Option<Duration> {
        self.0.map(|bound| bound.at.saturating_duration_since(clock::now()))
    }

    pub fn is_over(&self) -> bool {
        self.left().is_some_and(|left| left.is_zero())
    }

    /// All the time that the request had, and when that is over.
    pub fn budget(&self) -> Option<(Duration, Instant)> {
        self.0.map(|bound| (bound.budget, bound.at))
    }
}
