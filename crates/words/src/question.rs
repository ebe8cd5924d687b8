//! What is asked: text from outside, checked and made safe once, here.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{CollectionName, ConfirmationToken, seen, without_tokens};

/// Who said a line of the conversation so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Assistant,
    System,
}

/// A message is one line of the conversation so far, and says who wrote it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub role: Speaker,
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<DateTime<Utc>>,
}

/// A question. Who asks is not part of it: that comes from an authenticated identity alone.
///
/// Outside this crate one is made by the constructors below and in no other way, and they take characters out that
/// nobody sees: no search, prompt, verifier, log or record meets them. They take confirmation tokens out as well.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Question {
    pub query: String,
    /// Restricts the search to these collections. An empty list means all.
    pub collections: Vec<CollectionName>,
    pub history: Vec<Message>,
    /// A model of the allow-list; none means the configured one.
    pub model: Option<String>,
    pub max_context_chunks: usize,
    pub session_id: Option<String>,
    /// Confirms a proposed call: only the asker's own message of this turn can, never an earlier one.
    #[serde(skip)]
    pub confirmation: Option<ConfirmationToken>,
    /// What ties a confirmation to its conversation where there is no session: by the door that it came in by.
    #[serde(skip)]
    pub conversation: Option<String>,
    /// It was put in other words than the asker's.
    #[serde(skip)]
    pub reworded: bool,
}

/// A question as somebody sent it: nothing of it is checked yet.
#[derive(Clone, Debug)]
pub struct QuestionDraft {
    pub query: String,
    pub collections: Vec<CollectionName>,
    pub history: Vec<Message>,
    pub model: Option<String>,
    pub max_context_chunks: usize,
    pub session_id: Option<String>,
    /// A token that confirms what an earlier answer proposed; the query may be one too.
    pub confirmation: Option<String>,
    /// What ties a confirmation to its conversation where there is no session.
    pub conversation: Option<String>,
}

impl Default for QuestionDraft {
    fn default() -> Self {
        Self {
            query: String::new(),
            collections: Vec::new(),
            history: Vec::new(),
            model: None,
            max_context_chunks: Question::DEFAULT_CONTEXT_CHUNKS,
            session_id: None,
            confirmation: None,
            conversation: None,
        }
    }
}

/// Which part of a question cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct InvalidQuestion {
    pub field: String,
    pub problem: String,
}

impl InvalidQuestion {
    fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

impl Question {
    pub const LONGEST_QUERY: usize = 4_000;
    pub const DEFAULT_CONTEXT_CHUNKS: usize = 5;
    pub const MOST_CONTEXT_CHUNKS: usize = 20;
    pub const MOST_COLLECTIONS: usize = 100;
    pub const MOST_MESSAGES: usize = 100;
    /// Bounds one line of the history, in characters.
    pub const LONGEST_MESSAGE: usize = 16_000;
    /// Bounds all lines of the history together, in characters.
    pub const LONGEST_HISTORY: usize = 100_000;
    /// Bounds a model's name or a session's id, in characters.
    pub const LONGEST_NAME: usize = 200;

    /// Makes a question of its text alone.
    pub fn new(query: impl Into<String>) -> Self {
        let query = query.into();
        Self {
            confirmation: ConfirmationToken::confirming(&seen(&query)),
            conversation: None,
            query: clean(query),
            collections: Vec::new(),
            history: Vec::new(),
            model: None,
            max_context_chunks: Self::DEFAULT_CONTEXT_CHUNKS,
            session_id: None,
            reworded: false,
        }
    }

