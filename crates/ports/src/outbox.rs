//! Documents, and entries of curated memory, on their way from the catalogue into the index.

use async_trait::async_trait;
use uuid::Uuid;

use crate::catalogue::CatalogueError;
use crate::index::IndexDocument;
use crate::vectors::MissingVector;
use ibidem_words::{DocumentId, ModelHash, TenantId};

/// A document or entry whose points in the index may differ from the catalogue, leased to one publisher at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Publication {
    pub tenant: TenantId,
    /// Identifies what changed: a document, or an entry by its id as that of a document. No two share one.
    pub document: DocumentId,
    /// Counts the changes asked for; a newer change survives the acknowledgement of an older one.
    pub generation: i64,
    pub lease: Uuid,
}

/// What there was to lease of the documents that were asked for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ClaimedOf {
    pub publications: Vec<Publication>,
    /// How many of them others hold.
    pub others: u64,
}

/// What the catalogue says the index should hold of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct Wanted {
    pub document: IndexDocument,
    /// Vectors to make first; `document` lacks the points that need them.
    pub missing: Vec<MissingVector>,
}

#[async_trait]
pub trait Outbox: Send + Sync {
    /// Leases up to `limit` publications that nobody holds, oldest first.
    async fn claim(&self, limit: usize) -> Result<Vec<Publication>, CatalogueError>;

    /// Leases the publications of these documents, whatever waits before them.
    async fn claim_of(&self, documents: &[(TenantId, DocumentId)]) -> Result<ClaimedOf, CatalogueError>;

    /// What the index should hold of these documents now, with the vectors of this model: of a document whose next
    /// version waits for the index, the points of both versions. An entry of curated memory is asked for under its
    /// tenant, and is wanted in that tenant's memory.
    async fn wanted(
        &self,
        model: ModelHash,
        documents: &[(TenantId, DocumentId)],
    ) -> Result<Vec<Wanted>, CatalogueError>;

    /// Holds on to the leases while work goes on.
    async fn renew(&self, held: &[Publication]) -> Result<(), CatalogueError>;

    /// These are in the index now. A next version that was published with the current one takes its place, and the
    /// document is asked for again, so that the old points go. Publications asked for meanwhile stay. One whose lease
    /// was lost is asked for again: what we wrote may have undone what somebody else published meanwhile.
    async fn acknowledge(&self, done: &[Publication]) -> Result<(), CatalogueError>;

    /// Gives the leases back: these were not published, and somebody may try again at once.
    async fn release(&self, held: &[Publication]) -> Result<(), CatalogueError>;
}
