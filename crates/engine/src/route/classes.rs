//! What kind of question something is, by rule: recorded with the decision, and deciding nothing.

use ibidem_language::talk::{asks_how, leans_on_history, small_talk};
use ibidem_ports::records::QueryClass;
use ibidem_words::{Question, Speaker};

/// Total: every question is of one class.
pub(crate) fn class_of(question: &Question) -> QueryClass {
    let has_context = question.history.iter().any(|message| message.role == Speaker::User);
    if small_talk(&question.query).is_some() {
        QueryClass::Greeting
    } else if has_context && leans_on_history(&question.query) {
        QueryClass::Clarification
    } else if asks_how(&question.query) {
        QueryClass::Procedural
    } else {
        QueryClass::Factual
    }
}

#[cfg(test)]
mod tests {
    use ibidem_words::Message;

    use super::*;

    #[test]
    fn classes_are_told_by_rule_and_only_a_conversation_makes_a_clarification() {
        let before = || vec![Message { role: Speaker::User, content: "Is leave paid?".to_owned(), timestamp: None }];
        for (query, after, expected) in [
            ("What is the mileage rate?", false, QueryClass::Factual),
            ("How do I claim expenses?", false, QueryClass::Procedural),
            ("And for contractors?", false, QueryClass::Factual),
            ("And for contractors?", true, QueryClass::Clarification),
            ("How do I claim expenses?", true, QueryClass::Procedural),
            ("Good morning!", true, QueryClass::Greeting),
        ] {
            let question = Question::new(query);
            let question = if after { question.after(before()) } else { question };
            assert_eq!(class_of(&question), expected, "{query}");
        }
    }
}
