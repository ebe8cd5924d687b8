//! A cross-encoder in this process that says whether a text supports a claim.

use async_trait::async_trait;
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, EntailmentFault, Pair as Claimed};

use super::claim_input::ClaimInput;
use super::labels::ClaimHead;
use super::pair_model::{PairModel, PairModelError, PairModelSettings};
use super::pairs::Pair;
use super::request::Trouble;

pub struct OnnxEntailment {
    model: PairModel<ClaimHead>,
}

impl OnnxEntailment {
    /// Takes about a second of blocking work.
    pub fn load(settings: &PairModelSettings, input: ClaimInput) -> Result<Self, PairModelError> {
        Ok(Self { model: PairModel::load(settings, |config| ClaimHead::of(config, input))? })
    }
}

#[async_trait]
impl Entailment for OnnxEntailment {
    fn name(&self) -> &str {
        &self.model.name
    }

    async fn classify(&self, pairs: Vec<Claimed>) -> Result<Vec<Classification>, EntailmentError> {
        // A claim is never cut: half of it may be true. What is cut off a premise supports nothing, which is safe.
        let pairs = pairs.into_iter().map(|pair| Pair { whole: pair.claim.into(), cut: pair.premise });
        let logits = self.model.logits(pairs.collect()).await.map_err(in_other_words)?;
        Ok(logits.iter().map(|logits| self.model.head.classification(logits)).collect())
    }
}

fn in_other_words(trouble: Trouble) -> EntailmentError {
    match trouble {
        Trouble::TooLong { tokens, limit, .. } => EntailmentError::Own(EntailmentFault::TooLong(format!(
            "the claim has {tokens} tokens, and {limit} leave room for what should support it"
        ))),
        Trouble::Failed(reason) => EntailmentError::Unavailable(reason),
    }
}
