//! A language model as a reranker: is this the passage that was asked for?

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::language_model::LanguageModel;
use ibidem_ports::reranker::{RerankError, RerankFault, Reranker};

use super::{Trouble, YesNo, YesNoSettings};

/// Asks once for each passage.
pub struct YesNoReranker(YesNo);

impl YesNoReranker {
    /// The prompt is one about passages.
    pub fn new(model: Arc<dyn LanguageModel>, settings: YesNoSettings) -> Self {
        Self(YesNo::new(model, settings))
    }
}

#[async_trait]
impl Reranker for YesNoReranker {
    fn name(&self) -> &str {
        &self.0.name
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let pairs = texts.iter().map(|text| [question.to_owned(), self.0.beginning_of(text)]);
        Ok(self.0.likelihoods(pairs).await?)
    }
}

impl From<Trouble> for RerankError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unavailable(reason) => Self::Unavailable(reason),
            Trouble::Timeout(after) => Self::Timeout(after),
            Trouble::Failed(reason) => RerankFault::Failed(reason).into(),
            Trouble::TooLong(reason) => RerankFault::TooLong(reason).into(),
        }
    }
}

#[cfg(test)]
mod tests;
