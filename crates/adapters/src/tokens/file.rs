//! A tokenizer.json, as models are published with.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use ibidem_ports::language_model::Tokenizer;

use crate::onnx::plain_tokenizer;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tokenizer {} cannot be used: {reason}", .path.display())]
pub struct TokenizerFileError {
    pub path: PathBuf,
    pub reason: String,
}

/// Counts in this process, on threads of its own.
pub struct TokenizerFile {
    tokenizer: Arc<tokenizers::Tokenizer>,
    name: String,
}

impl TokenizerFile {
    pub fn load(path: &Path) -> Result<Self, TokenizerFileError> {
        let unusable = |reason: String| TokenizerFileError { path: path.to_owned(), reason };
        let bytes = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
        let tokenizer = plain_tokenizer(&bytes).map_err(unusable)?;
        Ok(Self { tokenizer: Arc::new(tokenizer), name: path.display().to_string() })
    }
}

/// Without the tokens that are put around a whole prompt: the budget knows of them.
fn count(tokenizer: &tokenizers::Tokenizer, text: &str) -> usize {
    // No token is shorter than a byte: what cannot be tokenised counts as too long rather than as nothing.
    tokenizer.encode_fast(text, false).map_or(text.len(), |encoding| encoding.len())
}

#[async_trait]
impl Tokenizer for TokenizerFile {
    fn name(&self) -> &str {
        &self.name
    }

    async fn count(&self, texts: Vec<String>) -> Vec<usize> {
        let tokenizer = Arc::clone(&self.tokenizer);
        let lengths: Vec<usize> = texts.iter().map(String::len).collect();
        let counted = tokio::task::spawn_blocking(move || texts.iter().map(|text| count(&tokenizer, text)).collect());
        counted.await.unwrap_or(lengths)
    }
}
