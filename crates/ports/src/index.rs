//! Finding passages: a cache of the catalogue that can be searched, and rebuilt at any time.

use async_trait::async_trait;
use ibidem_language::bm25::TermWeights;

use crate::degrade::{Blame, OwnFault, PartError};
use ibidem_words::{CollectionName, DocumentId, DocumentKind, PassageKey, Scope, Sha256Hash, Tag, TenantId};

/// When it does not answer, try again later; until then nothing can be answered.
pub type IndexError = PartError<IndexFault>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexFault {
    /// The request is at fault, not the index.
    #[error("the index rejected the request: {0}")]
    Rejected(String),
    /// Vectors of two models must never be compared.
    #[error(
        "the index holds vectors of another embedding model ({found}), not of the configured one ({expected}); run `ibidem reindex`"
    )]
    OtherModel { expected: String, found: String },
    /// There is no collection yet.
    #[error("the index has no collection yet; run `ibidem migrate`")]
    Missing,
}

impl OwnFault for IndexFault {
    const PART: &'static str = "the index";
    const UNAVAILABLE: &'static str = "the index is unavailable";

    fn blame(&self) -> Blame {
        match self {
            Self::Rejected(_) | Self::OtherModel { .. } | Self::Missing => Blame::Others,
        }
    }
}

/// What lies in the index, apart from each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Shelf {
    /// The documents' passages.
    #[default]
    Documents,
    /// What curators wrote down: triggers and notes.
    Memory,
}

impl Shelf {
    /// Whose points an asker's search looks through.
    pub fn tenant(self, scope: &Scope) -> TenantId {
        match self {
            Self::Documents => scope.tenant(),
            Self::Memory => scope.tenant().memory(),
        }
    }
}

/// One search: both lanes for one query, within a scope.
#[derive(Clone, Debug, Default)]
pub struct IndexQuery {
    pub shelf: Shelf,
    /// The terms for the lexical lane, by how much each counts; `None` leaves that lane out.
    pub words: Option<TermWeights>,
    /// What the dense lane searches for. `None` leaves that lane out.
    pub vector: Option<Vec<f32>>,
    /// Restricts the search to these collections. An empty list means all.
    pub collections: Vec<CollectionName>,
    /// Restricts the search to these documents. An empty list means all.
    pub documents: Vec<DocumentId>,
    /// How many hits each lane brings.
    pub hits_per_lane: usize,
}

/// A passage found by at least one lane.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexHit {
    pub passage: PassageKey,
    /// How similar the passage is to the query's vector, as a cosine. It is `None` only when no vector was searched.
    pub cosine: Option<f32>,
    /// BM25 score for the query's terms, 0 when it has none of them; `None` only when no words were searched.
    pub bm25: Option<f32>,
    /// Rank in the dense lane, from 0; `None` when that lane did not bring it.
    pub dense_rank: Option<u32>,
    /// Rank in the lexical lane, from 0; `None` when that lane did not bring it.
    pub lexical_rank: Option<u32>,
}

/// Reads, each within a scope. A hit's scores depend on the query and the passage alone, and which passages are hits
/// depends on nothing outside the scope.
#[async_trait]
pub trait Index: Send + Sync {
    /// One list of hits for each query, in one call however many queries there are.
    /// Within a list: each passage once, ordered by passage key, so that nothing depends on arrival order.
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError>;
}

/// What the index keeps of one passage.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexPoint {
    pub passage: PassageKey,
    pub vector: Vec<f32>,
    /// The text whose words the lexical lane finds.
    pub words: String,
}

/// Everything the index should hold of one document: these points and no others of that document.
#[derive(Clone, PartialEq, Debug)]
pub struct IndexDocument {
    pub tenant: TenantId,
    pub document: DocumentId,
    pub collection: CollectionName,
    pub kind: Option<DocumentKind>,
    pub tags: Vec<Tag>,
    /// Empty when the document is to disappear.
    pub points: Vec<IndexPoint>,
}

impl IndexDocument {
    /// Digest of what filters look at, kept on every point, so that reconciling can see a stale
    /// filter value without comparing the values themselves.
    pub fn stamp(&self) -> Sha256Hash {
        let mut tags: Vec<&str> = self.tags.iter().map(Tag::as_str).collect();
        tags.sort_unstable();
        let mut parts: Vec<&[u8]> = vec![self.collection.as_str().as_bytes()];
        parts.push(self.kind.as_ref().map_or(&[][..], |kind| kind.as_str().as_bytes()));
        parts.extend(tags.iter().map(|tag| tag.as_bytes()));
        Sha256Hash::of_parts(parts)
    }
}

/// A point as reconciling sees it.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredPoint {
    pub tenant: TenantId,
    pub passage: PassageKey,
    pub stamp: String,
}

/// A page of [`StoredPoint`]s and where the next begins.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StoredPage {
    pub points: Vec<StoredPoint>,
    pub next: Option<uuid::Uuid>,
}

/// Writes, by the operator's own work: publishing, reindexing, reconciling.
#[async_trait]
pub trait IndexWriter: Send + Sync {
    /// Makes the index hold exactly this of each document. Returns when it is searchable.
    /// Doing it again changes nothing.
    async fn publish(&self, documents: Vec<IndexDocument>) -> Result<(), IndexError>;

    /// Every point, page by page, in id order.
    async fn scan(&self, from: Option<uuid::Uuid>, page: usize) -> Result<StoredPage, IndexError>;

    /// Removes single points, for what reconciling finds to belong to no current passage.
    async fn remove_points(&self, points: Vec<StoredPoint>) -> Result<(), IndexError>;
}
