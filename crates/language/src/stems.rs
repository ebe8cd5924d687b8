//! What the forms of a word share. There are five ways, each named for what it is used for.
//!
//! The index takes Snowball's stems, and so do words that are too short to be known by their beginning. The other ways are
//! our own and stay as they are, because recorded decisions are compared with what they find: a statement's stem joins
//! `deployment` and `deployed`, which a claim's stem must not, and two forms that only begin alike are enough to say that a
//! passage has a word of the question, in any language.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::Stemmer;

use crate::tables::{Endings, Language, Tables};

/// Forms that are known by their beginning have at least so many letters in common.
pub const SHORTEST_STEM: usize = 4;

/// Two forms of one word: the same but for a short ending, or, where they have too few letters in common to say so, of one
/// stem (`fee` and `fees`, `lose` and `losing`). Both in lower case.
pub fn same_word(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    by_beginning(one, other).unwrap_or_else(|| {
        sound(one) == sound(other) && have_one_stem((one, short(one).as_deref()), (other, short(other).as_deref()))
    })
}

/// Whether two words are the same by their letters alone. None where these do not say: too few of them are common, or a
/// vowel changes (`Vorgang`, `Vorgänge`).
pub(crate) fn by_beginning(one: &str, other: &str) -> Option<bool> {
    const LONGEST_ENDING: usize = 3;
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    if common >= SHORTEST_STEM && longest - common <= LONGEST_ENDING {
        return Some(true);
    }
    let is_known = common >= SHORTEST_STEM && one.is_ascii() && other.is_ascii();
    is_known.then_some(false)
}

/// Whether two words have one stem, each given with its own. Where German changes a vowel, an ending must have come too:
/// `zahlen` and `zählen` are two words.
pub(crate) fn have_one_stem((one, of_one): (&str, Option<&str>), (other, of_other): (&str, Option<&str>)) -> bool {
    let has_ending = || one.chars().count() != other.chars().count();
    of_one.is_some() && of_one == of_other && ((one.is_ascii() && other.is_ascii()) || has_ending())
}

/// What all forms of a word have in common, whatever their stem: the first letter, and the second or that it is a vowel.
/// Cheaper than a stem, to find out which words need one.
pub(crate) fn sound(word: &str) -> (char, char) {
    let mut letters = word.chars();
    let first = match letters.next() {
        Some('ä') => 'a',
        Some('ö') => 'o',
        Some('ü') => 'u',
        other => other.unwrap_or(' '),
    };
    let second = match letters.next() {
        Some('a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'ä' | 'ö' | 'ü') => 'a',
        other => other.unwrap_or(' '),
    };
    (first, second)
}

/// The stem of a word, in lower case, by which forms with few letters in common are the same. By Snowball's rules for
/// English, or for German where a letter says that it is German: without one, German rules would make one word of `rate` and
/// `rat`. Only of a word and its inflections: `busy` and `business` have one stem by Snowball and are two words.
pub fn short(word: &str) -> Option<String> {
    const LONGEST: usize = 24;
    /// Texts have few words, again and again.
    const MOST_KNOWN: usize = 32_768;
    thread_local! {
        static KNOWN: RefCell<HashMap<String, Option<String>>> = RefCell::default();
    }
    if word.len() > LONGEST || !word.chars().all(char::is_alphabetic) {
        return None;
    }
    KNOWN.with_borrow_mut(|known| {
        if let Some(stem) = known.get(word) {
            return stem.clone();
        }
        let stem = stemmed(word);
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(word.to_owned(), stem.clone());
        stem
    })
}

fn stemmed(word: &str) -> Option<String> {
    const LONGEST_INFLECTION: usize = 4;
    static FORMS: LazyLock<HashMap<&str, &str>> =
        LazyLock::new(|| Language::ALL.iter().flat_map(|language| language.tables().forms).copied().collect());
    let word = FORMS.get(word).copied().unwrap_or(word);
    if word.contains(['ä', 'ö', 'ü', 'ß']) {
        return for_the_index(Language::German.tables()).map(|stemmer| stemmer.stem(word).into_owned());
    }
    if !word.is_ascii() {
        return None;
    }
    let stem = for_the_index(Language::English.tables())?.stem(word).into_owned();
    let lost = word.len().saturating_sub(stem.len());
    let is_plural = word.ends_with('s') && !word.ends_with("ss");
    let is_inflected = is_plural || word.ends_with("ed") || word.ends_with("ing");
    (lost <= 1 || (is_inflected && lost <= LONGEST_INFLECTION)).then_some(stem)
}

/// The first letters of a word, as one number: most forms of it have them in common. A shorter word is compared as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Beginning(u128);

impl Beginning {
    /// No word begins so.
    pub(crate) const NOWHERE: Self = Self(u128::MAX);
}

pub fn beginning(word: &str) -> Beginning {
    let letters = word.chars().take(SHORTEST_STEM);
    Beginning(letters.fold(0, |number, letter| (number << 32) | u128::from(u32::from(letter))))
}

/// What stands for a word where many are compared at once: the beginning of its stem, or of the word where it has none.
pub fn key(word: &str, stem: Option<&str>) -> Beginning {
    beginning(stem.unwrap_or(word))
}

/// Snowball's stemmer, for the terms of the index.
pub(crate) fn for_the_index(language: &Tables) -> Option<Stemmer> {
    language.snowball.map(Stemmer::create)
}

fn endings() -> &'static Endings {
    &Language::English.tables().endings
}

