//! Parts that take no time of their own, so that what is left is gathering's.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt as _;
use ibidem_ports::embedder::{EmbedError, Embedder, EmbeddingModel};
use ibidem_ports::language_model::{LanguageModel, LikelyToken, ModelError, ModelFault, Piece, Pieces, Prompt};
use ibidem_ports::reranker::{RerankError, Reranker};
use ibidem_words::Sha256Hash;

use super::super::prepared::PreparedEmbedder;

/// A planner that answers at once: the queries that follow the question among those of the bench.
pub(super) struct InstantPlanner {
    queries: Vec<String>,
    lines: usize,
}

impl InstantPlanner {
    /// The queries are in order.
    pub(super) fn new(queries: Vec<String>, lines: usize) -> Self {
        Self { queries, lines }
    }

    fn plan(&self, question: &str) -> String {
        let place = self.queries.partition_point(|query| query.as_str() <= question);
        let following = self.queries.iter().cycle().skip(place).take(self.lines);
        following.map(|query| format!("same: {query}\n")).collect()
    }
}

#[async_trait]
impl LanguageModel for InstantPlanner {
    fn default_model(&self) -> &'static str {
        "instant"
    }

    fn allowed(&self) -> Vec<String> {
        vec![self.default_model().to_owned()]
    }

    async fn write(&self, prompt: Prompt) -> Result<Pieces, ModelError> {
        let question = prompt.messages.last().map_or("", |message| message.content.as_str());
        let pieces = [Piece::Text(self.plan(question).into_bytes()), Piece::Done { usage: None, cut: None }];
        Ok(futures::stream::iter(pieces.map(Ok)).boxed())
    }

    async fn first_tokens(&self, _prompt: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        Err(ModelError::Own(ModelFault::Failed("it plans, and judges nothing".to_owned())))
    }
}

/// A judge that gives its verdicts by lot, always the same ones, without reading.
pub(super) struct InstantReranker;

#[async_trait]
impl Reranker for InstantReranker {
    fn name(&self) -> &'static str {
        "instant"
    }

    async fn score(&self, _question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let drawn = |text: String| f32::from(Sha256Hash::of(text.as_bytes()).as_bytes()[0]) / 255.0;
        Ok(texts.into_iter().map(drawn).collect())
    }
}

/// Takes the real model's time, and gives the vectors that the bench's passages were made for.
pub(super) struct TimedEmbedder {
    pub(super) model: Arc<dyn Embedder>,
    pub(super) prepared: Arc<PreparedEmbedder>,
}

#[async_trait]
impl Embedder for TimedEmbedder {
    fn model(&self) -> &EmbeddingModel {
        self.prepared.model()
    }

    async fn embed_passages(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.prepared.embed_passages(texts).await
    }

    async fn embed_queries(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, EmbedError> {
        self.model.embed_queries(texts.clone()).await?;
        self.prepared.embed_queries(texts).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_the_queries_that_follow_and_goes_round_at_the_end() {
        let queries: Vec<String> = ["ants", "bees", "cats"].map(str::to_owned).into();
        let planner = InstantPlanner::new(queries, 2);
        assert_eq!(planner.plan("ants"), "same: bees\nsame: cats\n");
        assert_eq!(planner.plan("bees"), "same: cats\nsame: ants\n");
        assert_eq!(planner.plan("cats"), "same: ants\nsame: bees\n");
    }
}
