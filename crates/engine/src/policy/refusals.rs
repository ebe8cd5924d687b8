//! What a policy says about refusals: what came nearest, what else can be asked, and the reasons in plain words.

use ibidem_words::Reason;
use serde::Deserialize;

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefusalRules {
    /// The most passages that are named as the nearest misses, one of each document.
    pub nearest: usize,
    /// Why a passage is no answer that the reader read, with its number in place of `{probability}`.
    pub read: String,
    /// Why one is no answer that the reader found likely, and what can be said of it does not answer.
    pub beside: String,
    /// Why one is no answer that nobody read, with its number in place of `{similarity}`.
    pub unread: String,
    /// The most questions that are suggested, each only if the reader finds it answered.
    pub suggestions: usize,
    /// Suggests a question, with the words of a nearest miss in place of `{title}` and `{section}`.
    pub question: String,
}

impl RefusalRules {
    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        if self.suggestions > 0 && !(self.question.contains("{title}") || self.question.contains("{section}")) {
            found.push(
                "refusals.question has neither {title} nor {section}: it would ask the same of everything".to_owned(),
            );
        }
    }
}

/// Returns the reason in a sentence for people, without numbers.
pub(super) fn why(reason: Reason) -> &'static str {
    match reason {
        Reason::NoResults => "Nothing was found in the documents that bears on the question.",
        Reason::LowSimilarity => "What was found is about something else.",
        Reason::LowCoverage => "What was found covers too little of the question.",
        Reason::LowConfidence => "An answer was found, but it is not certain enough.",
        Reason::NotAnswered => "Passages were found, but none of them answers the question.",
        Reason::BesideTheQuestion => "What the documents say on this subject does not answer the question.",
        Reason::NoThesis => "The passages that were found do not support an answer.",
        Reason::UnsupportedClaims => "No sentence of the written answer is supported by the documents.",
        Reason::OutOfScope => "The question is about none of the subjects that are covered here.",
        Reason::SmallTalk => "Nothing was asked of the documents.",
        Reason::TerminologyNotFound => "The term is in no vocabulary.",
        Reason::TerminologyTimeout => "The vocabulary did not answer in time.",
        Reason::TerminologyError => "The vocabulary cannot be asked at the moment.",
        Reason::TerminologyAmbiguous => "The term has several meanings.",
        Reason::EntityNotFound => "No document that you may read has this name.",
        Reason::ToolArgumentsMissing => "The question lacks what the fact is looked up by.",
        Reason::ToolNotAllowed => "This would change something in another system, which is not done from here.",
        Reason::ToolConfirmationNeeded => "This changes something in another system, and waits to be confirmed.",
        Reason::ToolConfirmationExpired => "The confirmation came too late, so nothing was done.",
        Reason::ToolConfirmationUsed => "The confirmation was used before, so nothing was done again.",
        Reason::ToolConfirmationUnknown => {
            "There is no such confirmation of yours in this conversation, so nothing was done."
        }
        Reason::ToolChanged => {
            "The system that has the fact was changed, and is not asked until somebody has looked at it."
        }
        Reason::ToolUnavailable => "The system that has the fact does not answer at the moment.",
        Reason::ToolFailed => "The system that has the fact could not look it up.",
        Reason::ToolResultInvalid => "What the system that has the fact replied cannot be relied on.",
        Reason::RetrievalUnavailable => "The documents cannot be searched at the moment.",
        Reason::GenerationUnavailable => "The language model does not answer at the moment.",
        Reason::BudgetExceeded => "The question is too long for the language model.",
        Reason::Deadline => "There was not enough time.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_sentence_without_a_number() {
        for reason in Reason::ALL {
            let why = why(reason);
            assert!(why.ends_with('.') && !why.contains(char::is_numeric), "{why}");
        }
    }
}
