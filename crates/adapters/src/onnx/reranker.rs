//! A cross-encoder in this process that says how well a passage answers a question.

use std::sync::Arc;

use async_trait::async_trait;
use ibidem_words::ports::reranker::{RerankError, RerankFault, Reranker};

use super::config::Config;
use super::pair_model::{Head, PairModel, PairModelError, PairModelSettings, sigmoid};
use super::pairs::{First, Pair};
use super::request::Trouble;

/// One logit, the higher the better.
struct Relevance;

impl Head for Relevance {
    const SECTION: &'static str = "reranker";
    const WANTED: &'static str = "a cross-encoder that gives one logit";
    const FIRST: First = First::Whole;

    /// Entailment models and classifiers come in the same layout.
    fn of(config: &Config) -> Result<Self, String> {
        let labels = config.labels()?;
        if labels.len() > 1 {
            return Err(format!("it tells {} apart, and a reranker has one label", labels.join(", ")));
        }
        Ok(Self)
    }

    fn logits(&self) -> usize {
        1
    }
}

pub struct OnnxReranker {
    name: String,
    model: PairModel<Relevance>,
}

impl OnnxReranker {
    /// Takes about a second of blocking work.
    pub fn load(settings: &PairModelSettings) -> Result<Self, PairModelError> {
        Ok(Self { name: settings.name.clone(), model: PairModel::load(settings)? })
    }
}

#[async_trait]
impl Reranker for OnnxReranker {
    fn name(&self) -> &str {
        &self.name
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let question: Arc<str> = question.into();
        let pairs = texts.into_iter().map(|passage| Pair { whole: Arc::clone(&question), cut: passage });
        let logits = self.model.logits(pairs.collect()).await.map_err(in_other_words)?;
        Ok(logits.into_iter().flatten().map(sigmoid).collect())
    }
}

fn in_other_words(trouble: Trouble) -> RerankError {
    match trouble {
        Trouble::TooLong { tokens, limit, .. } => RerankError::Own(RerankFault::TooLong(format!(
            "the question has {tokens} tokens, and {limit} leave room for passages"
        ))),
        Trouble::Failed(reason) => RerankError::Unavailable(reason),
    }
}
