//! What there is to ask, and what is right to hear when all is well.

use serde_json::Value;

/// A page of the handbook, a question about it, and the sentence that answers it; and what a model makes of it.
pub(crate) struct Page {
    pub(crate) file: &'static str,
    pub(crate) text: &'static str,
    pub(crate) question: &'static str,
    pub(crate) fact: &'static str,
    /// In other words than the page's: those would need no verifier.
    pub(crate) retold: &'static str,
}

pub(crate) const HANDBOOK: [Page; 4] = [
    Page {
        file: "leave.md",
        text: "# Leave\n\nFive days of leave may be carried over into the next year. They lapse at the end of March.",
        question: "How many days of leave may be carried over?",
        fact: "Five days of leave may be carried over into the next year.",
        retold: "Of leave, five days may be carried over into the next year.",
    },
    Page {
        file: "meals.md",
        text: "# Meals\n\nA meal on a journey is reimbursed up to 28 euros a day. Receipts are kept for ten years.",
        question: "Up to how many euros a day is a meal on a journey reimbursed?",
        fact: "A meal on a journey is reimbursed up to 28 euros a day.",
        retold: "On a journey a meal is reimbursed up to 28 euros a day.",
    },
    Page {
        file: "keys.md",
        text: "# Keys\n\nA lost key is reported to the front desk on the same day. The lock is changed within a week.",
        question: "To whom is a lost key reported?",
        fact: "A lost key is reported to the front desk on the same day.",
        retold: "On the same day a lost key is reported to the front desk.",
    },
    Page {
        file: "backup.md",
        text: "# Backups\n\nBackups are kept in two regions. Restoring them is tested every quarter.",
        question: "In how many regions are backups kept?",
        fact: "Backups are kept in two regions.",
        retold: "In two regions the backups are kept.",
    },
];

/// Terms that the vocabulary defines.
const TERMS: [&str; 4] = ["busbar section", "islanding", "shunt", "data bus"];

/// What sort of thing is asked: what it needs decides what it may suffer from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    /// Answered by the handbook, whole or as a stream.
    Handbook,
    Streamed,
    /// Answered by the vocabulary.
    Term,
    UnknownTerm,
    /// Answered by nothing that is there.
    Unanswerable,
    /// `POST /v1/search`
    Search,
}

impl Kind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Handbook, Self::Streamed, Self::Term, Self::UnknownTerm, Self::Unanswerable, Self::Search];

    /// As often as people ask so: mostly about what is there.
    pub(crate) fn drawn(lot: u32) -> Self {
        match lot % 10 {
            0..4 => Self::Handbook,
            4..6 => Self::Streamed,
            6..8 => Self::Term,
            8 if (lot / 10).is_multiple_of(2) => Self::UnknownTerm,
            8 => Self::Unanswerable,
            _ => Self::Search,
        }
    }

    pub(crate) fn query(self, lot: usize) -> String {
        match self {
            Self::Handbook | Self::Streamed | Self::Search => HANDBOOK[lot % HANDBOOK.len()].question.to_owned(),
            Self::Term => format!("What is a {}?", TERMS[lot % TERMS.len()]),
            Self::UnknownTerm => format!("What is a blorf{}?", lot % 10),
            Self::Unanswerable => "Which orchestra recorded the symphony with two harps in Vienna?".to_owned(),
        }
    }

    /// Whether the documents are searched for it.
    pub(crate) fn is_about_documents(self) -> bool {
        matches!(self, Self::Handbook | Self::Streamed | Self::Unanswerable | Self::Search)
    }

    pub(crate) fn is_about_a_term(self) -> bool {
        matches!(self, Self::Term | Self::UnknownTerm)
    }

    /// Whether this is what is heard when nothing is wrong.
    pub(crate) fn is_well_answered(self, status: u16, body: &Value) -> bool {
        let (action, reason) = (body["action"].as_str(), body["reason"].as_str());
        let without_flags = super::checks::flags(body).is_empty();
        status == 200
            && without_flags
            && match self {
                Self::Handbook | Self::Streamed | Self::Term => action == Some("cite"),
                Self::UnknownTerm => reason == Some("terminology_not_found"),
                Self::Unanswerable => action == Some("refuse"),
                Self::Search => body["hits"].as_array().is_some_and(|hits| !hits.is_empty()),
            }
    }
}
