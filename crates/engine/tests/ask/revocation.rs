//! A document that is withdrawn while a question is under way is never cited. One that is replaced answers as it was or as
//! it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use ibidem_ports::catalogue::{
    AddressedDocument, Catalogue, CatalogueError, CataloguePassage, DocumentFilter, DocumentList,
};
use ibidem_ports::clock;
use ibidem_ports::degrade::Part;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_testing::fakes::{FakeCatalogue, FakeIndex, FakeReranker};
use ibidem_words::{AddressKey, CollectionName, DocumentId, PassageKey, Scope, Tag, TenantId};
use proptest::prelude::*;
use uuid::Uuid;

use crate::says;
use crate::scenarios::PlacedEmbedder;
use crate::world::{Book, World};

/// The text of a new version.
const REPLACED: &str = "Oil is changed every two years.";

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");

/// What becomes of a document.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Change {
    Removed,
    Retagged,
    Replaced,
}

/// A catalogue in which documents change just before one of the reads.
struct Hooked {
    inner: Arc<FakeCatalogue>,
    tenant: TenantId,
    changes: Vec<(Change, DocumentId)>,
    /// What learns of new versions, and where they lie; none where the index is behind.
    index: Option<(Arc<FakeIndex>, Vec<f32>)>,
    /// Before this read, from 0.
    at: usize,
    reads: AtomicUsize,
    /// So much time passes after the passages were read, as when somebody reads them.
    then_passes: Duration,
}

/// More than what the catalogue confirmed is taken to hold without being asked again.
const A_WHILE: Duration = Duration::from_millis(50);

impl Hooked {
    async fn hook(&self, scope: &Scope) {
        if self.reads.fetch_add(1, Ordering::Relaxed) != self.at {
            return;
        }
        for (change, document) in &self.changes {
            match change {
                Change::Removed => self.inner.remove(*document),
                Change::Retagged => self.inner.retag(*document, &["somebody-else".parse().unwrap()]),
                Change::Replaced => {
                    let key = PassageKey { document: *document, version: 1, chunk_index: 0 };
                    let old = self.inner.visible(scope, &[key]).await.unwrap().remove(0);
                    let new = PassageKey { version: 2, ..key };
                    let tags: Vec<Tag> = vec![crate::world::TAG.parse().unwrap()];
                    let text = REPLACED.to_owned();
                    if let Some((index, vector)) = &self.index {
                        let point = IndexPoint { passage: new, vector: vector.clone(), words: text.clone() };
                        let published = IndexDocument {
                            tenant: self.tenant,
                            document: *document,
                            collection: old.collection.clone(),
                            kind: None,
                            tags: tags.clone(),
                            points: vec![point],
                        };
                        index.publish(vec![published]).await.unwrap();
                    }
                    self.inner.put(self.tenant, tags, CataloguePassage { passage: new, text, ..old });
                }
            }
        }
    }
}

