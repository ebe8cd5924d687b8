//! Any model that judges a batch, in bounded time.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_words::degrade::Fault;
use ibidem_words::ports::entailment::{Entailment, EntailmentError, Judgement, Pair};
use ibidem_words::ports::reranker::{RerankError, Reranker};

/// A model that judges a whole batch in time, or says that it did not. The work for a batch that is late ends with it.
pub struct Timed<Port: ?Sized> {
    inner: Arc<Port>,
    timeout: Duration,
}

impl<Port: ?Sized> Timed<Port> {
    pub fn new(inner: Arc<Port>, timeout: Duration) -> Self {
        Self { inner, timeout }
    }

    async fn in_time<T, E: Fault>(&self, judging: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        tokio::time::timeout(self.timeout, judging).await.unwrap_or_else(|_| Err(E::late(self.timeout)))
    }
}

#[async_trait]
impl Reranker for Timed<dyn Reranker> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.in_time(self.inner.score(question, texts)).await
    }
}

#[async_trait]
impl Entailment for Timed<dyn Entailment> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn judge(&self, pairs: Vec<Pair>) -> Result<Vec<Judgement>, EntailmentError> {
        self.in_time(self.inner.judge(pairs)).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use ibidem_words::fakes::{FakeEntailment, FakeReranker};
    use ibidem_words::suites::entailment::entailment_suite;
    use ibidem_words::suites::reranker::reranker_suite;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);
    const SHORT: Duration = Duration::from_millis(20);

    /// Never answers, and says when it was stopped.
    struct Stuck {
        stopped: Arc<AtomicBool>,
    }

    struct SaysWhenStopped(Arc<AtomicBool>);

    impl Drop for SaysWhenStopped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    impl Stuck {
        fn new() -> (Arc<Self>, Arc<AtomicBool>) {
            let stopped = Arc::new(AtomicBool::new(false));
            (Arc::new(Self { stopped: Arc::clone(&stopped) }), stopped)
        }

        async fn for_ever<T>(&self) -> T {
            let _says = SaysWhenStopped(Arc::clone(&self.stopped));
            std::future::pending().await
        }
    }

    #[async_trait]
    impl Reranker for Stuck {
        fn name(&self) -> &str {
            "stuck"
        }

        async fn score(&self, _: &str, _: Vec<String>) -> Result<Vec<f32>, RerankError> {
            self.for_ever().await
        }
    }

    #[async_trait]
    impl Entailment for Stuck {
        fn name(&self) -> &str {
            "stuck"
        }

        async fn judge(&self, _: Vec<Pair>) -> Result<Vec<Judgement>, EntailmentError> {
            self.for_ever().await
        }
    }

    #[tokio::test]
    async fn it_behaves_as_the_reranker_it_times() {
        let timed: Timed<dyn Reranker> = Timed::new(Arc::new(FakeReranker::default()), LONG);
        reranker_suite(&timed, 0.0).await;
        assert_eq!(timed.name(), FakeReranker::NAME);
    }

    #[tokio::test]
    async fn it_behaves_as_the_entailment_model_it_times() {
        let timed: Timed<dyn Entailment> = Timed::new(Arc::new(FakeEntailment::default()), LONG);
        entailment_suite(&timed, 0.0).await;
        assert_eq!(timed.name(), FakeEntailment::NAME);
    }

    #[tokio::test]
    async fn a_late_reranker_is_stopped_and_named_as_late() {
        let (stuck, stopped) = Stuck::new();
        let timed: Timed<dyn Reranker> = Timed::new(stuck, SHORT);
        assert_eq!(timed.score("?", vec!["text".to_owned()]).await, Err(RerankError::Timeout(20)));
        assert!(stopped.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn a_late_entailment_model_is_stopped_and_named_as_late() {
        let (stuck, stopped) = Stuck::new();
        let timed: Timed<dyn Entailment> = Timed::new(stuck, SHORT);
        let pair = Pair { premise: "It rains.".to_owned(), claim: "It is wet.".to_owned() };
        assert_eq!(timed.judge(vec![pair]).await, Err(EntailmentError::Timeout(20)));
        assert!(stopped.load(Ordering::SeqCst));
    }
}
