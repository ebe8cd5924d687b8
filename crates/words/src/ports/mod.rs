//! What the engine needs of the world: a trait for each part, and the errors a caller can act on.

pub mod catalogue;
pub mod confirmations;
pub mod corpus;
pub mod embedder;
pub mod entailment;
pub mod identity_provider;
pub mod index;
pub mod intake;
pub mod language_model;
pub mod memory;
pub mod originals;
pub mod outbox;
pub mod owners;
pub mod records;
pub mod reranker;
pub mod thesaurus;
pub mod tools;
pub mod traces;
pub mod vectors;
pub mod vocabulary;
pub mod word_statistics;
