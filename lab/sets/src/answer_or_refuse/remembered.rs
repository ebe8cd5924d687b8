//! Vectors of questions that are asked again under another policy: the same question has the same vector.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};

/// An embedding model that is asked once for each single question.
pub struct RememberedQueries {
    inner: Arc<dyn Embedder>,
    known: Mutex<HashMap<String, Vec<f32>>>,
}

impl RememberedQueries {
    pub fn new(inner: Arc<dyn Embedder>) -> Self {
        Self { inner, known: Mutex::default() }
    }
}

#[async_trait]
impl Embedder for RememberedQueries {
    fn model(&self) -> &EmbeddingModel {
        self.inner.model()
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.inner.embed_passages(texts).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        let [text] = texts.as_slice() else { return self.inner.embed_queries(texts).await };
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned();
        if let Some(vector) = known {
            return Ok(vec![vector]);
        }
        let text = text.clone();
        let vectors = self.inner.embed_queries(texts).await?;
        if let [vector] = vectors.as_slice() {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(text, vector.clone());
        }
        Ok(vectors)
    }
}
