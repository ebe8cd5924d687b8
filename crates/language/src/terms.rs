//! The words that say what a text is about, and when two of them are the same.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::stems::{SHORTEST_STEM, same_word};
use crate::stop_words::is_significant;

/// The words of a question that say what it is about, in lower case, each once.
pub fn significant_terms(query: &str) -> BTreeSet<String> {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| is_significant(word)).collect()
}

/// A question's significant words, ready to be looked for in many texts.
#[derive(Clone, Debug)]
pub struct Terms {
    words: Vec<String>,
    /// Two forms of a word begin alike: only words that begin as a term does are compared with it.
    beginnings: Vec<u128>,
}

/// Which of a question's words a text has: a bit for each, in the order of the words.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PresentTerms(Vec<u64>);

impl Terms {
    pub fn of(question: &str) -> Self {
        let words: Vec<String> = significant_terms(question).into_iter().collect();
        let beginnings = words.iter().map(|word| beginning(word.chars())).collect();
        Self { words, beginnings }
    }

    /// So many words that were not kept: which of them a passage has can only be known from elsewhere.
    pub fn unknown(count: usize) -> Self {
        Self { words: vec![String::new(); count], beginnings: vec![u128::MAX; count] }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The words that a text does not have.
    pub fn missing_from(&self, present: &PresentTerms) -> Vec<&str> {
        let words = self.words.iter().enumerate();
        words.filter(|(at, _)| !present.has(*at)).map(|(_, word)| word.as_str()).collect()
    }

    pub fn mark(&self, text: &str, present: &mut PresentTerms) {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            let begins = if word.is_ascii() {
                beginning(word.bytes().map(|byte| char::from(byte.to_ascii_lowercase())))
            } else {
                beginning(word.chars().flat_map(char::to_lowercase))
            };
            let mut lower = None;
            for (at, own) in self.beginnings.iter().enumerate() {
                if *own != begins || present.has(at) {
                    continue;
                }
                let lower = lower.get_or_insert_with(|| word.to_lowercase());
                if same_word(lower, &self.words[at]) && is_significant(lower) {
                    present.set(at);
                }
            }
        }
    }
}

impl PresentTerms {
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    fn set(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    /// What either text has.
    pub fn add(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }
}

/// The first four letters as one number: a shorter word is compared as a whole.
fn beginning(letters: impl Iterator<Item = char>) -> u128 {
    letters.take(SHORTEST_STEM).fold(0, |number, letter| (number << 32) | u128::from(u32::from(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_terms_are_what_the_question_is_about() {
        let terms = significant_terms("What is the limit for meals, and the LIMIT for hotels?");
        assert_eq!(terms.into_iter().collect::<Vec<_>>(), ["hotels", "limit", "meals"]);
    }

    #[test]
    fn forms_of_a_word_are_the_same_word() {
        for (one, other, same) in [
            ("meal", "meals", true),
            ("carry", "carried", true),
            ("expense", "expenses", true),
            ("cat", "car", false),
            ("policy", "police", true),
            ("leave", "lea", false),
        ] {
            assert_eq!(same_word(one, other), same, "{one} {other}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_marked_is_what_comparing_every_pair_of_words_finds(
            question in "([a-dA-D]{1,6}|these|thesis|Über|übers|0012)( ([a-dA-D]{1,6}|these|thesis|naïve|12)){0,70}",
            text in "([a-dA-D]{1,7}|the|these|ÜBER|über)([ ,.-]([a-dA-D]{1,7}|these|theses|naïves|12)){0,20}",
        ) {
            let terms = Terms::of(&question);
            let mut present = PresentTerms::default();
            terms.mark(&text, &mut present);
            let words = significant_terms(&text);
            let expected: Vec<&str> = terms
                .words
                .iter()
                .filter(|term| !words.iter().any(|word| same_word(word, term)))
                .map(String::as_str)
                .collect();
            proptest::prop_assert_eq!(present.count(), terms.len() - expected.len());
            proptest::prop_assert_eq!(terms.missing_from(&present), expected);
        }
    }
}
