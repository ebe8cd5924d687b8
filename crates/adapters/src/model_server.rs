//! A question to a model server: JSON is posted, and a reply of bounded length comes back.

use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use reqwest::StatusCode;
use serde::Serialize;

use crate::bounded::{self, ReadError};
use crate::openai::reason;

/// A reply that holds a few numbers for each text, and with some servers the texts once more, is nothing near this.
pub(crate) const LARGEST_OF_NUMBERS: usize = 16 * 1024 * 1024;

/// How much of an error's text is worth repeating.
const LONGEST_REASON: usize = 300;

/// Why there is no reply to read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PostError {
    /// It is not there, or breaks off.
    #[error("{0}")]
    Unreachable(String),
    /// It says no.
    #[error("status {}: {said}", .status.as_u16())]
    Refused { status: StatusCode, said: String },
    /// It answered with more than a reply is.
    #[error("{0}")]
    TooLong(String),
}

/// A server's address and key; in no bounded time of its own.
pub(crate) struct ModelServer {
    pub(crate) url: String,
    api_key: Option<String>,
    largest_reply: usize,
    client: reqwest::Client,
}

impl ModelServer {
    /// `silence` is how long it may send nothing, for those who wait for it without a limit of their own.
    pub(crate) fn new(
        url: String,
        api_key: Option<String>,
        largest_reply: usize,
        silence: Option<Duration>,
    ) -> Result<Self, String> {
        let mut client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            // Never to another host than the one that was configured.
            .redirect(reqwest::redirect::Policy::none());
        if let Some(silence) = silence {
            client = client.read_timeout(silence);
        }
        let client = client.build().map_err(|error| reason(&error))?;
        Ok(Self { url, api_key, largest_reply, client })
    }

    /// The body of a successful reply.
    pub(crate) async fn ask(&self, request: &impl Serialize) -> Result<Vec<u8>, PostError> {
        let mut post = self.client.post(&self.url).json(request);
        if let Some(key) = &self.api_key {
            post = post.bearer_auth(key);
        }
        let reply = post.send().await.map_err(ReadError::from)?;
        let status = reply.status();
        let body = bounded::body(reply, self.largest_reply).await?;
        if !status.is_success() {
            return Err(PostError::Refused { status, said: self.said(&body) });
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
            ReadError::Connection(error) => Self::Unreachable(reason(&error)),
            too_long => Self::TooLong(too_long.to_string()),
        }
    }
}

/// Asks about all of them in requests of so many, and so many requests at once. The replies are in the order of the
/// questions; the first request that fails ends the others.
pub(crate) async fn in_batches<T: Clone, R, E, Asking: Future<Output = Result<Vec<R>, E>>>(
    all: Vec<T>,
    batch_size: usize,
    at_once: usize,
    ask: impl Fn(Vec<T>) -> Asking,
) -> Result<Vec<R>, E> {
    let batches: Vec<Vec<T>> = all.chunks(batch_size.max(1)).map(<[T]>::to_vec).collect();
    let replies: Vec<Vec<R>> = stream::iter(batches).map(ask).buffered(at_once.max(1)).try_collect().await?;
    Ok(replies.into_iter().flatten().collect())
}

/// The same for servers that refuse what says nothing, and with it the whole request: they are not asked about it.
pub(crate) async fn in_batches_of_some<T: Clone, R: Clone, E, Asking: Future<Output = Result<Vec<R>, E>>>(
    all: Vec<T>,
    says_something: impl Fn(&T) -> bool,
    of_nothing: R,
    (batch_size, at_once): (usize, usize),
    ask: impl Fn(Vec<T>) -> Asking,
) -> Result<Vec<R>, E> {
    let mut replies = vec![of_nothing; all.len()];
    let (places, some): (Vec<usize>, Vec<T>) =
        all.into_iter().enumerate().filter(|(_, one)| says_something(one)).unzip();
    for (place, reply) in places.into_iter().zip(in_batches(some, batch_size, at_once, ask).await?) {
        replies[place] = reply;
    }
    Ok(replies)
}

/// What a reply says of each of so many, by index and in any order: each once. The words say what it did with them, as in
/// "scored", "score", "text".
pub(crate) fn by_index<T>(
    found: impl IntoIterator<Item = Result<(usize, T), String>>,
    count: usize,
    [did, does, what]: [&str; 3],
) -> Result<Vec<T>, String> {
    let mut placed: Vec<Option<T>> = (0..count).map(|_| None).collect();
    for one in found {
        let (index, value) = one?;
        let place = placed.get_mut(index).ok_or_else(|| format!("it {did} {what} {index} of {count}"))?;
        if place.replace(value).is_some() {
            return Err(format!("it {did} {what} {index} twice"));
        }
    }
    let missing = placed.iter().position(Option::is_none);
    placed
        .into_iter()
        .collect::<Option<_>>()
        .ok_or_else(|| format!("it did not {does} {what} {}", missing.unwrap_or(0)))
}
