//! What curators wrote down: questions pinned to sources, and background notes.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{AddressKey, DocumentId, SourceId, Tag, TenantId};

/// Identifies one entry of curated memory.
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

/// A reference says what an entry points at.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reference {
    /// One passage.
    Passage(SourceId),
    /// A document: the passages of it that answer.
    Document(DocumentId),
    /// A document by its address.
    Address(String),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no source: write an address (ADR-0012), a document's id, or {{document_id}}:{{chunk_index}} for one passage"
)]
pub struct InvalidReference(pub String);

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passage(source) => fmt::Display::fmt(source, f),
            Self::Document(document) => fmt::Display::fmt(document, f),
            Self::Address(address) => f.write_str(address),
        }
    }
}

impl std::str::FromStr for Reference {
    type Err = InvalidReference;

    /// As people write them: what is neither a source id nor a document's id is taken for an address.
    fn from_str(written: &str) -> Result<Self, Self::Err> {
        let written = written.trim();
        if let Ok(source) = SourceId::try_from(written.to_owned()) {
            return Ok(Self::Passage(source));
        }
        // Whatever begins with a document's id was meant to be one, not an address of that name.
        if let Some((document, _)) = written.split_once(':')
            && document.parse::<Uuid>().is_ok()
        {
            return Err(InvalidReference(written.to_owned()));
        }
        if let Ok(document) = written.parse() {
            return Ok(Self::Document(DocumentId(document)));
        }
        match AddressKey::of(written) {
            Some(_) => Ok(Self::Address(written.to_owned())),
            None => Err(InvalidReference(written.to_owned())),
        }
    }
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

impl MemoryKind {
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::Note { .. } => "note",
        }
    }

    /// Returns a note's text. A pin has none.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Pin => None,
            Self::Note { text } => Some(text),
        }
    }
}

/// An entry is what a curator attached to questions: a pin to sources, or a note.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_read_as_people_write_it() {
        let document = DocumentId(Uuid::from_u128(7));
        let written = |written: &str| written.parse::<Reference>();
        let passage = Reference::Passage(SourceId { document, chunk_index: 3 });
        assert_eq!(written(&format!(" {document}:3 ")), Ok(passage));
        assert_eq!(written(&document.to_string()), Ok(Reference::Document(document)));
        for address in ["ADR-0012", "Luke 22:3", "2 Kings 9:3"] {
            assert_eq!(written(address), Ok(Reference::Address(address.to_owned())));
        }
        for odd in ["", " -- ", &format!("{document}:x"), &format!("{document}:-1")] {
            assert_eq!(written(odd), Err(InvalidReference(odd.trim().to_owned())), "{odd:?}");
        }
    }
}
