//! One behaviour suite per port, run on every implementation, the fake included.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "suites are tests, run from other crates")]

pub mod catalogue;
pub mod changes;
pub mod confirmations;
pub mod embedder;
pub mod entailment;
pub mod index;
pub mod intake;
pub mod language_model;
pub mod memory;
pub mod originals;
pub mod outbox;
#[cfg(feature = "engine")]
pub mod outgoing;
pub mod owners;
pub mod reranker;
pub mod tokenizer;
pub mod tools;
pub mod vectors;
pub mod vocabulary;
pub mod word_statistics;
