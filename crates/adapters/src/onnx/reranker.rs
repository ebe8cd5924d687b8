//! A cross-encoder in this process that says how well a passage answers a question.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_ports::reranker::{Relevance, RerankError, RerankFault, Reranker};
use ibidem_words::CharSpan;

use super::config::Config;
use super::cross_encoder::{Judges, NOWHERE};
use super::pair_model::{Head, PairModel, PairModelError, PairModelSettings, named, sigmoid};
use super::pairs::{First, Layout, Pair};
use super::request::Trouble;

/// One logit, the higher the better.
struct RelevanceHead;

impl Head for RelevanceHead {
    const SECTION: &'static str = "reranker";
    const WANTED: &'static str = "a cross-encoder that gives one logit";

    fn layout(&self) -> Layout {
        Layout::Plain(First::Whole)
    }

    fn judges(&self) -> Judges {
        Judges::Pairs(1)
    }
}

impl RelevanceHead {
    /// Entailment models and classifiers come in the same layout.
    fn of(config: &Config) -> Result<Self, String> {
        let labels = config.labels()?;
        if labels.len() > 1 {
            return Err(format!("it tells {} apart, and a reranker has one label", labels.join(", ")));
        }
        Ok(Self)
    }
}

/// What a reranker of these weights is called, without loading it.
pub(super) fn name_of(settings: &PairModelSettings) -> Result<String, PairModelError> {
    named::<RelevanceHead>(settings)
}

pub struct OnnxReranker {
    model: PairModel<RelevanceHead>,
    /// Whoever would wait longer is told at once that it is busy.
    longest_wait: Duration,
}

impl OnnxReranker {
    /// Takes about a second of blocking work.
    pub fn load(settings: &PairModelSettings) -> Result<Self, PairModelError> {
        Ok(Self { model: PairModel::load(settings, RelevanceHead::of)?, longest_wait: Duration::MAX })
    }

    /// With a longest wait: passages that would be read later than that are not queued. Reading them would keep others
    /// waiting, and nobody would hear the result.
    #[must_use]
    pub fn waiting_at_most(self, longest_wait: Duration) -> Self {
        Self { longest_wait, ..self }
    }
}

#[async_trait]
impl Reranker for OnnxReranker {
    fn name(&self) -> &str {
        &self.model.name
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        Ok(self.read(question, texts).await?.into_iter().map(|relevance| relevance.score).collect())
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        if self.model.expected_wait(texts.len()) > self.longest_wait {
            return Err(RerankError::Own(RerankFault::Busy));
        }
        let question: Arc<str> = question.into();
        let pairs = texts.into_iter().map(|passage| Pair { whole: Arc::clone(&question), cut: passage });
        let rows = self.model.logits(pairs.collect()).await.map_err(in_other_words)?;
        Ok(rows.iter().map(|row| relevance(row)).collect())
    }
}

/// A row is a logit, and of a reader the characters where its answer begins and ends.
fn relevance(row: &[f32]) -> Relevance {
    let score = sigmoid(row.first().copied().unwrap_or(f32::NEG_INFINITY));
    let answer = match row {
        [_, start, end] if *start != NOWHERE => Some(CharSpan { start: character(*start), end: character(*end) }),
        _ => None,
    };
    Relevance { score, answer }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they were made of whole numbers")]
fn character(number: f32) -> u32 {
    number as u32
}

fn in_other_words(trouble: Trouble) -> RerankError {
    match trouble {
        Trouble::TooLong { tokens, limit, .. } => RerankError::Own(RerankFault::TooLong(format!(
            "the question has {tokens} tokens, and {limit} leave room for passages"
        ))),
        Trouble::Failed(reason) => RerankError::Unavailable(reason),
    }
}
