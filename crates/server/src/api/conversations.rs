//! `/v1/conversations`: questions with their answers, for whoever asked them. Here what goes in and comes out; [`write`]
//! and [`read`] have the handlers.

pub(crate) mod read;
pub(crate) mod write;

use chrono::{DateTime, Utc};
use ibidem_store::{ConversationRow, ConversationTurn, checked_title};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::answers::AnswerAgain;
use crate::problem::Problem;

/// A conversation to begin.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewConversationBody {
    /// What it is called. Left out, it is called by its first question.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    title: Option<String>,
}

/// What of a conversation is to change.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenamingBody {
    /// What it is called from now on.
    #[schema(min_length = 1, max_length = 200)]
    title: String,
}

/// A conversation as a list shows it.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct ConversationBody {
    id: Uuid,
    /// Empty before the first question.
    title: String,
    created_at: DateTime<Utc>,
    /// When it was last asked in or renamed.
    changed_at: DateTime<Utc>,
    /// How many questions were asked in it.
    turns: i64,
}

impl From<ConversationRow> for ConversationBody {
    fn from(row: ConversationRow) -> Self {
        let ConversationRow { id, title, created_at, changed_at, turns } = row;
        Self { id, title, created_at, changed_at, turns }
    }
}

/// A question of a conversation, with its answer.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct TurnBody {
    /// 1 is the first.
    number: i32,
    /// Of its answer: `GET /v1/answers/{request_id}` and the feedback on it take this id.
    request_id: Uuid,
    asked_at: DateTime<Utc>,
    /// As it was asked.
    question: String,
    /// As it was searched for, where it went on with an earlier question.
    rewritten_question: Option<String>,
    /// As `GET /v1/answers/{request_id}` shows it: without what this key may no longer see.
    #[schema(value_type = AnswerAgain)]
    answer: Value,
}

impl From<(ConversationTurn, Value)> for TurnBody {
    fn from((turn, answer): (ConversationTurn, Value)) -> Self {
        Self {
            number: turn.number,
            request_id: turn.request_id,
            asked_at: turn.asked_at,
            question: turn.question,
            rewritten_question: turn.rewritten,
            answer,
        }
    }
}

fn title(written: &str) -> Result<String, Problem> {
    checked_title(written).map_err(|error| Problem::invalid(format!("title: {error}.")))
}

fn conversation_id(written: &str) -> Result<Uuid, Problem> {
    written.parse().map_err(|_| Problem::no_such_conversation())
}
