//! A language model as a verifier: does this text support this claim?

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, EntailmentFault, Pair};
use ibidem_ports::language_model::LanguageModel;

use super::{Trouble, YesNo, YesNoSettings};

/// Asks once for each pair. A no does not say whether the text says otherwise or nothing, so nothing is ever
/// contradicted.
pub struct YesNoEntailment(YesNo);

impl YesNoEntailment {
    /// The prompt is one about claims.
    pub fn new(model: Arc<dyn LanguageModel>, settings: YesNoSettings) -> Self {
        Self(YesNo::new(model, settings))
    }
}

#[async_trait]
impl Entailment for YesNoEntailment {
    fn name(&self) -> &str {
        &self.0.name
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        // A claim is never cut: half of it may be true.
        let pairs = pairs.into_iter().map(|pair| [self.0.beginning_of(&pair.premise), pair.claim]);
        let likelihoods = self.0.likelihoods(pairs).await?;
        Ok(likelihoods.into_iter().map(Classification::of).collect())
    }
}

impl From<Trouble> for EntailmentError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unavailable(reason) => Self::Unavailable(reason),
            Trouble::Timeout(after) => Self::Timeout(after),
            Trouble::Failed(reason) => EntailmentFault::Failed(reason).into(),
            Trouble::TooLong(reason) => EntailmentFault::TooLong(reason).into(),
        }
    }
}

#[cfg(test)]
mod tests;
