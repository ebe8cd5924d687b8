//! Rerankers by a server that speaks the form of Cohere and Jina, or that of text-embeddings-inference.

mod wire;

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use ibidem_words::ports::reranker::{RerankError, RerankFault, Reranker};

use crate::openai::reason;
use wire::{Request, scores};

/// A reply holds a number for each text, and with some servers the texts once more: nothing near this.
const LARGEST_REPLY: usize = 16 * 1024 * 1024;

/// How much of an error's text is worth repeating.
const LONGEST_REASON: usize = 300;

/// How texts and scores are written down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(Debug)]
pub struct HttpReranker {
    settings: HttpRerankerSettings,
    client: reqwest::Client,
}

impl HttpReranker {
    pub fn new(settings: HttpRerankerSettings) -> Result<Self, RerankError> {
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            // Never to another host than the one that was configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| RerankError::Unavailable(reason(&error)))?;
        Ok(Self { settings, client })
    }

    /// Scores of one request's texts, in their order.
    async fn ask(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let request = Request::new(self.settings.form, &self.settings.model, question, &texts);
        let mut post = self.client.post(&self.settings.url).json(&request);
        if let Some(key) = &self.settings.api_key {
            post = post.bearer_auth(key);
        }
        let reply = post.send().await.map_err(|error| unavailable(&error))?;
        let status = reply.status();
        let body = read(reply).await?;
        if !status.is_success() {
            return Err(RerankError::Unavailable(format!("status {}: {}", status.as_u16(), self.said(&body))));
        }
        scores(self.settings.form, &body, texts.len(), self.settings.raw_scores)
            .map_err(|why| RerankFault::Failed(why).into())
    }

    /// An error's text, cut short; some servers repeat the key they were given.
    fn said(&self, body: &[u8]) -> String {
        let mut said = String::from_utf8_lossy(body).into_owned();
        if let Some(key) = self.settings.api_key.as_deref().filter(|key| !key.is_empty()) {
            said = said.replace(key, "…");
        }
        said.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
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

async fn read(mut reply: reqwest::Response) -> Result<Vec<u8>, RerankError> {
    let mut body = Vec::new();
    while let Some(piece) = reply.chunk().await.map_err(|error| unavailable(&error))? {
        body.extend_from_slice(&piece);
        if body.len() > LARGEST_REPLY {
            return Err(RerankError::Own(RerankFault::Failed(format!(
                "its reply is longer than {LARGEST_REPLY} bytes"
            ))));
        }
    }
    Ok(body)
}

fn unavailable(error: &reqwest::Error) -> RerankError {
    RerankError::Unavailable(reason(error))
}
