//! What is read by itself: rows of tables that a question names, since beside the other rows a reader cannot tell which is
//! meant, and sentences, since in a passage that is about more it overlooks one.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::candidate::Candidate;
use ibidem_language::layout::ends_as_sentence;
use ibidem_language::rows::{AskedRow, rows_of};
use ibidem_language::sentences::sentence_places;
use ibidem_language::{names_in, same_word, significant_terms};
use ibidem_words::CharSpan;

/// A row under its table's head, or a sentence, and its place in the passage's text.
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
    let alone =
        rows.into_iter().map(|(_, row)| ReadAlone { text: row.under_head(), span: span(&passage.text, &row.bytes) });
    alone.collect()
}

/// The sentences of a passage that share most with the question, at most so many, the first of equals: those that have the
/// names in the question, or stand under a title or heading that has them. None of a passage that is one sentence.
pub(super) fn shared_sentences(question: &str, candidate: &Candidate, most: usize) -> Vec<ReadAlone> {
    let text = candidate.passage.text.as_str();
    let asked = significant_terms(question);
    let places = sentence_places(text);
    let above = [
        Some(candidate.passage.title.as_str()),
        candidate.passage.section.as_deref(),
        candidate.passage.address.as_deref(),
    ];
    let above: BTreeSet<String> = above.into_iter().flatten().flat_map(significant_terms).collect();
    let names: Vec<String> = names_in(question);
    let mut sentences: Vec<_> = places
        .iter()
        .filter(|bytes| ends_as_sentence(&text[(*bytes).clone()]))
        .filter_map(|bytes| {
            let words = significant_terms(&text[bytes.clone()]);
            let shared = asked.iter().filter(|term| words.iter().any(|word| same_word(word, term))).count();
            let has = |name: &String| words.iter().chain(&above).any(|word| same_word(word, name));
            (shared > 0 && places.len() > 1 && names.iter().all(has)).then_some((shared, bytes))
        })
        .collect();
    sentences.sort_by_key(|(shared, bytes)| (Reverse(*shared), bytes.start));
    sentences.truncate(most);
    let alone = sentences.into_iter().map(|(_, bytes)| {
        let sentence = text[bytes.clone()].trim();
        ReadAlone { text: sentence.to_owned(), span: span(text, bytes) }
    });
    alone.collect()
}

fn span(text: &str, bytes: &Range<usize>) -> CharSpan {
    let characters = |bytes: usize| {
        let before = text.get(..bytes).map_or(0, |before| before.chars().count());
        u32::try_from(before).unwrap_or(u32::MAX)
    };
    CharSpan { start: characters(bytes.start), end: characters(bytes.end) }
}
