//! The index on a real server.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ibidem_adapters::qdrant::{IndexState, QdrantIndex, QdrantSettings, Quantization};
use ibidem_language::bm25::Analysis;
use ibidem_ports::embedder::EmbeddingModel;
use ibidem_ports::index::{Index, IndexDocument, IndexError, IndexFault, IndexPoint, IndexQuery, IndexWriter};
use ibidem_testing::suites::index::{DIMENSIONS, index_suite};
use ibidem_words::{DocumentId, Identity, ModelHash, PassageKey, Scope, Sha256Hash, SimilarityScale, Tag, TenantId};
use qdrant_client::Qdrant;
use qdrant_client::qdrant::{Modifier, SparseVectorParamsBuilder, SparseVectorsConfigBuilder, UpdateCollectionBuilder};

use crate::setting;

/// Names that no other test, running or interrupted, has used.
pub(crate) fn settings() -> QdrantSettings {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let started = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_micros();
    let alias = format!("test-{}-{started}-{number}", std::process::id());
    QdrantSettings { alias, ..QdrantSettings::at(setting("IBIDEM__INDEX__URL")) }
}

pub(crate) fn model(name: &str) -> EmbeddingModel {
    let hash = ModelHash(Sha256Hash::of(name.as_bytes()));
    EmbeddingModel {
        name: name.to_owned(),
        hash,
        dimensions: DIMENSIONS,
        max_tokens: 256,
        scale: SimilarityScale::COSINE,
    }
}

/// Runs a test on an index of its own, and drops its collections whatever becomes of it.
async fn with_index<T: Future<Output = ()> + Send + 'static>(
    settings: QdrantSettings,
    test: impl FnOnce(QdrantIndex) -> T,
) {
    with_index_of(settings, model("one"), test).await;
}

pub(crate) async fn with_index_of<T: Future<Output = ()> + Send + 'static>(
    settings: QdrantSettings,
    model: EmbeddingModel,
    test: impl FnOnce(QdrantIndex) -> T,
) {
    let index = QdrantIndex::new(settings, model).unwrap();
    let outcome = tokio::spawn(test(index.clone())).await;
    index.drop_all().await.unwrap();
    if let Err(error) = outcome {
        resume_unwind(error.into_panic());
    }
}

#[tokio::test]
async fn the_server_behaves_as_an_index() {
    with_index(settings(), async |index| {
        index.ensure_collection().await.unwrap();
        index_suite(&index, &index).await;
    })
    .await;
}

#[tokio::test]
async fn quantized_vectors_on_disk_behave_the_same() {
    let settings = QdrantSettings { quantization: Quantization::Int8, on_disk: true, ..settings() };
    with_index(settings, async |index| {
        index.ensure_collection().await.unwrap();
        index_suite(&index, &index).await;
    })
    .await;
}

#[tokio::test]
async fn a_missing_collection_is_named_and_made_once_even_by_several() {
    with_index(settings(), async |index| {
        assert_eq!(index.check().await.unwrap(), IndexState::Missing);
        assert!(matches!(search(&index).await, Err(IndexError::Own(IndexFault::Missing))));
        assert!(matches!(index.publish(vec![document(1)]).await, Err(IndexError::Own(IndexFault::Missing))));
        assert!(matches!(index.scan(None, 1).await, Err(IndexError::Own(IndexFault::Missing))));

        let others: Vec<_> = (0..4)
            .map(|_| {
                let index = index.clone();
                tokio::spawn(async move { index.ensure_collection().await })
            })
            .collect();
        for other in others {
            other.await.unwrap().unwrap();
        }
        index.publish(vec![document(1)]).await.unwrap();
        index.ensure_collection().await.unwrap();
        let collection = format!("{}-0001", index.target());
        assert_eq!(index.check().await.unwrap(), IndexState::Ready { collection, points: 1 });
    })
    .await;
}

