//! HTTP: the URL map, who is asking, and every error as a problem document.

mod api;
mod audit;
mod identity;
mod limits;
pub mod logs;
pub mod metrics;
mod problem;
mod request_id;
mod routes;
mod skosmos;
mod state;

use std::sync::Arc;

use ibidem_engine::ports::thesaurus::Thesaurus;
use tokio::net::TcpListener;

pub use api::memory::MemoryEntryBody;
pub use api::search::SearchResponse;
pub use audit::{AUDITED_ROUTES, AuditSettings, EXEMPT_ROUTES};
pub use routes::{openapi, router};
pub use skosmos::router as skosmos_router;
pub use state::{AppState, MetricsReaders, Readiness, ServerLimits, ServerParts};

/// Serves until `stop` resolves; requests under way are finished first, and their records written.
pub async fn serve(
    listener: TcpListener,
    state: AppState,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let upkeep = tokio::spawn(audit::keep_up(state.store.clone(), state.audit.clone()));
    let stopping = state.clone();
    let stop = async move {
        stop.await;
        stopping.hurry();
    };
    axum::serve(listener, router(state.clone())).with_graceful_shutdown(stop).await?;
    upkeep.abort();
    state.finish().await;
    Ok(())
}

/// Serves whole vocabularies as Skosmos does, until `stop` resolves.
pub async fn serve_vocabularies(
    listener: TcpListener,
    vocabularies: Arc<dyn Thesaurus>,
    language: &str,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    axum::serve(listener, skosmos::router(vocabularies, language)).with_graceful_shutdown(stop).await
}
