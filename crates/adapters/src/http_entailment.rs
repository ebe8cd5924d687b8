//! Entailment by a server: in the form of text-embeddings-inference, or in a plain one of our own.

mod wire;

use std::fmt;

use async_trait::async_trait;
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, EntailmentFault, Pair};
use serde::Deserialize;

use crate::model_server::{LARGEST_OF_NUMBERS, ModelServer, PostError, in_batches_of_some};
use wire::{Request, classifications};

/// How pairs and probabilities are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntailmentForm {
    /// `/predict` of text-embeddings-inference: labels with their probabilities.
    Tei,
    /// The plain form of docs/models.md: the probabilities of support and contradiction.
    Pairs,
}

#[derive(Clone, PartialEq, Eq)]
pub struct HttpEntailmentSettings {
    /// The whole address, for instance `http://127.0.0.1:8080/predict`.
    pub url: String,
    pub form: EntailmentForm,
    /// The model to ask for; a name for people where the form has no place for it.
    pub model: String,
    pub api_key: Option<String>,
    /// Pairs in one request.
    pub batch_size: usize,
    /// Requests under way at the same time, for each sentence.
    pub at_once: usize,
}

impl fmt::Debug for HttpEntailmentSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpEntailmentSettings")
            .field("form", &self.form)
            .field("model", &self.model)
            .field("batch_size", &self.batch_size)
            .field("at_once", &self.at_once)
            // The key is secret, and the address may hold a password.
            .finish_non_exhaustive()
    }
}

/// An entailment server, in no bounded time of its own.
pub struct HttpEntailment {
    settings: HttpEntailmentSettings,
    server: ModelServer,
}

impl fmt::Debug for HttpEntailment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpEntailment").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpEntailment {
    pub fn new(settings: HttpEntailmentSettings) -> Result<Self, EntailmentError> {
        let server = ModelServer::new(settings.url.clone(), settings.api_key.clone(), LARGEST_OF_NUMBERS, None);
        Ok(Self { settings, server: server.map_err(EntailmentError::Unavailable)? })
    }

    /// Classifications of one request's pairs, in their order.
    async fn ask(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        let request = Request::new(self.settings.form, &self.settings.model, &pairs);
        let body = self.server.ask(&request).await.map_err(|error| match error {
            PostError::TooLong(why) => EntailmentFault::Failed(why).into(),
            other => EntailmentError::Unavailable(other.to_string()),
        })?;
        classifications(self.settings.form, &body, pairs.len()).map_err(|why| EntailmentFault::Failed(why).into())
    }
}

#[async_trait]
impl Entailment for HttpEntailment {
    fn name(&self) -> &str {
        &self.settings.model
    }

    async fn classify(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        let HttpEntailmentSettings { batch_size, at_once, .. } = self.settings;
        let says_something = |pair: &Pair| !pair.premise.trim().is_empty() && !pair.claim.trim().is_empty();
        // Nothing supports nothing.
        let of_nothing = Classification::of(0.0);
        in_batches_of_some(pairs, says_something, of_nothing, (batch_size, at_once), |batch| self.ask(batch)).await
    }
}
