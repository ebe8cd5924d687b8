//! Whether a question had the outcome it must have, and if not, in which way.

use ibidem_words::AddressKey;
use serde::{Deserialize, Serialize};

use super::actual::Actual;
use super::{Category, Expected, GoldenQuery, GoldenRoute, VOCABULARY, is_about_evidence};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// Answered, from what it is to be answered from.
    Answered,
    /// Not answered, as it must be, for the right reason.
    Abstained,
    /// Answered from something else.
    WrongSource,
    /// The documents answer it, and it was refused.
    FalseRefusal,
    /// Nothing answers it, and it was answered.
    FalseAnswer,
    /// Not answered, as it must be, but for another reason.
    WrongReason,
}

impl Judged {
    pub fn is_right(self) -> bool {
        matches!(self, Self::Answered | Self::Abstained)
    }

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Abstained => "rightly not answered",
            Self::WrongSource => "wrong source",
            Self::FalseRefusal => "false refusal",
            Self::FalseAnswer => "false answer",
            Self::WrongReason => "wrong reason",
        }
    }
}

/// The judgement, and what is wrong where something is.
pub fn judge(query: &GoldenQuery, actual: &Actual) -> (Judged, Option<String>) {
    match (query.expected.abstain, actual.is_answered()) {
        (true, true) => {
            let cited = actual.doc_ids.join(", ");
            (Judged::FalseAnswer, Some(format!("it must not be answered, and was, from {cited}")))
        }
        (true, false) => match wrong_reason(query, actual) {
            Some(what) => (Judged::WrongReason, Some(what)),
            None => (Judged::Abstained, None),
        },
        (false, false) => (Judged::FalseRefusal, Some(refused(actual))),
        (false, true) => match wrong_source(query, actual) {
            Some(what) => (Judged::WrongSource, Some(what)),
            None => (Judged::Answered, None),
        },
    }
}

fn refused(actual: &Actual) -> String {
    let reason = actual.reason.map_or("no reason", |reason| reason.as_str());
    let words = actual.refusal.as_deref().unwrap_or("without a word why");
    format!("it is to be answered, and was not ({reason}): {words}")
}

fn wrong_reason(query: &GoldenQuery, actual: &Actual) -> Option<String> {
    let expected = query.expected.reason?;
    let fits = match actual.reason {
        // Which gate notices that nothing answers it depends on the policy.
        Some(reason) if is_about_evidence(expected) => is_about_evidence(reason),
        reason => reason == Some(expected),
    };
    if !fits {
        let found = actual.reason.map_or("none", |reason| reason.as_str());
        return Some(format!("its reason must be {}, and is {found}", expected.as_str()));
    }
    let missing = missing(&query.expected.doc_ids, actual);
    (!missing.is_empty()).then(|| format!("it is not asked about {}", missing.join(", ")))
}

fn wrong_source(query: &GoldenQuery, actual: &Actual) -> Option<String> {
    let Expected { route, doc_types, doc_ids, .. } = &query.expected;
    let by_vocabulary = actual.doc_types == [VOCABULARY];
    if by_vocabulary != (*route == GoldenRoute::Skosmos) {
        let (expected, found) =
            if by_vocabulary { ("documents", "the vocabulary") } else { ("the vocabulary", "documents") };
        return Some(format!("it is to be answered from {expected}, and was from {found}"));
    }
    let absent: Vec<&str> =
        doc_types.iter().filter(|name| !actual.doc_types.contains(name)).map(String::as_str).collect();
    if !absent.is_empty() {
        return Some(format!("it cites nothing of {}, but {}", absent.join(" and "), actual.doc_ids.join(", ")));
    }
    let missing = missing(doc_ids, actual);
    // A list has all of them; an answer that covers every collection needs one in each.
    let is_wrong = match query.category {
        Category::NonTerminologyList => !missing.is_empty(),
        _ => groups(doc_ids).any(|group| group.iter().all(|id| missing.contains(id))),
    };
    is_wrong.then(|| format!("it does not cite {}, but {}", missing.join(", "), actual.doc_ids.join(", ")))
}

/// The documents of each collection, told apart by the words of their addresses.
fn groups(doc_ids: &[String]) -> impl Iterator<Item = Vec<&str>> {
    let series = |id: &str| AddressKey::of(id).map_or_else(String::new, |key| key.series().to_owned());
    let mut names: Vec<String> = doc_ids.iter().map(|id| series(id)).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(move |name| doc_ids.iter().map(String::as_str).filter(|id| series(id) == name).collect())
}

/// Those that are not cited, however their addresses are written.
fn missing<'a>(doc_ids: &'a [String], actual: &Actual) -> Vec<&'a str> {
    let is_cited = |id: &str| {
        actual
            .doc_ids
            .iter()
            .any(|cited| cited == id || AddressKey::of(cited).is_some_and(|key| Some(key) == AddressKey::of(id)))
    };
    doc_ids.iter().map(String::as_str).filter(|id| !is_cited(id)).collect()
}
