//! Into which collections somebody may hand documents in: a right of its own beside role and tags.

use std::collections::BTreeSet;

use crate::{CollectionName, InvalidName};

/// Written for every collection. No collection can have this name.
const EVERYWHERE: &str = "*";

/// The collections that somebody may hand documents in to. Nobody may by default.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HandIn {
    /// All that there are and will be.
    Everywhere,
    /// These, written as the collections are.
    Only(BTreeSet<CollectionName>),
}

impl Default for HandIn {
    fn default() -> Self {
        Self::Only(BTreeSet::new())
    }
}

impl HandIn {
    /// Parses a list of names; `*` among them is every collection.
    pub fn parse(written: &[String]) -> Result<Self, InvalidName> {
        if written.iter().any(|name| name.trim() == EVERYWHERE) {
            return Ok(Self::Everywhere);
        }
        written.iter().map(|name| name.parse()).collect::<Result<_, _>>().map(Self::Only)
    }

    pub fn includes(&self, collection: &CollectionName) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Only(collections) => collections.contains(collection),
        }
    }

    /// What both allow.
    #[must_use]
    pub fn within(self, other: &Self) -> Self {
        match (self, other) {
            (Self::Everywhere, other) => other.clone(),
            (own, Self::Everywhere) => own,
            (Self::Only(own), Self::Only(other)) => Self::Only(own.intersection(other).cloned().collect()),
        }
    }

    /// Returns it as it is written: `*`, or the names in their order.
    pub fn to_names(&self) -> Vec<String> {
        match self {
            Self::Everywhere => vec![EVERYWHERE.to_owned()],
            Self::Only(collections) => collections.iter().map(|name| name.as_str().to_owned()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hand_in(names: &[&str]) -> HandIn {
        HandIn::parse(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn what_is_written_is_what_may_be_handed_in_to() {
        for (written, may, may_not) in [
            (&[][..], &[][..], &["ADR"][..]),
            (&["*"], &["ADR", "Policy"], &[]),
            (&["ADR", "*"], &["Policy"], &[]),
            (&["ADR", "Policy"], &["ADR", "Policy"], &["adr", "Minutes"]),
        ] {
            let hand_in = hand_in(written);
            assert!(may.iter().all(|name| hand_in.includes(&name.parse().unwrap())), "{written:?}");
            assert!(!may_not.iter().any(|name| hand_in.includes(&name.parse().unwrap())), "{written:?}");
            assert_eq!(HandIn::parse(&hand_in.to_names()), Ok(hand_in));
        }
        assert!(HandIn::parse(&["A/B".to_owned()]).is_err());
    }

    #[test]
    fn within_another_right_is_what_both_allow() {
        for (one, other, both) in [
            (&["*"][..], &["*"][..], &["*"][..]),
            (&["*"], &["ADR"], &["ADR"]),
            (&["ADR", "Policy"], &["*"], &["ADR", "Policy"]),
            (&["ADR", "Policy"], &["ADR", "Minutes"], &["ADR"]),
            (&["ADR"], &[], &[]),
        ] {
            assert_eq!(hand_in(one).within(&hand_in(other)), hand_in(both), "{one:?} {other:?}");
        }
    }
}
