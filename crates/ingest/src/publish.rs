//! Bringing the index in line with the catalogue, document by document.

use std::sync::Arc;
use std::time::Duration;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder};
use ibidem_ports::index::{IndexDocument, IndexError, IndexFault, IndexWriter};
use ibidem_ports::outbox::{Outbox, Publication};
use ibidem_ports::vectors::VectorShelf;
use ibidem_words::{DocumentId, TenantId};
use tracing::field::Empty;
use tracing::{Instrument as _, trace_span};

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
    pub fn is_of_a_document(&self) -> bool {
        match self {
            Self::Index(IndexError::Own(IndexFault::Rejected(_)))
            | Self::Catalogue(CatalogueError::Corrupt(_) | CatalogueError::Refused(_))
            | Self::Embed(EmbedMissingError::Embed(EmbedError::Own(EmbedFault::TooLong { .. }))) => true,
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
        let span = trace_span!(
            parent: None,
            "publish",
            otel.kind = "consumer",
            otel.status_code = Empty,
            ibidem.documents = i64::try_from(publications.len()).unwrap_or(i64::MAX),
        );
        let published = self.publish(&publications).instrument(span.clone()).await;
        if published.is_err() {
            span.record("otel.status_code", "error");
        }
        published
    }

    async fn publish(&self, publications: &[Publication]) -> Result<usize, PublishError> {
        let documents: Vec<_> =
            publications.iter().map(|publication| (publication.tenant, publication.document)).collect();
        let done = tokio::select! {
            done = self.bring_up_to_date(&documents) => done,
            never = self.hold(publications) => never,
        };
        match done {
            Ok(()) => {
                self.outbox.acknowledge(publications).await?;
                Ok(publications.len())
            }
            // One of them is at fault: each for itself, so that only that one waits.
            Err(error) if error.is_of_a_document() => self.one_by_one(publications).await,
            Err(error) => {
                self.release(publications).await;
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

    /// Publishes these documents before all others. What another publisher holds is waited for.
    pub async fn publish_now(&self, documents: &[(TenantId, DocumentId)]) -> Result<(), PublishError> {
        /// How often is looked whether another publisher is done.
        const LOOK_EVERY: Duration = Duration::from_millis(20);
        loop {
            let claimed = self.outbox.claim_of(documents).await?;
            if !claimed.publications.is_empty() {
                let wanted = claimed.publications.len();
                // One that cannot be published keeps its lease: to wait for it would be of no use.
                if self.publish(&claimed.publications).await? < wanted {
                    return Ok(());
                }
            } else if claimed.others > 0 {
                tokio::time::sleep(LOOK_EVERY).await;
            } else {
                return Ok(());
            }
        }
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
        self.index.publish(wanted).instrument(trace_span!("index")).await?;
        self.progress.published(count);
        Ok(())
    }

    async fn wanted_with_vectors(
        &self,
        documents: &[(TenantId, DocumentId)],
    ) -> Result<Vec<IndexDocument>, PublishError> {
        let model = self.embedder.model().hash;
        let wanted = self.outbox.wanted(model, documents).instrument(trace_span!("catalogue")).await?;
        let missing: Vec<_> = wanted.iter().flat_map(|wanted| wanted.missing.iter().cloned()).collect();
        if missing.is_empty() {
            return Ok(wanted.into_iter().map(|wanted| wanted.document).collect());
        }
        // New documents bring their vectors: this is for what curators wrote, and after the embedding model was changed.
        embed_missing(self.embedder.as_ref(), self.vectors.as_ref(), missing, &self.progress)
            .instrument(trace_span!("embed"))
            .await?;
        let wanted = self.outbox.wanted(model, documents).await?;
        if wanted.iter().any(|wanted| !wanted.missing.is_empty()) {
            return Err(PublishError::VectorsVanished);
        }
        Ok(wanted.into_iter().map(|wanted| wanted.document).collect())
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use ibidem_ports::index::{StoredPage, StoredPoint};
    use ibidem_ports::intake::NewPassage;
    use ibidem_testing::fakes::{FakeDocument, FakeEmbedder, FakeIndex, FakeOutbox, FakeVectors};
    use ibidem_words::{CharSpan, Sha256Hash, Tag, passage_in_context};
    use uuid::Uuid;

    use super::*;

    const TENANT: TenantId = TenantId(Uuid::nil());

    fn document(number: u128) -> DocumentId {
        DocumentId(Uuid::from_u128(number))
    }

    /// An index that rejects one document.
    struct Fastidious {
        index: FakeIndex,
        rejected: DocumentId,
    }

    #[async_trait]
    impl IndexWriter for Fastidious {
        async fn publish(&self, documents: Vec<IndexDocument>) -> Result<(), IndexError> {
            match documents.iter().any(|document| document.document == self.rejected) {
                true => Err(IndexError::Own(IndexFault::Rejected("a payload it cannot keep".to_owned()))),
                false => self.index.publish(documents).await,
            }
        }

        async fn scan(&self, from: Option<Uuid>, page: usize) -> Result<StoredPage, IndexError> {
            self.index.scan(from, page).await
        }

        async fn remove_points(&self, points: Vec<StoredPoint>) -> Result<(), IndexError> {
            self.index.remove_points(points).await
        }
    }

    struct World {
        outbox: Arc<FakeOutbox>,
        index: Arc<Fastidious>,
        embedder: Arc<FakeEmbedder>,
        publisher: Publisher,
    }

    /// These documents wait, each with one passage that has no vector yet.
    fn world(documents: impl IntoIterator<Item = DocumentId>, rejected: DocumentId) -> World {
        let vectors = Arc::new(FakeVectors::default());
        let outbox = Arc::new(FakeOutbox::new(vectors.clone()));
        for id in documents {
            outbox.put(TENANT, id, of_one_passage(&id.to_string()));
        }
        let index = Arc::new(Fastidious { index: FakeIndex::new(8), rejected });
        let embedder = Arc::new(FakeEmbedder::new(8, 64));
        let publisher = Publisher {
            outbox: outbox.clone(),
            vectors,
            embedder: embedder.clone(),
            index: index.clone(),
            progress: Arc::new(Progress::default()),
            renew_every: Duration::from_secs(60),
        };
        World { outbox, index, embedder, publisher }
    }

    fn of_one_passage(text: &str) -> FakeDocument {
        let passage = NewPassage {
            text: text.to_owned(),
            section: None,
            page: None,
            span: CharSpan { start: 0, end: 1 },
            above: Default::default(),
            tokens: 1,
            sha256: Sha256Hash::of(text.as_bytes()),
            embedding_key: Sha256Hash::of(passage_in_context("A title", None, text).as_bytes()),
        };
        FakeDocument {
            collection: "ADR".parse().unwrap(),
            kind: None,
            tags: vec![Tag::public()],
            title: "A title".to_owned(),
            passages: vec![passage],
        }
    }

    async fn indexed(world: &World) -> Vec<DocumentId> {
        let page = world.index.scan(None, 100).await.unwrap();
        let mut documents: Vec<_> = page.points.iter().map(|point| point.passage.document).collect();
        documents.sort_unstable();
        documents
    }

    #[tokio::test]
    async fn a_document_that_the_index_rejects_keeps_no_other_out() {
        let world = world((1..=5).map(document), document(2));
        assert_eq!(world.publisher.round().await.unwrap(), 4);
        assert_eq!(world.outbox.waiting(), [(TENANT, document(2))]);
        assert_eq!(indexed(&world).await, [1, 3, 4, 5].map(document));
        // It keeps its lease, and is tried again when that has run out.
        assert_eq!(world.publisher.round().await.unwrap(), 0);
        world.outbox.put(TENANT, document(6), of_one_passage("six"));
        assert_eq!(world.publisher.round().await.unwrap(), 1);
        world.outbox.pass(Duration::from_secs(3_600));
        assert_eq!(world.publisher.round().await.unwrap(), 0);
        assert_eq!(world.outbox.waiting(), [(TENANT, document(2))]);
    }

    /// The versions that the index has of a document.
    async fn versions(world: &World, id: DocumentId) -> Vec<u32> {
        let page = world.index.scan(None, 100).await.unwrap();
        let points = page.points.iter().filter(|point| point.passage.document == id);
        let mut versions: Vec<_> = points.map(|point| point.passage.version).collect();
        versions.sort_unstable();
        versions
    }

    #[tokio::test]
    async fn the_old_version_leaves_the_index_after_the_new_one_took_its_place() {
        let world = world([document(1)], document(9));
        assert_eq!(world.publisher.round().await.unwrap(), 1);
        world.outbox.put(TENANT, document(1), of_one_passage("two"));
        assert_eq!(world.publisher.round().await.unwrap(), 1);
        assert_eq!(versions(&world, document(1)).await, [1, 2], "one of them is current at any moment");
        assert_eq!(world.publisher.round().await.unwrap(), 1);
        assert_eq!(versions(&world, document(1)).await, [2]);
        assert_eq!(world.publisher.round().await.unwrap(), 0);
    }

    #[tokio::test]
    async fn single_documents_are_published_before_all_others() {
        let world = world((1..=3).map(document), document(9));
        world.publisher.publish_now(&[(TENANT, document(2))]).await.unwrap();
        assert_eq!(indexed(&world).await, [document(2)]);
        world.outbox.put(TENANT, document(2), of_one_passage("two"));
        world.publisher.publish_now(&[(TENANT, document(2))]).await.unwrap();
        assert_eq!(versions(&world, document(2)).await, [2]);
        assert_eq!(world.outbox.waiting(), [1, 3].map(|number| (TENANT, document(number))));
    }

    #[tokio::test]
    async fn a_part_that_is_away_gives_the_documents_back_at_once() {
        let world = world((1..=2).map(document), document(9));
        world.embedder.set_down(true);
        assert!(matches!(world.publisher.round().await, Err(PublishError::Embed(_))));
        world.embedder.set_down(false);
        world.index.index.set_down(true);
        assert!(matches!(world.publisher.round().await, Err(PublishError::Index(IndexError::Unavailable(_)))));
        world.index.index.set_down(false);
        assert_eq!(world.publisher.round().await.unwrap(), 2);
        assert!(world.outbox.waiting().is_empty());
    }

    #[tokio::test]
    async fn a_vector_is_made_once() {
        let world = world([1, 2].map(document), document(9));
        world.outbox.put(TENANT, document(3), of_one_passage(&document(1).to_string()));
        assert_eq!(world.publisher.round().await.unwrap(), 3);
        assert_eq!(world.publisher.progress.done().embedded, 2, "two documents have the same passage");
        world.outbox.retag(TENANT, document(1), &["finance".parse().unwrap()]);
        assert_eq!(world.publisher.round().await.unwrap(), 1);
        assert_eq!(world.publisher.progress.done().embedded, 2, "who sees it is nothing to a vector");
        world.outbox.remove(TENANT, document(2));
        assert_eq!(world.publisher.round().await.unwrap(), 1);
        assert_eq!(indexed(&world).await, [1, 3].map(document));
    }
}
