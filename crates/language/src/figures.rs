//! Figures: every number, date, unit, identifier, quotation and name of a sentence must stand in the passages it cites,
//! and the sentence must not turn round what they say. By rule alone: no model, no guess, each finding explained.

mod antonyms;
mod bindings;
mod bounds;
mod calendar;
mod clauses;
mod cues;
mod dates;
mod entities;
mod flips;
mod identifiers;
mod numbers;
mod occurs;
mod quantities;
mod quotations;
mod reading;
mod sources;
mod statements;
mod tokens;
mod units;
mod windows;

use std::fmt;

use crate::tables::Measures;

use sources::Sources;
use statements::Statement;
use windows::{Windows, sentences};

/// A number in the one form in which numbers are compared, however it is written: `1,000`, `1000`, or in a word.
pub(crate) fn number_key(text: &str, measures: &Measures) -> Option<String> {
    let number = if text.starts_with(|sign: char| sign.is_ascii_digit()) {
        let is_swapped = measures.has_decimal_comma && text.bytes().filter(|byte| *byte == b'.').count() <= 1;
        let plain = if is_swapped { text.replace('.', "").replace(',', ".") } else { text.to_owned() };
        numbers::parse(&plain)
    } else {
        numbers::word_of(measures, text).map(numbers::Number::whole)
    };
    number.map(|number| format!("{number:?}"))
}

/// What is wrong with a sentence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FindingKind {
    /// A number that no passage has.
    Number,
    /// The number is there, in another unit, currency or rate.
    Unit,
    /// A date, day of the week or time of day that no passage has.
    Date,
    /// A version, code, path or address that no passage has.
    Identifier,
    /// Words in quotation marks that no passage has.
    Quotation,
    /// A name that no passage has.
    Entity,
    /// The passages deny what the sentence affirms, or the other way round.
    Negation,
    /// The passages allow what the sentence demands, or the other way round.
    Modality,
    /// The passages say it of some, the sentence of all, or the other way round.
    Quantifier,
    /// The sentence turns a comparison or a bound round.
    Comparison,
    /// The figure is there, but said of something else.
    Merged,
}

impl FindingKind {
    /// The passages say otherwise, rather than nothing.
    pub fn contradicts(self) -> bool {
        matches!(self, Self::Unit | Self::Negation | Self::Modality | Self::Quantifier | Self::Comparison)
    }
}

/// One thing wrong with a sentence, explained in words.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Finding {
    pub kind: FindingKind,
    /// The part of the sentence it is about.
    pub claimed: String,
    /// For a reader: what the sentence says, and what the passages say.
    pub explanation: String,
}

impl Finding {
    fn new(kind: FindingKind, claimed: &str, explanation: String) -> Self {
        Self { kind, claimed: claimed.to_owned(), explanation }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.explanation)
    }
}

/// Everything in the sentence that its passages do not bear out; empty when nothing is wrong.
///
/// A sentence without findings is not thereby supported: it may say in other words what the passages do not.
pub fn check(sentence: &str, passages: &[&str]) -> Vec<Finding> {
    if is_verbatim(sentence, passages) {
        return Vec::new();
    }
    let mut findings = compare(sentence, passages);
    findings.sort_by_key(|finding| finding.kind);
    findings
}

fn compare(sentence: &str, passages: &[&str]) -> Vec<Finding> {
    let tokens = tokens::tokens(sentence);
    let figures = reading::figures(&tokens);
    let sources = Sources::parse(passages);
    let mut findings = occurs::check(sentence, &tokens, &figures, &sources);
    findings.extend(quotations::check(sentence, passages));
    findings.extend(entities::check(&tokens, &figures, &sources));
    findings.extend(bounds::check(sentence, &tokens, &figures, &sources));
    let claims: Vec<Statement> = sentences(&tokens).into_iter().map(|range| clauses::parse(&tokens[range])).collect();
    let roots = claims.iter().flat_map(|claim| &claim.words).map(|word| word.root.clone());
    let windows = Windows::of(&sources, &roots.collect());
    findings.extend(flips::check(&claims, &windows));
    if findings.is_empty() {
        findings.extend(bindings::check(sentence, &tokens, &figures, &windows, &sources));
    }
    findings
}

/// The sentence is a passage's own, from where one of its sentences begins to where one ends.
fn is_verbatim(sentence: &str, passages: &[&str]) -> bool {
    let sentence = sentence.trim();
    let begins = |before: &str| {
        before.trim_end().is_empty() || before.trim_end().ends_with(['.', '!', '?', '\n', '。', '！', '？'])
    };
    let ends = |after: &str| after.is_empty() || after.starts_with(char::is_whitespace);
    let closed = sentence.ends_with(['.', '!', '?', '。', '！', '？']);
    !sentence.is_empty()
        && passages.iter().any(|passage| {
            passage.match_indices(sentence).any(|(at, _)| {
                let after = &passage[at + sentence.len()..];
                begins(&passage[..at]) && ends(after) && (closed || after.trim().is_empty())
            })
        })
}

#[cfg(test)]
mod tests;
