//! The truth about documents, as an asker may read it.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use ibidem_words::{
    AddressKey, CharSpan, CollectionName, DocumentId, DocumentKind, LinesAbove, PassageKey, Scope, Sha256Hash, Validity,
};

#[derive(Debug, Clone, thiserror::Error)]
pub enum CatalogueError {
    /// Try again later; until then nothing can be answered.
    #[error("the catalogue is unavailable: {0}")]
    Unavailable(String),
    /// What is stored cannot be read: somebody has to look.
    #[error("the catalogue holds something unreadable: {0}")]
    Corrupt(String),
    /// What was handed over cannot be kept, however often it is tried.
    #[error("the catalogue cannot keep this: {0}")]
    Refused(String),
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
    /// What stands above it in the document, and its sentences need to be understood.
    pub above: LinesAbove,
    /// Whether its document is in force, as far as this asker may know.
    pub validity: Validity,
    /// How many tokens it has, as the embedding model counts.
    pub tokens: u32,
    /// Identifies the text of the whole document version, which `span` points into, by its digest.
    pub document_sha256: Sha256Hash,
}

/// A document that is called by an address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddressedDocument {
    pub key: AddressKey,
    /// How its author writes the address.
    pub address: String,
    pub collection: CollectionName,
    pub document: DocumentId,
    pub version: u32,
    pub passages: u32,
}

/// Which documents to list.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DocumentFilter {
    /// Only these collections, whatever the case of their names; empty means all.
    pub collections: Vec<String>,
    /// Only documents that have all of these words, in any of their forms.
    pub about: Option<String>,
    pub most: usize,
}

/// A document in a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedDocument {
    pub document: DocumentId,
    pub version: u32,
    pub collection: CollectionName,
    pub address: Option<String>,
    pub title: String,
}

/// The first documents of a list, and how many there are in all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DocumentList {
    pub documents: Vec<ListedDocument>,
    pub total: u64,
}

#[async_trait]
pub trait Catalogue: Send + Sync {
    /// Those of the passages that exist, are of the current version and are visible in this scope,
    /// in one batch. What is missing from the result is withdrawn as far as this asker is concerned.
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError>;

    /// What is still there of what was read a while ago: those of the passages whose document is visible in this scope.
    /// A newer version withdraws no older one: who has begun to read it may finish.
    async fn still_visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<PassageKey>, CatalogueError>;

    /// The documents that are called so and are visible in this scope, by key and document; in this collection only,
    /// if one is named.
    async fn addressed(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        keys: &[AddressKey],
    ) -> Result<Vec<AddressedDocument>, CatalogueError>;

    /// The addresses of the same series next to this one that exist and are visible in this scope: up to `most` on each
    /// side, as their authors write them, in order of their keys.
    async fn neighbours(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        key: &AddressKey,
        most: usize,
    ) -> Result<Vec<(AddressKey, String)>, CatalogueError>;

    /// Those of these collections, whatever the case of their names, in which nothing is visible in this scope. Asked with
    /// every question that names collections, so it must not take longer where they are large.
    async fn unseen_collections(
        &self,
        scope: &Scope,
        collections: &[CollectionName],
    ) -> Result<Vec<CollectionName>, CatalogueError>;

    /// The first row of each table of a sheet that is visible in this scope, of these collections whatever the case of their
    /// names, or of all; at most so many, in order of collection, title, id and place.
    async fn tables(
        &self,
        scope: &Scope,
        collections: &[String],
        most: usize,
    ) -> Result<Vec<CataloguePassage>, CatalogueError>;

    /// Documents visible in this scope, in order of collection, address, title and id.
    async fn list(&self, scope: &Scope, filter: &DocumentFilter) -> Result<DocumentList, CatalogueError>;
}
