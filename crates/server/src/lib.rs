//! HTTP: the URL map, who is asking, and every error as a problem document.

mod api;
mod audit;
mod connections;
mod conversations;
mod described;
mod embedding;
mod hand_over;
mod host;
mod identity;
mod json;
mod limits;
pub mod logs;
mod mcp;
pub mod metrics;
mod openai;
mod pages;
mod permissions;
pub mod policy_file;
mod policy_places;
mod problem;
mod quotas;
mod request_id;
mod routes;
mod rules;
mod sign_in;
mod sign_in_links;
mod speaking;
mod state;
mod traces;
mod turns;

use axum::serve::Listener;

pub use api::memory::MemoryEntryBody;
pub use api::search::SearchResponse;
pub use api::{endpoints, openapi};
pub use audit::AuditSettings;
pub use connections::ConnectionLimits;
pub use hand_over::{HandOverPlace, HandOverRules};
pub use limits::ServerLimits;
pub use pages::pages_are_built;
pub use permissions::{POWERS, Power};
pub use policy_places::{PlaceError, PolicyPlaces};
pub use quotas::{OverLimit, QuotaError, QuotaSettings, Quotas, UseLimits};
pub use routes::router;
pub use rules::{Bounds, Least, Recorded, Rules};
pub use sign_in::{AccessTokens, SignIn};
pub use sign_in_links::SignInLinks;
pub use state::{AppState, MetricsReaders, Publishing, Readiness, ServerParts};

/// Serves until `stop` resolves; requests under way are finished first, and their records written.
pub async fn serve(listener: impl Listener, state: AppState, stop: impl Future<Output = ()> + Send + 'static) {
    let upkeep = tokio::spawn(audit::keep_up(state.store.clone(), state.audit.clone()));
    let stopping = state.clone();
    let stop = async move {
        stop.await;
        stopping.hurry();
    };
    let limits = state.limits;
    connections::serve(listener, router(state.clone()), limits.connections, limits.longest_reply(), stop).await;
    upkeep.abort();
    state.finish().await;
}
