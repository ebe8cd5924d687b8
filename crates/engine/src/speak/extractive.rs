//! Extractive answers: the sources' own sentences, each cited, and no model that writes.
//!
//! Each is quoted with what it needs to say by itself what it means (`quoting.rs`).

mod answering;
mod asked_for;
mod in_table;

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};

use ibidem_language::layout::{ends_as_sentence, marker};
use ibidem_language::markers::with_marker;
use ibidem_language::sentences::{Sentence, sentences_of};
use ibidem_language::{same_word, significant_terms};

use answering::answering;
use in_table::in_table;

use super::footnotes::Footnotes;
use super::markup::sanitize;
use super::quoting::{quotation, quotation_of_row};

/// The sentences in which a reader found the answer, in the order of the notes. Where no reader read the notes: the
/// sentences that share most with the question, best evidence first among equals.
///
/// Words alone would let a passage speak that happens to use the asker's words, and silence the one that is meant: so by
/// words the best note is always heard. The best of every document and kind of document that the question names is heard
/// either way.
pub fn extract(query: &str, footnotes: &Footnotes<'_>, most: usize) -> Vec<Sentence> {
    let texts = shown_texts(footnotes);
    let asked = significant_terms(query);
    let mut always_quoted = best_of_named(&asked, footnotes);
    let candidates = found(&asked, footnotes, &texts);
    let mut quoted = answering(query, footnotes, &texts, &always_quoted, &candidates, most);
    if quoted.is_empty() {
        always_quoted.insert(1);
        quoted = by_words(candidates, always_quoted, most);
    } else if let Some(spelled_out) = in_table(query, footnotes, &texts, &quoted) {
        quoted = spelled_out;
    }
    quoted.sort_by_key(|quoted| (quoted.number, quoted.place));
    let mut seen = HashSet::new();
    quoted.retain(|quoted| seen.insert((quoted.sentence, quoted.row)));
    let quoted: Vec<(u32, String)> = quoted.iter().filter_map(|quoted| in_full(quoted, footnotes, &texts)).collect();
    // One that another has with it is not said twice.
    let is_said_by = |(number, words): &(u32, String), (other_number, other): &(u32, String)| {
        number == other_number && words.len() < other.len() && other.contains(words.as_str())
    };
    let alone = quoted.iter().filter(|one| !quoted.iter().any(|other| is_said_by(one, other)));
    let sentences = alone.map(|(number, words)| Sentence::claim(with_marker(words, *number) + " ", vec![*number]));
    sentences.collect()
}

/// All sentences of the notes that say something, in the order of the notes, each cited: those that a model may choose
/// among. The rows of a table are sentences of their own.
pub(super) fn sayable(footnotes: &Footnotes<'_>) -> Vec<Sentence> {
    let texts = shown_texts(footnotes);
    let found = found(&BTreeSet::new(), footnotes, &texts);
    let quoted = found.into_iter().flat_map(|CandidateSentence { number, place, sentence, .. }| {
        let whole = Quotation::whole(number, place, sentence);
        let rows = sentence.lines().filter(|line| line.contains(BETWEEN_CELLS));
        if rows.clone().count() > 1 {
            rows.map(|row| Quotation { row: Some(row), ..whole }).collect()
        } else {
            vec![whole]
        }
    });
    let mut seen = HashSet::new();
    let words = quoted.filter_map(|quoted| in_full(&quoted, footnotes, &texts));
    let each = words.filter(|(_, words)| seen.insert(words.clone()));
    each.map(|(number, words)| Sentence::claim(with_marker(&words, number) + " ", vec![number])).collect()
}

/// The notes' texts as they may be shown.
fn shown_texts(footnotes: &Footnotes<'_>) -> Vec<String> {
    let texts = footnotes.notes().map(|(_, candidate)| candidate.passage.text.as_str());
    texts.map(|text| sanitize(text, &[text])).collect()
}

/// With what it needs to say by itself what it means.
fn in_full(quoted: &Quotation<'_>, footnotes: &Footnotes<'_>, texts: &[String]) -> Option<(u32, String)> {
    let ((number, candidate), text) = footnotes.notes().zip(texts).find(|((number, _), _)| *number == quoted.number)?;
    let row = quoted.row.and_then(|row| quotation_of_row(&candidate.passage, text, quoted.place, row, quoted.column));
    Some((number, row.or_else(|| quotation(&candidate.passage, text, quoted.place))?))
}

