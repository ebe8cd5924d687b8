//! What the forms of a word share. There are four ways, each named for what it is used for.
//!
//! The index takes Snowball's stems. The other ways are our own and stay as they are, because recorded decisions are
//! compared with what they find: a statement's stem joins `deployment` and `deployed`, which a claim's stem must not, and
//! two forms that only begin alike are enough to say that a passage has a word of the question, in any language.

use rust_stemmers::Stemmer;

use crate::tables::Tables;
use crate::tables::en::endings;

/// Forms of a word have at least so many letters in common.
pub const SHORTEST_STEM: usize = 4;

/// Two forms of one word: the same but for a short ending.
pub fn same_word(one: &str, other: &str) -> bool {
    const LONGEST_ENDING: usize = 3;
    if one == other {
        return true;
    }
    let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let longest = one.chars().count().max(other.chars().count());
    common >= SHORTEST_STEM && longest - common <= LONGEST_ENDING
}

/// The letters that every form of a word begins with: words that begin otherwise are never the same.
pub fn beginning(word: &str) -> String {
    word.chars().take(SHORTEST_STEM).collect()
}

/// Snowball's stemmer, for the terms of the index.
pub(crate) fn for_the_index(language: &Tables) -> Option<Stemmer> {
    language.snowball.map(Stemmer::create)
}

/// A claim's word without the commonest endings of English; any other word as it is.
pub fn of_a_claim(word: &str) -> &str {
    const SHORTEST: usize = 3;
    let cut =
        endings::OF_CLAIMS.iter().find_map(|ending| word.strip_suffix(ending).filter(|stem| stem.len() >= SHORTEST));
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
    for ending in endings::OF_PLURALS {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let plain = word.ends_with('s') && !word.ends_with("ss") && !word.ends_with("us") && !word.ends_with("is");
    if plain { word[..word.len() - 1].to_owned() } else { word.to_owned() }
}

fn ending(word: &str) -> &str {
    for (ending, shortest) in endings::OF_STATEMENTS {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= shortest) {
            let vowel = base.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
            if vowel {
                return if ending == "ied" { &word[..base.len() + 1] } else { base };
            }
        }
    }
    word
}
