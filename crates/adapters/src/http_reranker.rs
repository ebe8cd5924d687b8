//! Rerankers by a server that speaks the form of Cohere and Jina, of Voyage, of text-embeddings-inference, or of vLLM's
//! scores.

mod wire;

use std::fmt;

use async_trait::async_trait;
use ibidem_ports::reranker::{RerankError, RerankFault, Reranker};
use serde::Deserialize;

use crate::model_server::{LARGEST_OF_NUMBERS, ModelServer, PostError, in_batches_of_some};
use wire::{Request, scores};

/// How texts and scores are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RerankForm {
    /// `/v1/rerank` of Cohere, Jina, vLLM and others.
    Cohere,
    /// `/rerank` of text-embeddings-inference.
    Tei,
    /// `/v1/rerank` of Voyage.
    Voyage,
    /// `/score` of vLLM.
    Score,
}

#[derive(Clone, PartialEq, Eq)]
pub struct HttpRerankerSettings {
    /// The whole address, for instance `http://127.0.0.1:8080/v1/rerank`.
    pub url: String,
    pub form: RerankForm,
    /// The model to ask for; a name for people where the form has no place for it.
    pub model: String,
    pub api_key: Option<String>,
    /// The server gives logits instead of scores from 0 to 1.
    pub raw_scores: bool,
    /// Texts in one request.
    pub batch_size: usize,
    /// Requests under way at the same time, for each question.
    pub at_once: usize,
}

impl fmt::Debug for HttpRerankerSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpRerankerSettings")
            .field("form", &self.form)
            .field("model", &self.model)
            .field("raw_scores", &self.raw_scores)
            .field("batch_size", &self.batch_size)
            .field("at_once", &self.at_once)
            // The key is secret, and the address may hold a password.
            .finish_non_exhaustive()
    }
}

/// A rerank server, in no bounded time of its own.
pub struct HttpReranker {
    settings: HttpRerankerSettings,
    server: ModelServer,
}

impl fmt::Debug for HttpReranker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpReranker").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpReranker {
    pub fn new(settings: HttpRerankerSettings) -> Result<Self, RerankError> {
        let server = ModelServer::new(settings.url.clone(), settings.api_key.clone(), LARGEST_OF_NUMBERS, None);
        Ok(Self { settings, server: server.map_err(RerankError::Unavailable)? })
    }

    /// Scores of one request's texts, in their order.
    async fn ask(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let request = Request::new(self.settings.form, &self.settings.model, question, &texts);
        let body = self.server.ask(&request).await.map_err(|error| match error {
            PostError::TooLong(why) => RerankFault::Failed(why).into(),
            other => RerankError::Unavailable(other.to_string()),
        })?;
        scores(self.settings.form, &body, texts.len(), self.settings.raw_scores)
            .map_err(|why| RerankFault::Failed(why).into())
    }
}

#[async_trait]
impl Reranker for HttpReranker {
    fn name(&self) -> &str {
        &self.settings.model
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let HttpRerankerSettings { batch_size, at_once, .. } = self.settings;
        let says_something = |text: &String| !text.trim().is_empty();
        let ask = |batch| self.ask(question, batch);
        // A text with nothing in it answers no question.
        in_batches_of_some(texts, says_something, 0.0, (batch_size, at_once), ask).await
    }
}
