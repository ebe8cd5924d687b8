//! The URL map.

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa::openapi::Ref;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::{answers, audit, documents, health, memory, metrics, search};
use crate::identity::Caller;
use crate::problem::{Problem, write_problems};
use crate::state::AppState;
use crate::{limits, request_id};

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
        .routes(routes!(audit::read))
        .routes(routes!(search::search))
        .routes(routes!(memory::write::pin))
        .routes(routes!(memory::write::note))
        .routes(routes!(memory::read::list))
        .routes(routes!(memory::read::get, memory::write::replace, memory::write::remove))
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

/// Every operation can end in what the door says, whichever it is.
const OF_THE_DOOR: [(&str, &str); 9] = [
    ("400", "The request cannot be read"),
    ("408", "The body did not arrive in time"),
    ("413", "The body is too large"),
    ("415", "The body is of another type"),
    ("422", "The request is not valid; the detail names the field"),
    ("429", "The key has as many requests under way as it may"),
    ("500", "Something is wrong on this side"),
    ("503", "Too many requests are under way, or a part does not answer"),
    ("504", "The request took too long"),
];

/// With the statuses that come before and around every handler.
fn described(mut description: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("ProblemDocument"))).build();
    for item in description.paths.paths.values_mut() {
        let operations = [&mut item.get, &mut item.put, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            for (status, meaning) in OF_THE_DOOR {
                let response = ResponseBuilder::new().description(meaning);
                let response = response.content("application/problem+json", problem.clone());
                let responses = &mut operation.responses.responses;
                responses.entry(status.to_owned()).or_insert_with(|| response.build().into());
            }
        }
    }
    description
}

/// The API's description, as served at `/openapi.json`.
pub fn openapi() -> utoipa::openapi::OpenApi {
    described(routes().merge(uploads()).merge(probes()).to_openapi())
}

pub fn router(state: AppState) -> Router {
    let ((routes, _), (uploads, _), (probes, _)) =
        (routes().split_for_parts(), uploads().split_for_parts(), probes().split_for_parts());
    let (description, limits) = (openapi(), &state.limits);
    let bounded = routes
        .route("/openapi.json", get(|_: Caller| async { Json(description) }))
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
    let probes = probes.layer(from_fn_with_state((state.clone(), at_once), limits::bound_probe));
    bounded
        .merge(probes)
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(write_problems))
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
