//! Any reranker, in bounded time.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_engine::ports::reranker::{RerankError, Reranker};

/// A reranker that judges a whole batch in time, or says that it did not. The work for a batch that is late ends
/// with it.
pub struct TimedReranker {
    inner: Arc<dyn Reranker>,
    timeout: Duration,
}

impl TimedReranker {
    pub fn new(inner: Arc<dyn Reranker>, timeout: Duration) -> Self {
        Self { inner, timeout }
    }
}

#[async_trait]
impl Reranker for TimedReranker {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let late = || RerankError::Timeout(u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX));
        let scores = tokio::time::timeout(self.timeout, self.inner.score(question, texts)).await;
        scores.unwrap_or_else(|_| Err(late()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use ibidem_engine::fakes::FakeReranker;
    use ibidem_engine::suites::reranker::reranker_suite;

    use super::*;

    #[tokio::test]
    async fn it_behaves_as_the_reranker_it_times() {
        let timed = TimedReranker::new(Arc::new(FakeReranker::default()), Duration::from_secs(30));
        reranker_suite(&timed, 0.0).await;
        assert_eq!(timed.name(), FakeReranker::NAME);
    }

    #[tokio::test]
    async fn a_late_reranker_is_stopped_and_named_as_late() {
        struct Stuck {
            stopped: Arc<AtomicBool>,
        }

        struct SaysWhenStopped(Arc<AtomicBool>);

        impl Drop for SaysWhenStopped {
            fn drop(&mut self) {
                self.0.store(true, Ordering::SeqCst);
            }
        }

        #[async_trait]
        impl Reranker for Stuck {
            fn name(&self) -> &str {
                "stuck"
            }

            async fn score(&self, _: &str, _: Vec<String>) -> Result<Vec<f32>, RerankError> {
                let _says = SaysWhenStopped(Arc::clone(&self.stopped));
                std::future::pending().await
            }
        }

        let stopped = Arc::new(AtomicBool::new(false));
        let stuck = Stuck { stopped: Arc::clone(&stopped) };
        let timed = TimedReranker::new(Arc::new(stuck), Duration::from_millis(20));
        assert_eq!(timed.score("?", vec!["text".to_owned()]).await, Err(RerankError::Timeout(20)));
        assert!(stopped.load(Ordering::SeqCst));
    }
}
