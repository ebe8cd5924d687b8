//! Judging passages by reading each together with the question.

use async_trait::async_trait;

use crate::degrade::{Blame, OwnFault, PartError};

/// Every one of them means going on without.
pub type RerankError = PartError<RerankFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RerankFault {
    /// It answered, but not as a reranker does.
    #[error("the reranker failed: {0}")]
    Failed(String),
    /// Ask about less: nothing is wrong with the model.
    #[error("too long for the reranker: {0}")]
    TooLong(String),
}

impl OwnFault for RerankFault {
    const PART: &'static str = "the reranker";
    const UNAVAILABLE: &'static str = "the reranker is unavailable";

    fn blame(&self) -> Blame {
        match self {
            Self::Failed(_) => Blame::Part,
            Self::TooLong(_) => Blame::Others,
        }
    }
}

#[async_trait]
pub trait Reranker: Send + Sync {
    /// The model that judges, for records and for people.
    fn name(&self) -> &str;

    /// One score for each text, in their order: from 0, beside the question, to 1, what was asked for. A text's score
    /// depends on nothing but the question and the text. An error is of the whole batch: there are no half judgements.
    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError>;
}
