//! The door for chat programs: OpenAI's chat completions in front of the same turn as `POST /v1/answers`.

mod background;
pub(crate) mod completions;
pub(crate) mod errors;
pub(crate) mod models;
mod numbering;
mod reply;
mod request;
#[cfg(test)]
mod tests;

use ibidem_words::Answer;

/// The answer's text with its markers and the list of its sources, or the refusal with what helps, as agents read it.
pub(crate) fn answer_text(answer: &Answer) -> String {
    reply::ShownText::for_agent(answer).content
}
