//! What a turn and its conversation have to do with each other.

use ibidem_engine::policy::Policy;
use ibidem_ports::degrade::Deadline;
use ibidem_ports::records::TurnRecord;
use ibidem_store::{NewTurn, Talker};
use ibidem_words::Identity;
use uuid::Uuid;

use crate::state::AppState;

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
