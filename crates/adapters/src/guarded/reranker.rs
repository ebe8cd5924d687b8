//! A reranker behind its breaker.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_words::degrade::ServiceBreaker;
use ibidem_words::ports::reranker::{RerankError, Reranker};

use super::guarded;

pub struct GuardedReranker {
    inner: Arc<dyn Reranker>,
    breaker: ServiceBreaker,
}

impl GuardedReranker {
    pub fn new(inner: Arc<dyn Reranker>, breaker: ServiceBreaker) -> Self {
        Self { inner, breaker }
    }
}

#[async_trait]
impl Reranker for GuardedReranker {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        guarded(&self.breaker, self.inner.score(question, texts)).await
    }
}
