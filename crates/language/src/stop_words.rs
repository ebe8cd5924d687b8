//! Stop words: one table for each language, with the uses that leave each word out.
//!
//! The uses differ on purpose. The index ranks, so "list" and "show" are words like any other to it; of a question they say
//! nothing. "Additionally" leads from one sentence to the next and needs no passage to stand in; a question that has it is
//! about it. Each list decides something that is recorded, so none of them changes because another one does.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::tables;

/// Who leaves a stop word out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Use {
    /// The terms of BM25.
    Index,
    /// What a question is about.
    Question,
    /// What two statements are compared by, when figures are checked.
    Statement,
    /// The words of a claim that a passage must have.
    Claim,
}

impl Use {
    fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Question => "question",
            Self::Statement => "statement",
            Self::Claim => "claim",
        }
    }
}

/// The words of a table that one use leaves out. A word with no use beside it is left out by the index.
pub(crate) fn left_out(table: &'static str, by: Use) -> HashSet<&'static str> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let words = lines.filter_map(|line| {
        let (word, uses) = line.split_once(' ').unwrap_or((line, Use::Index.name()));
        uses.split_whitespace().any(|name| name == by.name()).then_some(word)
    });
    words.collect()
}

fn of_english(by: Use) -> HashSet<&'static str> {
    left_out(tables::ENGLISH.stop_words, by)
}

/// Whether a word, in lower case, says what something is about.
pub fn is_significant(word: &str) -> bool {
    static LEFT_OUT: LazyLock<HashSet<&str>> = LazyLock::new(|| of_english(Use::Question));
    !LEFT_OUT.contains(word)
}

/// Whether a word, in lower case, says something of a statement's matter.
pub(crate) fn is_of_a_statement(word: &str) -> bool {
    static LEFT_OUT: LazyLock<HashSet<&str>> = LazyLock::new(|| of_english(Use::Statement));
    !LEFT_OUT.contains(word)
}

/// Whether a word, in lower case, claims something, whatever it stands beside.
pub fn carries_a_claim(word: &str) -> bool {
    static LEFT_OUT: LazyLock<HashSet<&str>> = LazyLock::new(|| of_english(Use::Claim));
    !LEFT_OUT.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_english_table_is_a_word_with_uses_that_are_known() {
        let names = [Use::Index, Use::Question, Use::Statement, Use::Claim].map(Use::name);
        let lines = tables::ENGLISH.stop_words.lines().filter(|line| !line.starts_with('#'));
        let words: Vec<&str> = lines
            .map(|line| {
                let (word, uses) = line.split_once(' ').unwrap();
                assert!(uses.split_whitespace().all(|name| names.contains(&name)), "{line}");
                assert!(uses.split_whitespace().count() > 0, "{line}");
                word
            })
            .collect();
        assert!(words.is_sorted_by(|one, next| one < next), "each word once, in order");
    }

    #[test]
    fn each_use_leaves_out_words_of_its_own() {
        let counts = [Use::Index, Use::Question, Use::Statement, Use::Claim].map(|by| of_english(by).len());
        assert_eq!(counts, [198, 95, 136, 188]);
        for (word, significant, of_a_statement, claims) in
            [("the", false, false, false), ("list", false, true, true), ("additionally", true, true, false)]
        {
            assert_eq!(
                (is_significant(word), is_of_a_statement(word), carries_a_claim(word)),
                (significant, of_a_statement, claims),
                "{word}"
            );
        }
    }
}
