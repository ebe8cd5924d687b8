//! Calls of the provider: bounded in time and size, and no redirect followed.

use ibidem_ports::identity_provider::ProviderError;
use reqwest::{RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;

use crate::bounded::{self, ReadError};

/// Larger documents are something else.
const MOST_BYTES: usize = 1 << 20;

/// The reply's status and the document that came with it.
pub(super) async fn document<T: DeserializeOwned>(request: RequestBuilder) -> Result<(StatusCode, T), ProviderError> {
    let response = request.send().await.map_err(|error| unavailable(&error))?;
    let status = response.status();
    if status.is_redirection() || status.is_server_error() {
        return Err(ProviderError::Unavailable(format!("it replied {status}")));
    }
    let bytes = bounded::body(response, MOST_BYTES).await.map_err(|error| match error {
        ReadError::Connection(error) => unavailable(&error),
        too_long => ProviderError::Unavailable(too_long.to_string()),
    })?;
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
