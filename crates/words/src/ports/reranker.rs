//! Judging passages by reading each together with the question.

use async_trait::async_trait;

/// Named by what the caller does about it: every one of them means going on without.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RerankError {
    /// An operator looks at the model or the server.
    #[error("the reranker is unavailable: {0}")]
    Unavailable(String),
    /// It may work the next time.
    #[error("the reranker did not answer within {0} ms")]
    Timeout(u64),
    /// It answered, but not as a reranker does.
    #[error("the reranker failed: {0}")]
    Failed(String),
    /// Ask about less: nothing is wrong with the model.
    #[error("too long for the reranker: {0}")]
    TooLong(String),
    /// Go on without it, as when it fails; nothing was attempted.
    #[error("the reranker is not asked: it failed too often, and is tried again in {again_in_ms} ms")]
    CircuitOpen { again_in_ms: u64 },
}

#[async_trait]
pub trait Reranker: Send + Sync {
    /// The model that judges, for records and for people.
    fn name(&self) -> &str;

    /// One score for each text, in their order: from 0, beside the question, to 1, what was asked for. A text's score
    /// depends on nothing but the question and the text. An error is of the whole batch: there are no half judgements.
    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError>;
}
