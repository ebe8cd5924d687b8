//! Which sentences a reader found the answer in.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::candidate::Candidate;
use ibidem_language::layout::{ends_as_sentence, marker};
use ibidem_language::sentences::sentences_of;
use ibidem_language::{same_word, significant_terms, telling_terms};
use ibidem_words::CharSpan;

use super::super::footnotes::Footnotes;
use super::super::markup::sanitize;
use super::asked_for::AskedFor;
use super::{BETWEEN_CELLS, CandidateSentence, Quotation};
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
    always_quoted: &BTreeSet<u32>,
    found: &[CandidateSentence<'t>],
    most: usize,
) -> Vec<Quotation<'t>> {
    if footnotes.notes().all(|(_, candidate)| candidate.answer.is_none()) {
        return Vec::new();
    }
    let odds = |candidate: &Candidate| candidate.answering().map_or(0.0, |likely| likely / (1.0 - likely).max(1e-6));
    let least = footnotes.notes().map(|(_, candidate)| SHARE_OF_BEST_ODDS * odds(candidate)).fold(0.0, f64::max);
    let answers = |candidate: &Candidate| candidate.is_likely_to_answer() && odds(candidate) >= least;
    let any_answers = footnotes.notes().any(|(_, candidate)| answers(candidate));
    let best = footnotes.notes().next().filter(|_| !any_answers).map(|(number, _)| number);
    let read = footnotes.notes().zip(texts).filter_map(|((number, candidate), text)| {
        let likely = candidate.answering()?;
        let is_always_quoted = always_quoted.contains(&number) || best == Some(number);
        let read = Read { is_always_quoted, likely, number, candidate, text, by_title: false };
        (is_always_quoted || answers(candidate)).then_some(read)
    });
    let mut read: Vec<Read<'_, 't>> = read.collect();
    read.sort_by(|one, other| {
        let by_likelihood = || other.likely.total_cmp(&one.likely);
        other.is_always_quoted.cmp(&one.is_always_quoted).then_with(by_likelihood).then(one.number.cmp(&other.number))
    });
    // What was replaced does not speak beside what replaced it, unless it must be heard.
    let all: Vec<&Candidate> = read.iter().map(|read| read.candidate).collect();
    let is_replaced = |read: &Read<'_, 't>| all.iter().any(|other| replaces(&other.passage, &read.candidate.passage));
    read.retain(|read| read.is_always_quoted || !is_replaced(read));
    let mut read: Vec<Read<'_, 't>> = read.into_iter().map(|read| read.or_titled(query, footnotes, texts)).collect();
    let mut seen = BTreeSet::new();
    read.retain(|read| seen.insert(read.number));
    read.truncate(most.max(1));
    let asked_for = AskedFor::by(query);
    let is_only = read.len() == 1;
    let quoted = read.into_iter().flat_map(|read| {
        let Read { number, candidate, text, .. } = read;
        let span = candidate.answer.filter(|_| !read.by_title);
        let pick = span.and_then(|span| sentence_of(text, &candidate.passage.text, span));
        let pick = pick.map(|pick| sentence_under(pick, number, found));
        let plainly = |(place, sentence): (usize, &'t str)| Quotation::whole(number, place, sentence);
        match pick {
            Some(pick) => asked_for.beside(plainly(pick), candidate, text, found),
            None => above(number, candidate, text, found, is_only).map(plainly).into_iter().collect(),
        }
    });
    quoted.collect()
}

/// A note that speaks.
struct Read<'n, 't> {
    is_always_quoted: bool,
    likely: f64,
    number: u32,
    candidate: &'n Candidate,
    /// As it is shown.
    text: &'t str,
    /// Its document's title answers.
    by_title: bool,
}

impl<'n, 't> Read<'n, 't> {
    /// Where the title of a document answers, all its passages do: the one that has the title speaks for them, unless a
    /// sentence of their own has as many of the question's words.
    fn or_titled(self, query: &str, footnotes: &Footnotes<'n>, texts: &'t [String]) -> Self {
        let asked = telling_terms(query);
        let shared = |text: &str| {
            let words = significant_terms(text);
            asked.iter().filter(|term| words.iter().any(|word| same_word(word, term))).count()
        };
        let own = sentences_of(self.text).into_iter().map(shared).max().unwrap_or(0);
        let is_above = self.candidate.answer.is_none() && title_of(self.candidate, self.text).is_none();
        if !is_above || own >= shared(&self.candidate.passage.title) {
            return self;
        }
        let own = &self.candidate.passage.passage;
        let is_of_document = |candidate: &Candidate| {
            let other = &candidate.passage.passage;
            other.document == own.document && other.version == own.version
        };
        let mut notes = footnotes.notes().zip(texts);
        let titled = notes.find(|((_, other), text)| is_of_document(other) && title_of(other, text).is_some());
        match titled {
            Some(((number, candidate), text)) => Self { number, candidate, text, by_title: true, ..self },
            None => self,
        }
    }
}

/// The title of a candidate's document as it stands in a text, with its place among the sentences.
fn title_of<'t>(candidate: &Candidate, text: &'t str) -> Option<(usize, &'t str)> {
    let title = candidate.passage.title.trim();
    let is_title = |(_, sentence): &(usize, &str)| !title.is_empty() && sentence.trim() == title;
    sentences_of(text).into_iter().enumerate().find(is_title)
}

/// A heading says nothing by itself: where a reader points at one, the sentence under it is meant.
fn sentence_under<'t>(pick: (usize, &'t str), number: u32, found: &[CandidateSentence<'t>]) -> (usize, &'t str) {
    let says_something = ends_as_sentence(pick.1) || marker(pick.1) > 0 || pick.1.contains(BETWEEN_CELLS);
    let under = found.iter().filter(|found| found.number == number && found.place > pick.0);
    let under = under.min_by_key(|found| found.place).filter(|_| !says_something);
    under.map_or(pick, |under| (under.place, under.sentence))
}

/// What is said of a note whose title or heading answers: the title, where it stands in the note, or the sentence that
/// shares most with the question. One that shares nothing is said only where no other note speaks.
fn above<'t>(
    number: u32,
    candidate: &Candidate,
    shown_text: &'t str,
    found: &[CandidateSentence<'t>],
    is_only: bool,
) -> Option<(usize, &'t str)> {
    let titled = title_of(candidate, shown_text);
    let best = found.iter().find(|found| found.number == number).filter(|best| is_only || best.shared > 0);
    titled.or_else(|| best.map(|best| (best.place, best.sentence)))
}

/// The sentence of the text as it is shown that has the words at a span of the text as it was. Where the same words
/// stand in several, the one that is nearest by its place in the text.
fn sentence_of<'t>(shown_text: &'t str, text: &str, span: CharSpan) -> Option<(usize, &'t str)> {
    let [start, end] = [span.start, span.end].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
    let answer: String = text.chars().skip(start).take(end.saturating_sub(start)).collect();
    let answer = sanitize(&answer, &[text]);
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