    /// A question that somebody sent, if it can be asked.
    pub fn checked(draft: QuestionDraft) -> Result<Self, InvalidQuestion> {
        let confirmation = match draft.confirmation {
            None => ConfirmationToken::confirming(&seen(&draft.query)),
            Some(token) => {
                let problem = |error: super::InvalidToken| InvalidQuestion::new("confirmation", error.to_string());
                Some(token.try_into().map_err(problem)?)
            }
        };
        let query = checked_query(draft.query)?;
        at_most("collections", "entries", draft.collections.len(), Self::MOST_COLLECTIONS)?;
        if !(1..=Self::MOST_CONTEXT_CHUNKS).contains(&draft.max_context_chunks) {
            let problem =
                format!("is {}; it must be from 1 to {}", draft.max_context_chunks, Self::MOST_CONTEXT_CHUNKS);
            return Err(InvalidQuestion::new("max_context_chunks", problem));
        }
        Ok(Self {
            query,
            collections: draft.collections,
            history: checked_history(draft.history)?,
            model: draft.model.map(|model| checked_name("model", model)).transpose()?,
            max_context_chunks: draft.max_context_chunks,
            session_id: draft.session_id.map(|id| checked_name("session_id", id)).transpose()?,
            confirmation,
            conversation: draft.conversation,
            reworded: false,
        })
    }

    /// Replaces the question's text by another.
    #[must_use]
    pub fn asking(mut self, query: impl Into<String>) -> Self {
        self.query = clean(query.into());
        self
    }

    /// Words the same question differently than its asker did, and keeps all else: a follow-up is searched for this
    /// way.
    #[must_use]
    pub fn reworded(self, query: impl Into<String>) -> Self {
        Self { reworded: true, ..self.asking(query) }
    }

    /// Restricts the question to these collections.
    #[must_use]
    pub fn in_collections(mut self, collections: Vec<CollectionName>) -> Self {
        self.collections = collections;
        self
    }

    /// Puts the question after these lines of a conversation.
    #[must_use]
    pub fn after(mut self, history: Vec<Message>) -> Self {
        self.history =
            history.into_iter().map(|message| Message { content: clean(message.content), ..message }).collect();
        self
    }

    /// Asks another model than the first to write the answer.
    #[must_use]
    pub fn of_model(mut self, model: impl Into<String>) -> Self {
        self.model = Some(clean(model.into()));
        self
    }

    /// Sets how many passages the answer may be written from at most.
    #[must_use]
    pub fn with_context_chunks(mut self, most: usize) -> Self {
        self.max_context_chunks = most;
        self
    }
}

fn clean(text: String) -> String {
    let text = match seen(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    };
    match without_tokens(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(masked) => masked,
    }
}

/// What is asked or searched for: 1 to 4,000 characters, of which somebody sees something.
pub fn checked_query(query: String) -> Result<String, InvalidQuestion> {
    checked_text("query", query, Question::LONGEST_QUERY)
}

fn checked_text(field: &str, text: String, longest: usize) -> Result<String, InvalidQuestion> {
    let text = clean(text);
    if text.trim().is_empty() {
        return Err(InvalidQuestion::new(field, "is blank"));
    }
    at_most(field, "characters", text.chars().count(), longest)?;
    Ok(text)
}

/// A name stands on one line: it goes into logs and records.
fn checked_name(field: &str, name: String) -> Result<String, InvalidQuestion> {
    let name = checked_text(field, name, Question::LONGEST_NAME)?;
    if name.contains(char::is_control) {
        return Err(InvalidQuestion::new(field, "has a line break or a tab in it"));
    }
    Ok(name)
}

fn checked_history(history: Vec<Message>) -> Result<Vec<Message>, InvalidQuestion> {
    at_most("history", "messages", history.len(), Question::MOST_MESSAGES)?;
    let mut characters = 0;
    let checked = history.into_iter().enumerate().map(|(place, message)| {
        let content = checked_text(&format!("history[{place}].content"), message.content, Question::LONGEST_MESSAGE)?;
        characters += content.chars().count();
        Ok(Message { content, ..message })
    });
    let history = checked.collect::<Result<Vec<_>, InvalidQuestion>>()?;
    at_most("history", "characters", characters, Question::LONGEST_HISTORY)?;
    Ok(history)
}

fn at_most(field: &str, what: &str, count: usize, most: usize) -> Result<(), InvalidQuestion> {
    if count <= most {
        return Ok(());
    }
    Err(InvalidQuestion::new(field, format!("has {count} {what}; the most is {most}")))
}

#[cfg(test)]
mod tests;
