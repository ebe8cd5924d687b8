//! The model server's own count, as llama.cpp gives it.

use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt as _, stream};
use ibidem_ports::language_model::Estimate;
use ibidem_ports::language_model::Tokenizer;
use ibidem_words::Sha256Hash;
use moka::future::Cache;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::bounded::{self, ReadError};
use crate::openai::{Connection, reason};

/// Texts asked about at the same time, for one prompt.
const AT_ONCE: usize = 8;
/// The tokens of the longest prompt, each a number or a few words about it.
const LARGEST_REPLY: usize = 64 * 1024 * 1024;
/// Counts that are remembered: passages come again and again.
const MOST_REMEMBERED: u64 = 20_000;

#[derive(Clone, PartialEq, Eq)]
pub struct ServerTokenizerSettings {
    /// The model server's; `/tokenize` is beside the protocol.
    pub connection: Connection,
    /// For all texts of a prompt; what is not counted by then is estimated.
    pub timeout: Duration,
}

/// Asks the server once for each text. What it does not count is estimated, too high rather than too low, and logged.
pub struct ServerTokenizer {
    settings: ServerTokenizerSettings,
    client: reqwest::Client,
    remembered: Cache<Sha256Hash, usize>,
}

#[derive(Serialize)]
struct Request<'a> {
    content: &'a str,
    /// Without the tokens that are put around a whole prompt: the budget knows of them.
    add_special: bool,
}

#[derive(Deserialize)]
struct Reply {
    tokens: Vec<serde::de::IgnoredAny>,
}

impl ServerTokenizer {
    /// Fails when no connection can ever be made; the reason says why.
    pub fn new(settings: ServerTokenizerSettings) -> Result<Self, String> {
        let client = settings.connection.client(settings.timeout).map_err(|error| error.to_string())?;
        Ok(Self { settings, client, remembered: Cache::new(MOST_REMEMBERED) })
    }

    /// What the server says, or why it says nothing.
    pub async fn ask(&self, text: &str) -> Result<usize, String> {
        let key = Sha256Hash::of(text.as_bytes());
        if let Some(tokens) = self.remembered.get(&key).await {
            return Ok(tokens);
        }
        // A server ends a kept connection after so many requests or seconds, also while one is on its way through it.
        let reply = match self.send(text).await {
            Err(error) if error.is_request() && !error.is_timeout() => self.send(text).await,
            reply => reply,
        };
        let reply = reply.and_then(reqwest::Response::error_for_status);
        let reply = bounded::body(reply.map_err(|error| why_refused(&error))?, LARGEST_REPLY).await;
        let reply = reply.map_err(|error| match error {
            ReadError::Connection(error) => why_refused(&error),
            too_long => too_long.to_string(),
        })?;
        let reply: Reply = serde_json::from_slice(&reply).map_err(|error| error.to_string())?;
        self.remembered.insert(key, reply.tokens.len()).await;
        Ok(reply.tokens.len())
    }

    async fn send(&self, text: &str) -> reqwest::Result<reqwest::Response> {
        let connection = &self.settings.connection;
        let request = self.client.post(connection.address_beside("/tokenize"));
        connection.authorised(request).json(&Request { content: text, add_special: false }).send().await
    }

    /// With the reason, where it is an estimate.
    async fn count_until(&self, deadline: Instant, text: String) -> (usize, Option<String>) {
        let counted = match tokio::time::timeout_at(deadline, self.ask(&text)).await {
            Ok(counted) => counted,
            Err(_) => Err(format!("no answer within {} ms", self.settings.timeout.as_millis())),
        };
        match counted {
            Ok(tokens) => (tokens, None),
            Err(error) => (Estimate::count(&text), Some(error)),
        }
    }
}

fn why_refused(error: &reqwest::Error) -> String {
    match error.status() {
        Some(status) => format!("/tokenize answers with status {}", status.as_u16()),
        None => reason(error),
    }
}

#[async_trait]
impl Tokenizer for ServerTokenizer {
    fn name(&self) -> &'static str {
        "the model server"
    }

    async fn count(&self, texts: Vec<String>) -> Vec<usize> {
        let deadline = Instant::now() + self.settings.timeout;
        let counted = stream::iter(texts).map(|text| self.count_until(deadline, text));
        let counted: Vec<_> = counted.buffered(AT_ONCE).collect().await;
        if let Some(error) = counted.iter().find_map(|(_, error)| error.as_ref()) {
            tracing::warn!(error, "the model server does not count tokens: they are estimated");
        }
        counted.into_iter().map(|(tokens, _)| tokens).collect()
    }
}
