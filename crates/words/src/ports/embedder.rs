//! Turning text into vectors.

use async_trait::async_trait;

use crate::ModelHash;

/// What a model is, as far as its vectors are concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbeddingModel {
    /// A name for people; the hash is what counts.
    pub name: String,
    pub hash: ModelHash,
    pub dimensions: usize,
    /// The model's window, its own special tokens included. Longer passages are an error.
    pub max_tokens: usize,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum EmbedError {
    /// Split the passage; nothing was cut off silently.
    #[error("passage {index} has {tokens} tokens, the embedding model takes {limit}")]
    TooLong { index: usize, tokens: usize, limit: usize },
    /// Try again later, or search by words alone.
    #[error("the embedding model is unavailable: {0}")]
    Unavailable(String),
    /// The queue is full: the caller should slow down.
    #[error("the embedding queue is full")]
    Overloaded,
    /// Search by words alone; nothing was attempted.
    #[error("the embedding model is not asked: it failed too often, and is tried again in {again_in_ms} ms")]
    CircuitOpen { again_in_ms: u64 },
}

/// Counts tokens exactly as the embedding model will, its special tokens included.
pub trait TokenCounter: Send + Sync {
    fn count(&self, text: &str) -> usize;
}

#[async_trait]
pub trait Embedder: Send + Sync {
    fn model(&self) -> &EmbeddingModel;

    /// One unit-length vector for each passage, in order. A passage beyond the window is an error.
    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// One unit-length vector for each query, in order. A query beyond the window is embedded
    /// window by window and averaged, so that no word of it is ignored.
    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError>;
}
