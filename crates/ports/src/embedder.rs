//! Turning text into vectors.

use async_trait::async_trait;

use crate::degrade::{Blame, OwnFault, PartError};
use ibidem_words::{ModelHash, SimilarityScale};

/// What a model is, as far as its vectors are concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmbeddingModel {
    /// A name for people; the hash is what counts.
    pub name: String,
    pub hash: ModelHash,
    pub dimensions: usize,
    /// How many tokens the model reads at once, its own special tokens included. Longer passages are an error.
    pub max_tokens: usize,
    /// What its cosines mean.
    pub scale: SimilarityScale,
}

/// When it does not answer, try again later, or search by words alone.
pub type EmbedError = PartError<EmbedFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmbedFault {
    /// Split the passage; nothing was cut off silently.
    #[error("passage {index} has {tokens} tokens, the embedding model takes {limit}")]
    TooLong { index: usize, tokens: usize, limit: usize },
    /// The queue is full: the caller should slow down.
    #[error("the embedding queue is full")]
    Overloaded,
}

impl OwnFault for EmbedFault {
    const PART: &'static str = "the embedding model";
    const UNAVAILABLE: &'static str = "the embedding model is unavailable";

    fn blame(&self) -> Blame {
        match self {
            // A full queue is many callers, and not a model that fails.
            Self::TooLong { .. } | Self::Overloaded => Blame::Others,
        }
    }
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
