//! Which sentences a reader found the answer in.

use std::cmp::Reverse;

use ibidem_language::sentences::sentences_of;
use ibidem_words::{Candidate, CharSpan};

use super::super::footnotes::Footnotes;
use super::super::markup::shown;

/// A note that a reader finds likelier to answer than not.
const LIKELIER_THAN_NOT: f64 = 0.5;

/// A sentence of a note, by the note's number and the sentence's place in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Answering {
    pub(super) number: u32,
    pub(super) place: usize,
}

/// The sentences with the answer of the notes that answer, at most so many notes: the likeliest first. Where none is
/// likelier to answer than not, the likeliest alone. Nothing where no reader said where.
pub(super) fn answering(footnotes: &Footnotes<'_>, texts: &[String], most: usize) -> Vec<Answering> {
    let mut read: Vec<(f64, u32, &Candidate, CharSpan)> = footnotes
        .notes()
        .filter_map(|(number, candidate)| Some((candidate.answering()?, number, candidate, candidate.answer?)))
        .collect();
    read.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let answers = read.iter().take_while(|(probability, ..)| *probability >= LIKELIER_THAN_NOT).count();
    read.truncate(answers.max(1).min(most.max(1)));
    let places = read.into_iter().filter_map(|(_, number, candidate, span)| {
        let text = texts.get(usize::try_from(number).ok()?.checked_sub(1)?)?;
        Some(Answering { number, place: sentence_of(text, &candidate.passage.text, span)? })
    });
    places.collect()
}

/// The sentence of the text as it is shown that has the words at a span of the text as it was. Where the same words
/// stand in several, the one that is nearest by its place in the text.
fn sentence_of(shown_text: &str, text: &str, span: CharSpan) -> Option<usize> {
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
            places.push((Reverse(is_whole_answer), wanted.abs_diff(before + length / 2), place));
        }
        before += length;
    }
    places.into_iter().min().map(|(.., place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Leave is 30 days. Of it, 5 days can be carried over. They lapse after 5 days of grace.";

    fn span(start: u32, end: u32) -> CharSpan {
        CharSpan { start, end }
    }

    #[test]
    fn the_sentence_is_the_one_at_the_span_even_where_the_words_stand_twice() {
        assert_eq!(sentence_of(TEXT, TEXT, span(9, 16)), Some(0));
        assert_eq!(sentence_of(TEXT, TEXT, span(25, 31)), Some(1));
        assert_eq!(sentence_of(TEXT, TEXT, span(71, 77)), Some(2));
    }

    #[test]
    fn an_answer_across_two_sentences_is_the_first_of_them_and_an_empty_one_is_nowhere() {
        assert_eq!(sentence_of(TEXT, TEXT, span(9, 31)), Some(0));
        assert_eq!(sentence_of(TEXT, TEXT, span(500, 510)), None);
        assert_eq!(sentence_of(TEXT, TEXT, span(9, 9)), None);
    }
}
