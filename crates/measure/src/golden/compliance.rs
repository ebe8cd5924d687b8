//! Whether every sentence of an answer has a marker that leads to one of its citations.

use ibidem_language::sentences::sentences_of;
use ibidem_words::{Answer, Stretch, StretchKind};
use serde::{Deserialize, Serialize};

/// How many sentences an answer has, and how many of them are cited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CitedSentences {
    pub all: usize,
    pub cited: usize,
}

impl CitedSentences {
    /// The answer's text is read, not only what its receipt claims of it: what stands between the receipt's claims
    /// is structure, or a sentence that nobody vouches for.
    pub fn of(answer: &Answer) -> Self {
        let mut counted = Self::default();
        let mut rest = answer.answer.as_str();
        // The policy's own words claim nothing of the documents.
        let vouched = |stretch: &&Stretch| matches!(stretch.kind, StretchKind::Claim | StretchKind::Policy);
        for stretch in answer.receipt.iter().flat_map(|receipt| receipt.stretches.iter().filter(vouched)) {
            let is_claim = stretch.kind == StretchKind::Claim;
            let Some(place) = rest.find(stretch.text.as_str()) else {
                // Claimed, and not said: a receipt of something else.
                counted.all += usize::from(is_claim);
                continue;
            };
            counted.all += usize::from(is_claim) + uncited(&rest[..place]);
            let is_cited = is_claim && !stretch.sources.is_empty() && is_cited(&stretch.text, answer);
            counted.cited += usize::from(is_cited);
            rest = &rest[place + stretch.text.len()..];
        }
        counted.all += uncited(rest);
        counted
    }
}

/// Sentences in a text that has no place in the receipt. Headings and such end without a full stop.
fn uncited(text: &str) -> usize {
    let says_something = |line: &&str| line.trim_end().ends_with(['.', '!', '?', '…']);
    text.lines().filter(says_something).map(|line| sentences_of(line).len()).sum()
}

/// Whether there is a marker, and every one of them is a citation's.
fn is_cited(text: &str, answer: &Answer) -> bool {
    let numbers: Vec<u32> = text
        .split('[')
        .skip(1)
        .filter_map(|after| after.split_once(']'))
        .filter_map(|(number, _)| number.parse().ok())
        .collect();
    let is_known = |number: &u32| answer.citations.iter().any(|citation| citation.marker == *number);
    !numbers.is_empty() && numbers.iter().all(is_known)
}
