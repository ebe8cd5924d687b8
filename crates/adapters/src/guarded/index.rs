//! An index that is read behind its breaker, once more where the connection broke.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ibidem_words::Scope;
use ibidem_words::degrade::ServiceBreaker;
use ibidem_words::ports::index::{Index, IndexError, IndexHit, IndexQuery};

use super::guarded;

/// A connection that breaks does so at once; a server that fails later than this is not asked twice.
const AT_ONCE: Duration = Duration::from_millis(250);
/// Callers whose connection broke together do not come back together.
const PAUSE_MS: std::ops::Range<u64> = 5..45;

pub struct GuardedIndex {
    inner: Arc<dyn Index>,
    breaker: ServiceBreaker,
}

impl GuardedIndex {
    pub fn new(inner: Arc<dyn Index>, breaker: ServiceBreaker) -> Self {
        Self { inner, breaker }
    }

    /// Searching changes nothing, so that it can be done again: a node that went away takes its connections with it,
    /// and another answers. For the breaker both are one call.
    async fn twice(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        let began = Instant::now();
        let first = self.inner.search(scope, queries.clone()).await;
        if !matches!(first, Err(IndexError::Unavailable(_))) || began.elapsed() > AT_ONCE {
            return first;
        }
        tokio::time::sleep(pause()).await;
        self.inner.search(scope, queries).await
    }
}

#[async_trait]
impl Index for GuardedIndex {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        guarded(&self.breaker, self.twice(scope, queries)).await
    }
}

fn pause() -> Duration {
    let lot = RandomState::new().hash_one(0);
    Duration::from_millis(PAUSE_MS.start + lot % (PAUSE_MS.end - PAUSE_MS.start))
}
