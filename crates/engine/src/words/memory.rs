//! What curators wrote down: questions pinned to sources, and background notes.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{DocumentId, SourceId, Tag, TenantId};

/// One entry of curated memory.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MemoryId(pub Uuid);

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl MemoryId {
    /// An entry lies in the index as a document does, in its tenant's memory.
    pub fn as_document(self) -> DocumentId {
        DocumentId(self.0)
    }
}

impl TenantId {
    /// Where a tenant's curated memory lies in the index: apart from its documents, so that no search for one ever
    /// brings the other.
    pub fn memory(self) -> Self {
        Self(Uuid::new_v5(&self.0, b"memory"))
    }
}

/// What an entry points at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// One passage.
    Passage(SourceId),
    /// A document: its first passages.
    Document(DocumentId),
    /// A document by its address.
    Address(String),
}

/// What an entry is for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum MemoryKind {
    /// A question, in the curator's words, with the sources that answer it. Its sources may be cited.
    Pin,
    /// Background that shapes an answer. It is never quoted and never cited; what it refers to may be.
    Note { text: String },
}

/// A curated entry.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MemoryEntry {
    pub id: MemoryId,
    #[serde(flatten)]
    pub kind: MemoryKind,
    /// Questions, as a curator would put them, that call it up. At least one.
    pub triggers: Vec<String>,
    pub references: Vec<Reference>,
    /// Who may be helped by it, as with documents.
    pub tags: Vec<Tag>,
}
