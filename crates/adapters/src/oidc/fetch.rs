//! Calls of the provider: bounded in time and size, and no redirect followed.

use ibidem_words::ports::identity_provider::ProviderError;
use reqwest::{RequestBuilder, Response, StatusCode};
use serde::de::DeserializeOwned;

/// Larger documents are something else.
const MOST_BYTES: usize = 1 << 20;

/// The reply's status and the document that came with it.
pub(super) async fn document<T: DeserializeOwned>(request: RequestBuilder) -> Result<(StatusCode, T), ProviderError> {
    let response = request.send().await.map_err(|error| unavailable(&error))?;
    let status = response.status();
    if status.is_redirection() || status.is_server_error() {
        return Err(ProviderError::Unavailable(format!("it replied {status}")));
    }
    let bytes = bounded(response).await?;
    let document = serde_json::from_slice(&bytes);
    let document = document.map_err(|error| ProviderError::Unavailable(format!("it replied {status}: {error}")))?;
    Ok((status, document))
}

/// The same, where only success is an answer.
pub(super) async fn success<T: DeserializeOwned>(request: RequestBuilder) -> Result<T, ProviderError> {
    let (status, document) = document::<serde_json::Value>(request).await?;
    if !status.is_success() {
        return Err(ProviderError::Unavailable(format!("it replied {status}")));
    }
    serde_json::from_value(document).map_err(|error| ProviderError::Unavailable(error.to_string()))
}

async fn bounded(mut response: Response) -> Result<Vec<u8>, ProviderError> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| unavailable(&error))? {
        if bytes.len() + piece.len() > MOST_BYTES {
            return Err(ProviderError::Unavailable(format!("it sent more than {MOST_BYTES} bytes")));
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Without its address: a query may hold secrets.
fn unavailable(error: &reqwest::Error) -> ProviderError {
    let mut reason = String::new();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        reason = cause.to_string();
        next = cause.source();
    }
    if error.is_timeout() {
        reason = "it took too long".to_owned();
    }
    ProviderError::Unavailable(if reason.is_empty() { "the connection failed".to_owned() } else { reason })
}
