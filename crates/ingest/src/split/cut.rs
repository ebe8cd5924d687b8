//! Cutting one stretch of text into pieces that fit, at the best boundaries there are.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use ibidem_engine::ports::embedder::TokenCounter;
use text_splitter::{ChunkConfig, ChunkSizer, TextSplitter};

use super::{Limits, SplitError, tokens_in_context};

/// The splitter looks over all that is left of its text for every piece: it gets this much at a time,
/// in bytes, or a long text would take quadratic time.
const WINDOW: usize = 24 * 1024;

/// Longer words are rare, and not worth remembering.
const LONGEST_KNOWN_WORD: usize = 32;
const MOST_KNOWN_WORDS: usize = 100_000;

pub(super) struct Piece {
    /// Its place in the stretch.
    pub(super) bytes: Range<usize>,
    /// In context.
    pub(super) tokens: usize,
}

/// Counting tokens is what splitting costs. Nearly all tokenizers count words one by one, so pieces
/// are first sized by the sum of their words, each counted once; then every piece is counted once
/// for certain, in its context, and cut again with exact counts if the sum was too small.
pub(super) struct Cutter<'a> {
    title: &'a str,
    counter: &'a dyn TokenCounter,
    limits: &'a Limits,
    /// What an empty text counts.
    special_tokens: usize,
    known_words: RefCell<HashMap<Box<str>, usize>>,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(title: &'a str, counter: &'a dyn TokenCounter, limits: &'a Limits) -> Self {
        Self { title, counter, limits, special_tokens: counter.count(""), known_words: RefCell::default() }
    }

    pub(super) fn cut(&mut self, section: Option<&str>, text: &str) -> Result<Vec<Piece>, SplitError> {
        let room = Room { cutter: self, section, header: tokens_in_context(self.counter, self.title, section, "") };
        let mut pieces = Vec::new();
        for window in windows(text) {
            for estimated in room.split(&text[window.clone()], InContext(&room)) {
                let estimated = window.start + estimated.start..window.start + estimated.end;
                room.keep_or_cut(text, estimated, &mut pieces)?;
            }
        }
        Ok(pieces)
    }
}

/// A stretch's window: what its title and section leave.
struct Room<'a> {
    cutter: &'a Cutter<'a>,
    section: Option<&'a str>,
    header: usize,
}

impl Room<'_> {
    fn tokens(&self, text: &str) -> usize {
        tokens_in_context(self.cutter.counter, self.cutter.title, self.section, text)
    }

    fn budget(&self) -> usize {
        self.cutter.limits.max_tokens.saturating_sub(self.header).max(1)
    }

    fn fits(&self, text: &str) -> Option<usize> {
        let tokens = self.tokens(text);
        (tokens <= self.cutter.limits.max_tokens && !self.is_too_long(text)).then_some(tokens)
    }

    fn is_too_long(&self, text: &str) -> bool {
        let limit = self.cutter.limits.max_characters;
        text.len() > limit && text.chars().count() > limit
    }

    fn split(&self, text: &str, sizer: impl ChunkSizer) -> Vec<Range<usize>> {
        let splitter = TextSplitter::new(ChunkConfig::new(self.budget()).with_sizer(sizer));
        splitter.chunk_indices(text).map(|(start, chunk)| start..start + chunk.len()).collect()
    }

    fn keep_or_cut(&self, text: &str, estimated: Range<usize>, pieces: &mut Vec<Piece>) -> Result<(), SplitError> {
        if let Some(tokens) = self.fits(&text[estimated.clone()]) {
            pieces.push(Piece { bytes: estimated, tokens });
            return Ok(());
        }
        for exact in self.split(&text[estimated.clone()], InContext(self)) {
            self.halve(text, estimated.start + exact.start..estimated.start + exact.end, pieces)?;
        }
        Ok(())
    }

    /// The splitter takes it that a text has no more tokens than bytes. Where that is not so, pieces
    /// are still too large, and are halved until they fit.
    fn halve(&self, text: &str, piece: Range<usize>, pieces: &mut Vec<Piece>) -> Result<(), SplitError> {
        let mut ahead = vec![piece];
        while let Some(piece) = ahead.pop() {
            let trimmed = trimmed(text, piece);
            if trimmed.is_empty() {
                continue;
            }
            if let Some(tokens) = self.fits(&text[trimmed.clone()]) {
                pieces.push(Piece { bytes: trimmed, tokens });
                continue;
            }
            let middle = text.floor_char_boundary(trimmed.start + trimmed.len() / 2);
            let middle = if middle > trimmed.start { middle } else { text.ceil_char_boundary(trimmed.start + 1) };
            if middle >= trimmed.end {
                return Err(SplitError::NoRoom { header: self.header, limit: self.cutter.limits.max_tokens });
            }
            let nearby = text[trimmed.start..middle].rfind(char::is_whitespace).map(|space| trimmed.start + space);
            let cut = nearby.filter(|space| *space > trimmed.start + trimmed.len() / 4).unwrap_or(middle);
            ahead.push(cut..trimmed.end);
            ahead.push(trimmed.start..cut);
        }
        Ok(())
    }
}

/// Sizes a text by its words, each counted once and remembered.
struct WordByWord<'a>(&'a Room<'a>);

impl ChunkSizer for WordByWord<'_> {
    fn size(&self, text: &str) -> usize {
        let room = self.0;
        if room.is_too_long(text) {
            return usize::MAX / 4;
        }
        let cutter = room.cutter;
        let count = |word: &str| cutter.counter.count(word).saturating_sub(cutter.special_tokens);
        let mut known = cutter.known_words.borrow_mut();
        let mut size = 0;
        for word in text.split_whitespace() {
            size += match known.get(word) {
                Some(tokens) => *tokens,
                None => {
                    let tokens = count(word);
                    if word.len() <= LONGEST_KNOWN_WORD && known.len() < MOST_KNOWN_WORDS {
                        known.insert(word.into(), tokens);
                    }
                    tokens
                }
            };
        }
        size
    }
}

/// Sizes a text as it will be counted in the end, less what its title and section take.
struct InContext<'a>(&'a Room<'a>);

impl ChunkSizer for InContext<'_> {
    fn size(&self, text: &str) -> usize {
        if self.0.is_too_long(text) {
            return usize::MAX / 4;
        }
        self.0.tokens(text).saturating_sub(self.0.header)
    }
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inside = &text[range.clone()];
    let start = range.start + (inside.len() - inside.trim_start().len());
    start..start + inside.trim().len()
}

/// Parts of the text of at most [`WINDOW`] bytes, parted between paragraphs, lines, sentences or words if any end there.
fn windows(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        if rest.is_empty() {
            return None;
        }
        let length = if rest.len() <= WINDOW { rest.len() } else { last_boundary(&rest[..rest.floor_char_boundary(WINDOW)]) };
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
    at.or_else(|| second.rfind(char::is_whitespace)).map_or(window.len(), |at| half + at)
}
