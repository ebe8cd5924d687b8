//! Whether a document is in force, and what replaced it.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// Whether a document is in force.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    InForce,
    Superseded,
    Rejected,
    Deprecated,
    Draft,
    Expired,
    NotYet,
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InForce => "in_force",
            Self::Superseded => "superseded",
            Self::Rejected => "rejected",
            Self::Deprecated => "deprecated",
            Self::Draft => "draft",
            Self::Expired => "expired",
            Self::NotYet => "not_yet",
        }
    }
}

/// What is known of a document's standing: what it says of itself, and what others that the asker sees say of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// As the document says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Addresses of what replaced it, as they are written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced_by: Vec<String>,
    /// Addresses of what it replaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaces: Vec<String>,
    /// Addresses of what it changes in part; the rest of that stands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amends: Vec<String>,
    /// The first day on which it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<NaiveDate>,
    /// The last day on which it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<NaiveDate>,
}

impl Standing {
    /// Its status on a day. A document that says nothing is in force.
    pub fn on(&self, day: NaiveDate) -> Status {
        match self.status {
            Some(status) if status != Status::InForce => status,
            _ if !self.replaced_by.is_empty() => Status::Superseded,
            _ if self.valid_to.is_some_and(|last| last < day) => Status::Expired,
            _ if self.valid_from.is_some_and(|first| first > day) => Status::NotYet,
            _ => Status::InForce,
        }
    }

    /// What it replaces, as far as it can: a draft replaces nothing yet, and what was rejected never did.
    pub fn replacing(&self) -> &[String] {
        match self.status {
            Some(Status::Draft | Status::Rejected | Status::NotYet) => &[],
            _ => &self.replaces,
        }
    }

    /// What it changes in part, as far as it can.
    pub fn amending(&self) -> &[String] {
        match self.status {
            Some(Status::Draft | Status::Rejected | Status::NotYet | Status::Superseded) => &[],
            _ => &self.amends,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_in_force_unless_it_or_the_calendar_says_otherwise() {
        let day = |written: &str| written.parse::<NaiveDate>().unwrap();
        let today = day("2025-06-01");
        let standing = Standing::default;
        let replaced = vec!["ADR-2".to_owned()];
        for (standing, expected) in [
            (standing(), Status::InForce),
            (Standing { status: Some(Status::InForce), ..standing() }, Status::InForce),
            (Standing { status: Some(Status::Rejected), ..standing() }, Status::Rejected),
            (Standing { status: Some(Status::InForce), replaced_by: replaced, ..standing() }, Status::Superseded),
            (Standing { valid_to: Some(day("2025-05-31")), ..standing() }, Status::Expired),
            (Standing { valid_to: Some(today), valid_from: Some(today), ..standing() }, Status::InForce),
            (Standing { valid_from: Some(day("2025-06-02")), ..standing() }, Status::NotYet),
        ] {
            assert_eq!(standing.on(today), expected, "{standing:?}");
        }
    }
}
