//! Counting tokens as a language model does: by its tokenizer's file, or by asking its server.

mod file;
mod server;

pub use file::{TokenizerFile, TokenizerFileError};
pub use server::{ServerTokenizer, ServerTokenizerSettings};
