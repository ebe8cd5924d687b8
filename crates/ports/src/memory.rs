//! Curated memory, as an asker's question calls it up.

use async_trait::async_trait;

use crate::catalogue::{CatalogueError, CataloguePassage};
use ibidem_words::{MemoryEntry, MemoryId, Scope};

/// The most passages that a reference to a whole document brings by itself: its first ones, which stand in where the
/// document was not searched.
pub const PASSAGES_OF_A_DOCUMENT: u32 = 3;

/// An entry together with what its references resolve to now for this asker.
#[derive(Clone, PartialEq, Debug)]
pub struct Remembered {
    pub entry: MemoryEntry,
    /// Counts the entry's changes. A hit of another version was found by words that are no longer the entry's.
    pub version: u32,
    /// What the references resolve to, in their order: passages that exist, are current and are visible in the scope,
    /// each once.
    pub passages: Vec<CataloguePassage>,
    /// Counts the references that resolve to at least one of the passages.
    pub resolved: usize,
}

#[async_trait]
pub trait Memory: Send + Sync {
    /// Those of the entries that exist and are visible in this scope, in one batch, in the order asked.
    async fn recall(&self, scope: &Scope, entries: &[MemoryId]) -> Result<Vec<Remembered>, CatalogueError>;
}
