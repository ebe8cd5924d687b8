//! Entailment by a server: in the form of text-embeddings-inference, or in a plain one of our own.

mod wire;

use std::fmt;

use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, EntailmentFault, Pair};
use serde::Deserialize;

use crate::json_post::{JsonPost, PostError};
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
    server: JsonPost,
}

impl fmt::Debug for HttpEntailment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpEntailment").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl HttpEntailment {
    pub fn new(settings: HttpEntailmentSettings) -> Result<Self, EntailmentError> {
        let server = JsonPost::new(settings.url.clone(), settings.api_key.clone());
        Ok(Self { settings, server: server.map_err(EntailmentError::Unavailable)? })
    }

    /// Classifications of one request's pairs, in their order.
    async fn ask(&self, pairs: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        let request = Request::new(self.settings.form, &self.settings.model, &pairs);
        let body = self.server.ask(&request).await.map_err(|error| match error {
            PostError::Unavailable(why) => EntailmentError::Unavailable(why),
            PostError::Failed(why) => EntailmentFault::Failed(why).into(),
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
        // Servers refuse texts with nothing in them, and with one of them the whole request. Nothing supports nothing.
        let mut all = vec![Classification::of(0.0); pairs.len()];
        let says_something = |pair: &Pair| !pair.premise.trim().is_empty() && !pair.claim.trim().is_empty();
        let asked_about = pairs.into_iter().enumerate().filter(|(_, pair)| says_something(pair));
        let (places, pairs): (Vec<usize>, Vec<Pair>) = asked_about.unzip();
        let batches: Vec<Vec<Pair>> = pairs.chunks(self.settings.batch_size.max(1)).map(<[Pair]>::to_vec).collect();
        let replies = stream::iter(batches).map(|batch| self.ask(batch));
        // The first that fails ends the others: there is no half batch.
        let found: Vec<Vec<Classification>> = replies.buffered(self.settings.at_once.max(1)).try_collect().await?;
        for (place, classification) in places.into_iter().zip(found.into_iter().flatten()) {
            all[place] = classification;
        }
        Ok(all)
    }
}
