//! Text into tokens, exactly as the model was taught.

use std::path::Path;

use ibidem_words::ports::embedder::TokenCounter;
use tokenizers::{Encoding, Tokenizer, TruncationDirection};

use super::LoadError;

/// The tokens of one window, the model's special ones included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) ids: Vec<u32>,
    /// Which of two texts each belongs to; all the first, where there is one.
    pub(super) types: Vec<u32>,
    /// The characters of its text that each stands for. Empty where nobody asks where something stands.
    pub(super) characters: Vec<(usize, usize)>,
}

impl Window {
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }
}

impl From<Encoding> for Window {
    fn from(encoding: Encoding) -> Self {
        Self { ids: encoding.get_ids().to_vec(), types: encoding.get_type_ids().to_vec(), characters: Vec::new() }
    }
}

/// A tokenizer that neither pads nor cuts: published files hard-code both.
pub(crate) fn plain_tokenizer(bytes: &[u8]) -> Result<Tokenizer, String> {
    let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| error.to_string())?;
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(|error| error.to_string())?;
    Ok(tokenizer)
}

/// Single texts for the embedding model.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    pub(super) max_tokens: usize,
    /// How many of those are the model's own.
    special_tokens: usize,
}

impl Tokens {
    pub(super) fn from_bytes(bytes: &[u8], path: &Path, max_tokens: usize) -> Result<Self, LoadError> {
        let unusable = |reason: String| LoadError::Tokenizer { path: path.to_owned(), reason };
        let tokenizer = plain_tokenizer(bytes).map_err(unusable)?;
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
        Ok(encoding.into())
    }

    /// The text in as many windows of the model as it needs, at least one.
    pub(super) fn windows(&self, text: &str) -> Result<Vec<Window>, String> {
        // A tokenizer told to truncate stops reading there, so the text is read whole and cut afterwards.
        let mut first = self.tokenizer.encode_fast(text, false).map_err(|error| error.to_string())?;
        first.truncate(self.max_tokens - self.special_tokens, 0, TruncationDirection::Right);
        let rest = first.take_overflowing();
        let windows = std::iter::once(first).chain(rest).map(|window| {
            let window = self.tokenizer.post_process(window, None, true).map_err(|error| error.to_string())?;
            Ok(window.into())
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
