//! Words of claims: which of them a passage must have, where a clause begins, and what turns a sentence round.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

pub use crate::stop_words::carries_a_claim;
use crate::tables::{Language, MEASURED, Turning, WITH_SPACES, WITHOUT_SPACES};

/// Whether a word, in lower case, is an auxiliary in any of the languages that answers are mostly written in.
pub fn is_auxiliary(word: &str) -> bool {
    WITH_SPACES.iter().any(|language| language.follow_ups.auxiliaries.contains(&word))
}

/// The words that say nothing by themselves in the language of a text. A word of another language says something.
#[derive(Clone, Debug)]
pub struct Grammar {
    languages: Vec<Language>,
    is_certain: bool,
}

impl Grammar {
    /// Few words do not tell which of two languages a text is written in: then it is those of both.
    pub fn of(text: &str) -> Self {
        let lower = text.to_lowercase();
        let language = Language::of_text(spaced_words(&lower));
        let languages = language.map_or_else(|| Language::likely(spaced_words(&lower)), |language| vec![language]);
        // Where words are not parted by spaces, those of other languages are none of its.
        let is_certain = language.is_some() || lower.contains(|sign: char| sign >= '\u{2e80}');
        Self { languages, is_certain }
    }

    /// Of a passage that has too few words to tell its language, such as a table, it may be that of what is said of it.
    pub fn or_of(mut self, text: &str) -> Self {
        if !self.is_certain {
            self.languages.extend(Self::of(text).languages);
        }
        self
    }

    pub fn is_english(&self) -> bool {
        self.languages.contains(&Language::English)
    }

    /// Whether a word, in lower case, says nothing by itself in English and is no stop word.
    pub fn joins_in_english(word: &str) -> bool {
        Language::English.tables().joining.contains(&word)
    }

    /// Whether a word, in lower case, says "nobody" or "always" in English.
    pub fn says_of_all_in_english(word: &str) -> bool {
        Language::English.tables().turning.always.contains(&word)
    }

    /// Whether a word, in lower case, is one of them. What denies or demands in that language is none.
    pub fn has(&self, word: &str) -> bool {
        static WORDS: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
            let says_nothing = |language: &Language| {
                let tables = language.tables();
                let mut words = tables.stop_words.index.clone();
                for word in tables.turning.lists().into_iter().flatten() {
                    words.remove(word);
                }
                (language.name(), words)
            };
            Language::ALL.iter().map(says_nothing).collect()
        });
        self.languages.iter().any(|language| WORDS.get(language.name()).is_some_and(|words| words.contains(word)))
    }
}

/// Whether a word, in lower case, leads through an answer and says nothing of its matter.
pub fn leads_through(word: &str) -> bool {
    Language::English.tables().leading.contains(&word)
}

/// Whether a word, in lower case, begins a clause, in any of the languages that answers are mostly written in.
pub fn begins_a_clause(word: &str) -> bool {
    WITH_SPACES.iter().any(|language| language.connectives.contains(&word))
}

/// A number word of a text in digits, as a passage may have it.
pub fn number_in_digits(word: &str) -> Option<String> {
    /// Larger numbers are written in digits.
    const LARGEST: u64 = 12;
    let mut numbers = MEASURED.iter().flat_map(|language| language.measures.numbers);
    let number = numbers.find(|(value, cardinal, _)| *value <= LARGEST && word == *cardinal);
    number.map(|(value, ..)| value.to_string())
}

/// Whether a text, in lower case, has one of the commonest words of English.
pub fn looks_english(text: &str) -> bool {
    spaced_words(text).any(|word| Language::English.tables().commonest.contains(&word))
}

/// Whether a text in English denies, demands or says "always" where the passages do not. All in lower case.
pub fn turns_in_english(text: &str, passages: &str) -> bool {
    turns(&Language::English.tables().turning, text, passages)
}

/// The same of the other languages that are written with spaces.
pub fn turns_in_another_language(text: &str, passages: &str) -> bool {
    let others = WITH_SPACES.iter().filter(|language| language.name != Language::English.name());
    others.into_iter().any(|language| turns(&language.turning, text, passages))
}

/// The same of scripts without spaces. They share signs, so what one of them denies in, the passages may deny in another.
pub fn turns_by_sign(text: &str, passages: &str) -> bool {
    static SIGNS: LazyLock<[Vec<&str>; 3]> = LazyLock::new(|| {
        let mut signs = [Vec::new(), Vec::new(), Vec::new()];
        for language in &*WITHOUT_SPACES {
            for (all, own) in signs.iter_mut().zip(language.turning.lists()) {
                all.extend(own);
            }
        }
        signs
    });
    SIGNS.iter().any(|signs| {
        let has = |text: &str| signs.iter().any(|sign| text.contains(sign));
        has(text) && !has(passages)
    })
}

/// Whether there is a list of which a text has a word, and the passages have none.
fn turns(turning: &Turning, text: &str, passages: &str) -> bool {
    let has = |text: &str, list: &[&str]| spaced_words(text).any(|word| list.contains(&word));
    turning.lists().iter().any(|list| has(text, list) && !has(passages, list))
}

/// Whether a word, in lower case, makes a phrase say something. Where words are not parted by spaces, a sign is one.
pub fn asserts(word: &str) -> bool {
    let first = word.chars().next().unwrap_or(' ');
    WITH_SPACES.iter().any(|language| language.asserting.contains(&word))
        || WITHOUT_SPACES.iter().any(|language| language.asserting_signs.contains(first))
        // What is written in hiragana is grammar.
        || (('\u{3041}'..='\u{309f}').contains(&first) && first != 'の')
}

fn spaced_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty())
}