#[async_trait]
impl Catalogue for Hooked {
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        self.hook(scope).await;
        let visible = self.inner.visible(scope, passages).await;
        clock::wait(self.then_passes).await;
        visible
    }

    async fn still_visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<PassageKey>, CatalogueError> {
        self.hook(scope).await;
        self.inner.still_visible(scope, passages).await
    }

    async fn addressed(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        keys: &[AddressKey],
    ) -> Result<Vec<AddressedDocument>, CatalogueError> {
        self.inner.addressed(scope, collection, keys).await
    }

    async fn neighbours(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        key: &AddressKey,
        most: usize,
    ) -> Result<Vec<(AddressKey, String)>, CatalogueError> {
        self.inner.neighbours(scope, collection, key, most).await
    }

    async fn unseen_collections(
        &self,
        scope: &Scope,
        collections: &[CollectionName],
    ) -> Result<Vec<CollectionName>, CatalogueError> {
        self.inner.unseen_collections(scope, collections).await
    }

    async fn tables(
        &self,
        scope: &Scope,
        collections: &[String],
        most: usize,
    ) -> Result<Vec<CataloguePassage>, CatalogueError> {
        self.inner.tables(scope, collections, most).await
    }

    async fn list(&self, scope: &Scope, filter: &DocumentFilter) -> Result<DocumentList, CatalogueError> {
        self.inner.list(scope, filter).await
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop::sample::select(vec![Change::Removed, Change::Retagged, Change::Replaced])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// The model cites every note it is given; the index goes on holding all of them.
    #[test]
    fn what_is_withdrawn_between_the_index_and_the_answer_is_never_cited(
        count in 1_u16..9,
        changed in prop::collection::btree_map(1_u16..9, change(), 1..6),
        at in 0_usize..3,
        asks_by_address in any::<bool>(),
        reranks in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let books = (1..=count).map(|number| Book {
                vector: Some(PlacedEmbedder::vector(0.9 - f32::from(number) / 100.0)),
                address: Some(format!("ADR-{number}")),
                ..Book::of(&format!("Fact {number} alone, in red, green, blue, white and black."))
            });
            // A claim is said once, so each is another, and every note supports each of them.
            let colours = ["red", "green", "blue", "white", "black"];
            let everything: String =
                (1..).zip(colours).map(|(number, colour)| format!("Fact in {colour}.[^{number}] ")).collect();
            let embedder = Arc::new(PlacedEmbedder::new());
            // Whatever the reranker gives: what is withdrawn is what this is about.
            let open = DEFAULT.replace("answerability: 0.75", "answerability: 0");
            let mut world = World::of(says(&[&everything]), books.collect(), embedder, &open).await;
            let document = |number: u16| DocumentId(Uuid::from_u128(u128::from(number) << 64));
            let changes: Vec<(Change, DocumentId)> = changed
                .iter()
                .filter(|(number, _)| **number <= count)
                .map(|(number, change)| (*change, document(*number)))
                .collect();
            let replaced = changes.iter().filter(|(change, _)| *change == Change::Replaced).count();
            let gone = changes.iter().filter(|(change, _)| *change != Change::Replaced);
            let withdrawn: Vec<Uuid> = gone.map(|(_, document)| document.0).collect();
            let inner = world.catalogue.clone();
            let reads = AtomicUsize::new(0);
            let (tenant, then_passes) = (world.tenant, A_WHILE);
            let hooked = Hooked { inner, tenant, changes, index: None, at, reads, then_passes };
            let hooked = Arc::new(hooked);
            world.engine.parts.searcher.catalogue = hooked.clone();
            if reranks {
                world.engine.parts.reranker = Some(Part::bare(Arc::new(FakeReranker::default())));
            }
            let question = if asks_by_address { "What does ADR-1 say of facts?" } else { "What are the facts?" };
            let answer = world.ask(question).await.answer;
            let happened = hooked.reads.load(Ordering::Relaxed) > at;
            for citation in &answer.citations {
                prop_assert!(!happened || !withdrawn.contains(&citation.document_id), "{:?} {:?}", changed, answer);
            }
            // Where something is left it is still spoken from; where nothing is, that is refused. Of what was replaced the
            // index knows no new version: only the old one can be cited, by whoever read it before.
            let most = usize::from(count) - if happened { withdrawn.len() } else { 0 };
            let least = most - if happened { replaced } else { 0 };
            let cited = answer.citations.len();
            prop_assert!((least.min(5)..=most.min(5)).contains(&cited), "{:?}", answer);
            prop_assert_eq!(answer.refused, cited == 0);
            prop_assert!(answer.citations.iter().all(|citation| citation.version == 1), "{:?}", answer);
            Ok(())
        })?;
    }
}

/// The version that is cited when the only document is replaced just before one of the reads, in the index first and in the
/// catalogue then.
async fn cited_when_replaced(at: usize) -> Vec<u32> {
    let (cited, reads) = cited_and_reads(at, A_WHILE).await;
    assert!(reads > at, "the document was not replaced");
    cited
}

async fn cited_and_reads(at: usize, then_passes: Duration) -> (Vec<u32>, usize) {
    let vector = PlacedEmbedder::vector(0.9);
    let books = vec![Book { vector: Some(vector.clone()), ..Book::of("Oil is changed every year.") }];
    let open = DEFAULT.replace("answerability: 0.75", "answerability: 0");
    let script = says(&["Oil is changed.[^1]"]);
    let mut world = World::of(script, books, Arc::new(PlacedEmbedder::new()), &open).await;
    let hooked = Arc::new(Hooked {
        inner: world.catalogue.clone(),
        tenant: world.tenant,
        changes: vec![(Change::Replaced, DocumentId(Uuid::from_u128(1 << 64)))],
        index: Some((world.index.clone(), vector)),
        at,
        reads: AtomicUsize::new(0),
        then_passes,
    });
    world.engine.parts.searcher.catalogue = hooked.clone();
    let answer = world.ask("When is oil changed?").await.answer;
    let cited = answer.citations.iter().map(|citation| citation.version).collect();
    (cited, hooked.reads.load(Ordering::Relaxed))
}

#[tokio::test(start_paused = true)]
async fn the_catalogue_is_asked_again_before_something_is_said_unless_it_was_asked_a_moment_ago() {
    assert_eq!(cited_and_reads(9, A_WHILE).await, (vec![1], 2));
    assert_eq!(cited_and_reads(9, Duration::ZERO).await, (vec![1], 1));
}

#[tokio::test(start_paused = true)]
async fn a_document_that_is_replaced_after_the_index_was_searched_answers_from_its_new_version() {
    assert_eq!(cited_when_replaced(0).await, [2]);
}

#[tokio::test(start_paused = true)]
async fn a_document_that_is_replaced_after_it_was_read_answers_from_its_old_version() {
    assert_eq!(cited_when_replaced(1).await, [1]);
}
