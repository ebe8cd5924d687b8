//! The words of a question, as they are written and as they are compared.

use std::ops::Range;

use crate::tables::{FollowUps, Tables};

/// A word without the signs around it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Word<'a> {
    pub(super) shown: &'a str,
    pub(super) lower: String,
    /// A comma or a colon follows it.
    pub(super) ends_a_clause: bool,
}

impl Word<'_> {
    /// An address, a number, a version.
    pub(super) fn has_digit(&self) -> bool {
        self.shown.contains(|sign: char| sign.is_ascii_digit())
    }
}

pub(super) fn words(text: &str) -> Vec<Word<'_>> {
    let pieces = text.split_whitespace().map(|piece| {
        let shown = piece.trim_matches(|sign: char| !(sign.is_alphanumeric() || sign == '%'));
        (shown, piece.ends_with([',', ':', ';']))
    });
    let pieces = pieces.filter(|(shown, _)| !shown.is_empty());
    pieces.map(|(shown, ends_a_clause)| Word { shown, lower: shown.to_lowercase(), ends_a_clause }).collect()
}

/// Where the first of these phrases stands, behind the first word.
pub(super) fn phrase_in(words: &[Word<'_>], phrases: &[&str]) -> Option<Range<usize>> {
    let phrases: Vec<Vec<&str>> = phrases.iter().map(|phrase| phrase.split(' ').collect()).collect();
    (1..words.len()).find_map(|place| {
        let stands_here = |phrase: &&Vec<&str>| {
            let here = words[place..].iter().map(|word| word.lower.as_str());
            here.take(phrase.len()).eq(phrase.iter().copied())
        };
        phrases.iter().find(stands_here).map(|phrase| place..place + phrase.len())
    })
}

pub(super) fn joined(words: &[Word<'_>]) -> String {
    let mut text = String::new();
    for (place, word) in words.iter().enumerate() {
        if place > 0 {
            text.push(' ');
        }
        text.push_str(word.shown);
        if word.ends_a_clause && place + 1 < words.len() {
            text.push(',');
        }
    }
    text
}

pub(super) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

impl FollowUps {
    pub(super) fn asks(&self, word: &Word<'_>) -> bool {
        self.asking.contains(&word.lower.as_str())
    }

    pub(super) fn is_auxiliary(&self, word: &Word<'_>) -> bool {
        self.auxiliaries.contains(&word.lower.as_str())
    }

    pub(super) fn is_preposition(&self, word: &Word<'_>) -> bool {
        self.prepositions.contains(&word.lower.as_str())
    }

    pub(super) fn is_determiner(&self, word: &Word<'_>) -> bool {
        self.determiners.contains(&word.lower.as_str())
    }

    pub(super) fn is_measure(&self, word: &Word<'_>) -> bool {
        self.measures.contains(&word.lower.as_str())
    }

    /// Whether a word is of this language's grammar.
    pub(super) fn has_grammar(&self, lower: &str) -> bool {
        let lists = [self.asking, self.auxiliaries, self.prepositions, self.determiners, self.measures, self.pronouns];
        lists.iter().any(|list| list.contains(&lower))
    }
}

/// Whether a word says what something is about, and does not only hold a sentence together.
pub(super) fn is_content(word: &Word<'_>, tables: &Tables) -> bool {
    let rules = &tables.follow_ups;
    let lower = word.lower.as_str();
    !rules.has_grammar(lower)
        && !rules.demonstratives.contains(&lower)
        && !rules.possessives.contains(&lower)
        && !tables.stop_words.index.contains(lower)
}
