//! Scoring passages by reading each together with the question.

use async_trait::async_trait;

use crate::degrade::{Blame, OwnFault, PartError};
use ibidem_words::CharSpan;

/// Every one of them means going on without.
pub type RerankError = PartError<RerankFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RerankFault {
    /// It answered, but not as a reranker does.
    #[error("the reranker failed: {0}")]
    Failed(String),
    /// So many wait for it that an answer would come too late: nothing was attempted, and nothing is wrong with the model.
    #[error("the reranker is busy with other questions")]
    Busy,
    /// Ask about less: nothing is wrong with the model.
    #[error("too long for the reranker: {0}")]
    TooLong(String),
    /// A second reader reads the best of all again: which these are is not known. Nothing was attempted.
    #[error("not all passages could be found and read, and the second reader decides about the best of all")]
    NotAll,
}

impl OwnFault for RerankFault {
    const PART: &'static str = "the reranker";
    const UNAVAILABLE: &'static str = "the reranker is unavailable";

    fn blame(&self) -> Blame {
        match self {
            Self::Failed(_) => Blame::Part,
            Self::Busy | Self::TooLong(_) | Self::NotAll => Blame::Others,
        }
    }
}

/// How well a text answers a question, and where.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Relevance {
    /// How relevant the text is, from 0, beside the question, to 1, what was asked for.
    pub score: f32,
    /// The characters of the text that answer, of a model that says where.
    pub answer: Option<CharSpan>,
}

impl Relevance {
    /// Takes the score of a model that does not say where the text answers.
    pub fn of(score: f32) -> Self {
        Self { score, answer: None }
    }
}

#[async_trait]
pub trait Reranker: Send + Sync {
    /// The model, for records and for people.
    fn name(&self) -> &str;

    /// One score for each text, in their order: from 0, beside the question, to 1, what was asked for. A text's score
    /// depends on nothing but the question and the text. An error is of the whole batch: there is no half batch.
    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError>;

    /// The weights that score such a pair, by the name that records have: what stands for several models sends pairs to
    /// one or another. None where it was not made for such pairs, and is not to be asked about them.
    fn weights_for(&self, _question: &str, _text: &str) -> Option<&str> {
        Some(self.name())
    }

    /// Does what must be done once before such pairs can be scored, such as loading weights. Whoever asks waits for it
    /// beside the time limit for scoring. What goes wrong with it is said when the pairs are scored.
    async fn prepare(&self, _question: &str, _texts: &[String]) {}

    /// The same scores, and where each text answers: a model that says where is called a reader.
    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        Ok(self.score(question, texts).await?.into_iter().map(Relevance::of).collect())
    }
}
