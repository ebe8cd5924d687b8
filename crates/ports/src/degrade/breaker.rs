//! A breaker: a part that keeps failing is left alone for a while, and then tried by one caller at a time.

use std::time::Duration;

use crate::clock::Instant;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BreakerSettings {
    /// So many failures in a row open it.
    pub failures_to_open: u32,
    /// How long the breaker stays open before one trial request is let through.
    pub open_for: Duration,
    /// So many tries in a row that succeed close it.
    pub successes_to_close: u32,
}

impl Default for BreakerSettings {
    fn default() -> Self {
        Self { failures_to_open: 5, open_for: Duration::from_secs(30), successes_to_close: 2 }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BreakerState {
    /// Everybody may ask.
    Closed,
    /// One at a time may try.
    HalfOpen,
    /// Nobody asks.
    Open,
}

impl BreakerState {
    /// Returns the state as the number that metrics show.
    pub fn as_number(self) -> u8 {
        match self {
            Self::Closed => 0,
            Self::HalfOpen => 1,
            Self::Open => 2,
        }
    }
}

/// Whether the part may be asked. What became of it is told with the permit, once.
#[derive(PartialEq, Eq, Debug)]
pub enum Admission {
    Pass(Permit),
    /// The only one that tries now.
    Probe(Permit),
    Refused {
        /// Zero while somebody else tries: how that ends decides.
        again_in: Duration,
    },
}

/// Permits one call. It cannot be copied, because a call ends once.
#[derive(PartialEq, Eq, Debug)]
#[must_use = "a breaker that never hears what became of a probe lets no other through"]
pub struct Permit {
    era: u64,
}

/// Time comes from outside.
#[derive(Debug)]
pub struct Breaker {
    settings: BreakerSettings,
    state: State,
    /// Begins anew with every change of state: what was asked before says nothing about now.
    era: u64,
    trips: u64,
}

#[derive(Debug)]
enum State {
    Closed { failures: u32 },
    Open { until: Instant },
    HalfOpen { successes: u32, is_tried: bool },
}

impl Breaker {
    pub fn new(settings: BreakerSettings) -> Self {
        Self { settings, state: State::Closed { failures: 0 }, era: 0, trips: 0 }
    }

    pub fn admit(&mut self, now: Instant) -> Admission {
        match &mut self.state {
            State::Closed { .. } => return Admission::Pass(Permit { era: self.era }),
            State::Open { until } if now < *until => return Admission::Refused { again_in: *until - now },
            State::Open { .. } => self.change(State::HalfOpen { successes: 0, is_tried: true }),
            State::HalfOpen { is_tried: true, .. } => return Admission::Refused { again_in: Duration::ZERO },
            State::HalfOpen { is_tried, .. } => *is_tried = true,
        }
        Admission::Probe(Permit { era: self.era })
    }

    pub fn succeeded(&mut self, Permit { era }: Permit) {
        if era != self.era {
            return;
        }
        match &mut self.state {
            State::Closed { failures } => *failures = 0,
            State::HalfOpen { successes, is_tried } => {
                *successes += 1;
                *is_tried = false;
                if *successes >= self.settings.successes_to_close {
                    self.close();
                }
            }
            State::Open { .. } => {}
        }
    }

    pub fn failed(&mut self, Permit { era }: Permit, now: Instant) {
        if era != self.era {
            return;
        }
        match &mut self.state {
            State::Closed { failures } => {
                *failures += 1;
                if *failures >= self.settings.failures_to_open {
                    self.open(now);
                }
            }
            State::HalfOpen { .. } => self.open(now),
            State::Open { .. } => {}
        }
    }

    /// The caller went away, or what went wrong was the caller's own: nothing was learnt, and somebody else may try.
    pub fn abandoned(&mut self, Permit { era }: Permit) {
        if let State::HalfOpen { is_tried, .. } = &mut self.state
            && era == self.era
        {
            *is_tried = false;
        }
    }

    /// Forgets all failures, because the part was replaced.
    pub fn close(&mut self) {
        self.change(State::Closed { failures: 0 });
    }

    pub fn state(&self) -> BreakerState {
        match self.state {
            State::Closed { .. } => BreakerState::Closed,
            State::HalfOpen { .. } => BreakerState::HalfOpen,
            State::Open { .. } => BreakerState::Open,
        }
    }

    /// Whether a caller would be refused, without asking for a permit.
    pub fn refuses(&self, now: Instant) -> Option<Duration> {
        match self.state {
            State::Open { until } if now < until => Some(until - now),
            State::HalfOpen { is_tried: true, .. } => Some(Duration::ZERO),
            _ => None,
        }
    }

    /// How often it opened, after a failed try too.
    pub fn trips(&self) -> u64 {
        self.trips
    }

    fn open(&mut self, now: Instant) {
        self.trips += 1;
        self.change(State::Open { until: now + self.settings.open_for });
    }

    fn change(&mut self, state: State) {
        self.state = state;
        self.era += 1;
    }
}

#[cfg(test)]
mod tests;
