//! How well what was flagged agrees with what people marked.

use std::ops::Range;

use serde::Serialize;

use super::check::CheckedAnswer;

/// Precision, recall and their harmonic mean; 0 where there is nothing to divide by.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Agreement {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

impl Agreement {
    /// Of those flagged and those marked, how many are both.
    pub fn of(both: usize, flagged: usize, marked: usize) -> Self {
        let (precision, recall) = (share(both, flagged), share(both, marked));
        let sum = precision + recall;
        Self { precision, recall, f1: if sum == 0.0 { 0.0 } else { 2.0 * precision * recall / sum } }
    }

    /// Of pairs of flagged and marked.
    pub fn over(each: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let (mut both, mut flagged, mut marked) = (0, 0, 0);
        for (is_flagged, is_marked) in each {
            both += usize::from(is_flagged && is_marked);
            flagged += usize::from(is_flagged);
            marked += usize::from(is_marked);
        }
        Self::of(both, flagged, marked)
    }
}

/// An answer is flagged when any of its sentences is, and marked when people marked anything in it.
pub fn of_answers(answers: &[CheckedAnswer], least_support: f64) -> Agreement {
    Agreement::over(answers.iter().map(|answer| (answer.is_flagged(least_support), !answer.marked.is_empty())))
}

/// By characters, over all answers together: those of flagged sentences, white space around them left out, and those of
/// marked spans, each counted once.
pub fn of_characters(answers: &[CheckedAnswer], least_support: f64) -> Agreement {
    let (mut both, mut flagged, mut marked) = (0, 0, 0);
    for answer in answers {
        let sentences = answer.sentences.iter().filter(|sentence| sentence.is_flagged(least_support));
        let is_flagged = painted(answer.length, sentences.map(|sentence| &sentence.characters));
        let is_marked = painted(answer.length, answer.marked.iter().map(|span| &span.characters));
        both += is_flagged.iter().zip(&is_marked).filter(|(flagged, marked)| **flagged && **marked).count();
        flagged += is_flagged.iter().filter(|flagged| **flagged).count();
        marked += is_marked.iter().filter(|marked| **marked).count();
    }
    Agreement::of(both, flagged, marked)
}

fn painted<'a>(length: usize, ranges: impl Iterator<Item = &'a Range<usize>>) -> Vec<bool> {
    let mut painted = vec![false; length];
    for range in ranges {
        painted[range.start.min(length)..range.end.min(length)].fill(true);
    }
    painted
}

/// The chance that a true one scores higher than a false one, ties half; not a number when either is missing.
pub fn area_under_curve(scores: &[(bool, f64)]) -> f64 {
    let mut sorted: Vec<(bool, f64)> = scores.to_vec();
    sorted.sort_by(|one, other| one.1.total_cmp(&other.1));
    let (mut higher, mut below, mut trues) = (0.0, 0.0, 0.0);
    for tied in sorted.chunk_by(|one, other| one.1.total_cmp(&other.1).is_eq()) {
        let of_true = count(tied.iter().filter(|(is_true, _)| *is_true).count());
        let of_false = count(tied.len()) - of_true;
        higher += of_true * (below + of_false / 2.0);
        below += of_false;
        trues += of_true;
    }
    higher / (trues * below)
}

pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { count(part) / count(whole) }
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^52")]
fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::super::check::CheckedSentence;
    use super::super::ragtruth::MarkedSpan;
    use super::*;

    fn sentence(characters: Range<usize>, support: f64) -> CheckedSentence {
        CheckedSentence { characters, support, ..CheckedSentence::default() }
    }

    #[test]
    fn characters_are_those_of_flagged_sentences_and_of_marked_spans() {
        let marked = vec![MarkedSpan { characters: 8..14, kind: "Evident Conflict".to_owned() }];
        let answer = CheckedAnswer {
            id: "1".to_owned(),
            length: 20,
            sentences: vec![sentence(0..10, 0.2), sentence(11..20, 0.9)],
            marked,
        };
        let clean =
            CheckedAnswer { id: "2".to_owned(), length: 5, sentences: vec![sentence(0..5, 0.4)], marked: Vec::new() };
        let found = of_characters(&[answer.clone(), clean.clone()], 0.3);
        assert_eq!(found, Agreement::of(2, 10, 6));
        assert_eq!(of_answers(&[answer.clone(), clean.clone()], 0.3), Agreement::of(1, 1, 1));
        assert_eq!(of_answers(&[answer, clean], 0.5), Agreement::of(1, 2, 1));
    }

    #[test]
    fn the_area_is_the_chance_of_the_right_order() {
        let area = area_under_curve(&[(true, 0.9), (false, 0.5), (true, 0.5), (false, 0.1)]);
        assert!((area - 3.5 / 4.0).abs() < 1e-12);
    }
}
