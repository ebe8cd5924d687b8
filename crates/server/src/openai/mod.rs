//! The door for chat programs: OpenAI's chat completions in front of the same turn as `POST /v1/answers`.

mod background;
mod completions;
pub(crate) mod errors;
mod models;
mod numbering;
mod reply;
mod request;
#[cfg(test)]
mod tests;

use axum::http::HeaderMap;
use ibidem_words::Answer;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::state::AppState;

/// The endpoints that chat programs call.
pub(crate) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(completions::complete)).routes(routes!(models::list))
}

/// The answer's text with its markers and the list of its sources, as every door says it.
pub(crate) fn answer_text(answer: &Answer) -> String {
    reply::ShownText::of(answer, &reply::Links::for_caller(&HeaderMap::new(), None)).content
}
