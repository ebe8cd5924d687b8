//! Sentences: out of a stream, held until they are whole; and out of a text, as they stand.
//!
//! Whether a sentence ends is certain with the first sign of the next one, or with its first word where that word is
//! needed to tell `the U.S. It …` from `the U.S. Treasury`. What comes out does not depend on how the stream was cut,
//! and nothing is lost: all sentences together are the text.

mod abbreviations;
mod boundary;
mod lines;
mod signs;
mod structure;
mod waiting;

use std::ops::Range;

use boundary::{Boundaries, End};
pub use structure::WaitingStructure;

/// A piece of a text whose markers were read: words, or a citation between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Passed {
    Text(String),
    /// The number of a note minted for this turn.
    Citation(u32),
}

/// A sentence with the notes it cites.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sentence {
    /// The text as it stands, white space after it included, citations as `[n]`.
    pub text: String,
    pub citations: Vec<u32>,
    pub kind: Kind,
}

/// What a sentence is, and with that why it may go out. There is no fourth kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Kind {
    /// It says something: prose, an item of a list, a row of a table, a block of code. Its notes must support it.
    #[default]
    Claim,
    /// It orders what follows: a heading, `The steps are:`, a table's head, a rule. Its words must be a note's or the
    /// question's, and a claim must follow.
    Structure,
    /// A fixed phrase of the policy, with holes for words of the question alone.
    Policy,
}

impl Sentence {
    pub fn claim(text: String, citations: Vec<u32>) -> Self {
        Self { text, citations, kind: Kind::Claim }
    }
}

/// Collects pieces until a sentence is whole; citations that follow it belong to it.
#[derive(Clone, Debug, Default)]
pub struct SentenceHolder {
    text: String,
    /// So many bytes came before the held text.
    from: usize,
    /// Each citation with where it stands in the whole text.
    citations: Vec<(usize, u32)>,
    boundaries: Boundaries,
}

impl SentenceHolder {
    pub fn push(&mut self, passed: Passed) -> Vec<Sentence> {
        let mut whole = Vec::new();
        match passed {
            Passed::Citation(number) => {
                let written = format!("[{number}]");
                let end = self.boundaries.cite(written.len());
                whole.extend(end.map(|end| self.split(end)));
                self.citations.push((self.from + self.text.len(), number));
                self.text.push_str(&written);
            }
            Passed::Text(text) => {
                for character in text.chars() {
                    // Records cannot hold NUL, and what was said must read the same there.
                    let character = if character == '\0' { char::REPLACEMENT_CHARACTER } else { character };
                    let end = self.boundaries.feed(character);
                    whole.extend(end.map(|end| self.split(end)));
                    self.text.push(character);
                }
            }
        }
        whole
    }

    /// What is left at the end: one sentence, or two where the second was still being recognised.
    pub fn finish(&mut self) -> Vec<Sentence> {
        let mut left = Vec::new();
        let end = self.boundaries.finish();
        left.extend(end.map(|end| self.split(end)));
        if !self.text.is_empty() {
            let (at, shape) = (self.from + self.text.len(), self.boundaries.shape());
            left.push(self.split(End { at, shape }));
        }
        left
    }

    fn split(&mut self, end: End) -> Sentence {
        let rest = self.text.split_off(end.at - self.from);
        let text = std::mem::replace(&mut self.text, rest);
        self.from = end.at;
        let later = self.citations.partition_point(|(place, _)| *place < end.at);
        let citations: Vec<u32> = self.citations.drain(..later).map(|(_, number)| number).collect();
        let kind = structure::kind_of(&text, !citations.is_empty(), end.shape);
        Sentence { text, citations, kind }
    }
}

/// Whether a word, without its last full stop, is an abbreviation that is known, or initials.
pub fn is_abbreviation(word: &str) -> bool {
    use abbreviations::Word::{BeforeNumber, Closing, Named, Opening};
    matches!(abbreviations::Word::before_stop(word), Opening | BeforeNumber | Closing | Named)
}

/// The sentences of a text, verbatim, without the white space around them.
pub fn sentences_of(text: &str) -> Vec<&str> {
    sentence_places(text).into_iter().map(|place| &text[place]).collect()
}

/// Where the sentences of a text stand, in bytes, without the white space around them.
pub fn sentence_places(text: &str) -> Vec<Range<usize>> {
    let mut boundaries = Boundaries::default();
    let mut begins = vec![0];
    begins.extend(text.chars().filter_map(|character| boundaries.feed(character)).map(|end: End| end.at));
    begins.extend(boundaries.finish().map(|end| end.at));
    let ends = begins.iter().skip(1).copied().chain([text.len()]);
    let places = begins.iter().zip(ends).map(|(begin, end)| {
        let sentence = &text[*begin..end];
        let start = begin + (sentence.len() - sentence.trim_start().len());
        start..start + sentence.trim().len()
    });
    places.filter(|place| text[place.clone()].chars().any(char::is_alphabetic)).collect()
}

#[cfg(test)]
mod tests;
