//! Whether a claim puts the words of its passages together as they do: what is denied, demanded, bounded, compared,
//! conditional, and of what each thing is said.
//!
//! Each clause of a claim is held against the sentence of the passages that has most of its words. By rule and by tables:
//! a language without tables is not judged, and [`has_rules`] says so.

mod alignment;
mod reading;
mod rules;

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::Language;
use alignment::Aligned;
use reading::{Sentence, Words};

/// What a claim does with the words of its passages that they do not do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum TurnKind {
    Negation,
    Modality,
    Quantifier,
    Bound,
    Comparison,
    Cause,
    Condition,
    Roles,
    /// Words of different statements are made one.
    Merged,
}

impl TurnKind {
    /// The passages say otherwise, rather than nothing.
    pub fn contradicts(self) -> bool {
        !matches!(self, Self::Cause | Self::Condition | Self::Merged)
    }
}

/// A claim that turns its passages round, in words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turn {
    pub kind: TurnKind,
    pub explanation: String,
}

impl Turn {
    fn new(kind: TurnKind, explanation: impl Into<String>) -> Self {
        Self { kind, explanation: explanation.into() }
    }
}

static WORDS: LazyLock<HashMap<&'static str, Words>> = LazyLock::new(|| {
    let known = Language::ALL.iter().filter(|language| has_rules(**language));
    known.map(|language| (language.name(), Words::of(language.tables()))).collect()
});

/// Whether there are tables by which claims of this language are judged.
pub fn has_rules(language: Language) -> bool {
    !language.tables().meaning.cues.is_empty()
}

/// The language that a claim and its passages are written in, as far as their words tell. Few words do not tell German from
/// Danish: then it is the one that has rules. A table has few words of any language, so that "per" makes it Italian: then it
/// is the claim's.
pub fn language_of(claim: &str, passages: &[&str]) -> Option<Language> {
    /// With so many words it is certain.
    const MANY: usize = 12;
    let text = passages.iter().copied().chain([claim]).collect::<Vec<_>>().join("\n").to_lowercase();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let all = words(&text);
    let told = Language::of_text(all.iter().map(String::as_str));
    if told.is_some_and(has_rules) {
        return told;
    }
    let of_claim = Language::of_text(words(&claim.to_lowercase()).iter().map(String::as_str));
    if of_claim.is_some_and(has_rules) {
        return of_claim;
    }
    if all.len() >= MANY && told.is_some() {
        return told;
    }
    Language::likely(all.iter().map(String::as_str)).into_iter().find(|language| has_rules(*language)).or(told)
}

/// What the claim does that its passages do not; none where nothing is found, or where its language has no rules.
/// `lines` stand above the passages: what they name is known, and says nothing by itself.
pub fn turned(claim: &str, passages: &[&str], lines: &[&str]) -> Option<Turn> {
    let words = WORDS.get(language_of(claim, passages)?.name())?;
    let sources: Vec<Sentence> = passages.iter().flat_map(|passage| words.parse(passage)).collect();
    let known: Vec<Sentence> = lines.iter().flat_map(|line| words.parse(line)).collect();
    words.parse(claim).iter().find_map(|sentence| {
        let aligned = Aligned { claim: sentence, sources: &sources, known: &known };
        aligned.turned(words.tables)
    })
}

/// The place of the sentence that says most of what a claim says, if one has at least half of its words.
pub fn nearest(claim: &str, sentences: &[&str]) -> Option<usize> {
    static PLAIN: LazyLock<Words> = LazyLock::new(|| Words::of(Language::None.tables()));
    /// One word could be about anything.
    const LEAST_WORDS: usize = 2;
    let words = language_of(claim, sentences).and_then(|language| WORDS.get(language.name())).unwrap_or(&PLAIN);
    let claim = words.parse(claim);
    let claimed: Vec<_> = claim.iter().flat_map(Sentence::content).collect();
    let found = sentences.iter().map(|sentence| {
        let sentence = words.parse(sentence);
        let found = claimed.iter().filter(|word| sentence.iter().any(|own| own.has(word))).count();
        (found, sentence.iter().flat_map(Sentence::content).count())
    });
    let best = found.enumerate().max_by_key(|(place, (found, length))| (*found, Reverse(*length), Reverse(*place)));
    let (place, (found, _)) = best?;
    (found >= LEAST_WORDS && 2 * found >= claimed.len()).then_some(place)
}

#[cfg(test)]
mod tests;
