//! The URL map.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, options, post_service};
use axum::{Json, Router};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::{
    answers, audit, claims, conversations, documents, evaluations, feedback, groups, health, keys,
    limits as use_limits, me, memory, metrics, people, policies, protected_resource, queue, receipt_keys, search,
    sign_in::{callback, login, logout, sessions},
    tenant_metrics, terms,
};
use crate::audit::record_action;
use crate::identity::Caller;
use crate::mcp;
use crate::openai;
use crate::problem::{Problem, write_problems};
use crate::state::AppState;
use crate::{described, embedding, host, limits, pages, request_id};

#[derive(OpenApi)]
#[openapi(
    info(title = "Ibidem", description = "Answers from an organisation's own documents, each claim traced to its source."),
    modifiers(&ApiKey),
)]
struct Description;

struct ApiKey;

impl utoipa::Modify for ApiKey {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        openapi.components.get_or_insert_default().add_security_scheme("api_key", SecurityScheme::Http(scheme));
    }
}

fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(answers::ask))
        .routes(routes!(answers::read))
        .routes(routes!(claims::verify))
        .routes(routes!(conversations::read::list, conversations::write::create))
        .routes(routes!(conversations::read::read, conversations::write::rename, conversations::write::remove))
        .routes(routes!(conversations::read::export))
        .routes(routes!(feedback::give))
        .routes(routes!(feedback::list))
        .routes(routes!(receipt_keys::read))
        .routes(routes!(protected_resource::of_api))
        .routes(routes!(protected_resource::of_agents))
        .routes(routes!(audit::actions::list))
        .routes(routes!(audit::read))
        .routes(routes!(search::search))
        .routes(routes!(documents::list::list))
        .routes(routes!(documents::read::document, documents::retag::retag, documents::remove::remove))
        .routes(routes!(documents::read::passage))
        .routes(routes!(documents::read::original))
        .routes(routes!(groups::list, groups::map))
        .routes(routes!(groups::remove))
        .routes(routes!(keys::list, keys::create))
        .routes(routes!(keys::revoke))
        .routes(routes!(me::read))
        .routes(routes!(login::login))
        .routes(routes!(callback::callback))
        .routes(routes!(logout::logout))
        .routes(routes!(logout::backchannel))
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::end))
        .routes(routes!(memory::write::pin))
        .routes(routes!(memory::write::note))
        .routes(routes!(memory::read::list))
        .routes(routes!(memory::read::get, memory::write::replace, memory::write::remove))
        .routes(routes!(policies::list, policies::set, policies::unset))
        .routes(routes!(policies::what_if::try_out))
        .routes(routes!(queue::read))
        .routes(routes!(tenant_metrics::read))
        .routes(routes!(use_limits::read))
        .routes(routes!(evaluations::list))
        .routes(routes!(terms::list))
        .routes(routes!(terms::read))
        .routes(routes!(people::list))
        .routes(routes!(people::set))
        .merge(openai::routes())
}

/// Whose bodies are files.
fn uploads() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(documents::submit))
}

/// What must be answered also when the server is full.
fn probes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(metrics::read_metrics))
}

/// The API's description, as served at `/openapi.json`.
pub fn openapi() -> utoipa::openapi::OpenApi {
    described::in_full(routes().merge(uploads()).merge(probes()).to_openapi())
}

/// Everything that is served: the API, and the doors that call it.
pub fn router(state: AppState) -> Router {
    let (api, limits) = (api(state.clone()), &state.limits);
    // Each call of a tool takes a place of its own in the API.
    let at_once = Arc::new(Semaphore::new(limits.max_in_flight));
    let only_reads = state.engine_in_force().parts.tools.is_empty();
    let agents = post_service(mcp::service(api.clone(), limits.max_json_bytes, only_reads));
    let agents = Router::new()
        .route(mcp::PATH, agents)
        .layer(from_fn_with_state(state.clone(), mcp::admit))
        .layer(from_fn_with_state(limits.max_json_bytes, limits::bound_size))
        .layer(from_fn_with_state((*limits, at_once), limits::bound_probe))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(host::named_once))
        .layer(from_fn(write_problems))
        .layer(from_fn_with_state(state, request_id::assign));
    api.merge(agents)
}

fn api(state: AppState) -> Router {
    let ((routes, _), (uploads, _), (probes, _)) =
        (routes().split_for_parts(), uploads().split_for_parts(), probes().split_for_parts());
    let (description, limits) = (openapi(), &state.limits);
    let bounded = routes
        .route("/openapi.json", get(|_: Caller| async { Json(description) }))
        .route("/", get(pages::index))
        .route("/assets/{file}", get(pages::asset))
        .route("/embed.js", get(pages::widget))
        .route("/v1/answers", options(embedding::preflight))
        .fallback(|| async { Problem::not_found() })
        .layer(DefaultBodyLimit::max(limits.max_json_bytes))
        .layer(from_fn_with_state(limits.max_json_bytes, limits::bound_size))
        .merge(
            uploads
                .layer(DefaultBodyLimit::max(limits.max_body_bytes))
                .layer(from_fn_with_state(limits.max_body_bytes, limits::bound_size)),
        )
        .layer(from_fn_with_state(state.clone(), limits::bound));
    let at_once = Arc::new(Semaphore::new(limits::PROBES_AT_ONCE));
    let probes = probes.layer(from_fn_with_state((*limits, at_once), limits::bound_probe));
    bounded
        .merge(probes)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn_with_state(state.clone(), record_action))
        .layer(from_fn(host::named_once))
        .layer(from_fn(write_problems))
        .layer(from_fn(openai::errors::write_chat_errors))
        .layer(from_fn(embedding::tell_browsers))
        .layer(from_fn_with_state(state.clone(), request_id::assign))
        .with_state(state)
}

/// A panic is a mistake in this program: the caller gets a problem document, the log the reason.
#[expect(clippy::needless_pass_by_value, reason = "the signature that the layer calls")]
fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let reason = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    tracing::error!(reason, "a handler panicked");
    Problem::internal().into_response()
}
