//! An embedding model behind its breaker.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_words::degrade::ServiceBreaker;
use ibidem_words::ports::embedder::{EmbedError, Embedder, EmbeddingModel};

use super::guarded;

pub struct GuardedEmbedder {
    inner: Arc<dyn Embedder>,
    breaker: ServiceBreaker,
}

impl GuardedEmbedder {
    pub fn new(inner: Arc<dyn Embedder>, breaker: ServiceBreaker) -> Self {
        Self { inner, breaker }
    }
}

#[async_trait]
impl Embedder for GuardedEmbedder {
    fn model(&self) -> &EmbeddingModel {
        self.inner.model()
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        guarded(&self.breaker, self.inner.embed_passages(texts)).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        guarded(&self.breaker, self.inner.embed_queries(texts)).await
    }
}
