//! The trial: questions as people put them to the demo documents, each with what a right answer says. It counts what is
//! said, where the golden set counts what is cited.

pub mod judged;
pub mod lint;
pub mod reply;
pub mod score;
pub mod wording;

use ibidem_words::Message;
use serde::{Deserialize, Serialize};

/// A question, and what becomes of it when all is well.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialQuestion {
    pub id: String,
    pub kind: Kind,
    /// Whose documents are asked: each corpus has a tenant of its own in a run.
    pub corpus: String,
    /// The policy it is asked under: the name of a built-in one, or a path from the root of the repository.
    pub policy: String,
    pub question: String,
    /// What was said before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    pub expect: Expect,
    /// What a right answer says: of each group, one alternative.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must: Vec<Vec<String>>,
    /// What a right answer does not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub must_not: Vec<String>,
    /// Documents that answer it, by their paths from the root of the repository. A right answer cites one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Texts of passages that answer it, where nothing can be said of the answer's words. A right answer cites one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passages: Vec<String>,
    pub half: Half,
}

/// The corpora of `demo`, as their folders are called.
pub const DEMO_CORPORA: [&str; 3] = ["architecture", "handbook", "support"];

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Direct,
    Paraphrase,
    List,
    Comparison,
    SeveralDocuments,
    NumberOrDate,
    Negation,
    Table,
    Superseded,
    Address,
    Range,
    German,
    FollowUp,
    UnanswerableNear,
    UnanswerableFar,
    SmallTalk,
}

impl Kind {
    pub const ALL: [Self; 16] = [
        Self::Direct,
        Self::Paraphrase,
        Self::List,
        Self::Comparison,
        Self::SeveralDocuments,
        Self::NumberOrDate,
        Self::Negation,
        Self::Table,
        Self::Superseded,
        Self::Address,
        Self::Range,
        Self::German,
        Self::FollowUp,
        Self::UnanswerableNear,
        Self::UnanswerableFar,
        Self::SmallTalk,
    ];

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Paraphrase => "paraphrase",
            Self::List => "list",
            Self::Comparison => "comparison",
            Self::SeveralDocuments => "several documents",
            Self::NumberOrDate => "number or date",
            Self::Negation => "negation",
            Self::Table => "table",
            Self::Superseded => "superseded",
            Self::Address => "address",
            Self::Range => "range",
            Self::German => "German",
            Self::FollowUp => "follow-up",
            Self::UnanswerableNear => "unanswerable, near",
            Self::UnanswerableFar => "unanswerable, far",
            Self::SmallTalk => "small talk",
        }
    }
}

/// What must come back.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect {
    /// An answer with its sources.
    Answer,
    /// No answer: a refusal, a question back, or somebody to ask.
    Refuse,
    /// A fixed reply of the policy, as to a greeting.
    Reply,
}

/// Whether a question may be looked at while answers are being improved.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Half {
    Open,
    /// Scored once, at the end: nothing is changed because of what it shows.
    Sealed,
}

impl Half {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Sealed => "sealed",
        }
    }
}

/// So many of these questions, evenly from the whole list, so that every kind keeps its share.
pub fn sample(questions: Vec<TrialQuestion>, most: usize) -> Vec<TrialQuestion> {
    let all = questions.len();
    if most >= all {
        return questions;
    }
    let is_taken = |place: usize| (place + 1) * most / all > place * most / all;
    questions.into_iter().enumerate().filter(|(place, _)| is_taken(*place)).map(|(_, question)| question).collect()
}

#[cfg(test)]
mod tests;
