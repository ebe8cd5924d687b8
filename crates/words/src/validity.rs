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
pub struct Validity {
    /// What the document says of its own status.
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

impl Validity {
    /// Returns its status on a day. A document that says nothing is in force.
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
        let validity = Validity::default;
        let replaced = vec!["ADR-2".to_owned()];
        for (validity, expected) in [
            (validity(), Status::InForce),
            (Validity { status: Some(Status::InForce), ..validity() }, Status::InForce),
            (Validity { status: Some(Status::Rejected), ..validity() }, Status::Rejected),
            (Validity { status: Some(Status::InForce), replaced_by: replaced, ..validity() }, Status::Superseded),
            (Validity { valid_to: Some(day("2025-05-31")), ..validity() }, Status::Expired),
            (Validity { valid_to: Some(today), valid_from: Some(today), ..validity() }, Status::InForce),
            (Validity { valid_from: Some(day("2025-06-02")), ..validity() }, Status::NotYet),
        ] {
            assert_eq!(validity.on(today), expected, "{validity:?}");
        }
    }
}
