//! Text into tokens, exactly as the model was taught.

use std::borrow::Cow;
use std::path::Path;

use ibidem_ports::embedder::TokenCounter;
use tokenizers::{Encoding, Tokenizer, TruncationDirection};

use super::LoadError;

/// The tokens of one window, the model's special ones included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Window {
    pub(super) ids: Vec<u32>,
    /// Which of two texts each belongs to; all the first, where there is one.
    pub(super) types: Vec<u32>,
    /// The characters of the second of two texts that each stands for, and none for other tokens. Empty where nobody asks
    /// where something stands.
    pub(super) characters: Vec<(usize, usize)>,
}

impl Window {
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The places of the tokens that stand for something of the second text.
    pub(super) fn second_text(&self) -> Vec<usize> {
        let stands_for_something = |(place, (start, end)): (usize, &(usize, usize))| (start < end).then_some(place);
        self.characters.iter().enumerate().filter_map(stands_for_something).collect()
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

/// What some models were taught to find before a text, so that they tell questions from what answers them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prefixes {
    pub query: String,
    pub passage: String,
}

impl Prefixes {
    pub(crate) fn are_empty(&self) -> bool {
        self.query.is_empty() && self.passage.is_empty()
    }
}

/// Single texts for the embedding model.
pub(crate) struct Tokens {
    tokenizer: Tokenizer,
    pub(crate) max_tokens: usize,
    /// How many of those are the model's own.
    special_tokens: usize,
    prefixes: Prefixes,
    /// The tokens of the queries' prefix, which stands before each window of a long query.
    query_prefix: Encoding,
}

impl Tokens {
    pub(crate) fn from_bytes(
        bytes: &[u8],
        path: &Path,
        max_tokens: usize,
        prefixes: Prefixes,
    ) -> Result<Self, LoadError> {
        let unusable = |reason: String| LoadError::Tokenizer { path: path.to_owned(), reason };
        let tokenizer = plain_tokenizer(bytes).map_err(unusable)?;
        let encoded =
            |text: &str, special| tokenizer.encode_fast(text, special).map_err(|error| unusable(error.to_string()));
        let special_tokens = encoded("", true)?.len();
        let query_prefix = encoded(&prefixes.query, false)?;
        let taken = special_tokens + query_prefix.len().max(encoded(&prefixes.passage, false)?.len());
        if max_tokens <= taken {
            return Err(LoadError::Window { max_tokens, special_tokens: taken });
        }
        Ok(Self { tokenizer, max_tokens, special_tokens, prefixes, query_prefix })
    }

    /// The passage in one window, however long.
    pub(super) fn passage(&self, text: &str) -> Result<Window, String> {
        Ok(self.whole(&self.prefixes.passage, text)?.into())
    }

    /// The query in as many windows of the model as it needs, at least one. Each begins with the prefix.
    pub(super) fn query(&self, text: &str) -> Result<Vec<Window>, String> {
        let whole = self.whole(&self.prefixes.query, text)?;
        if whole.len() <= self.max_tokens {
            return Ok(vec![whole.into()]);
        }
        // A tokenizer told to truncate stops reading there, so the text is read whole and cut afterwards.
        let mut first = self.tokenizer.encode_fast(text, false).map_err(|error| error.to_string())?;
        let room = self.max_tokens - self.special_tokens - self.query_prefix.len();
        first.truncate(room, 0, TruncationDirection::Right);
        let rest = first.take_overflowing();
        let windows = std::iter::once(first).chain(rest).map(|window| {
            let window = Encoding::merge([self.query_prefix.clone(), window], false);
            let window = self.tokenizer.post_process(window, None, true).map_err(|error| error.to_string())?;
            Ok(window.into())
        });
        windows.collect()
    }

    /// The passage as it is sent to a server, and how many tokens it has.
    pub(crate) fn passage_text(&self, text: &str) -> Result<(String, usize), String> {
        let tokens = self.whole(&self.prefixes.passage, text)?.len();
        Ok((format!("{}{text}", self.prefixes.passage), tokens))
    }

    /// The query as it is sent to a server: in as many pieces as it needs windows, each with how many tokens it has.
    pub(crate) fn query_texts(&self, text: &str) -> Result<Vec<(String, usize)>, String> {
        let prefix = &self.prefixes.query;
        let whole = self.whole(prefix, text)?;
        if whole.len() <= self.max_tokens {
            return Ok(vec![(format!("{prefix}{text}"), whole.len())]);
        }
        let encoding = self.tokenizer.encode(text, false).map_err(|error| error.to_string())?;
        let taken = self.special_tokens + self.query_prefix.len();
        let pieces = encoding.get_offsets().chunks(self.max_tokens - taken).filter_map(|tokens| {
            let (start, end) = (tokens.first()?.0, tokens.last()?.1);
            Some((format!("{prefix}{}", text.get(start..end)?), taken + tokens.len()))
        });
        Ok(pieces.collect())
    }

    fn whole(&self, prefix: &str, text: &str) -> Result<Encoding, String> {
        let prefixed = if prefix.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(format!("{prefix}{text}")) };
        self.tokenizer.encode_fast(prefixed, true).map_err(|error| error.to_string())
    }
}

impl TokenCounter for Tokens {
    fn count(&self, text: &str) -> usize {
        // No token is shorter than a byte: what cannot be tokenised counts as too long rather than as nothing.
        self.whole(&self.prefixes.passage, text).map_or(text.len(), |encoding| encoding.len())
    }
}
