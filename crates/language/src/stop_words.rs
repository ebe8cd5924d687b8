//! Which words say something: of a question, of a statement, of a claim.

use crate::tables::Language;

/// Whether a word, in lower case, says what something is about.
pub fn is_significant(word: &str) -> bool {
    !Language::English.tables().stop_words.question.contains(word)
}

/// Whether a word, in lower case, says something of a statement's matter.
pub(crate) fn is_of_a_statement(word: &str) -> bool {
    !Language::English.tables().stop_words.statement.contains(word)
}

/// Whether a word, in lower case, claims something, whatever it stands beside.
pub fn carries_a_claim(word: &str) -> bool {
    !Language::English.tables().stop_words.claim.contains(word)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_line_of_the_english_table_is_a_word_with_uses_that_are_known() {
        let table = include_str!("tables/en/stop_words.txt");
        let lines = table.lines().filter(|line| !line.starts_with('#'));
        let words: Vec<&str> = lines
            .map(|line| {
                let (word, uses) = line.split_once(' ').unwrap();
                let is_known = |name| ["index", "question", "statement", "claim"].contains(&name);
                assert!(uses.split_whitespace().all(is_known), "{line}");
                assert!(uses.split_whitespace().count() > 0, "{line}");
                word
            })
            .collect();
        assert!(words.is_sorted_by(|one, next| one < next), "each word once, in order");
    }

    #[test]
    fn each_use_leaves_out_words_of_its_own() {
        let words = &Language::English.tables().stop_words;
        let counts = [&words.index, &words.question, &words.statement, &words.claim].map(HashSet::len);
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
