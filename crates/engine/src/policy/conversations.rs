//! What a policy says about questions that belong together.

use serde::Deserialize;

/// What the planner and the model for titles are told. Without a model neither is used.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConversationRules {
    pub follow_up: FollowUpRules,
    pub title: TitleRules,
}

/// How a question that goes on with the ones before it is put by the planner, so that it stands by itself.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FollowUpRules {
    /// The most earlier questions that the planner sees. It never sees an answer.
    pub most_questions: usize,
    pub max_tokens: u32,
    /// What the planner is told; the questions follow as a message of their own.
    pub prompt: String,
}

impl Default for FollowUpRules {
    fn default() -> Self {
        Self {
            most_questions: 4,
            max_tokens: 80,
            prompt:
                "You get the questions of a conversation, oldest first, one on each line. Write the last one so that \
                     it can be understood without the others, in its own language. Use only words of these questions. \
                     Do not answer it. If it can be understood by itself, repeat it as it is. Write one line."
                    .to_owned(),
        }
    }
}

/// What a conversation is called.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TitleRules {
    pub max_tokens: u32,
    pub prompt: String,
}

impl Default for TitleRules {
    fn default() -> Self {
        Self {
            max_tokens: 24,
            prompt: "Write a title of at most six words for a conversation that begins with this question, in the \
                     question's language. Write the title and nothing else."
                .to_owned(),
        }
    }
}
