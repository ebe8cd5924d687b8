//! How documents say whether they are in force, and what replaced them.

use crate::addresses::addresses_in;
use crate::sentences::sentences_of;
use crate::tables::{List, ValidityPhrases, WITH_SPACES};

/// What a document says of whether it is in force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    InForce,
    Superseded,
    Rejected,
    Deprecated,
    Draft,
    Expired,
}

/// What a document says of its own standing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statement {
    pub status: Option<Status>,
    /// Addresses of what replaced it, as they are written.
    pub replaced_by: Vec<String>,
    /// Addresses of what it replaces.
    pub replaces: Vec<String>,
    /// Addresses of what it changes in part.
    pub amends: Vec<String>,
}

/// What something that is known by its label is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Label {
    Status,
    ReplacedBy,
    Replaces,
    Amends,
    ValidFrom,
    ValidTo,
}

/// Phrases of one sort, of a language.
type Phrases = fn(&ValidityPhrases) -> List;

/// What a heading, the name of an entry in front matter or the label of a line announces: `Status`, `valid_until`.
pub fn label(written: &str) -> Option<Label> {
    let spaced = written.trim().to_lowercase().replace(['_', '-'], " ");
    let is_one = |list: Phrases| known().any(|phrases| list(phrases).contains(&spaced.as_str()));
    match () {
        () if is_one(|phrases| phrases.labels) => Some(Label::Status),
        () if is_one(|phrases| phrases.replaced_by) => Some(Label::ReplacedBy),
        () if is_one(|phrases| phrases.replaces) => Some(Label::Replaces),
        () if is_one(|phrases| phrases.amends) => Some(Label::Amends),
        () if is_one(|phrases| phrases.valid_from) => Some(Label::ValidFrom),
        () if is_one(|phrases| phrases.valid_to) => Some(Label::ValidTo),
        () => None,
    }
}

/// What is said under such a label: `Superseded by ADR-0031 on 2023-03-21.`, `Accepted. Supersedes ADR-5.`
///
/// Only what a sentence begins with counts: `the version named here was replaced by ADR-42` speaks of a version.
pub fn statement(text: &str) -> Statement {
    let mut statement = Statement::default();
    for (place, sentence) in sentences_of(text).into_iter().enumerate() {
        let lower = sentence.to_lowercase();
        if begins(&lower, |phrases| phrases.replaced_by) {
            statement.status = Some(Status::Superseded);
            statement.replaced_by.extend(addresses_in(sentence));
            continue;
        }
        if begins(&lower, |phrases| phrases.amends) {
            statement.amends.extend(addresses_in(sentence));
            continue;
        }
        // `ersetzt` alone says that it was replaced; with an address behind it, what it replaces.
        let replaces = if begins(&lower, |phrases| phrases.replaces) { addresses_in(sentence) } else { Vec::new() };
        if place == 0 && replaces.is_empty() {
            statement.status = status(&lower);
        }
        statement.replaces.extend(replaces);
    }
    statement
}

/// Whether a text tells, anywhere in a sentence, that something was replaced by something with an address: what it says may
/// hold no longer.
pub fn tells_of_replacing(text: &str) -> bool {
    sentences_of(text).into_iter().any(|sentence| {
        let lower = sentence.to_lowercase();
        let phrases = known().flat_map(|phrases| phrases.replaced_by);
        phrases.filter_map(|phrase| lower.find(phrase).map(|at| at + phrase.len())).any(|behind| {
            // Letters may have other lengths in lower case.
            lower.get(behind..).is_some_and(|behind| !addresses_in(&behind.to_uppercase()).is_empty())
        })
    })
}

fn status(lower: &str) -> Option<Status> {
    let lists: [(Phrases, Status); 6] = [
        (|phrases| phrases.superseded, Status::Superseded),
        (|phrases| phrases.rejected, Status::Rejected),
        (|phrases| phrases.deprecated, Status::Deprecated),
        (|phrases| phrases.draft, Status::Draft),
        (|phrases| phrases.expired, Status::Expired),
        (|phrases| phrases.in_force, Status::InForce),
    ];
    lists.into_iter().find(|(list, _)| begins(lower, *list)).map(|(_, status)| status)
}

fn begins(lower: &str, list: Phrases) -> bool {
    let lower = lower.trim_start_matches(|sign: char| !sign.is_alphanumeric());
    let begins_with = |phrase: &str| {
        lower.strip_prefix(phrase).is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric()))
    };
    known().any(|phrases| list(phrases).iter().any(|phrase| begins_with(phrase)))
}

fn known() -> impl Iterator<Item = &'static ValidityPhrases> {
    WITH_SPACES.iter().map(|language| &language.validity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_says_whether_it_is_in_force_and_what_replaced_it() {
        for (text, status, replaced_by, replaces) in [
            ("Superseded by ADR-0031 on 2023-03-21. Accepted on 2021-03-23.", Some(Status::Superseded), "ADR-0031", ""),
            ("Accepted on 2023-03-21. Supersedes ADR-0003.", Some(Status::InForce), "", "ADR-0003"),
            ("Accepted. The version named here was replaced by ADR-0042.", Some(Status::InForce), "", ""),
            ("Rejected on 2022-10-18. The proposal was to accept.", Some(Status::Rejected), "", ""),
            ("superseded", Some(Status::Superseded), "", ""),
            ("Draft for comment", Some(Status::Draft), "", ""),
            ("Proposed", Some(Status::Draft), "", ""),
            ("deprecated", Some(Status::Deprecated), "", ""),
            ("Abgelöst durch HR-5.", Some(Status::Superseded), "HR-5", ""),
            ("Gültig. Ersetzt HR-3.", Some(Status::InForce), "", "HR-3"),
            ("Entwurf", Some(Status::Draft), "", ""),
            ("Acceptable to all", None, "", ""),
            ("", None, "", ""),
        ] {
            let stated = statement(text);
            let found = (stated.status, stated.replaced_by.join(" "), stated.replaces.join(" "));
            assert_eq!(found, (status, replaced_by.to_owned(), replaces.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_a_document_changes_in_part_is_not_what_it_replaces() {
        for (text, amends) in [
            ("Accepted on 2024-09-03. Amends ADR-0007, which named version 13.", "ADR-0007"),
            ("Angenommen. Ändert HR-3 und HR-4.", "HR-3 HR-4"),
            ("Accepted. Ersetzt teilweise HR-3.", "HR-3"),
            ("Accepted. It amends nothing.", ""),
        ] {
            let stated = statement(text);
            assert_eq!((stated.amends.join(" "), stated.replaces), (amends.to_owned(), Vec::new()), "{text}");
        }
    }

    #[test]
    fn labels_are_known_in_english_and_german() {
        for (written, expected) in [
            ("Status", Some(Label::Status)),
            ("superseded_by", Some(Label::ReplacedBy)),
            ("Ersetzt", Some(Label::Replaces)),
            ("valid-until", Some(Label::ValidTo)),
            ("Gültig ab", Some(Label::ValidFrom)),
            ("Context", None),
        ] {
            assert_eq!(label(written), expected, "{written}");
        }
    }
}
