//! What every handler shares.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_engine::ports::originals::Originals;
use ibidem_engine::search::Searcher;
use ibidem_store::Store;
use tokio::sync::Semaphore;

/// Limits on what callers can ask of this process.
#[derive(Clone, Copy, Debug)]
pub struct ServerLimits {
    pub max_body_bytes: usize,
    pub request_timeout: Duration,
    pub max_in_flight: usize,
}

/// Whether this process can serve: asked by `/readyz`.
#[async_trait]
pub trait Readiness: Send + Sync {
    /// What is not ready, by name, with the reason for the log; empty when all is well.
    async fn missing(&self) -> Vec<(&'static str, String)>;
}

#[derive(Clone)]
pub struct AppState {
    pub store: Store,
    pub searcher: Searcher,
    pub originals: Arc<dyn Originals>,
    pub readiness: Arc<dyn Readiness>,
    /// Names the way documents are read and split (see `Submission::fingerprint`).
    pub reading: Arc<str>,
    pub limits: ServerLimits,
    pub(crate) in_flight: Arc<Semaphore>,
}

impl AppState {
    pub fn new(
        store: Store,
        searcher: Searcher,
        originals: Arc<dyn Originals>,
        readiness: Arc<dyn Readiness>,
        reading: &str,
        limits: ServerLimits,
    ) -> Self {
        let in_flight = Arc::new(Semaphore::new(limits.max_in_flight));
        Self { store, searcher, originals, readiness, reading: reading.into(), limits, in_flight }
    }
}
