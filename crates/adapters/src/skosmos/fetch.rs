//! A JSON answer, or the reason why there is none.

use ibidem_ports::vocabulary::VocabularyError;
use reqwest::{Client, Response, StatusCode, Url, header};
use serde::de::DeserializeOwned;

use crate::openai::reason;

/// No answer is larger than this; a server that sends more is not answering the question.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// Fetches what must be status 200, called JSON, and be it. Anything else says nothing about the term: servers send
/// pages with status 200 for their own mistakes.
pub(super) async fn json<T: DeserializeOwned>(client: &Client, url: Url) -> Result<T, VocabularyError> {
    json_if_there(client, url).await?.ok_or_else(|| unavailable("status 404".to_owned()))
}

/// The same of what need not be there: none at status 404.
pub(super) async fn json_if_there<T: DeserializeOwned>(
    client: &Client,
    url: Url,
) -> Result<Option<T>, VocabularyError> {
    let request = client.get(url).header(header::ACCEPT, "application/json");
    let reply = request.send().await.map_err(|error| unavailable(reason(&error)))?;
    if reply.status() == StatusCode::NOT_FOUND {
        return Ok(None);
    }
    if reply.status() != StatusCode::OK {
        return Err(unavailable(format!("status {}", reply.status().as_u16())));
    }
    if !is_json(&reply) {
        return Err(unavailable("the answer is not JSON".to_owned()));
    }
    let body = body(reply).await?;
    let read = serde_json::from_slice(&body);
    read.map(Some).map_err(|error| unavailable(format!("the answer is not of the protocol: {error}")))
}

fn is_json(reply: &Response) -> bool {
    let kind = reply.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.ends_with("+json")
}

async fn body(mut reply: Response) -> Result<Vec<u8>, VocabularyError> {
    let mut body = Vec::new();
    while let Some(piece) = reply.chunk().await.map_err(|error| unavailable(reason(&error)))? {
        if body.len() + piece.len() > MOST_BYTES {
            return Err(unavailable(format!("the answer is larger than {MOST_BYTES} bytes")));
        }
        body.extend_from_slice(&piece);
    }
    Ok(body)
}

pub(super) fn unavailable(reason: String) -> VocabularyError {
    VocabularyError::Unavailable(reason)
}
