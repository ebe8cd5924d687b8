//! A question that goes on with an earlier one is put so that it stands by itself, before anything else is done with it.
//!
//! The planner writes it where there is one; else a rule does, with words of the last question that was answered. Both
//! see the asker's questions and nothing else: an earlier answer is no source, of an answer or of a question.

mod planned;

use ibidem_language::follow_ups::Spoken;
use ibidem_words::{Question, Speaker};

use crate::parts::Parts;
use crate::turn::Asked;

/// The question as it is searched for, and its new wording where it has one.
pub(crate) async fn self_contained(parts: &Parts, mut asked: Asked) -> (Asked, Option<String>) {
    let answered = answered_questions(&asked.question);
    if answered.is_empty() || asked.question.confirmation.is_some() {
        return (asked, None);
    }
    let mut spoken = Spoken::default();
    for question in &answered {
        spoken.answered(question);
    }
    let by_rule = spoken.self_contained(&asked.question.query);
    let rules = &asked.policy.rules.conversations.follow_up;
    let planned = match &parts.roles.planner {
        Some(planner) => planned::rewritten(planner, rules, &answered, &asked.question.query, asked.deadline).await,
        None => None,
    };
    let query = asked.question.query.trim();
    let rewritten = planned.unwrap_or(by_rule).filter(|text| !text.eq_ignore_ascii_case(query));
    let rewritten = rewritten.filter(|text| text.chars().count() <= Question::LONGEST_QUERY);
    if let Some(text) = &rewritten {
        asked.question = asked.question.reworded(text.clone());
    }
    (asked, rewritten)
}

/// The asker's questions so far that got a reply, oldest first.
fn answered_questions(question: &Question) -> Vec<String> {
    let mut answered = Vec::new();
    let mut waiting = None;
    for message in &question.history {
        match message.role {
            Speaker::User => waiting = Some(message.content.as_str()),
            Speaker::Assistant => answered.extend(waiting.take().map(str::to_owned)),
            Speaker::System => {}
        }
    }
    answered
}

#[cfg(test)]
mod tests;
