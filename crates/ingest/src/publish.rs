//! Bringing the index in line with the catalogue, document by document.

use std::sync::Arc;
use std::time::Duration;

use ibidem_engine::ports::catalogue::CatalogueError;
use ibidem_engine::ports::embedder::Embedder;
use ibidem_engine::ports::index::{IndexDocument, IndexError, IndexWriter};
use ibidem_engine::ports::outbox::{Outbox, Publication};
use ibidem_engine::ports::vectors::VectorShelf;
use ibidem_engine::words::{DocumentId, TenantId};

use crate::embed::{EmbedMissingError, embed_missing};
use crate::progress::Progress;

/// How many documents are published together.
const DOCUMENTS_A_ROUND: usize = 64;

#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Embed(#[from] EmbedMissingError),
    #[error("a vector that was just made is not stored; another process may be pruning: try again")]
    VectorsVanished,
}

/// Everything publishing needs.
#[derive(Clone)]
pub struct Publisher {
    pub outbox: Arc<dyn Outbox>,
    pub vectors: Arc<dyn VectorShelf>,
    pub embedder: Arc<dyn Embedder>,
    pub index: Arc<dyn IndexWriter>,
    pub progress: Arc<Progress>,
    /// Leases are renewed this often while work goes on.
    pub renew_every: Duration,
}

impl Publisher {
    /// Publishes what waits in the outbox, one round. Returns how many documents were done.
    pub async fn round(&self) -> Result<usize, PublishError> {
        let publications = self.outbox.claim(DOCUMENTS_A_ROUND).await?;
        if publications.is_empty() {
            return Ok(0);
        }
        let documents: Vec<_> =
            publications.iter().map(|publication| (publication.tenant, publication.document)).collect();
        let done = tokio::select! {
            done = self.bring_up_to_date(&documents) => done,
            never = self.hold(&publications) => never,
        };
        if let Err(error) = done {
            // If even this fails the leases run out by themselves.
            if let Err(error) = self.outbox.release(&publications).await {
                tracing::warn!(%error, "publications could not be given back");
            }
            return Err(error);
        }
        self.outbox.acknowledge(&publications).await?;
        Ok(publications.len())
    }

    async fn hold(&self, publications: &[Publication]) -> Result<(), PublishError> {
        loop {
            tokio::time::sleep(self.renew_every).await;
            // A lease that could not be renewed shows at the acknowledgement, which then asks for publication again.
            if let Err(error) = self.outbox.renew(publications).await {
                tracing::warn!(%error, "publication leases could not be renewed");
            }
        }
    }

    /// Makes the index hold of these documents what the catalogue says now, embedding what has no vector yet.
    pub async fn bring_up_to_date(&self, documents: &[(TenantId, DocumentId)]) -> Result<(), PublishError> {
        let wanted = self.wanted_with_vectors(documents).await?;
        let count = wanted.len();
        self.index.publish(wanted).await?;
        self.progress.published(count);
        Ok(())
    }

    async fn wanted_with_vectors(
        &self,
        documents: &[(TenantId, DocumentId)],
    ) -> Result<Vec<IndexDocument>, PublishError> {
        let model = self.embedder.model().hash;
        let wanted = self.outbox.wanted(model, documents).await?;
        let missing: Vec<_> = wanted.iter().flat_map(|wanted| wanted.missing.iter().cloned()).collect();
        if missing.is_empty() {
            return Ok(wanted.into_iter().map(|wanted| wanted.document).collect());
        }
        // New documents bring their vectors: this is for what curators wrote, and after the embedding model was changed.
        embed_missing(self.embedder.as_ref(), self.vectors.as_ref(), missing, &self.progress).await?;
        let wanted = self.outbox.wanted(model, documents).await?;
        if wanted.iter().any(|wanted| !wanted.missing.is_empty()) {
            return Err(PublishError::VectorsVanished);
        }
        Ok(wanted.into_iter().map(|wanted| wanted.document).collect())
    }
}
