//! Any entailment model, in bounded time.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_engine::ports::entailment::{Entailment, EntailmentError, Judgement, Pair};

/// An entailment model that judges a whole batch in time, or says that it did not. The work for a batch that is late
/// ends with it.
pub struct TimedEntailment {
    inner: Arc<dyn Entailment>,
    timeout: Duration,
}

impl TimedEntailment {
    pub fn new(inner: Arc<dyn Entailment>, timeout: Duration) -> Self {
        Self { inner, timeout }
    }
}

#[async_trait]
impl Entailment for TimedEntailment {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn judge(&self, pairs: Vec<Pair>) -> Result<Vec<Judgement>, EntailmentError> {
        let late = || EntailmentError::Timeout(u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX));
        let judgements = tokio::time::timeout(self.timeout, self.inner.judge(pairs)).await;
        judgements.unwrap_or_else(|_| Err(late()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use ibidem_engine::fakes::FakeEntailment;
    use ibidem_engine::suites::entailment::entailment_suite;

    use super::*;

    #[tokio::test]
    async fn it_behaves_as_the_entailment_model_it_times() {
        let timed = TimedEntailment::new(Arc::new(FakeEntailment::default()), Duration::from_secs(30));
        entailment_suite(&timed, 0.0).await;
        assert_eq!(timed.name(), FakeEntailment::NAME);
    }

    #[tokio::test]
    async fn a_late_entailment_model_is_stopped_and_named_as_late() {
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
        impl Entailment for Stuck {
            fn name(&self) -> &str {
                "stuck"
            }

            async fn judge(&self, _: Vec<Pair>) -> Result<Vec<Judgement>, EntailmentError> {
                let _says = SaysWhenStopped(Arc::clone(&self.stopped));
                std::future::pending().await
            }
        }

        let stopped = Arc::new(AtomicBool::new(false));
        let stuck = Stuck { stopped: Arc::clone(&stopped) };
        let timed = TimedEntailment::new(Arc::new(stuck), Duration::from_millis(20));
        let pair = Pair { premise: "It rains.".to_owned(), claim: "It is wet.".to_owned() };
        assert_eq!(timed.judge(vec![pair]).await, Err(EntailmentError::Timeout(20)));
        assert!(stopped.load(Ordering::SeqCst));
    }
}
