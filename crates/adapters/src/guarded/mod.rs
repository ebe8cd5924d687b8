//! Any part, behind its breaker and in bounded time: a file per port.
//!
//! A part that failed too often is not asked, and its port's error says so. What is the caller's own mistake counts for
//! nothing. A call ends with the part's own time limit, or with the request's, whichever comes first.

pub mod deadline;
mod embedder;
mod entailment;
mod index;
mod language_model;
mod reranker;
mod tokenizer;
mod vocabulary;

use std::time::{Duration, Instant};

use ibidem_words::degrade::{Fault, Refused, ServiceBreaker};

pub use deadline::RequestTime;
pub use embedder::GuardedEmbedder;
pub use entailment::GuardedEntailment;
pub use index::GuardedIndex;
pub use language_model::GuardedModel;
pub use reranker::GuardedReranker;
pub use tokenizer::GuardedTokenizer;
pub use vocabulary::GuardedVocabulary;

/// Lets a call through, or not, and tells the breaker what became of it.
async fn guarded<T, E: Fault>(breaker: &ServiceBreaker, call: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    let limit = TimeLimit::now(breaker.patience());
    if limit.is_over() {
        return Err(E::late(Duration::ZERO));
    }
    let under_way = breaker.begin().map_err(refused)?;
    match tokio::time::timeout_at(limit.ends.into(), call).await {
        Ok(outcome) => {
            under_way.ended(&outcome);
            outcome
        }
        Err(_) if limit.is_the_requests => {
            // It was not given the time that is due to it.
            under_way.said_nothing();
            Err(E::late(limit.given))
        }
        Err(_) => {
            under_way.failed();
            Err(E::late(limit.given))
        }
    }
}

fn refused<E: Fault>(refused: Refused) -> E {
    E::circuit_open(refused.again_in)
}

/// When a call ends: after the part's own time, or with the request.
#[derive(Clone, Copy)]
struct TimeLimit {
    ends: Instant,
    given: Duration,
    is_the_requests: bool,
}

impl TimeLimit {
    fn now(patience: Duration) -> Self {
        match deadline::left() {
            Some(left) if left < patience => Self { is_the_requests: true, ..Self::after(left) },
            _ => Self::after(patience),
        }
    }

    fn after(given: Duration) -> Self {
        Self { ends: Instant::now() + given, given, is_the_requests: false }
    }

    /// The request has no time left: nothing is begun any more.
    fn is_over(self) -> bool {
        self.given.is_zero()
    }
}

#[cfg(test)]
mod tests;
