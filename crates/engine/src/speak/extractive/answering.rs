//! Which sentences a reader found the answer in.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use ibidem_language::layout::{ends_as_sentence, marker};
use ibidem_language::sentences::sentences_of;
use ibidem_words::{Candidate, CharSpan};

use super::super::footnotes::Footnotes;
use super::super::markup::shown;
use super::meant::Meant;
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
    query: &str,
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
    let meant = Meant::by(query);
    let is_only = read.len() == 1;
    let quoted = read.into_iter().flat_map(|(_, _, number, candidate, shown_text)| {
        let told = candidate.answer.and_then(|span| sentence_of(shown_text, &candidate.passage.text, span));
        let told = told.map(|told| said_under(told, number, found));
        let plainly = |(place, sentence): (usize, &'t str)| Quoted::whole(number, place, sentence);
        match told {
            Some(told) => meant.beside(plainly(told), shown_text, found),
            None => above(number, candidate, shown_text, found, is_only).map(plainly).into_iter().collect(),
        }
    });
    quoted.collect()
}

/// A heading says nothing by itself: where a reader points at one, the sentence under it is meant.
fn said_under<'t>(told: (usize, &'t str), number: u32, found: &[Found<'t>]) -> (usize, &'t str) {
    let says_something = ends_as_sentence(told.1) || marker(told.1) > 0 || told.1.contains(BETWEEN_CELLS);
    let under = found.iter().filter(|found| found.number == number && found.place > told.0);
    let under = under.min_by_key(|found| found.place).filter(|_| !says_something);
    under.map_or(told, |under| (under.place, under.sentence))
}

/// What is said of a note whose title or heading answers: the title, where it stands in the note, or the sentence that
/// shares most with the question. One that shares nothing is said only where no other note speaks.
fn above<'t>(
    number: u32,
    candidate: &Candidate,
    shown_text: &'t str,
    found: &[Found<'t>],
    is_only: bool,
) -> Option<(usize, &'t str)> {
    let title = candidate.passage.title.trim();
    let is_title = |(_, sentence): &(usize, &str)| !title.is_empty() && sentence.trim() == title;
    let titled = sentences_of(shown_text).into_iter().enumerate().find(is_title);
    let best = found.iter().find(|found| found.number == number).filter(|best| is_only || best.shared > 0);
    titled.or_else(|| best.map(|best| (best.place, best.sentence)))
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
