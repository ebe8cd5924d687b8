//! A question to a model server: JSON is posted, and a reply of bounded length comes back.

use std::time::Duration;

use serde::Serialize;

use crate::bounded::{self, ReadError};
use crate::openai::reason;

/// A reply holds a few numbers for each text, and with some servers the texts once more: nothing near this.
const LARGEST_REPLY: usize = 16 * 1024 * 1024;

/// How much of an error's text is worth repeating.
const LONGEST_REASON: usize = 300;

/// Why there is no reply to read.
#[derive(Debug)]
pub(crate) enum PostError {
    /// It is not there, breaks off, or says no.
    Unavailable(String),
    /// It answered with something that is no reply.
    Failed(String),
}

/// A server's address and key; in no bounded time of its own.
pub(crate) struct JsonPost {
    url: String,
    api_key: Option<String>,
    client: reqwest::Client,
}

impl JsonPost {
    pub(crate) fn new(url: String, api_key: Option<String>) -> Result<Self, String> {
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            // Never to another host than the one that was configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| reason(&error))?;
        Ok(Self { url, api_key, client })
    }

    /// The body of a successful reply.
    pub(crate) async fn ask(&self, request: &impl Serialize) -> Result<Vec<u8>, PostError> {
        let mut post = self.client.post(&self.url).json(request);
        if let Some(key) = &self.api_key {
            post = post.bearer_auth(key);
        }
        let reply = post.send().await.map_err(|error| unavailable(&error))?;
        let status = reply.status();
        let body = bounded::body(reply, LARGEST_REPLY).await?;
        if !status.is_success() {
            return Err(PostError::Unavailable(format!("status {}: {}", status.as_u16(), self.said(&body))));
        }
        Ok(body)
    }

    /// An error's text, cut short; some servers repeat the key they were given.
    fn said(&self, body: &[u8]) -> String {
        let mut said = String::from_utf8_lossy(body).into_owned();
        if let Some(key) = self.api_key.as_deref().filter(|key| !key.is_empty()) {
            said = said.replace(key, "…");
        }
        said.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
    }
}

impl From<ReadError> for PostError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Connection(error) => unavailable(&error),
            too_long => Self::Failed(too_long.to_string()),
        }
    }
}

fn unavailable(error: &reqwest::Error) -> PostError {
    PostError::Unavailable(reason(error))
}
