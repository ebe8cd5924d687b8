//! Whether a text supports a claim.

use async_trait::async_trait;

use crate::degrade::{Blame, OwnFault, PartError};

/// A stretch of a source, and a claim that is said to follow from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    pub premise: String,
    pub claim: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Support {
    Supported,
    /// The premise says otherwise.
    Contradicted,
    /// The premise does not say.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Classification {
    pub support: Support,
    /// How surely the claim is supported, from 0 to 1. Each model is set so that a half parts supported from not.
    pub score: f32,
}

impl Classification {
    /// Of a model that gives nothing but a score: what it does not support is unknown.
    pub fn of(score: f32) -> Self {
        Self { support: if score >= 0.5 { Support::Supported } else { Support::Unknown }, score }
    }
}

/// Every one of them means that the claim was not checked.
pub type EntailmentError = PartError<EntailmentFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntailmentFault {
    /// It answered, but not as an entailment model does.
    #[error("the entailment model failed: {0}")]
    Failed(String),
    /// Ask about less: nothing is wrong with the model.
    #[error("too long for the entailment model: {0}")]
    TooLong(String),
}

impl OwnFault for EntailmentFault {
    const PART: &'static str = "the entailment model";
    const UNAVAILABLE: &'static str = "the entailment model is unavailable";

    fn blame(&self) -> Blame {
        match self {
            Self::Failed(_) => Blame::Part,
            Self::TooLong(_) => Blame::Others,
        }
    }
}

#[async_trait]
pub trait Entailment: Send + Sync {
    /// The model, for receipts and for people.
    fn name(&self) -> &str;

    /// One classification for each pair, in their order. A classification depends on nothing but its pair. An error is of the
    /// whole batch: there is no half batch.
    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError>;
}