#[tokio::test]
async fn an_index_of_another_model_is_never_searched() {
    let settings = settings();
    with_index(settings.clone(), async |index| {
        index.ensure_collection().await.unwrap();
        index.publish(vec![document(1)]).await.unwrap();

        let other = QdrantIndex::new(settings, model("other")).unwrap();
        let found = model("one").hash.0.short(12);
        assert_eq!(other.check().await.unwrap(), IndexState::OtherModel { found: found.clone() });
        let refused = search(&other).await;
        assert!(
            matches!(&refused, Err(IndexError::Own(IndexFault::OtherModel { found: named, .. })) if *named == found),
            "{refused:?}"
        );
        assert!(matches!(other.publish(vec![document(1)]).await, Err(IndexError::Own(IndexFault::OtherModel { .. }))));

        assert!(matches!(other.ensure_collection().await, Err(IndexError::Own(IndexFault::OtherModel { .. }))));

        // Both may stand beside each other until the first is dropped.
        let built = other.begin_rebuild().await.unwrap();
        other.finish_rebuild(&built, false).await.unwrap();
        assert_eq!(search(&index).await.unwrap(), 1);
        assert_eq!(search(&other).await.unwrap(), 0);
        assert_eq!(other.drop_other_models().await.unwrap(), [format!("{}-0001", index.target())]);
        assert!(matches!(search(&index).await, Err(IndexError::Own(IndexFault::OtherModel { .. }))));
        assert_eq!(search(&other).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_rebuild_is_swapped_in_at_once_and_an_interrupted_one_is_cleared_away() {
    with_index(settings(), async |index| {
        index.ensure_collection().await.unwrap();
        index.publish(vec![document(1)]).await.unwrap();

        let interrupted = index.begin_rebuild().await.unwrap();
        interrupted.publish(vec![document(2), document(3), document(4)]).await.unwrap();
        assert_eq!(search(&index).await.unwrap(), 1, "what is being built is not read");

        let rebuilt = index.begin_rebuild().await.unwrap();
        assert_eq!(search(&rebuilt).await.unwrap(), 0, "nothing of the interrupted one is left");
        rebuilt.publish(vec![document(2), document(3)]).await.unwrap();
        while !rebuilt.is_organised().await.unwrap() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        index.finish_rebuild(&rebuilt, false).await.unwrap();
        assert_eq!(search(&index).await.unwrap(), 2);
        let collection = format!("{}-0002", index.target());
        assert_eq!(index.check().await.unwrap(), IndexState::Ready { collection: collection.clone(), points: 2 });

        let kept = index.begin_rebuild().await.unwrap();
        index.finish_rebuild(&kept, true).await.unwrap();
        assert_eq!(search(&index).await.unwrap(), 0);
        let mut dropped = index.drop_all().await.unwrap();
        dropped.sort();
        assert_eq!(dropped, [collection, format!("{}-0003", index.target())]);
    })
    .await;
}

#[tokio::test]
async fn a_first_build_of_a_new_model_needs_no_collection_before() {
    with_index(settings(), async |index| {
        let rebuilt = index.begin_rebuild().await.unwrap();
        rebuilt.publish(vec![document(1)]).await.unwrap();
        assert!(matches!(search(&index).await, Err(IndexError::Own(IndexFault::Missing))));
        index.finish_rebuild(&rebuilt, false).await.unwrap();
        assert_eq!(search(&index).await.unwrap(), 1);
        assert!(matches!(index.finish_rebuild(&index, false).await, Err(IndexError::Own(IndexFault::Rejected(_)))));
    })
    .await;
}

#[tokio::test]
async fn a_collection_of_the_wrong_shape_is_refused() {
    let settings = settings();
    with_index(settings.clone(), async |index| {
        index.ensure_collection().await.unwrap();
        let wider = QdrantIndex::new(settings, EmbeddingModel { dimensions: DIMENSIONS + 1, ..model("one") }).unwrap();
        for refused in [wider.check().await.map(|_| ()), wider.ensure_collection().await] {
            let message = refused.unwrap_err().to_string();
            assert!(message.contains("8 dimensions, the model has 9"), "{message}");
        }
    })
    .await;
}

/// Collections of versions before words were weighed within the scope.
#[tokio::test]
async fn a_collection_that_weighs_words_over_all_tenants_is_refused_with_what_to_run() {
    with_index(settings(), async |index| {
        index.ensure_collection().await.unwrap();
        let IndexState::Ready { collection, .. } = index.check().await.unwrap() else { panic!("there is no index") };
        let client = Qdrant::from_url(&setting("IBIDEM__INDEX__URL")).skip_compatibility_check().build().unwrap();
        let mut sparse = SparseVectorsConfigBuilder::default();
        sparse.add_named_vector_params("bm25", SparseVectorParamsBuilder::default().modifier(Modifier::Idf));
        let update = UpdateCollectionBuilder::new(&collection).sparse_vectors_config(sparse);
        client.update_collection(update).await.unwrap();
        for refused in [index.check().await.map(|_| ()), index.ensure_collection().await] {
            let message = refused.unwrap_err().to_string();
            assert!(message.contains("all tenants' documents") && message.contains("`ibidem reindex`"), "{message}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unavailable_in_time() {
    // Nothing listens on port 9 of this machine; 192.0.2.1 is reserved and answers nobody.
    for url in ["http://127.0.0.1:9", "http://192.0.2.1:6334"] {
        let limit = Duration::from_millis(500);
        let settings = QdrantSettings { search_timeout: limit, write_timeout: limit, ..QdrantSettings::at(url) };
        let index = QdrantIndex::new(settings, model("one")).unwrap();
        let started = std::time::Instant::now();
        assert!(matches!(search(&index).await, Err(IndexError::Unavailable(_))));
        assert!(matches!(index.publish(vec![document(1)]).await, Err(IndexError::Unavailable(_))));
        assert!(matches!(index.check().await, Err(IndexError::Unavailable(_))));
        assert!(matches!(index.version().await, Err(IndexError::Unavailable(_))));
        assert!(started.elapsed() < Duration::from_secs(60));
    }
}

#[tokio::test]
async fn the_server_tells_its_version() {
    let index = QdrantIndex::new(settings(), model("one")).unwrap();
    assert!(index.version().await.unwrap().starts_with("1."));
}

pub(crate) async fn search(index: &QdrantIndex) -> Result<usize, IndexError> {
    let scope = Scope::of(&Identity::for_tests(TenantId::named("here"), "someone", [].into()));
    let vector = Some(vec![1.0; DIMENSIONS]);
    let query = IndexQuery {
        words: Some(Analysis::default().unweighed("word")),
        vector,
        hits_per_lane: 10,
        ..IndexQuery::default()
    };
    Ok(index.search(&scope, vec![query]).await?.remove(0).len())
}

pub(crate) fn document(number: u128) -> IndexDocument {
    let document = DocumentId(uuid::Uuid::from_u128(number));
    let passage = PassageKey { document, version: 1, chunk_index: 0 };
    IndexDocument {
        tenant: TenantId::named("here"),
        document,
        collection: "ADR".parse().unwrap(),
        kind: Some("decision".parse().unwrap()),
        tags: vec![Tag::public()],
        points: vec![IndexPoint { passage, vector: vec![1.0; DIMENSIONS], words: "word".to_owned() }],
    }
}
