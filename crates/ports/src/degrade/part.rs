//! Any part behind any port: asked through its breaker, and in bounded time.
//!
//! A part that failed too often is not asked, and the error says so. What is the caller's own mistake counts for nothing.
//! A call ends with the part's own time limit or with the request's, whichever comes first; what the request had no time
//! for is not the part's failure.

use std::sync::Arc;
use std::time::Duration;

use super::deadline::Deadline;
use super::error::{OwnFault, PartError};
use super::services::{Call, ServiceBreaker};
use crate::clock::{self, Instant};

/// One for each part that a question asks. Cheap to clone: clones share the part and its breaker.
pub struct Part<Port: ?Sized> {
    port: Arc<Port>,
    breaker: Option<ServiceBreaker>,
    /// How long whoever asks waits at most; none where the part keeps to a time of its own.
    patience: Option<Duration>,
}

impl<Port: ?Sized> Clone for Part<Port> {
    fn clone(&self) -> Self {
        Self { port: Arc::clone(&self.port), breaker: self.breaker.clone(), patience: self.patience }
    }
}

impl<Port: ?Sized> Part<Port> {
    /// Wraps a port without a breaker and without a time limit of its own.
    pub fn bare(port: Arc<Port>) -> Self {
        Self { port, breaker: None, patience: None }
    }

    /// Wraps a port without a breaker, for callers that ask it once.
    pub fn patient(port: Arc<Port>, patience: Duration) -> Self {
        Self { port, breaker: None, patience: Some(patience) }
    }

    pub fn guarded(port: Arc<Port>, breaker: ServiceBreaker) -> Self {
        let patience = Some(breaker.patience());
        Self { port, breaker: Some(breaker), patience }
    }

    /// The same part, asked through this breaker.
    #[must_use]
    pub fn behind(self, breaker: ServiceBreaker) -> Self {
        Self::guarded(self.port, breaker)
    }

    /// Another in its place that may ask it, under the same breaker and time limit.
    #[must_use]
    pub fn replaced(self, with: impl FnOnce(Arc<Port>) -> Arc<Port>) -> Self {
        Self { port: with(self.port), ..self }
    }

    /// How long one call of it may take; none where it keeps to a time of its own.
    pub fn patience(&self) -> Option<Duration> {
        self.patience
    }

    /// Returns the port, for what it says of itself, such as its name. To ask it for anything through this is to go
    /// around its breaker.
    pub fn port(&self) -> &Port {
        &self.port
    }

    /// Asks it, and tells its breaker what became of that.
    pub async fn call<'a, T, Own, Asking>(
        &'a self,
        deadline: Deadline,
        ask: impl FnOnce(&'a Port) -> Asking,
    ) -> Result<T, PartError<Own>>
    where
        Own: OwnFault,
        Asking: Future<Output = Result<T, PartError<Own>>>,
    {
        let limit = self.limit(deadline)?;
        let call = self.begin()?;
        match limit.keep(ask(&self.port)).await {
            Some(outcome) => {
                if let Some(call) = call {
                    call.ended(&outcome);
                }
                outcome
            }
            None => Err(limit.late(call)),
        }
    }

    /// Asks it beside what it is for: that says nothing about how the part is, so its breaker is looked at and not told.
    /// A part that is left alone is not asked for this either.
    pub async fn aside<'a, T, Own, Asking>(
        &'a self,
        deadline: Deadline,
        ask: impl FnOnce(&'a Port) -> Asking,
    ) -> Result<T, PartError<Own>>
    where
        Asking: Future<Output = Result<T, PartError<Own>>>,
    {
        let limit = self.limit(deadline)?;
        if let Some(breaker) = &self.breaker {
            breaker.check().map_err(|refused| PartError::circuit_open(refused.again_in))?;
        }
        limit.keep(ask(&self.port)).await.unwrap_or_else(|| Err(limit.late(None)))
    }

    pub(crate) fn begin<Own>(&self) -> Result<Option<Call>, PartError<Own>> {
        let begun = self.breaker.as_ref().map(ServiceBreaker::begin).transpose();
        begun.map_err(|refused| PartError::circuit_open(refused.again_in))
    }

    /// Beyond the request's time nothing is begun.
    pub(crate) fn limit<Own>(&self, deadline: Deadline) -> Result<Limit, PartError<Own>> {
        let (given, is_the_requests) = match (self.patience, deadline.left()) {
            (Some(patience), Some(left)) if left < patience => (left, true),
            (None, Some(left)) => (left, true),
            (Some(patience), _) => (patience, false),
            (None, None) => return Ok(Limit { ends: None, given: Duration::MAX, is_the_requests: false }),
        };
        if given.is_zero() {
            return Err(PartError::late(given));
        }
        Ok(Limit { ends: clock::now().checked_add(given), given, is_the_requests })
    }
}

/// When a call ends: after the part's own time, or with the request.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// None where it may take as long as it takes.
    pub(crate) ends: Option<Instant>,
    given: Duration,
    is_the_requests: bool,
}

impl Limit {
    pub(crate) async fn keep<T>(&self, asking: impl Future<Output = T>) -> Option<T> {
        match self.ends {
            Some(ends) => clock::by(ends, asking).await,
            None => Some(asking.await),
        }
    }

    /// A part that was not given the time that is due to it has not failed.
    pub(crate) fn late<Own>(&self, call: Option<Call>) -> PartError<Own> {
        match call {
            Some(call) if self.is_the_requests => call.inconclusive(),
            Some(call) => call.failed(),
            None => {}
        }
        PartError::late(self.given)
    }
}
