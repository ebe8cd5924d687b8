//! What was decided, and why.

use serde::{Deserialize, Serialize};

/// How a question ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// An answer with citations.
    Cite,
    /// Somebody who may know.
    Route,
    /// No answer, with the reason.
    Refuse,
    /// A question back.
    Clarify,
}

impl Action {
    pub const ALL: [Self; 4] = [Self::Cite, Self::Route, Self::Refuse, Self::Clarify];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cite => "cite",
            Self::Route => "route",
            Self::Refuse => "refuse",
            Self::Clarify => "clarify",
        }
    }
}

/// Why there is no answer, as a code that programs can rely on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    NoResults,
    LowSimilarity,
    LowCoverage,
    LowConfidence,
    NotAnswered,
    /// What was to be said is true and does not answer the question.
    BesideTheQuestion,
    NoThesis,
    UnsupportedClaims,
    OutOfScope,
    /// A greeting, thanks, or a question about the assistant: nothing was asked of the documents.
    SmallTalk,
    TerminologyNotFound,
    TerminologyTimeout,
    TerminologyError,
    TerminologyAmbiguous,
    EntityNotFound,
    /// A fact is to be looked up, and the question lacks what it is looked up by.
    ToolArgumentsMissing,
    /// The tool changes something, and nobody may call such a tool from here.
    ToolNotAllowed,
    /// The tool changes something: nothing is done until the asker confirms it.
    ToolConfirmationNeeded,
    /// The confirmation came too late. Nothing was done.
    ToolConfirmationExpired,
    /// The confirmation was used before. Nothing was done again.
    ToolConfirmationUsed,
    /// There is no such confirmation, or it is not this asker's in this conversation. Nothing was done.
    ToolConfirmationUnknown,
    /// The tool is not the one that the policy allows any more: it was not called.
    ToolChanged,
    /// The tool server does not answer.
    ToolUnavailable,
    /// The tool says that it failed.
    ToolFailed,
    /// What the tool gave back is not what its schema says, or does not bear out the reply.
    ToolResultInvalid,
    /// A figure was asked for that cannot be computed from one table: the table or the column is not sure, or its cells do
    /// not say it.
    NotComputable,
    RetrievalUnavailable,
    GenerationUnavailable,
    BudgetExceeded,
    Deadline,
}

impl Reason {
    pub const ALL: [Self; 30] = [
        Self::NoResults,
        Self::LowSimilarity,
        Self::LowCoverage,
        Self::LowConfidence,
        Self::NotAnswered,
        Self::BesideTheQuestion,
        Self::NoThesis,
        Self::UnsupportedClaims,
        Self::OutOfScope,
        Self::SmallTalk,
        Self::TerminologyNotFound,
        Self::TerminologyTimeout,
        Self::TerminologyError,
        Self::TerminologyAmbiguous,
        Self::EntityNotFound,
        Self::ToolArgumentsMissing,
        Self::ToolNotAllowed,
        Self::ToolConfirmationNeeded,
        Self::ToolConfirmationExpired,
        Self::ToolConfirmationUsed,
        Self::ToolConfirmationUnknown,
        Self::ToolChanged,
        Self::ToolUnavailable,
        Self::ToolFailed,
        Self::ToolResultInvalid,
        Self::NotComputable,
        Self::RetrievalUnavailable,
        Self::GenerationUnavailable,
        Self::BudgetExceeded,
        Self::Deadline,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoResults => "no_results",
            Self::LowSimilarity => "low_similarity",
            Self::LowCoverage => "low_coverage",
            Self::LowConfidence => "low_confidence",
            Self::NotAnswered => "not_answered",
            Self::BesideTheQuestion => "beside_the_question",
            Self::NoThesis => "no_thesis",
            Self::UnsupportedClaims => "unsupported_claims",
            Self::OutOfScope => "out_of_scope",
            Self::SmallTalk => "small_talk",
            Self::TerminologyNotFound => "terminology_not_found",
            Self::TerminologyTimeout => "terminology_timeout",
            Self::TerminologyError => "terminology_error",
            Self::TerminologyAmbiguous => "terminology_ambiguous",
            Self::EntityNotFound => "entity_not_found",
            Self::ToolArgumentsMissing => "tool_arguments_missing",
            Self::ToolNotAllowed => "tool_not_allowed",
            Self::ToolConfirmationNeeded => "tool_confirmation_needed",
            Self::ToolConfirmationExpired => "tool_confirmation_expired",
            Self::ToolConfirmationUsed => "tool_confirmation_used",
            Self::ToolConfirmationUnknown => "tool_confirmation_unknown",
            Self::ToolChanged => "tool_changed",
            Self::ToolUnavailable => "tool_unavailable",
            Self::ToolFailed => "tool_failed",
            Self::ToolResultInvalid => "tool_result_invalid",
            Self::NotComputable => "not_computable",
            Self::RetrievalUnavailable => "retrieval_unavailable",
            Self::GenerationUnavailable => "generation_unavailable",
            Self::BudgetExceeded => "budget_exceeded",
            Self::Deadline => "deadline",
        }
    }
}

/// A refusal says why a question is not answered. It is a value and not an error, because refusing is a result.
#[derive(Clone, PartialEq, Debug)]
pub struct Refusal {
    pub reason: Reason,
    /// Explains the reason to people, with the numbers: "Top-1 similarity (0.62) below threshold (0.7)".
    pub explanation: String,
    /// What the asker can do next.
    pub suggestions: Vec<String>,
}

/// How a gate found the evidence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Pass,
    Warn,
    Stop,
    /// It was not asked: the policy file leaves it to the reader, which read the passages.
    LeftToReader,
    /// It could not say: nobody read the passages.
    NotRead,
}

impl Verdict {
    /// Whether the gate looked at anything. What did not decides nothing when the decision is made again.
    pub fn has_looked(self) -> bool {
        !matches!(self, Self::LeftToReader | Self::NotRead)
    }

    /// As people read it.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Pass => "passed",
            Self::Warn => "warned",
            Self::Stop => "refused",
            Self::LeftToReader => "left to the reader",
            Self::NotRead => "left out, because nobody read the passages",
        }
    }
}

/// One gate's record: what it looked at, and against what.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GateRecord {
    pub gate: String,
    pub verdict: Verdict,
    pub observed: f64,
    pub threshold: f64,
}

/// Numbers are compared as they are shown, so that what is said and what decided are the same number.
pub fn as_shown(number: f64) -> f64 {
    (number * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_written_alike_in_answers_and_in_counts() {
        let written = |value: serde_json::Value| value.as_str().unwrap().to_owned();
        for reason in Reason::ALL {
            assert_eq!(written(serde_json::to_value(reason).unwrap()), reason.as_str());
        }
        for action in Action::ALL {
            assert_eq!(written(serde_json::to_value(action).unwrap()), action.as_str());
        }
    }
}
