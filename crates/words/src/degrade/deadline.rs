//! When a request must have ended.

use std::time::{Duration, Instant};

/// The time that a request has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deadline {
    pub at: Instant,
    /// Of which that is the end.
    pub budget: Duration,
}

impl Deadline {
    pub fn after(budget: Duration, began: Instant) -> Self {
        Self { at: began + budget, budget }
    }

    pub fn is_over(&self) -> bool {
        Instant::now() >= self.at
    }
}
