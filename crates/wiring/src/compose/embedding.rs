//! The embedding model, in this process or over HTTP.

use std::sync::Arc;

use ibidem_adapters::http_embedder::HttpEmbedder;
use ibidem_adapters::onnx::OnnxEmbedder;
use ibidem_ports::embedder::{Embedder, TokenCounter};

use crate::settings::Settings;

/// Embeds, and counts tokens as the model does.
pub trait CountingEmbedder: Embedder + TokenCounter {}

impl<T: Embedder + TokenCounter> CountingEmbedder for T {}

/// Loads the embedding model, which takes about a second, or asks its server.
pub async fn embedder(settings: &Settings) -> anyhow::Result<Arc<dyn CountingEmbedder>> {
    let embedder = unmeasured(settings).await?;
    if let Some(measured) = &settings.embedding.similarity.model {
        let hash = embedder.model().hash.0.to_string();
        anyhow::ensure!(
            hash == *measured,
            "`embedding.similarity` was measured for the embedding model {measured}, not for the configured one ({hash}); \
             measure it again with `ibidem models --similarity`"
        );
    }
    Ok(embedder)
}

/// Whatever model the configured scale belongs to.
pub async fn unmeasured(settings: &Settings) -> anyhow::Result<Arc<dyn CountingEmbedder>> {
    if let Some(http) = settings.embedding.http() {
        return Ok(Arc::new(HttpEmbedder::connect(http).await?));
    }
    let onnx = settings.embedding.onnx();
    let loaded = tokio::task::spawn_blocking(move || OnnxEmbedder::load(&onnx)).await?;
    Ok(Arc::new(loaded?))
}
