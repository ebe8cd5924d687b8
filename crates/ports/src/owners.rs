//! Who answers for what a document is about.

use async_trait::async_trait;
use uuid::Uuid;

use crate::catalogue::CatalogueError;
use ibidem_words::{DocumentId, Scope, Tag};

/// An owner answers for what carries a tag.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owner {
    pub user: Uuid,
    pub email: String,
}

/// A tag of a document together with who owns it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OwnedTag {
    pub document: DocumentId,
    pub tag: Tag,
    pub owner: Option<Owner>,
}

#[async_trait]
pub trait Owners: Send + Sync {
    /// The tags of those of the documents that are visible in this scope, with their owners, by document and tag. Only
    /// tags that the asker carries: that a document has others, and who owns them, is not the asker's to know.
    async fn owned_tags(&self, scope: &Scope, documents: &[DocumentId]) -> Result<Vec<OwnedTag>, CatalogueError>;
}
