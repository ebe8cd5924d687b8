//! A question and a passage as one window, as a cross-encoder was taught to read them.

use tokenizers::{Tokenizer, TruncationDirection, TruncationParams, TruncationStrategy};

use super::request::Trouble;
use super::tokens::{Window, plain_tokenizer};

/// The least a window is good for.
const SMALLEST_WINDOW: usize = 16;

/// The question whole, and as much of the passage as fits beside it.
pub(super) struct Pairs {
    whole: Tokenizer,
    cutting: Tokenizer,
    max_tokens: usize,
}

impl Pairs {
    pub(super) fn from_bytes(bytes: &[u8], max_tokens: usize) -> Result<Self, String> {
        if max_tokens < SMALLEST_WINDOW {
            return Err(format!("a window of {max_tokens} tokens holds no question with a passage"));
        }
        let whole = plain_tokenizer(bytes)?;
        let mut cutting = whole.clone();
        let truncation = TruncationParams {
            direction: TruncationDirection::Right,
            max_length: max_tokens,
            strategy: TruncationStrategy::OnlySecond,
            stride: 0,
        };
        cutting.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        Ok(Self { whole, cutting, max_tokens })
    }

    /// A question that leaves less than half a window to the passages makes judgements that are none.
    pub(super) fn check(&self, question: &str) -> Result<(), Trouble> {
        let encoding = self.whole.encode_fast(question, true);
        let tokens = encoding.map_err(|error| Trouble::Failed(error.to_string()))?.len();
        let limit = self.max_tokens / 2;
        if tokens > limit { Err(Trouble::TooLong { index: 0, tokens, limit }) } else { Ok(()) }
    }

    pub(super) fn window(&self, question: &str, passage: &str) -> Result<Window, String> {
        let encoding = self.cutting.encode_fast((question, passage), true);
        Ok(encoding.map_err(|error| error.to_string())?.into())
    }
}
