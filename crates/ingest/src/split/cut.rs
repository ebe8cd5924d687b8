//! Cutting one stretch of text into pieces that fit, at the best boundaries there are.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use ibidem_ports::embedder::TokenCounter;
use ibidem_words::passage_in_context;
use text_splitter::{ChunkConfig, ChunkSizer, TextSplitter};

use super::{Limits, SplitError};

/// The splitter looks over all that is left of its text for every piece: it gets this many times the
/// longest passage at once, or a long text would take quadratic time.
const PASSAGES_AT_ONCE: usize = 8;

/// Longer words are counted in parts of this many bytes: a text without a space is one word, and would be counted whole
/// for every boundary that is tried.
const LONGEST_KNOWN_WORD: usize = 32;
const MOST_KNOWN_WORDS: usize = 100_000;

/// What the words of a document count, each counted once.
///
/// Counting tokens is what splitting costs, and finding the best boundaries takes many counts of
/// much the same text. Tokenizers count words one by one, or nearly so: boundaries are found with
/// the sum of the words, and then every piece is counted for certain.
#[derive(Default)]
pub(super) struct KnownWords(RefCell<HashMap<Box<str>, usize>>);

impl KnownWords {
    fn tokens(&self, text: &str, count: impl Fn(&str) -> usize) -> usize {
        let mut known = self.0.borrow_mut();
        let mut tokens = 0;
        for part in text.split_whitespace().flat_map(parts) {
            tokens += known.get(part).copied().unwrap_or_else(|| {
                let tokens = count(part);
                if known.len() < MOST_KNOWN_WORDS {
                    known.insert(part.into(), tokens);
                }
                tokens
            });
        }
        tokens
    }
}

/// The word itself, or a long one in parts.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let end = rest.floor_char_boundary(LONGEST_KNOWN_WORD);
        let (part, after) = rest.split_at(end);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

pub(super) struct Piece {
    /// Its place in the stretch; no white space at either end.
    pub(super) bytes: Range<usize>,
    /// In context.
    pub(super) tokens: usize,
}

/// The embedding model's window for the passages of one section: what title and section leave of it
/// is for their text.
pub(super) struct Room<'a> {
    title: &'a str,
    section: Option<&'a str>,
    counter: &'a dyn TokenCounter,
    limits: &'a Limits,
    known_words: &'a KnownWords,
    /// What title and section take.
    header: usize,
    /// The characters they leave for the text.
    longest: usize,
    /// What an empty text takes.
    special: usize,
}

impl<'a> Room<'a> {
    pub(super) fn new(
        title: &'a str,
        section: Option<&'a str>,
        counter: &'a dyn TokenCounter,
        limits: &'a Limits,
        known_words: &'a KnownWords,
    ) -> Self {
        let above = passage_in_context(title, section, "");
        // A tokenizer may count a long word without a space as one unknown token: characters count too.
        let longest = limits.max_characters.saturating_sub(above.chars().count()).max(limits.max_characters / 4);
        let (header, special) = (counter.count(&above), counter.count(""));
        Self { title, section, counter, limits, known_words, header, longest, special }
    }

    /// Cuts a text that opens with `headings` bytes of headings, at these bytes in any case: rows of a sheet stand by
    /// themselves, whatever else would fit beside them.
    pub(super) fn cut_at(&self, text: &str, headings: usize, at: &[usize]) -> Result<Vec<Piece>, SplitError> {
        if at.is_empty() {
            return self.cut(text, headings);
        }
        let mut pieces = Vec::new();
        let mut start = 0;
        // A heading stays with the row below it.
        for end in at.iter().copied().filter(|at| *at > headings).chain([text.len()]) {
            let of_part = self.cut(&text[start..end], if start == 0 { headings } else { 0 })?;
            pieces.extend(
                of_part
                    .into_iter()
                    .map(|piece| Piece { bytes: start + piece.bytes.start..start + piece.bytes.end, ..piece }),
            );
            start = end;
        }
        Ok(pieces)
    }

    /// Cuts a text that opens with `headings` bytes of headings.
    fn cut(&self, text: &str, headings: usize) -> Result<Vec<Piece>, SplitError> {
        let mut pieces = Vec::new();
        let joined = with_headings_joined(text, headings);
        for window in windows(text, PASSAGES_AT_ONCE * self.limits.max_characters.max(1)) {
            let window = trimmed(text, window);
            // Most sections fit whole: one count settles them.
            if let Some(tokens) = self.fits(&text[window.clone()]) {
                pieces.push(Piece { bytes: window, tokens });
                continue;
            }
            for piece in self.split(&joined, window, WordByWord(self)) {
                if let Some(tokens) = self.fits(&text[piece.clone()]) {
                    pieces.push(Piece { bytes: piece, tokens });
                    continue;
                }
                for piece in self.split(&joined, piece, InContext(self)) {
                    self.keep_or_halve(text, piece, &mut pieces)?;
                }
            }
        }
        Ok(pieces)
    }

