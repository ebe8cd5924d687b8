//! In-memory stand-ins for the ports, each held to the same behaviour suite as the real thing.

mod embedder;
mod index;

pub use embedder::FakeEmbedder;
pub use index::FakeIndex;
