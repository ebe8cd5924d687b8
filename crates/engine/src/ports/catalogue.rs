//! The truth about documents, as an asker may read it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::words::{CharSpan, CollectionName, DocumentKind, PassageKey, Scope, Sha256Hash};

#[derive(Debug, Clone, thiserror::Error)]
pub enum CatalogueError {
    /// Try again later; until then nothing can be answered.
    #[error("the catalogue is unavailable: {0}")]
    Unavailable(String),
    /// What is stored cannot be read: somebody has to look.
    #[error("the catalogue holds something unreadable: {0}")]
    Corrupt(String),
}

/// A passage as it stands in the catalogue now.
#[derive(Clone, PartialEq, Debug)]
pub struct CataloguePassage {
    pub passage: PassageKey,
    pub collection: CollectionName,
    pub kind: Option<DocumentKind>,
    pub title: String,
    pub address: Option<String>,
    pub source_location: String,
    pub updated_at: DateTime<Utc>,
    pub section: Option<String>,
    pub page: Option<u32>,
    pub span: CharSpan,
    pub text: String,
    /// As the embedding model counts.
    pub tokens: u32,
    /// Digest of the text of the whole document version, which `span` points into.
    pub document_sha256: Sha256Hash,
}

#[async_trait]
pub trait Catalogue: Send + Sync {
    /// Those of the passages that exist, are of the current version and are visible in this scope,
    /// in one batch. What is missing from the result is withdrawn as far as this asker is concerned.
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError>;
}
