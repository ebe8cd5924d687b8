//! Text into tokens, exactly as the embedding model was taught.

use std::path::Path;

use ibidem_engine::ports::embedder::TokenCounter;
use tokenizers::{Tokenizer, TruncationDirection};

use super::LoadError;

/// Token ids of one window, the model's special tokens included.
pub(super) type Window = Vec<u32>;

/// A tokenizer whose own padding and truncation are overridden: published files hard-code both.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    pub(super) max_tokens: usize,
    /// How many of those are the model's own.
    special_tokens: usize,
}

impl Tokens {
    pub(super) fn from_bytes(bytes: &[u8], path: &Path, max_tokens: usize) -> Result<Self, LoadError> {
        let unusable = |reason: String| LoadError::Tokenizer { path: path.to_owned(), reason };
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| unusable(error.to_string()))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(|error| unusable(error.to_string()))?;
        let empty = tokenizer.encode_fast("", true).map_err(|error| unusable(error.to_string()))?;
        let special_tokens = empty.len();
        if max_tokens <= special_tokens {
            return Err(LoadError::Window { max_tokens, special_tokens });
        }
        Ok(Self { tokenizer, max_tokens, special_tokens })
    }

    /// The text in one window, however long.
    pub(super) fn whole(&self, text: &str) -> Result<Window, String> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(|error| error.to_string())?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The text in as many windows of the model as it needs, at least one.
    pub(super) fn windows(&self, text: &str) -> Result<Vec<Window>, String> {
        // A tokenizer told to truncate stops reading there, so the text is read whole and cut afterwards.
        let mut first = self.tokenizer.encode_fast(text, false).map_err(|error| error.to_string())?;
        first.truncate(self.max_tokens - self.special_tokens, 0, TruncationDirection::Right);
        let rest = first.take_overflowing();
        let windows = std::iter::once(first).chain(rest).map(|window| {
            let window = self.tokenizer.post_process(window, None, true).map_err(|error| error.to_string())?;
            Ok(window.get_ids().to_vec())
        });
        windows.collect()
    }
}

impl TokenCounter for Tokens {
    fn count(&self, text: &str) -> usize {
        // No token is shorter than a byte: what cannot be tokenised counts as too long rather than as nothing.
        self.tokenizer.encode_fast(text, true).map_or(text.len(), |encoding| encoding.len())
    }
}
