//! What is asked.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::CollectionName;

/// Who said a line of the conversation so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    Assistant,
    System,
}

/// A line of the conversation so far.
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
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Question {
    pub query: String,
    /// Only these collections; empty means all.
    pub collections: Vec<CollectionName>,
    pub history: Vec<Message>,
    /// A model of the allow-list; none means the configured one.
    pub model: Option<String>,
    pub max_context_chunks: usize,
    pub session_id: Option<String>,
}

impl Question {
    pub const LONGEST_QUERY: usize = 4_000;
    pub const DEFAULT_CONTEXT_CHUNKS: usize = 5;

    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            collections: Vec::new(),
            history: Vec::new(),
            model: None,
            max_context_chunks: Self::DEFAULT_CONTEXT_CHUNKS,
            session_id: None,
        }
    }
}
