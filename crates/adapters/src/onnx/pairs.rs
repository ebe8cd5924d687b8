//! Two texts as one window, as a cross-encoder was taught to read them.

use std::sync::Arc;

use tokenizers::{Encoding, Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

use super::request::Trouble;
use super::tokens::{Window, plain_tokenizer};

/// The least a window is good for.
const SMALLEST_WINDOW: usize = 16;

/// Which of the two texts stands first in a window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum First {
    /// The one that is never cut: a question before its passage.
    Whole,
    /// The one that is cut to fit: a premise before its claim.
    Cut,
}

/// How two texts become what a model reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// Two texts, as the tokenizer joins them.
    Plain(First),
    /// One text: the one that is cut, something, the one that is whole, and the words behind it.
    OneText { between: Between, after: &'static str },
    /// Two texts: the one that is cut among these words, and the one that is whole.
    TwoTexts { before: &'static str, behind: &'static str },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Between {
    Words(&'static str),
    /// What the tokenizer puts behind a text.
    EndMark,
}

/// A text that is never cut, and another of which as much is read as fits beside it.
pub(super) struct Pair {
    pub(super) whole: Arc<str>,
    pub(super) cut: String,
}

pub(super) struct Pairs {
    plain: Tokenizer,
    cutting: Tokenizer,
    layout: Layout,
    /// What the tokenizer puts behind a text.
    end_mark: String,
    max_tokens: usize,
}

impl Pairs {
    pub(super) fn from_bytes(bytes: &[u8], layout: Layout, max_tokens: usize) -> Result<Self, String> {
        if max_tokens < SMALLEST_WINDOW {
            return Err(format!("a window of {max_tokens} tokens holds no two texts"));
        }
        let plain = plain_tokenizer(bytes)?;
        let mut cutting = plain.clone();
        let strategy = match layout {
            Layout::Plain(First::Whole) => TruncationStrategy::OnlySecond,
            _ => TruncationStrategy::OnlyFirst,
        };
        let direction = TruncationDirection::Right;
        let truncation = TruncationParams { direction, max_length: max_tokens, strategy, stride: 0 };
        cutting.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        let nothing = plain.encode_fast("", true).map_err(|error| error.to_string())?;
        let end_mark = nothing.get_tokens().last().cloned().unwrap_or_default();
        let pairs = Self { plain, cutting, layout, end_mark, max_tokens };
        let words = pairs.encoded("", "")?.len();
        if words > max_tokens / 4 {
            return Err(format!(
                "a window of {max_tokens} tokens has no room beside the {words} of the input's own words"
            ));
        }
        Ok(pairs)
    }

    /// A text that leaves less than half a window to the other makes judgements that are none.
    pub(super) fn check(&self, whole: &str) -> Result<(), Trouble> {
        let encoding = self.plain.encode_fast(whole, true);
        let tokens = encoding.map_err(|error| Trouble::Failed(error.to_string()))?.len();
        let limit = self.max_tokens / 2;
        if tokens > limit { Err(Trouble::TooLong { index: 0, tokens, limit }) } else { Ok(()) }
    }

    pub(super) fn window(&self, pair: &Pair) -> Result<Window, String> {
        let Layout::Plain(first) = self.layout else { return Ok(self.cut_to_fit(pair)?.into()) };
        Ok(self.cutting.encode_fast(in_order(first, pair), true).map_err(|error| error.to_string())?.into())
    }

    /// With the characters of the second text that each token stands for.
    pub(super) fn located_window(&self, pair: &Pair) -> Result<Window, String> {
        let encoding = match self.layout {
            Layout::Plain(first) => {
                self.cutting.encode_char_offsets(in_order(first, pair), true).map_err(|error| error.to_string())?
            }
            _ => self.cut_to_fit(pair)?,
        };
        let places = encoding.get_offsets().iter().zip(encoding.get_sequence_ids());
        let characters = places.map(|(place, text)| if text == Some(1) { *place } else { NO_CHARACTER }).collect();
        Ok(Window { characters, ..encoding.into() })
    }

    /// As much of the one text as fits beside the other and the words around them.
    fn cut_to_fit(&self, pair: &Pair) -> Result<Encoding, String> {
        let (whole, cut) = (pair.whole.as_ref(), pair.cut.as_str());
        let written = self.encoded(cut, whole)?;
        if written.len() <= self.max_tokens {
            return Ok(written);
        }
        let mut room = self.max_tokens.saturating_sub(self.encoded("", whole)?.len());
        let tokens = self.plain.encode(cut, false).map_err(|error| error.to_string())?;
        loop {
            let last = room.checked_sub(1).and_then(|last| tokens.get_offsets().get(last));
            let fits = last.and_then(|(_, end)| cut.get(..*end)).unwrap_or_default();
            let written = self.encoded(fits, whole)?;
            // Where it is cut off, tokens may part in another way.
            let beyond = written.len().saturating_sub(self.max_tokens);
            if beyond == 0 || room == 0 {
                return Ok(written);
            }
            room = room.saturating_sub(beyond);
        }
    }

    /// Among the words of the layout.
    fn encoded(&self, cut: &str, whole: &str) -> Result<Encoding, String> {
        let encoded = match self.layout {
            Layout::Plain(First::Whole) => self.plain.encode_char_offsets((whole, cut), true),
            Layout::Plain(First::Cut) => self.plain.encode_char_offsets((cut, whole), true),
            Layout::OneText { between, after } => {
                let between = match between {
                    Between::Words(words) => words,
                    Between::EndMark => self.end_mark.as_str(),
                };
                self.plain.encode_char_offsets(format!("{cut}{between}{whole}{after}"), true)
            }
            Layout::TwoTexts { before, behind } => {
                self.plain.encode_char_offsets((format!("{before}{cut}{behind}"), whole.to_owned()), true)
            }
        };
        encoded.map_err(|error| error.to_string())
    }
}

/// Of a token that stands for nothing of the second text.
pub(super) const NO_CHARACTER: (usize, usize) = (0, 0);

fn in_order(first: First, pair: &Pair) -> (&str, &str) {
    let (whole, cut) = (pair.whole.as_ref(), pair.cut.as_str());
    match first {
        First::Whole => (whole, cut),
        First::Cut => (cut, whole),
    }
}
