//! An index that is searched once more where the connection broke.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use backon::{ConstantBuilder, Retryable as _};
use ibidem_ports::clock;
use ibidem_ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_words::Scope;

/// A connection that breaks does so at once; a server that fails later than this is not asked twice.
const AT_ONCE: Duration = Duration::from_millis(250);
/// Up to twice as long, by lot: callers whose connection broke together do not come back together.
const PAUSE: Duration = Duration::from_millis(20);

/// Searching changes nothing, so that it can be done again: a node that went away takes its connections with it, and
/// another answers. Whoever guards this sees one call.
pub struct SecondTry {
    inner: Arc<dyn Index>,
}

impl SecondTry {
    pub fn of(inner: Arc<dyn Index>) -> Self {
        Self { inner }
    }
}

#[async_trait]
impl Index for SecondTry {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        let began = clock::now();
        let broke = |error: &IndexError| matches!(error, IndexError::Unavailable(_)) && began.elapsed() <= AT_ONCE;
        let once_more = ConstantBuilder::new().with_delay(PAUSE).with_jitter().with_max_times(1);
        (|| self.inner.search(scope, queries.clone())).retry(once_more).sleep(clock::wait).when(broke).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use ibidem_ports::degrade::{BreakerSettings, Breakers, Deadline, Part};
    use ibidem_testing::fakes::FakeIndex;
    use ibidem_testing::suites::index::{DIMENSIONS, index_suite};
    use ibidem_words::{Identity, TenantId};

    use super::*;

    /// Breaks the connection as often as it is told to, after so long.
    struct Breaks {
        index: FakeIndex,
        after: Duration,
        times: AtomicUsize,
        asked: AtomicUsize,
    }

    impl Breaks {
        fn after(after: Duration) -> Arc<Self> {
            let (times, asked) = (AtomicUsize::new(0), AtomicUsize::new(0));
            Arc::new(Self { index: FakeIndex::new(8), after, times, asked })
        }

        /// How often it was asked; from now on it breaks so many times.
        fn will_break(&self, times: usize) -> usize {
            self.times.store(times, Ordering::SeqCst);
            self.asked.swap(0, Ordering::SeqCst)
        }
    }

    #[async_trait]
    impl Index for Breaks {
        async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let left = self.times.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |times| times.checked_sub(1));
            if left.is_ok() {
                clock::wait(self.after).await;
                return Err(IndexError::Unavailable("connection reset".to_owned()));
            }
            self.index.search(scope, queries).await
        }
    }

    fn scope() -> Scope {
        let tags = std::iter::empty().collect();
        Scope::of(&Identity::for_tests(TenantId::named("t"), "s", tags))
    }

    #[tokio::test]
    async fn it_behaves_as_the_index_it_asks() {
        let index = Arc::new(FakeIndex::new(DIMENSIONS));
        index_suite(&SecondTry::of(index.clone()), index.as_ref()).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_whose_connection_broke_is_done_once_more_and_both_are_one_call() {
        let breakers = Breakers::new(BreakerSettings::default());
        let breaks = Breaks::after(Duration::ZERO);
        let breaker = breakers.of("index", Duration::from_secs(60));
        let index: Part<dyn Index> = Part::guarded(Arc::new(SecondTry::of(breaks.clone())), breaker);
        let scope = scope();
        let search =
            async || index.call(Deadline::NONE, |index| index.search(&scope, vec![IndexQuery::default()])).await;
        breaks.will_break(1);
        assert!(search().await.is_ok());
        assert_eq!(breaks.will_break(usize::MAX), 2);
        for _ in 0..5 {
            assert!(matches!(search().await, Err(IndexError::Unavailable(_))));
        }
        assert!(matches!(search().await, Err(IndexError::CircuitOpen { .. })));
        assert_eq!(breaks.will_break(0), 10);
        assert_eq!(breakers.states().states(), [("index".to_owned(), 2, 1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_index_that_failed_late_is_not_asked_twice() {
        for (after, asked) in [(AT_ONCE, 2), (AT_ONCE + Duration::from_millis(1), 1)] {
            let breaks = Breaks::after(after);
            breaks.will_break(1);
            let outcome = SecondTry::of(breaks.clone()).search(&scope(), vec![IndexQuery::default()]).await;
            assert_eq!((outcome.is_ok(), breaks.will_break(0)), (asked == 2, asked), "{after:?}");
        }
    }
}