/// What parts the cells of a row.
const BETWEEN_CELLS: &str = " | ";

/// A sentence of a note, by the note's number and the sentence's place in it.
#[derive(Clone, Copy)]
struct Quotation<'a> {
    number: u32,
    place: usize,
    sentence: &'a str,
    /// Of a sentence with several rows of a table: the one that is quoted.
    row: Option<&'a str>,
    /// Of a row: the only column that is quoted, by its place.
    column: Option<usize>,
}

impl<'a> Quotation<'a> {
    /// The whole sentence.
    fn whole(number: u32, place: usize, sentence: &'a str) -> Self {
        Self { number, place, sentence, row: None, column: None }
    }
}

/// A sentence of a note, and how many words it shares with the question.
struct CandidateSentence<'a> {
    shared: usize,
    number: u32,
    place: usize,
    sentence: &'a str,
}

/// The notes' sentences that say something, each once: those first that share most with the question.
fn found<'t>(asked: &BTreeSet<String>, footnotes: &Footnotes<'_>, texts: &'t [String]) -> Vec<CandidateSentence<'t>> {
    let mut found: Vec<CandidateSentence<'_>> = Vec::new();
    let mut headings: Vec<CandidateSentence<'_>> = Vec::new();
    for ((number, candidate), text) in footnotes.notes().zip(texts) {
        let mut before = candidate.passage.above.head.as_ref().map_or("", |head| head.text.as_str());
        for (place, sentence) in sentences_of(text).into_iter().enumerate() {
            let shared = significant_terms(sentence).intersection(asked).count();
            // A question, such as a heading that repeats the asker's, says nothing either.
            let ends = ends_as_sentence(sentence) && !sentence.trim_end().ends_with('?');
            let says_something = ends || marker(sentence) > 0 || is_row(sentence, before);
            let kept = if says_something { &mut found } else { &mut headings };
            kept.push(CandidateSentence { shared, number, place, sentence });
            before = sentence;
        }
    }
    // A heading shares many words with the question, and says nothing: it is what there is where nothing else is.
    if found.is_empty() {
        found = headings;
    }
    found.sort_by_key(|found| (Reverse(found.shared), found.number, found.place));
    let mut seen = HashSet::new();
    found.retain(|found| seen.insert(found.sentence));
    found
}

fn by_words(found: Vec<CandidateSentence<'_>>, mut always_quoted: BTreeSet<u32>, most: usize) -> Vec<Quotation<'_>> {
    // A sentence that shares nothing is worth saying only if no other is there, or its note is to be heard.
    let any_shared = found.first().is_some_and(|found| found.shared > 0);
    let (mut chosen, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|found| always_quoted.remove(&found.number));
    chosen.sort_by_key(|found| found.number);
    chosen.extend(others.into_iter().filter(|found| found.shared > 0 || !any_shared));
    chosen.truncate(if any_shared { most } else { 1 });
    chosen
        .into_iter()
        .map(|CandidateSentence { number, place, sentence, .. }| Quotation::whole(number, place, sentence))
        .collect()
}

/// The first note of each document and of each kind of document that the question names: one sentence of it at least is
/// said.
fn best_of_named(asked: &BTreeSet<String>, footnotes: &Footnotes<'_>) -> BTreeSet<u32> {
    let (mut documents, mut kinds) = (HashSet::new(), HashSet::new());
    let mut best = BTreeSet::new();
    for (number, candidate) in footnotes.notes() {
        let passage = &candidate.passage;
        let kind = passage.kind.as_ref().map_or(passage.collection.as_str(), |kind| kind.as_str()).to_lowercase();
        let is_of_kind = asked.iter().any(|term| same_word(term, &kind)) && kinds.insert(kind);
        // A named document that was read and does not answer has nothing to say here.
        let speaks = !candidate.is_named_and_read() || candidate.is_likely_to_answer();
        if is_of_kind || (candidate.addressed && speaks && documents.insert(passage.passage.document)) {
            best.insert(number);
        }
    }
    best
}

/// Whether this is a row of a table that says something: the first one names the columns.
fn is_row(sentence: &str, before: &str) -> bool {
    let rows = sentence.lines().filter(|line| line.contains(BETWEEN_CELLS)).count();
    rows > 1 || (rows == 1 && before.contains(BETWEEN_CELLS))
}

#[cfg(test)]
mod tests;
