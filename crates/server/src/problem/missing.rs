//! What a path names and is not there.

use axum::http::StatusCode;

use super::Problem;

impl Problem {
    /// What a path names is not there, or not the caller's to know of: both read the same.
    pub(crate) fn no_such(title: &'static str, where_to_look: &'static str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", title, where_to_look)
    }

    pub(crate) fn no_such_entry() -> Self {
        Self::no_such("There is no such entry", "`GET /v1/memory` lists the entries that this key may see.")
    }

    pub(crate) fn no_such_answer() -> Self {
        Self::no_such(
            "There is no such answer",
            "An answer can be read again only with the key that asked, by the request id that came with it.",
        )
    }

    pub(crate) fn no_such_conversation() -> Self {
        Self::no_such(
            "There is no such conversation",
            "`GET /v1/conversations` lists the conversations of this key; nobody else reads them.",
        )
    }

    /// A model that a chat program asked for.
    pub(crate) fn no_such_model(name: &str) -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "model_not_found",
            "There is no such model",
            format!("{name:?} is none of those that `GET /v1/models` lists for this caller."),
        )
    }

    pub(crate) fn no_such_document() -> Self {
        Self::no_such(
            "There is no such document",
            "`POST /v1/search` and `ibidem document list` show the ids of documents.",
        )
    }

    pub(crate) fn no_such_record() -> Self {
        Self::no_such(
            "There is no such record",
            "A record has the request id of its answer. It appears a moment after the answer; try again then.",
        )
    }
}
