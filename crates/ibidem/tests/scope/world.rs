//! Several tenants' documents in a real catalogue and a real index, and the truth about them.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use ibidem_adapters::qdrant::{IndexState, QdrantIndex, QdrantSettings};
use ibidem_engine::search::Searcher;
use ibidem_ingest::progress::Progress;
use ibidem_ingest::publish::Publisher;
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::intake::{Committed, Intake, NewPassage, NewVersion, Submission, Submitted};
use ibidem_store::{RemovalOutcome, Store};
use ibidem_testing::database::TestDatabase;
use ibidem_testing::fakes::FakeEmbedder;
use ibidem_words::{DocumentId, PassageKey, Tag, TenantId, passage_in_context};
use qdrant_client::Qdrant;
use qdrant_client::qdrant::{
    CollectionStatus, HnswConfigDiffBuilder, OptimizersConfigDiffBuilder, UpdateCollectionBuilder,
    VectorParamsDiffBuilder, VectorParamsDiffMap, vectors_config_diff,
};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use uuid::Uuid;

use crate::asking::{COLLECTIONS, TENANTS, random_tags, random_words};
use crate::drawn::{self, Handed};
use crate::truth::{Document, Passage, Truth, words};

const DOCUMENTS: usize = 500;
/// How many documents are retagged, removed and replaced while the index is not told, of each.
const WITHDRAWN: usize = 50;
const READING: &str = "test";

pub(crate) struct World {
    database: TestDatabase,
    pub(crate) embedder: Arc<FakeEmbedder>,
    pub(crate) index: QdrantIndex,
    index_url: String,
    pub(crate) truth: Truth,
    /// What documents become once the index is told.
    next: Vec<Document>,
    /// Counts the versions made, so that no two have the same original.
    versions: u64,
}

/// Fills a world, runs a test in it, and removes it whatever becomes of the test.
pub(crate) async fn with_world(random: &mut StdRng, test: impl AsyncFnOnce(&mut World, &mut StdRng)) {
    let mut world = World::new().await;
    let outcome = AssertUnwindSafe(async {
        world.fill(random).await;
        test(&mut world, random).await;
    });
    let outcome = outcome.catch_unwind().await;
    world.index.drop_all().await.unwrap();
    world.database.drop_database().await;
    outcome.unwrap_or_else(|panic| resume_unwind(panic));
}

/// So many documents of all tenants, in an order that mixes them.
pub(crate) fn random_documents(random: &mut StdRng, count: usize) -> Vec<Handed> {
    let counter = FakeEmbedder::new(64, 256);
    let mut handed: BTreeMap<DocumentId, Handed> = BTreeMap::new();
    for number in 0..count {
        let tenant = TenantId::named(TENANTS.choose(random).unwrap());
        let collection = COLLECTIONS.choose(random).unwrap().parse().unwrap();
        let location = format!("{}.md", number / TENANTS.len());
        let tags = random_audience(random);
        let submission = drawn::submission(tenant, collection, location, &number.to_le_bytes(), tags);
        handed.insert(submission.document_id(), (submission, random_version(random, &counter)));
    }
    handed.into_values().collect()
}

/// A world that holds these documents and no others; the caller ends it.
pub(crate) async fn world_of(documents: &[Handed]) -> World {
    let mut world = World::new().await;
    let store = world.store().clone();
    for name in TENANTS {
        store.ensure_tenant(name).await.unwrap();
    }
    for (submission, version) in documents {
        store.submit(submission.tenant, Uuid::now_v7(), READING, std::slice::from_ref(submission)).await.unwrap();
        let jobs = Intake::claim(&store, 1).await.unwrap();
        let versions = jobs.into_iter().map(|job| (job, version.clone())).collect();
        assert_eq!(Intake::commit(&store, versions).await.unwrap(), [Committed::Done]);
    }
    world.publish().await;
    world
}

impl World {
    pub(crate) async fn end(self) {
        self.index.drop_all().await.unwrap();
        self.database.drop_database().await;
    }

    async fn new() -> Self {
        let index_url = std::env::var("IBIDEM__INDEX__URL")
            .expect("IBIDEM__INDEX__URL is not set; run `stack/up`, then `eval \"$(stack/env)\"`");
        let database = TestDatabase::create().await;
        let embedder = Arc::new(FakeEmbedder::new(64, 256));
        let settings = QdrantSettings {
            alias: format!("test-{}", Uuid::now_v7().simple()),
            // Dozens of queries go together, on a machine that may be busy.
            search_timeout: Duration::from_secs(60),
            ..QdrantSettings::at(&index_url)
        };
        let index = QdrantIndex::new(settings, embedder.model().clone()).unwrap();
        index.ensure_collection().await.unwrap();
        Self { database, embedder, index, index_url, truth: Truth::default(), next: Vec::new(), versions: 0 }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.database.store
    }

