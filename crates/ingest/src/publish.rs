//! Bringing the index in line with the catalogue, document by document.

use std::sync::Arc;
use std::time::Duration;

use ibidem_words::ports::catalogue::CatalogueError;
use ibidem_words::ports::embedder::{EmbedError, Embedder};
use ibidem_words::ports::index::{IndexDocument, IndexError, IndexWriter};
use ibidem_words::ports::outbox::{Outbox, Publication};
use ibidem_words::ports::vectors::VectorShelf;
use ibidem_words::{DocumentId, TenantId};

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

impl PublishError {
    /// Whether a document is at fault, and not a part that every document needs.
    fn is_of_a_document(&self) -> bool {
        match self {
            Self::Index(IndexError::Rejected(_))
            | Self::Catalogue(CatalogueError::Corrupt(_) | CatalogueError::Refused(_))
            | Self::Embed(EmbedMissingError::Embed(EmbedError::TooLong { .. })) => true,
            Self::Index(_) | Self::Catalogue(_) | Self::Embed(_) | Self::VectorsVanished => false,
        }
    }
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
        match done {
            Ok(()) => {
                self.outbox.acknowledge(&publications).await?;
                Ok(publications.len())
            }
            // One of them is at fault: each for itself, so that only that one waits.
            Err(error) if error.is_of_a_document() => self.one_by_one(&publications).await,
            Err(error) => {
                self.release(&publications).await;
                Err(error)
            }
        }
    }

    /// Publishes document by document. One that cannot be published keeps its lease, and is tried again when that has
    /// run out.
    async fn one_by_one(&self, publications: &[Publication]) -> Result<usize, PublishError> {
        let mut done = 0;
        for (place, publication) in publications.iter().enumerate() {
            let document = [(publication.tenant, publication.document)];
            let published = tokio::select! {
                published = self.bring_up_to_date(&document) => published,
                never = self.hold(&publications[place..]) => never,
            };
            match published {
                Ok(()) => {
                    self.outbox.acknowledge(std::slice::from_ref(publication)).await?;
                    done += 1;
                }
                Err(error) if error.is_of_a_document() => {
                    tracing::warn!(document = %publication.document, %error, "a document could not be published");
                }
                Err(error) => {
                    self.release(&publications[place..]).await;
                    return Err(error);
                }
            }
        }
        Ok(done)
    }

    /// If even this fails the leases run out by themselves.
    async fn release(&self, publications: &[Publication]) {
        if let Err(error) = self.outbox.release(publications).await {
            tracing::warn!(%error, "publications could not be given back");
        }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use async_trait::async_trait;
    use ibidem_words::fakes::FakeEmbedder;
    use ibidem_words::ports::index::{StoredPage, StoredPoint};
    use ibidem_words::ports::outbox::Wanted;
    use ibidem_words::ports::vectors::NewVector;
    use ibidem_words::{ModelHash, Sha256Hash};
    use uuid::Uuid;

    use super::*;

    const TENANT: TenantId = TenantId(Uuid::nil());

    fn document(number: u128) -> DocumentId {
        DocumentId(Uuid::from_u128(number))
    }

    /// Documents wait in it until they are acknowledged; it is an index, too, and rejects one of them.
    struct World {
        waiting: Mutex<BTreeSet<DocumentId>>,
        rejected: DocumentId,
    }

    #[async_trait]
    impl Outbox for World {
        async fn claim(&self, _: usize) -> Result<Vec<Publication>, CatalogueError> {
            let waiting = self.waiting.lock().unwrap();
            let leased = waiting.iter().map(|document| Publication {
                tenant: TENANT,
                document: *document,
                generation: 1,
                lease: Uuid::nil(),
            });
            Ok(leased.collect())
        }

        async fn wanted(
            &self,
            _: ModelHash,
            documents: &[(TenantId, DocumentId)],
        ) -> Result<Vec<Wanted>, CatalogueError> {
            let wanted = documents.iter().map(|(tenant, document)| Wanted {
                document: IndexDocument {
                    tenant: *tenant,
                    document: *document,
                    collection: "ADR".parse().unwrap(),
                    kind: None,
                    tags: Vec::new(),
                    points: Vec::new(),
                },
                missing: Vec::new(),
            });
            Ok(wanted.collect())
        }

        async fn renew(&self, _: &[Publication]) -> Result<(), CatalogueError> {
            Ok(())
        }

        async fn acknowledge(&self, done: &[Publication]) -> Result<(), CatalogueError> {
            self.waiting.lock().unwrap().retain(|waiting| done.iter().all(|done| done.document != *waiting));
            Ok(())
        }

        async fn release(&self, _: &[Publication]) -> Result<(), CatalogueError> {
            Ok(())
        }
    }

    #[async_trait]
    impl IndexWriter for World {
        async fn publish(&self, documents: Vec<IndexDocument>) -> Result<(), IndexError> {
            match documents.iter().any(|document| document.document == self.rejected) {
                true => Err(IndexError::Rejected("a payload it cannot keep".to_owned())),
                false => Ok(()),
            }
        }

        async fn scan(&self, _: Option<Uuid>, _: usize) -> Result<StoredPage, IndexError> {
            Err(IndexError::Missing)
        }

        async fn remove_points(&self, _: Vec<StoredPoint>) -> Result<(), IndexError> {
            Ok(())
        }
    }

    #[async_trait]
    impl VectorShelf for World {
        async fn stored(
            &self,
            _: ModelHash,
            _: &[(TenantId, Sha256Hash)],
        ) -> Result<Vec<(TenantId, Sha256Hash)>, CatalogueError> {
            Ok(Vec::new())
        }

        async fn store(&self, _: ModelHash, _: Vec<NewVector>) -> Result<(), CatalogueError> {
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_document_that_the_index_rejects_keeps_no_other_out() {
        let waiting = (1..=5).map(document).collect();
        let world = Arc::new(World { waiting: Mutex::new(waiting), rejected: document(2) });
        let publisher = Publisher {
            outbox: world.clone(),
            vectors: world.clone(),
            embedder: Arc::new(FakeEmbedder::new(8, 64)),
            index: world.clone(),
            progress: Arc::new(Progress::default()),
            renew_every: Duration::from_secs(60),
        };
        assert_eq!(publisher.round().await.unwrap(), 4);
        assert_eq!(*world.waiting.lock().unwrap(), BTreeSet::from([document(2)]));
    }
}
