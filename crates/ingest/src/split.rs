//! Splitting: from a document's text to passages that fit the embedding model whole, each in one section.

use ibidem_ports::embedder::TokenCounter;
use ibidem_words::{CharSpan, LinesAbove, context_header};

use crate::read::{PageStart, ReadDocument};

mod above;
mod cut;
mod sheet_rows;
mod stretches;
#[cfg(test)]
mod tests;

use cut::{KnownWords, Room};
use sheet_rows::SheetParts;
use stretches::{Stretch, opening_headings, stretches};

/// A passage of a document: what is embedded, found and cited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Passage {
    /// The characters of the document's text at `span`; no white space at either end.
    pub text: String,
    /// The headings it lies under, joined by " > ".
    pub section: Option<String>,
    /// The page it begins on.
    pub page: Option<u32>,
    pub span: CharSpan,
    /// What stands above it, and its sentences need to be understood.
    pub above: LinesAbove,
    /// What the embedding model will count: the passage under its title and section.
    pub tokens: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The embedding model's window, its special tokens included. No passage in its context exceeds it.
    pub max_tokens: usize,
    /// No passage is longer, however few tokens it has: a tokenizer may count ten thousand letters
    /// without a space as one unknown word.
    pub max_characters: usize,
    /// What title and section must leave for the text. A section too long for that is shortened
    /// from its outermost heading inwards.
    pub least_text_tokens: usize,
}

impl Limits {
    /// The limits that follow from an embedding model's window.
    pub fn of_window(max_tokens: usize) -> Self {
        Self { max_tokens, max_characters: 8 * max_tokens, least_text_tokens: max_tokens / 4 }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SplitError {
    #[error(
        "the title takes {header} of the {limit} tokens of the embedding model's window and leaves no room for text: give the document a shorter title"
    )]
    NoRoom { header: usize, limit: usize },
    #[error("the text has more than {} characters: split the document into parts", u32::MAX)]
    TooLong,
}

/// Splits a document into passages, in order. Together they hold every letter and digit of its text once.
pub fn split(
    document: &ReadDocument,
    title: &str,
    counter: &dyn TokenCounter,
    limits: &Limits,
) -> Result<Vec<Passage>, SplitError> {
    let mut passages = Vec::new();
    let mut counted = CharacterCounter::default();
    let known_words = KnownWords::default();
    let mut sheet = SheetParts::of(document);
    for stretch in stretches(document) {
        let section = section_with_room(title, &stretch, counter, limits)?;
        let text = &document.text[stretch.bytes.clone()];
        let headings = opening_headings(text, document.title.as_deref(), stretch.path);
        let begins_at = counted.advance(&document.text, stretch.bytes.start);
        let mut above = above::above(text, headings, stretch.path.last().map(String::as_str), begins_at)?;
        let room = Room::new(title, section.as_deref(), counter, limits, &known_words);
        for piece in room.cut_at(text, headings, &sheet.boundaries(&stretch.bytes))? {
            let start = counted.advance(&document.text, stretch.bytes.start + piece.bytes.start);
            let end = counted.advance(&document.text, stretch.bytes.start + piece.bytes.end);
            let above = LinesAbove { rows: sheet.rows_at(start, end), ..above.at(piece.bytes.start)? };
            let text = &text[piece.bytes];
            if !text.contains(char::is_alphanumeric) {
                continue;
            }
            passages.push(Passage {
                text: text.to_owned(),
                section: section.clone(),
                page: page_at(&document.pages, start),
                span: CharSpan { start: narrowed(start)?, end: narrowed(end)? },
                above,
                tokens: narrowed(piece.tokens)?,
            });
        }
    }
    Ok(passages)
}

/// The section as the passages of a stretch will name it: whole, or as many of its innermost
/// headings as leave enough of the window for text.
fn section_with_room(
    title: &str,
    stretch: &Stretch<'_>,
    counter: &dyn TokenCounter,
    limits: &Limits,
) -> Result<Option<String>, SplitError> {
    let enough = limits.max_tokens.saturating_sub(limits.least_text_tokens);
    for outermost in 0..stretch.path.len() {
        let section = stretch.path[outermost..].join(" > ");
        if counter.count(&context_header(title, Some(&section))) <= enough {
            return Ok(Some(section));
        }
    }
    let header = counter.count(&context_header(title, None));
    if header < limits.max_tokens { Ok(None) } else { Err(SplitError::NoRoom { header, limit: limits.max_tokens }) }
}

/// Walks through the text once, counting its characters.
#[derive(Default)]
struct CharacterCounter {
    bytes: usize,
    characters: usize,
}

impl CharacterCounter {
    fn advance(&mut self, text: &str, to: usize) -> usize {
        self.characters += text[self.bytes..to].chars().count();
        self.bytes = to;
        self.characters
    }
}

fn page_at(pages: &[PageStart], character: usize) -> Option<u32> {
    let after = pages.partition_point(|page| page.at <= character);
    pages[..after].last().map(|page| page.number)
}

fn narrowed(number: usize) -> Result<u32, SplitError> {
    u32::try_from(number).map_err(|_| SplitError::TooLong)
}