    pub(crate) fn searcher(&self) -> Searcher {
        Searcher {
            embedder: Part::bare(self.embedder.clone()),
            index: Part::bare(Arc::new(self.index.clone())),
            catalogue: Arc::new(self.store().clone()),
            words: Arc::new(self.store().clone()),
        }
    }

    /// Brings the index in line with the catalogue, as a worker does.
    pub(crate) async fn publish(&mut self) {
        let publisher = Publisher {
            outbox: Arc::new(self.store().clone()),
            vectors: Arc::new(self.store().clone()),
            embedder: self.embedder.clone(),
            index: Arc::new(self.index.clone()),
            progress: Arc::new(Progress::default()),
            renew_every: self.store().lease() / 3,
        };
        while publisher.round().await.unwrap() > 0 {}
        for next in self.next.drain(..) {
            let known = self.truth.documents.iter_mut().find(|document| document.id == next.id);
            *known.expect("only what answers is replaced") = next;
        }
        self.truth.indexed = self.truth.documents.clone();
    }

    /// Has the server search graphs instead of looking at every point, as it does by itself once there are many.
    pub(crate) async fn search_by_graph(&self) {
        let IndexState::Ready { collection, .. } = self.index.check().await.unwrap() else {
            panic!("the index is gone");
        };
        let client = Qdrant::from_url(&self.index_url).skip_compatibility_check().build().unwrap();
        // Both in kilobytes, both as low as the server takes them.
        let graph = HnswConfigDiffBuilder::default().full_scan_threshold(10);
        let dense = VectorParamsDiffBuilder::default().hnsw_config(graph).build();
        let vectors = VectorParamsDiffMap::from(HashMap::from([("dense".to_owned(), dense)]));
        let update = UpdateCollectionBuilder::new(&collection)
            .optimizers_config(OptimizersConfigDiffBuilder::default().indexing_threshold(1))
            .vectors_config(vectors_config_diff::Config::ParamsMap(vectors));
        client.update_collection(update).await.unwrap();
        for _ in 0..600 {
            let info = client.collection_info(&collection).await.unwrap().result.unwrap();
            if info.status() == CollectionStatus::Green && info.indexed_vectors_count.unwrap_or(0) > 0 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the server builds no graphs");
    }

    async fn fill(&mut self, random: &mut StdRng) {
        for name in TENANTS {
            self.store().ensure_tenant(name).await.unwrap();
        }
        let mut submissions = Vec::new();
        for number in 0..DOCUMENTS {
            let tenant = TenantId::named(TENANTS.choose(random).unwrap());
            let collection = COLLECTIONS.choose(random).unwrap();
            // The same places in every tenant: what differs between two documents may be their tenant alone.
            let location = format!("{}.md", number / TENANTS.len());
            let tags = random_audience(random);
            submissions.push(self.submission(tenant, collection, &location, tags));
        }
        submissions.sort_by_key(|submission| (submission.tenant, submission.document_id()));
        submissions.dedup_by_key(|submission| (submission.tenant, submission.document_id()));
        self.take_in(random, submissions).await;
        self.publish().await;
    }

    fn submission(&mut self, tenant: TenantId, collection: &str, location: &str, tags: Vec<Tag>) -> Submission {
        self.versions += 1;
        let original = self.versions.to_le_bytes();
        drawn::submission(tenant, collection.parse().unwrap(), location.to_owned(), &original, tags)
    }

    /// Hands documents in and does their jobs, with random texts.
    async fn take_in(&mut self, random: &mut StdRng, submissions: Vec<Submission>) {
        let store = self.store().clone();
        let mut by_tenant: BTreeMap<TenantId, Vec<Submission>> = BTreeMap::new();
        for submission in submissions {
            by_tenant.entry(submission.tenant).or_default().push(submission);
        }
        for (tenant, submissions) in by_tenant {
            let outcomes = store.submit(tenant, Uuid::now_v7(), READING, &submissions).await.unwrap();
            assert!(outcomes.iter().all(|outcome| *outcome == Submitted::Queued));
        }
        loop {
            let jobs = Intake::claim(&store, 50).await.unwrap();
            if jobs.is_empty() {
                return;
            }
            let mut versions = Vec::new();
            for job in jobs {
                let version = random_version(random, &self.embedder);
                self.note(&job.submission, &version).await;
                versions.push((job, version));
            }
            let outcomes = Intake::commit(&store, versions).await.unwrap();
            assert!(outcomes.iter().all(|outcome| *outcome == Committed::Done));
        }
    }

    /// Writes a version down in the truth.
    async fn note(&mut self, submission: &Submission, version: &NewVersion) {
        let id = submission.document_id();
        let known = self.truth.documents.iter().position(|document| document.id == id);
        let number = known.map_or(1, |place| self.truth.documents[place].passages[0].key.version + 1);
        let contexts: Vec<String> = version.passages.iter().map(|passage| in_context(version, passage)).collect();
        let vectors = self.embedder.embed_passages(contexts.clone()).await.unwrap();
        let passages = contexts.iter().zip(vectors).zip(0..).map(|((context, vector), chunk_index)| Passage {
            key: PassageKey { document: id, version: number, chunk_index },
            words: words(context),
            vector,
        });
        let document = Document {
            id,
            tenant: submission.tenant,
            collection: submission.collection.clone(),
            source_location: submission.source_location.clone(),
            tags: submission.tags.clone(),
            removed: false,
            audiences: Vec::new(),
            passages: passages.collect(),
        };
        match known {
            // Until the index has the new version the old one answers, to those alone who may see both.
            Some(place) => {
                let answering = &mut self.truth.documents[place];
                answering.audiences = vec![answering.tags.clone(), document.tags.clone()];
                answering.tags = Tag::of_both(&answering.tags, &document.tags);
                self.next.push(document);
            }
            None => self.truth.documents.push(document),
        }
    }

    /// Retags, removes and replaces some documents without telling the index.
    pub(crate) async fn withdraw_some(&mut self, random: &mut StdRng) {
        let places: Vec<usize> = (0..self.truth.documents.len()).collect();
        let chosen: Vec<usize> = places.sample(random, 3 * WITHDRAWN).copied().collect();
        let (retagged, rest) = chosen.split_at(WITHDRAWN);
        let (removed, replaced) = rest.split_at(WITHDRAWN);
        for place in retagged {
            let tags = random_audience(random);
            let (tenant, id) = self.place(*place);
            assert_eq!(self.store().retag(tenant, id, &tags).await.unwrap(), RemovalOutcome::Done);
            self.truth.documents[*place].tags = tags;
        }
        for place in removed {
            let (tenant, id) = self.place(*place);
            assert_eq!(self.store().remove(tenant, id).await.unwrap(), RemovalOutcome::Done);
            self.truth.documents[*place].removed = true;
        }
        let mut submissions = Vec::new();
        for place in replaced {
            let Document { tenant, collection, source_location, .. } = self.truth.documents[*place].clone();
            let tags = random_audience(random);
            submissions.push(self.submission(tenant, collection.as_str(), &source_location, tags));
        }
        self.take_in(random, submissions).await;
    }

    fn place(&self, place: usize) -> (TenantId, DocumentId) {
        let document = &self.truth.documents[place];
        (document.tenant, document.id)
    }
}

/// Who sees a document: everybody of its tenant, those with one of some tags, or nobody.
fn random_audience(random: &mut StdRng) -> Vec<Tag> {
    let count = [0, 1, 1, 1, 2, 2, 3].choose(random).copied().unwrap();
    let mut tags = random_tags(random, count);
    if random.random_bool(0.15) {
        tags.push(Tag::public());
    }
    tags
}

/// Documents are called `DOC-000` to the last of these.
pub(crate) const ADDRESSES: u32 = 100;

fn random_version(random: &mut StdRng, counter: &FakeEmbedder) -> NewVersion {
    let title = random_words(random, 2).join(" ");
    let passages: Vec<_> = (0..random.random_range(1..=3))
        .map(|_| {
            let count = random.random_range(2..=9);
            let passage = random_words(random, count).join(" ");
            (random.random_bool(0.5).then(|| random_words(random, 1).join(" ")), passage)
        })
        .collect();
    // Few enough that many documents share one, across tenants and audiences.
    let address = format!("DOC-{:03}", random.random_range(0..ADDRESSES));
    drawn::version(counter, title, address, passages)
}

fn in_context(version: &NewVersion, passage: &NewPassage) -> String {
    passage_in_context(&version.title, passage.section.as_deref(), &passage.text)
}
