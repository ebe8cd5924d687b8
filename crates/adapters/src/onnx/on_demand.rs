//! A reader whose weights are loaded when the first pair for it comes: whoever never asks it has the memory for other
//! things.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_ports::reranker::{Relevance, RerankError, Reranker};
use tokio::sync::OnceCell;

use super::pair_model::{PairModelError, PairModelSettings};
use super::reranker::{OnnxReranker, name_of};

pub struct OnDemandReranker {
    name: String,
    settings: PairModelSettings,
    longest_wait: Duration,
    loaded: Arc<OnceCell<OnnxReranker>>,
}

impl OnDemandReranker {
    /// Reads the weights for their digest and starts nothing.
    pub fn of(settings: PairModelSettings) -> Result<Self, PairModelError> {
        let name = name_of(&settings)?;
        Ok(Self { name, settings, longest_wait: Duration::MAX, loaded: Arc::default() })
    }

    /// As [`OnnxReranker::waiting_at_most`].
    #[must_use]
    pub fn waiting_at_most(self, longest_wait: Duration) -> Self {
        Self { longest_wait, ..self }
    }

    /// Whether its weights are in memory.
    pub fn is_loaded(&self) -> bool {
        self.loaded.initialized()
    }

    /// Loads it, where nobody has. The work goes on when its caller gives up, and the next one finds it done.
    async fn loaded(&self) -> Result<&OnnxReranker, RerankError> {
        if let Some(loaded) = self.loaded.get() {
            return Ok(loaded);
        }
        let (cell, settings, longest_wait) = (Arc::clone(&self.loaded), self.settings.clone(), self.longest_wait);
        let loading = tokio::spawn(async move {
            let load = async || {
                let loaded = tokio::task::spawn_blocking(move || OnnxReranker::load(&settings)).await;
                let loaded = loaded.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
                Ok::<_, String>(loaded.waiting_at_most(longest_wait))
            };
            cell.get_or_try_init(load).await.map(|_| ())
        });
        loading.await.unwrap_or_else(|error| Err(error.to_string())).map_err(RerankError::Unavailable)?;
        self.loaded.get().ok_or_else(|| RerankError::Unavailable("it is not loaded".to_owned()))
    }
}

#[async_trait]
impl Reranker for OnDemandReranker {
    fn name(&self) -> &str {
        &self.name
    }

    async fn prepare(&self, _: &str, _: &[String]) {
        // Why it could not be loaded is said to whoever asks it to read.
        let _ = self.loaded().await;
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.loaded().await?.score(question, texts).await
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        self.loaded().await?.read(question, texts).await
    }
}