    fn split(&self, text: &str, part: Range<usize>, sizer: impl ChunkSizer) -> Vec<Range<usize>> {
        let budget = self.limits.max_tokens.saturating_sub(self.header).max(1);
        let splitter = TextSplitter::new(ChunkConfig::new(budget).with_sizer(sizer));
        let chunks = splitter.chunk_indices(&text[part.clone()]);
        chunks.map(|(start, chunk)| part.start + start..part.start + start + chunk.len()).collect()
    }

    fn tokens(&self, text: &str) -> usize {
        self.counter.count(&passage_in_context(self.title, self.section, text))
    }

    fn fits(&self, text: &str) -> Option<usize> {
        if self.is_too_long(text) {
            return None;
        }
        let tokens = self.tokens(text);
        (tokens <= self.limits.max_tokens).then_some(tokens)
    }

    fn is_too_long(&self, text: &str) -> bool {
        let limit = self.longest;
        text.len() > limit && text.chars().count() > limit
    }

    /// The splitter takes it that a text has no more tokens than bytes, and that title, section and
    /// text are counted apart. Where that is not so a piece is still too large, and is halved until it fits.
    fn keep_or_halve(&self, text: &str, piece: Range<usize>, pieces: &mut Vec<Piece>) -> Result<(), SplitError> {
        let mut ahead = vec![piece];
        while let Some(piece) = ahead.pop() {
            let piece = trimmed(text, piece);
            if piece.is_empty() {
                continue;
            }
            if let Some(tokens) = self.fits(&text[piece.clone()]) {
                pieces.push(Piece { bytes: piece, tokens });
                continue;
            }
            let middle = text.floor_char_boundary(piece.start + piece.len() / 2);
            let middle = if middle > piece.start { middle } else { text.ceil_char_boundary(piece.start + 1) };
            if middle >= piece.end {
                return Err(SplitError::NoRoom { header: self.header, limit: self.limits.max_tokens });
            }
            let space = text[piece.start..middle].rfind(char::is_whitespace).map(|space| piece.start + space);
            let cut = space.filter(|space| *space > piece.start + piece.len() / 4).unwrap_or(middle);
            ahead.push(cut..piece.end);
            ahead.push(piece.start..cut);
        }
        Ok(())
    }
}

/// Sizes a text by the sum of its words.
struct WordByWord<'a>(&'a Room<'a>);

impl ChunkSizer for WordByWord<'_> {
    fn size(&self, text: &str) -> usize {
        let room = self.0;
        if room.is_too_long(text) {
            return usize::MAX / 4;
        }
        room.known_words.tokens(text, |word| room.counter.count(word).saturating_sub(room.special))
    }
}

/// Sizes a text as it will be counted in the end, less what title and section take.
struct InContext<'a>(&'a Room<'a>);

impl ChunkSizer for InContext<'_> {
    fn size(&self, text: &str) -> usize {
        if self.0.is_too_long(text) {
            return usize::MAX / 4;
        }
        self.0.tokens(text).saturating_sub(self.0.header)
    }
}

/// The same text, byte for byte, but with its headings on one line with what follows them: a
/// heading must not become a passage of its own because the paragraph below it is a long one.
fn with_headings_joined(text: &str, headings: usize) -> String {
    let (opening, rest) = text.split_at(headings);
    opening.replace('\n', " ") + rest
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + (inside.len() - inside.trim_start().len());
    start..start + inside.trim().len()
}

/// Parts of the text of at most `longest` bytes or one character, parted where paragraphs, lines, sentences or words end if any do.
fn windows(text: &str, longest: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        if rest.trim().is_empty() {
            return None;
        }
        let end = rest.floor_char_boundary(longest).max(rest.ceil_char_boundary(1));
        let length = if end == rest.len() { end } else { last_boundary(&rest[..end]) };
        let window = start..start + length;
        start += length;
        Some(window)
    })
}

fn last_boundary(window: &str) -> usize {
    // Not in the first half: a boundary there would make windows tiny.
    let half = window.floor_char_boundary(window.len() / 2);
    let (_, second) = window.split_at(half);
    let at = second.rfind("\n\n").or_else(|| second.rfind('\n')).or_else(|| second.rfind(". ").map(|at| at + 1));
    let at = at.or_else(|| second.rfind(['。', '！', '？']).map(|at| at + '。'.len_utf8()));
    let at = at.or_else(|| second.rfind(char::is_whitespace)).map_or(window.len(), |at| half + at);
    if at > 0 { at } else { window.len() }
}
