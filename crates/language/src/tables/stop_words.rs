//! Stop words: one table for each language, with the uses that leave each word out.
//!
//! The uses differ on purpose. The index ranks, so "list" and "show" are words like any other to it; of a question they say
//! nothing. "Additionally" leads from one sentence to the next and needs no passage to stand in; a question that has it is
//! about it. Each list decides something that is recorded, so none of them changes because another one does.

use std::collections::HashSet;

/// The words that each use leaves out, in lower case.
#[derive(Default, Debug)]
pub(crate) struct StopWords {
    /// The terms of BM25.
    pub(crate) index: HashSet<&'static str>,
    /// What a question is about.
    pub(crate) question: HashSet<&'static str>,
    /// What two statements are compared by, when figures are checked.
    pub(crate) statement: HashSet<&'static str>,
    /// The words of a claim that a passage must have.
    pub(crate) claim: HashSet<&'static str>,
}

impl StopWords {
    /// Of a table with a word on each line, and the uses that leave it out. A word with no use beside it is left out by the
    /// index.
    pub(super) fn of(table: &'static str) -> Self {
        let left_out_by = |by: &str| {
            let lines = table.lines().filter(|line| !line.starts_with('#'));
            let rows = lines.map(|line| line.split_once(' ').unwrap_or((line, "index")));
            rows.filter(|(_, uses)| uses.split_whitespace().any(|name| name == by)).map(|(word, _)| word).collect()
        };
        Self {
            index: left_out_by("index"),
            question: left_out_by("question"),
            statement: left_out_by("statement"),
            claim: left_out_by("claim"),
        }
    }
}
