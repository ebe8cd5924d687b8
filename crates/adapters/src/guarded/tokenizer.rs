//! A tokenizer that asks a model's server, and leaves it alone while the model is.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_words::degrade::ServiceBreaker;
use ibidem_words::ports::language_model::Estimate;
use ibidem_words::ports::language_model::Tokenizer;

use super::TimeLimit;

/// Counting says nothing about how the model writes, so that the breaker is only looked at. What is not counted is
/// estimated, too high rather than too low.
pub struct GuardedTokenizer {
    inner: Arc<dyn Tokenizer>,
    of_model: ServiceBreaker,
}

impl GuardedTokenizer {
    pub fn new(inner: Arc<dyn Tokenizer>, of_model: ServiceBreaker) -> Self {
        Self { inner, of_model }
    }
}

#[async_trait]
impl Tokenizer for GuardedTokenizer {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn count(&self, texts: Vec<String>) -> Vec<usize> {
        let limit = TimeLimit::now(self.of_model.patience());
        if limit.is_over() || self.of_model.check().is_err() {
            return Estimate.count(texts).await;
        }
        match tokio::time::timeout_at(limit.ends.into(), self.inner.count(texts.clone())).await {
            Ok(counted) => counted,
            Err(_) => Estimate.count(texts).await,
        }
    }
}
