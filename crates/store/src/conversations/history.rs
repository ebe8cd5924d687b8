//! What was said before a question, as far as the asker may see it now.

use std::collections::BTreeSet;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Message, Question, Scope, Speaker};
use serde_json::Value;
use uuid::Uuid;

use super::{ConversationTurn, Talker};
use crate::Store;

/// Turns that are looked at: a question goes on with the latest.
const MOST_TURNS: u32 = 20;

impl Store {
    /// The conversation so far, for its next question: the turns that were answered, and of their answers what this
    /// asker may see now. None when there is no such conversation.
    pub async fn conversation_so_far(
        &self,
        talker: &Talker,
        scope: &Scope,
        conversation: Uuid,
    ) -> Result<Option<Vec<Message>>, CatalogueError> {
        if self.conversation(talker, conversation).await?.is_none() {
            return Ok(None);
        }
        let turns = self.conversation_turns(talker, conversation, MOST_TURNS).await?;
        Ok(Some(history(self.shown_turns(scope, turns).await?)))
    }

    /// Each turn with its answer as it may be shown now. The catalogue is asked once for all of them.
    pub async fn shown_turns(
        &self,
        scope: &Scope,
        turns: Vec<ConversationTurn>,
    ) -> Result<Vec<(ConversationTurn, Value)>, CatalogueError> {
        let passages: BTreeSet<_> = turns.iter().flat_map(|turn| turn.answer.passages()).collect();
        let passages: Vec<_> = passages.into_iter().collect();
        let visible = self.still_visible(scope, &passages).await?;
        let shown = |turn: ConversationTurn| {
            let answer = turn.answer.clone().masked(scope, &visible);
            (turn, answer)
        };
        Ok(turns.into_iter().map(shown).collect())
    }
}

/// Questions and replies, oldest first: of the turns that were answered the latest that fit into a question's history.
pub fn history(turns: Vec<(ConversationTurn, Value)>) -> Vec<Message> {
    let mut characters = 0;
    let mut messages = Vec::new();
    for (turn, answer) in turns.into_iter().rev() {
        let text = answer["answer"].as_str().unwrap_or_default().trim();
        if answer["action"] != "cite" || text.is_empty() {
            continue;
        }
        let reply: String = text.chars().take(Question::LONGEST_MESSAGE).collect();
        let question = turn.rewritten.unwrap_or(turn.question);
        characters += reply.chars().count() + question.chars().count();
        if characters > Question::LONGEST_HISTORY || messages.len() + 2 > Question::MOST_MESSAGES {
            break;
        }
        let timestamp = Some(turn.asked_at);
        messages.push(Message { role: Speaker::Assistant, content: reply, timestamp });
        messages.push(Message { role: Speaker::User, content: question, timestamp });
    }
    messages.reverse();
    messages
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use serde_json::json;

    use super::*;
    use crate::audit::StoredAnswer;

    fn turn(question: &str, action: &str, answer: &str) -> (ConversationTurn, Value) {
        let shown = json!({ "action": action, "answer": answer });
        let turn = ConversationTurn {
            number: 1,
            request_id: Uuid::nil(),
            asked_at: DateTime::UNIX_EPOCH,
            question: question.to_owned(),
            rewritten: None,
            answer: StoredAnswer::of(DateTime::UNIX_EPOCH, shown.clone()),
        };
        (turn, shown)
    }

    #[test]
    fn only_answered_turns_are_gone_on_with() {
        let turns = vec![
            turn("one?", "cite", "One.[1]"),
            turn("two?", "refuse", "I don't know."),
            turn("three?", "cite", ""),
            turn("four?", "cite", "Four.[1]"),
        ];
        let lines: Vec<_> = history(turns).into_iter().map(|message| (message.role, message.content)).collect();
        let expected = [
            (Speaker::User, "one?"),
            (Speaker::Assistant, "One.[1]"),
            (Speaker::User, "four?"),
            (Speaker::Assistant, "Four.[1]"),
        ];
        assert_eq!(lines, expected.map(|(role, text)| (role, text.to_owned())));
    }

    #[test]
    fn a_long_conversation_is_cut_at_its_beginning() {
        let long = "x".repeat(Question::LONGEST_MESSAGE * 2);
        let turns = (0..20).map(|number| turn(&format!("{number}?"), "cite", &long)).collect();
        let messages = history(turns);
        assert_eq!((messages.len(), messages[0].content.as_str()), (12, "14?"));
        assert!(messages.iter().all(|message| message.content.chars().count() <= Question::LONGEST_MESSAGE));
    }
}
