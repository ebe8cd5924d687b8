//! Which sentences a reader found the answer in.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use ibidem_language::sentences::sentences_of;
use ibidem_words::{Candidate, CharSpan};

use super::super::footnotes::Footnotes;
use super::super::markup::shown;
use super::{BETWEEN_CELLS, Found, Quoted};
use crate::in_force::replaces;

/// What the odds of a note must be of the likeliest note's: beside a sure answer a doubtful one is beside the point.
const SHARE_OF_BEST_ODDS: f64 = 0.05;

/// The sentences with the answer, at most of so many notes: of those that are likelier to answer than not and not much
/// less likely than the likeliest, the likeliest first, or of the best note where none is; and before them of those that
/// must be heard. Where the answer stands above
/// a note, in its title or heading, its sentence that shares most with the question is said. Nothing where no reader
/// said where any answer stands.
pub(super) fn answering<'t>(
    footnotes: &Footnotes<'_>,
    texts: &'t [String],
    heard: &BTreeSet<u32>,
    found: &[Found<'t>],
    most: usize,
) -> Vec<Quoted<'t>> {
    if footnotes.notes().all(|(_, candidate)| candidate.answer.is_none()) {
        return Vec::new();
    }
    let odds = |candidate: &Candidate| candidate.answering().map_or(0.0, |likely| likely / (1.0 - likely).max(1e-6));
    let least = footnotes.notes().map(|(_, candidate)| SHARE_OF_BEST_ODDS * odds(candidate)).fold(0.0, f64::max);
    let answers = |candidate: &Candidate| candidate.is_likely_to_answer() && odds(candidate) >= least;
    let any_answers = footnotes.notes().any(|(_, candidate)| answers(candidate));
    let best = footnotes.notes().next().filter(|_| !any_answers).map(|(number, _)| number);
    let read = footnotes.notes().zip(texts).filter_map(|((number, candidate), shown_text)| {
        let probability = candidate.answering()?;
        let is_heard = heard.contains(&number) || best == Some(number);
        (is_heard || answers(candidate)).then_some((!is_heard, probability, number, candidate, shown_text))
    });
    let mut read: Vec<_> = read.collect();
    read.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| other.1.total_cmp(&one.1)).then(one.2.cmp(&other.2)));
    // What was replaced does not speak beside what replaced it, unless it must be heard.
    let places: Vec<(u32, &Candidate)> =
        read.iter().map(|(_, _, number, candidate, _)| (*number, *candidate)).collect();
    read.retain(|(is_unheard, _, number, candidate, _)| {
        let is_successor = |(other, successor): &(u32, &Candidate)| {
            other != number && replaces(&successor.passage, &candidate.passage)
        };
        !*is_unheard || !places.iter().any(is_successor)
    });
    read.truncate(most.max(1));
    let quoted = read.into_iter().filter_map(|(_, _, number, candidate, shown_text)| {
        let told = candidate.answer.and_then(|span| sentence_of(shown_text, &candidate.passage.text, span));
        let by_words = || found.iter().find(|found| found.number == number).map(|found| (found.place, found.sentence));
        let (place, sentence) = told.map(|told| row_asked_for(told, number, found)).or_else(by_words)?;
        Some(Quoted { number, place, sentence })
    });
    quoted.collect()
}

/// Rows of one table look alike to a reader: where another row of the note shares more words with the question, such as
/// the name in its first cell, that one is meant.
fn row_asked_for<'t>(told: (usize, &'t str), number: u32, found: &[Found<'t>]) -> (usize, &'t str) {
    let is_row = |sentence: &str| sentence.contains(BETWEEN_CELLS);
    let rows = || found.iter().filter(|found| found.number == number && is_row(found.sentence));
    let shared = rows().find(|row| row.place == told.0).map(|row| row.shared);
    // The best comes first.
    let best = rows().next().zip(shared).filter(|(best, shared)| best.shared > *shared);
    best.map_or(told, |(best, _)| (best.place, best.sentence))
}

/// The sentence of the text as it is shown that has the words at a span of the text as it was. Where the same words
/// stand in several, the one that is nearest by its place in the text.
fn sentence_of<'t>(shown_text: &'t str, text: &str, span: CharSpan) -> Option<(usize, &'t str)> {
    let [start, end] = [span.start, span.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    let answer: String = text.chars().skip(start).take(end.saturating_sub(start)).collect();
    let answer = shown(&answer, &[text]);
    let answer = answer.trim();
    if answer.is_empty() {
        return None;
    }
    let wanted = text.chars().take(start).filter(|c| c.is_alphanumeric()).count();
    let mut before = 0;
    let mut places = Vec::new();
    for (place, sentence) in sentences_of(shown_text).into_iter().enumerate() {
        let length = sentence.chars().filter(|c| c.is_alphanumeric()).count();
        let is_whole_answer = sentence.contains(answer);
        let begins_it = (before..before + length).contains(&wanted);
        if is_whole_answer || begins_it {
            places.push((Reverse(is_whole_answer), wanted.abs_diff(before + length / 2), place, sentence));
        }
        before += length;
    }
    places.into_iter().min().map(|(.., place, sentence)| (place, sentence))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Leave is 30 days. Of it, 5 days can be carried over. They lapse after 5 days of grace.";

    fn place_of(span: CharSpan) -> Option<usize> {
        sentence_of(TEXT, TEXT, span).map(|(place, _)| place)
    }

    fn span(start: u32, end: u32) -> CharSpan {
        CharSpan { start, end }
    }

    #[test]
    fn the_sentence_is_the_one_at_the_span_even_where_the_words_stand_twice() {
        assert_eq!(place_of(span(9, 16)), Some(0));
        assert_eq!(place_of(span(25, 31)), Some(1));
        assert_eq!(place_of(span(71, 77)), Some(2));
    }

    #[test]
    fn an_answer_across_two_sentences_is_the_first_of_them_and_an_empty_one_is_nowhere() {
        assert_eq!(place_of(span(9, 31)), Some(0));
        assert_eq!(place_of(span(500, 510)), None);
        assert_eq!(place_of(span(9, 9)), None);
    }
}
