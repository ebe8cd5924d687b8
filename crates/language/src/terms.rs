//! The words that say what a text is about, and when two of them are the same.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::language::Language;
use crate::stems::{self, Beginning, beginning};
use crate::stop_words::is_significant;

/// The words of a question that say what it is about, in lower case, each once.
pub fn significant_terms(query: &str) -> BTreeSet<String> {
    let words = query.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase);
    words.filter(|word| is_significant(word)).collect()
}

/// Those of a question's significant words that say something in its own language: [`significant_terms`] knows English
/// alone, and recorded decisions depend on it.
pub fn telling_terms(question: &str) -> BTreeSet<String> {
    let words: Vec<String> =
        question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let language = Language::of_text(words.iter().map(String::as_str)).unwrap_or_default();
    let left_out = &language.tables().stop_words.index;
    let says_something = |word: &String| is_significant(word) && !left_out.contains(word.as_str());
    words.into_iter().filter(says_something).collect()
}

/// The names in an English question, in lower case: words with a capital letter that do not begin it. Where every noun has
/// one, names cannot be told.
pub fn names_in(question: &str) -> Vec<String> {
    let words: Vec<&str> = question.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
    if Language::of_text(lower.iter().map(String::as_str)).unwrap_or_default() != Language::English {
        return Vec::new();
    }
    let is_name = |word: &str| word.chars().count() > 1 && word.chars().any(char::is_uppercase);
    let named = words.iter().zip(lower).skip(1).filter(|(word, lower)| is_name(word) && is_significant(lower));
    named.map(|(_, lower)| lower).collect()
}

/// A question's significant words, ready to be looked for in many texts.
#[derive(Clone, Debug)]
pub struct Terms {
    words: Vec<String>,
    /// How each word is found, in their order.
    marks: Vec<Mark>,
}

/// What a text's word must have in common with a term before the two are compared.
#[derive(Clone, Debug)]
struct Mark {
    beginning: Beginning,
    sound: (char, char),
    stem: Option<String>,
}

impl Mark {
    fn of(word: &str) -> Self {
        Self { beginning: beginning(word), sound: stems::sound(word), stem: stems::short(word) }
    }
}

/// Which of a question's words a text has: a bit for each, in the order of the words.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PresentTerms(Vec<u64>);

impl Terms {
    pub fn of(question: &str) -> Self {
        let words: Vec<String> = significant_terms(question).into_iter().collect();
        let marks = words.iter().map(|word| Mark::of(word)).collect();
        Self { words, marks }
    }

    /// So many words that were not kept: which of them a passage has can only be known from elsewhere.
    pub fn unknown(count: usize) -> Self {
        let nowhere = Mark { beginning: Beginning::NOWHERE, sound: ('\0', '\0'), stem: None };
        Self { words: vec![String::new(); count], marks: vec![nowhere; count] }
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
        let mut lower = String::new();
        for word in words {
            lower.clear();
            if word.is_ascii() {
                lower.push_str(word);
                lower.make_ascii_lowercase();
            } else {
                lower.push_str(&word.to_lowercase());
            }
            let (begins, sound) = (beginning(&lower), stems::sound(&lower));
            // A stem takes longer than the rest together, and few words need one.
            let mut stem = None;
            for (at, mark) in self.marks.iter().enumerate() {
                if (mark.beginning != begins && mark.sound != sound) || present.has(at) {
                    continue;
                }
                let own = self.words[at].as_str();
                let by_stem = || {
                    let stem = stem.get_or_insert_with(|| stems::short(&lower));
                    mark.sound == sound && stems::have_one_stem((&lower, stem.as_deref()), (own, mark.stem.as_deref()))
                };
                let is_same = own == lower || stems::by_beginning(&lower, own).unwrap_or_else(by_stem);
                if is_same && is_significant(&lower) {
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

    /// Whether it has a word that the other does not have.
    pub fn has_more_than(&self, other: &Self) -> bool {
        let of_other = other.0.iter().copied().chain(std::iter::repeat(0));
        self.0.iter().zip(of_other).any(|(own, other)| own & !other != 0)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stems::same_word;

    #[test]
    fn significant_terms_are_what_the_question_is_about() {
        let terms = significant_terms("What is the limit for meals, and the LIMIT for hotels?");
        assert_eq!(terms.into_iter().collect::<Vec<_>>(), ["hotels", "limit", "meals"]);
    }

    #[test]
    fn names_are_the_words_with_capital_letters() {
        for (question, names) in [
            ("Why did we choose MongoDB for the asset register?", "mongodb"),
            ("How do I connect a Baltic ferry to the BN60?", "baltic bn60"),
            ("May I go?", ""),
            ("Muss ich den Router an die Post schicken?", ""),
        ] {
            assert_eq!(names_in(question).join(" "), names, "{question}");
        }
    }

    #[test]
    fn what_is_telling_is_told_in_the_questions_own_language() {
        let terms = telling_terms("Was kostet die Anfahrt, wenn mein eigenes Gerät schuld ist?");
        assert_eq!(terms.into_iter().collect::<Vec<_>>(), ["anfahrt", "eigenes", "gerät", "kostet", "schuld"]);
    }

    proptest::proptest! {
        #[test]
        fn what_is_marked_is_what_comparing_every_pair_of_words_finds(
            question in "([a-dA-D]{1,6}|these|thesis|Über|übers|0012)( ([a-dA-D]{1,6}|[ab]{2,3}(s|ed|ing)|these|thesis|naïve|haus|lose|pay|12)){0,70}",
            text in "([a-dA-D]{1,7}|the|these|ÜBER|über)([ ,.-]([a-dA-D]{1,7}|[ab]{2,3}(s|ed|ing)|these|theses|naïves|Häuser|Losing|paid|12)){0,20}",
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
