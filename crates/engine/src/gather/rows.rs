//! Rows of tables that a question names, read by themselves: beside the other rows a reader cannot tell which is meant.

use ibidem_language::rows::{AskedRow, Row, rows_of};
use ibidem_words::{Candidate, CharSpan};

/// A row under its table's head, and its place in the passage's text.
pub(super) struct ReadAlone {
    pub(super) text: String,
    pub(super) span: CharSpan,
}

/// The rows of a passage that share most with the question, at most so many. None of a passage without a table.
pub(super) fn named_rows(question: &str, candidate: &Candidate, most: usize) -> Vec<ReadAlone> {
    let passage = &candidate.passage;
    let head = passage.above.head.as_ref().map(|head| head.text.as_str());
    let asked = AskedRow::of(question);
    let mut rows: Vec<_> = rows_of(&passage.text, head)
        .into_iter()
        .filter_map(|row| {
            let naming = asked.naming(passage.text.get(row.bytes.clone())?);
            (naming.is_sure() || naming.shared > 0).then_some((naming, row))
        })
        .collect();
    // The first of equals.
    rows.sort_by(|(one, _), (other, _)| other.cmp(one));
    rows.truncate(most);
    let alone = rows.into_iter().map(|(_, row)| ReadAlone { text: row.under_head(), span: span(&passage.text, &row) });
    alone.collect()
}

fn span(text: &str, row: &Row<'_>) -> CharSpan {
    let characters = |bytes: usize| {
        let before = text.get(..bytes).map_or(0, |before| before.chars().count());
        u32::try_from(before).unwrap_or(u32::MAX)
    };
    CharSpan { start: characters(row.bytes.start), end: characters(row.bytes.end) }
}
