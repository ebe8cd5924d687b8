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
    /// Takes the score of a model that gives nothing else: what it does not support is unknown.
    pub fn of(score: f32) -> Self {
        Self { support: if score >= 0.5 { Support::Supported } else { Support::Unknown }, score }
    }

    /// Returns the surest of them, or none where there are none.
    pub fn surest(of: impl IntoIterator<Item = Self>) -> Option<Self> {
        of.into_iter().max_by(|one, other| one.score.total_cmp(&other.score))
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

    /// The surest classification of each group, in their order; none for an empty one. It is that of classifying all pairs;
    /// who can tell the surest without classifying the others need not.
    async fn surest_of_each(&self, groups: Vec<Vec<Pair>>) -> Result<Vec<Option<Classification>>, EntailmentError> {
        let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
        let mut classified = self.classify(groups.into_iter().flatten().collect()).await?.into_iter();
        Ok(sizes.into_iter().map(|size| Classification::surest(classified.by_ref().take(size))).collect())
    }
}
