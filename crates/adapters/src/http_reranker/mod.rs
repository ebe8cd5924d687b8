//! Rerankers by a server that speaks the form of Cohere and Jina, or that of text-embeddings-inference.

mod wire;

use std::fmt;

use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use ibidem_ports::reranker::{RerankError, RerankFault, Reranker};
use serde::Deserialize;

use crate::json_post::{JsonPost, PostError};
use wire::{Request, scores};

/// How texts and scores are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RerankForm {
    /// `/v1/rerank` of Cohere, Jina, vLLM and others.
    Cohere,
    /// `/rerank` of text-embeddings-inference.
    Tei,
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
    server: JsonPost,
}

impl fmt::Debug for HttpReranker {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpReranker").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpReranker {
    pub fn new(settings: HttpRerankerSettings) -> Result<Self, RerankError> {
        let server = JsonPost::new(settings.url.clone(), settings.api_key.clone());
        Ok(Self { settings, server: server.map_err(RerankError::Unavailable)? })
    }

    /// Scores of one request's texts, in their order.
    async fn ask(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let request = Request::new(self.settings.form, &self.settings.model, question, &texts);
        let body = self.server.ask(&request).await.map_err(|error| match error {
            PostError::Unavailable(why) => RerankError::Unavailable(why),
            PostError::Failed(why) => RerankFault::Failed(why).into(),
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
        // Servers refuse texts with nothing in them, and with one of them the whole request. They answer no question.
        let mut all = vec![0.0; texts.len()];
        let asked_about = texts.into_iter().enumerate().filter(|(_, text)| !text.trim().is_empty());
        let (places, texts): (Vec<usize>, Vec<String>) = asked_about.unzip();
        let batches: Vec<Vec<String>> = texts.chunks(self.settings.batch_size.max(1)).map(<[String]>::to_vec).collect();
        let replies = stream::iter(batches).map(|batch| self.ask(question, batch));
        // The first that fails ends the others: there are no half judgements.
        let scores: Vec<Vec<f32>> = replies.buffered(self.settings.at_once.max(1)).try_collect().await?;
        for (place, score) in places.into_iter().zip(scores.into_iter().flatten()) {
            all[place] = score;
        }
        Ok(all)
    }
}
