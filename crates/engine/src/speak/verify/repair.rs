//! The source's own sentence in place of one that its passages do not support.
//!
//! What a model wrote wrongly mostly comes from a sentence that stands in its notes. That sentence is quoted as extractive
//! answers quote: nothing has to be verified, since it is the source's own.

use ibidem_language::markers::{with_marker, without_markers};
use ibidem_language::meaning;
use ibidem_language::sentences::{Sentence, sentences_of};
use ibidem_words::SentenceCheck;

use crate::draft::CheckedSentence;
use crate::speak::footnotes::Footnotes;
use crate::speak::markup::sanitize;
use crate::speak::quoting::quotation;

/// What the check of such a quotation says.
const QUOTED_INSTEAD: &str = "quoted in place of a sentence that its passages do not support";

/// The quotation that stands for a sentence: of a note that it cites, or else of any. None where no sentence says the
/// better part of it.
pub(in crate::speak) fn quoted_instead(sentence: &Sentence, footnotes: &Footnotes<'_>) -> Option<CheckedSentence> {
    let of_cited = quoted_of(sentence, footnotes, |number| sentence.citations.contains(&number));
    of_cited.or_else(|| quoted_of(sentence, footnotes, |_| true))
}

fn quoted_of(
    sentence: &Sentence,
    footnotes: &Footnotes<'_>,
    is_asked: impl Fn(u32) -> bool,
) -> Option<CheckedSentence> {
    let claim = without_markers(&sentence.text);
    let texts: Vec<(u32, String)> = footnotes
        .notes()
        .filter(|(number, _)| is_asked(*number))
        .map(|(number, candidate)| (number, sanitize(&candidate.passage.text, &[&candidate.passage.text])))
        .collect();
    let mut places = Vec::new();
    let mut sentences = Vec::new();
    for (number, text) in &texts {
        for (place, one) in sentences_of(text).into_iter().enumerate() {
            places.push((*number, text, place));
            sentences.push(one);
        }
    }
    let (number, text, place) = *places.get(nearest(claim.trim(), &sentences)?)?;
    let quoted = quotation(footnotes.passage(number)?, text, place)?;
    let after = &sentence.text[sentence.text.trim_end().len()..];
    let text = with_marker(quoted.trim(), number) + after;
    let check = SentenceCheck { why: Some(QUOTED_INSTEAD.to_owned()), ..SentenceCheck::verbatim() };
    Some(CheckedSentence { sentence: Sentence { text, citations: vec![number], ..sentence.clone() }, check })
}

/// The place of the sentence that stands for a claim.
pub fn nearest(claim: &str, sentences: &[&str]) -> Option<usize> {
    meaning::nearest(claim, sentences)
}
