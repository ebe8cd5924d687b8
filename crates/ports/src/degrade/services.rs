//! The breakers of all parts by name, each shared by whoever asks its part.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::breaker::{Admission, Breaker, BreakerSettings, Permit};
use super::error::{Blame, Fault};
use crate::clock::{self, Instant};

/// Holds the breakers of all parts. Clones are cheap and share their breakers.
#[derive(Clone)]
pub struct Breakers {
    settings: BreakerSettings,
    services: Services,
}

type Shared = Arc<Mutex<Breaker>>;
type Services = Arc<Mutex<BTreeMap<String, Shared>>>;

impl Breakers {
    pub fn new(settings: BreakerSettings) -> Self {
        Self { settings, services: Services::default() }
    }

    /// The breaker of a part, which whoever asks it waits for no longer than `patience`. A part that was there before
    /// was replaced: it is asked as if nothing had failed, and what was counted stays counted.
    pub fn of(&self, service: &str, patience: Duration) -> ServiceBreaker {
        let fresh = || Arc::new(Mutex::new(Breaker::new(self.settings)));
        let breaker = Arc::clone(locked(&self.services).entry(service.to_owned()).or_insert_with(fresh));
        locked(&breaker).close();
        ServiceBreaker { breaker, patience }
    }

    /// Returns a view of the states for callers that only look.
    pub fn states(&self) -> BreakerStates {
        BreakerStates(Arc::clone(&self.services))
    }
}

/// How all breakers are. Cheap to clone.
#[derive(Clone, Default)]
pub struct BreakerStates(Services);

impl BreakerStates {
    /// Each part by name: 0 for closed, 1 for half-open, 2 for open, and how often it opened.
    pub fn states(&self) -> Vec<(String, u8, u64)> {
        let services = locked(&self.0);
        let states = services.iter().map(|(service, breaker)| {
            let breaker = locked(breaker);
            (service.clone(), breaker.state().as_number(), breaker.trips())
        });
        states.collect()
    }
}

/// Counts the failures of one part and stops calls to it while it fails.
#[derive(Clone)]
pub struct ServiceBreaker {
    breaker: Shared,
    patience: Duration,
}

/// The part is not to be asked now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    pub again_in: Duration,
}

impl ServiceBreaker {
    /// How long whoever asks waits at most.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Asks for leave to ask.
    pub fn begin(&self) -> Result<Call, Refused> {
        let now = clock::now();
        let permit = match locked(&self.breaker).admit(now) {
            Admission::Pass(permit) | Admission::Probe(permit) => permit,
            Admission::Refused { again_in } => return Err(Refused { again_in }),
        };
        Ok(Call { of: self.clone(), permit: Some(permit), began: now })
    }

    /// Whether asking would be refused, for what is asked beside and says nothing about the part.
    pub fn check(&self) -> Result<(), Refused> {
        let now = clock::now();
        locked(&self.breaker).refuses(now).map_or(Ok(()), |again_in| Err(Refused { again_in }))
    }
}

/// A call under way. Dropped without a word, it was given up by its caller: that counts against the part when the
/// caller was as patient as is due to it, and otherwise not.
#[must_use = "a call that is dropped counts as given up"]
pub struct Call {
    of: ServiceBreaker,
    permit: Option<Permit>,
    began: Instant,
}

impl Call {
    /// What became of it.
    pub fn ended<T, E: Fault>(self, outcome: &Result<T, E>) {
        match outcome {
            Ok(_) => self.succeeded(),
            Err(error) if error.blame() == Blame::Part => self.failed(),
            Err(_) => self.inconclusive(),
        }
    }

    pub fn succeeded(mut self) {
        if let Some(permit) = self.permit.take() {
            locked(&self.of.breaker).succeeded(permit);
        }
    }

    pub fn failed(mut self) {
        self.fail();
    }

    /// Nothing was learnt about the part.
    pub fn inconclusive(mut self) {
        if let Some(permit) = self.permit.take() {
            locked(&self.of.breaker).abandoned(permit);
        }
    }

    fn fail(&mut self) {
        if let Some(permit) = self.permit.take() {
            let now = clock::now();
            locked(&self.of.breaker).failed(permit, now);
        }
    }

    /// Timers of two layers around the same call start a moment apart: the outer one's end is not to look like impatience.
    fn is_late(&self) -> bool {
        clock::now().saturating_duration_since(self.began) >= self.of.patience * 9 / 10
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.permit.is_some() && self.is_late() {
            self.fail();
        }
        if let Some(permit) = self.permit.take() {
            locked(&self.of.breaker).abandoned(permit);
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
