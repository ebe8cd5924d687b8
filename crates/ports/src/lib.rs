//! What the product needs of the world: a trait for each part, and the errors a caller can act on; with the one clock,
//! deadlines and breakers, through which every part is called.

// No clock, file or environment, as clippy.toml lists them. Tests may use what they like.
#![cfg_attr(not(test), warn(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod catalogue;
pub mod clock;
pub mod confirmations;
pub mod corpus;
pub mod curate;
pub mod degrade;
pub mod embedder;
pub mod entailment;
pub mod identity_provider;
pub mod index;
pub mod intake;
pub mod language_model;
pub mod memory;
pub mod on_behalf;
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
