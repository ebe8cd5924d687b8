//! In-memory stand-ins for the ports, each held to the same behaviour suite as the real thing.

mod catalogue;
mod confirmations;
mod embedder;
mod entailment;
mod index;
mod intake;
mod language_model;
mod memory;
mod originals;
mod outbox;
mod passage;
mod reranker;
mod tokenizer;
mod tools;
mod vectors;
mod vocabulary;

pub use catalogue::FakeCatalogue;
pub use confirmations::FakeConfirmations;
pub use embedder::FakeEmbedder;
pub use entailment::FakeEntailment;
pub use index::FakeIndex;
pub use intake::FakeIntake;
pub use language_model::{FakeModel, Script};
pub use memory::FakeMemory;
pub use originals::FakeOriginals;
pub use outbox::{FakeDocument, FakeOutbox};
pub use passage::passage;
pub use reranker::FakeReranker;
pub use tokenizer::FakeTokenizer;
pub use tools::FakeTools;
pub use vectors::FakeVectors;
pub use vocabulary::{FakeConcept, FakeVocabulary};
