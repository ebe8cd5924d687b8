//! Two texts as one window, as a cross-encoder was taught to read them.

use std::sync::Arc;

use tokenizers::{Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

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

/// A text that is never cut, and another of which as much is read as fits beside it.
pub(super) struct Pair {
    pub(super) whole: Arc<str>,
    pub(super) cut: String,
}

pub(super) struct Pairs {
    plain: Tokenizer,
    cutting: Tokenizer,
    first: First,
    max_tokens: usize,
}

impl Pairs {
    pub(super) fn from_bytes(bytes: &[u8], first: First, max_tokens: usize) -> Result<Self, String> {
        if max_tokens < SMALLEST_WINDOW {
            return Err(format!("a window of {max_tokens} tokens holds no two texts"));
        }
        let plain = plain_tokenizer(bytes)?;
        let mut cutting = plain.clone();
        let strategy = match first {
            First::Whole => TruncationStrategy::OnlySecond,
            First::Cut => TruncationStrategy::OnlyFirst,
        };
        let direction = TruncationDirection::Right;
        let truncation = TruncationParams { direction, max_length: max_tokens, strategy, stride: 0 };
        cutting.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        Ok(Self { plain, cutting, first, max_tokens })
    }

    /// A text that leaves less than half a window to the other makes judgements that are none.
    pub(super) fn check(&self, whole: &str) -> Result<(), Trouble> {
        let encoding = self.plain.encode_fast(whole, true);
        let tokens = encoding.map_err(|error| Trouble::Failed(error.to_string()))?.len();
        let limit = self.max_tokens / 2;
        if tokens > limit { Err(Trouble::TooLong { index: 0, tokens, limit }) } else { Ok(()) }
    }

    pub(super) fn window(&self, pair: &Pair) -> Result<Window, String> {
        Ok(self.cutting.encode_fast(self.texts(pair), true).map_err(|error| error.to_string())?.into())
    }

    /// With the characters that each token stands for.
    pub(super) fn located_window(&self, pair: &Pair) -> Result<Window, String> {
        let encoding = self.cutting.encode_char_offsets(self.texts(pair), true).map_err(|error| error.to_string())?;
        let characters = encoding.get_offsets().to_vec();
        Ok(Window { characters, ..encoding.into() })
    }

    fn texts<'p>(&self, pair: &'p Pair) -> (&'p str, &'p str) {
        let (whole, cut) = (pair.whole.as_ref(), pair.cut.as_str());
        match self.first {
            First::Whole => (whole, cut),
            First::Cut => (cut, whole),
        }
    }
}
