//! `/v1/conversations`: questions with their answers, for whoever asked them. Here what goes in and comes out; [`write`]
//! and [`read`] have the handlers.

pub(crate) mod read;
pub(crate) mod write;

use chrono::{DateTime, Utc};
use ibidem_engine::policy::Policy;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::records::TurnRecord;
use ibidem_store::{ConversationRow, ConversationTurn, NewTurn, Talker, checked_title};
use ibidem_words::Identity;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::answers::AnswerAgain;
use crate::problem::Problem;
use crate::state::AppState;

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

/// The conversation that a turn belongs to, while the turn is under way.
pub(crate) struct TalkingIn {
    pub(crate) talker: Talker,
    pub(crate) conversation: Uuid,
}

impl TalkingIn {
    pub(crate) fn of(identity: &Identity, conversation: Uuid) -> Self {
        Self { talker: Talker::of(identity), conversation }
    }

    /// Keeps the turn, before its answer goes out: the next question may come at once. A turn that cannot be kept is
    /// answered all the same. True if it is the first.
    pub(crate) async fn keep(&self, state: &AppState, record: &TurnRecord) -> bool {
        let turn = NewTurn {
            request_id: record.answer.request_id,
            asked_at: record.asked_at,
            question: record.question.query.clone(),
            rewritten: record.answer.rewritten_question.clone(),
            // Plain strings and numbers: serialising them cannot fail.
            answer: serde_json::to_value(&record.answer).unwrap_or_default(),
        };
        match state.store.add_turn(&self.talker, self.conversation, turn).await {
            Ok(number) => number == Some(1),
            Err(error) => {
                tracing::error!(%error, "a turn is not in its conversation");
                false
            }
        }
    }

    /// Has the model for titles name the conversation, where there is one. Nobody waits for it.
    pub(crate) async fn name(&self, state: &AppState, policy: &Policy, question: &str) {
        let engine = state.engine_in_force();
        let deadline = Deadline::after(state.limits.request_timeout);
        let Some(title) = engine.title(policy, question, deadline).await else { return };
        if let Err(error) = state.store.title_conversation(&self.talker, self.conversation, &title).await {
            tracing::warn!(%error, "a conversation keeps its first question as its title");
        }
    }
}