/// A claim's word without the commonest endings of English; any other word as it is.
pub fn of_a_claim(word: &str) -> &str {
    const SHORTEST: usize = 3;
    let cut =
        endings().of_claims.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= SHORTEST));
    cut.unwrap_or(word)
}

/// What the forms of a statement's word share: `deployment`, `deployed` and `deploys` have one stem. Given in lower case.
pub(crate) fn of_a_statement(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).trim_end_matches('\'');
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let singular = singular(word);
    let stripped = ending(&singular);
    let mut stem = stripped.to_owned();
    // `planned` and `plan`.
    let bytes = stem.as_bytes();
    if stripped.len() < singular.len()
        && let [.., one, other] = bytes
        && one == other
        && !matches!(one, b'l' | b's' | b'z' | b'e' | b'o')
    {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

fn singular(word: &str) -> String {
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() > 1) {
        return format!("{base}y");
    }
    for ending in endings().of_plurals {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let plain = word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is");
    if plain { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

fn ending(word: &str) -> &str {
    for (ending, shortest) in endings().of_statements {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= *shortest) {
            let vowel = base.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
            if vowel {
                return if *ending == "ied" { &word[..base.len() + 1] } else { base };
            }
        }
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_the_same_word() {
        for (one, other, same) in [
            // By what they begin with.
            ("meal", "meals", true),
            ("carry", "carried", true),
            ("expense", "expenses", true),
            ("policy", "police", true),
            ("deployment", "deployed", false),
            // By their stems: too few letters are common.
            ("fee", "fees", true),
            ("lose", "losing", true),
            ("die", "dying", true),
            ("duty", "duties", true),
            ("rule", "ruling", true),
            ("run", "running", true),
            ("tax", "taxes", true),
            ("api", "apis", true),
            ("add", "added", true),
            ("pay", "paid", true),
            ("pays", "paid", true),
            ("lost", "losing", true),
            // Short words that are not the same.
            ("cat", "car", false),
            ("leave", "lea", false),
            ("form", "for", false),
            ("use", "user", false),
            ("rate", "rat", false),
            ("rating", "rat", false),
            ("car", "care", false),
            ("win", "wine", false),
            ("ad", "added", false),
            ("ad", "add", false),
            ("feed", "fee", false),
            ("busy", "business", false),
            ("use", "useful", false),
            ("new", "news", false),
            ("b2b", "b2bs", false),
            // German.
            ("haus", "häuser", true),
            ("vorgang", "vorgänge", true),
            ("gehalt", "gehälter", true),
            ("fuß", "füße", true),
            ("tag", "tagen", true),
            ("tage", "tages", true),
            ("zahlen", "zählen", false),
            ("schon", "schön", false),
            ("rat", "rate", false),
        ] {
            assert_eq!(same_word(one, other), same, "{one} {other}");
            assert_eq!(same_word(other, one), same, "{other} {one}");
        }
    }

    #[test]
    fn a_key_is_the_same_for_the_forms_of_a_word() {
        let of = |word: &str| key(word, short(word).as_deref());
        for (one, other) in [("losing", "lost"), ("restores", "restored"), ("fees", "fee"), ("meal", "meals")] {
            assert_eq!(of(one), of(other), "{one} {other}");
        }
        assert_ne!(of("rate"), of("rat"));
    }
}
