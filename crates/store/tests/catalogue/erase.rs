//! Erasing: nothing is left, the rest stays, and an interrupted one is finished by running it again.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use ibidem_ports::originals::{KeptOriginal, Originals, OriginalsError};
use ibidem_ports::outbox::Outbox;
use ibidem_ports::vectors::{NewVector, VectorShelf};
use ibidem_store::EraseError;
use ibidem_words::ModelHash;

use super::*;

const SECRET: &str = "Pay the quagga fund.";

/// Originals in memory, of which none can be removed for a while.
#[derive(Default)]
pub(super) struct Shelf {
    kept: Mutex<HashMap<(TenantId, Sha256Hash), DateTime<Utc>>>,
    is_stuck: AtomicBool,
}

impl Shelf {
    fn count(&self) -> usize {
        self.kept.lock().unwrap().len()
    }

    fn put(&self, tenant: TenantId, text: &str, since: DateTime<Utc>) {
        self.kept.lock().unwrap().insert((tenant, Sha256Hash::of(text.as_bytes())), since);
    }
}

#[async_trait]
impl Originals for Shelf {
    async fn keep(&self, _: TenantId, original: Vec<u8>) -> Result<Sha256Hash, OriginalsError> {
        Ok(Sha256Hash::of(&original))
    }

    async fn fetch(&self, _: TenantId, digest: Sha256Hash) -> Result<Vec<u8>, OriginalsError> {
        Err(OriginalsError::Lost(digest))
    }

    async fn list(&self, tenant: TenantId) -> Result<Vec<KeptOriginal>, OriginalsError> {
        let kept = self.kept.lock().unwrap();
        let own = kept.iter().filter(|((of, _), _)| *of == tenant);
        Ok(own.map(|((_, digest), since)| KeptOriginal { digest: *digest, kept_at: *since }).collect())
    }

    async fn remove(&self, tenant: TenantId, digest: Sha256Hash) -> Result<(), OriginalsError> {
        if self.is_stuck.load(Ordering::SeqCst) {
            return Err(OriginalsError::Unavailable("stuck".to_owned()));
        }
        self.kept.lock().unwrap().remove(&(tenant, digest));
        Ok(())
    }
}

fn model() -> ModelHash {
    ModelHash(Sha256Hash::of(b"model"))
}

async fn embed(store: &Store, tenant: TenantId, texts: &[&str]) {
    let vectors = texts.iter().map(|text| NewVector {
        tenant,
        key: Sha256Hash::of(passage_in_context("A title", Some("Decision"), text).as_bytes()),
        vector: vec![1.0, 0.0],
    });
    store.store(model(), vectors.collect()).await.unwrap();
}

#[tokio::test]
async fn an_interrupted_erasure_is_finished_by_running_it_again() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    let shelf = Shelf::default();
    shelf.put(tenant, SECRET, Utc::now());
    let secret = take_in(store, submission(tenant, "quagga.md", SECRET, &["public"]), &[SECRET]).await;
    embed(store, tenant, &[SECRET]).await;
    shelf.is_stuck.store(true, Ordering::SeqCst);
    let stuck = store.erase_document(&shelf, tenant, secret).await;
    assert!(matches!(stuck, Err(EraseError::Originals(_))), "{stuck:?}");
    assert!(store.list_documents(&scope(tenant, &[]), None, 10).await.unwrap().is_empty(), "invisible at once");
    shelf.is_stuck.store(false, Ordering::SeqCst);
    let erased = store.erase_document(&shelf, tenant, secret).await.unwrap().unwrap();
    assert_eq!((erased.documents, erased.versions, erased.originals, erased.vectors), (1, 1, 1, 1), "{erased:?}");
    assert_eq!((database.columns_with("quagga").await, shelf.count()), (Vec::<String>::new(), 0));
    let again = store.erase_document(&shelf, tenant, secret).await.unwrap().unwrap();
    assert!(again.is_nothing(), "{again:?}");
    // The index learns that it went.
    let wanted = store.wanted(model(), &[(tenant, secret)]).await.unwrap();
    assert!(wanted.len() == 1 && wanted[0].document.points.is_empty(), "{wanted:?}");
    assert!(Outbox::claim(store, 10).await.unwrap().iter().any(|waiting| waiting.document == secret));
    database.drop_database().await;
}

#[tokio::test]
async fn what_others_use_stays_and_what_nobody_uses_goes_once_it_is_old() {
    with_store(|store, tenant| async move {
        let shelf = Shelf::default();
        for text in [SECRET, "Other."] {
            shelf.put(tenant, text, Utc::now());
        }
        let secret = take_in(&store, submission(tenant, "a.md", SECRET, &["public"]), &[SECRET, "Shared."]).await;
        let twin = take_in(&store, submission(tenant, "b.md", SECRET, &["public"]), &["Shared."]).await;
        embed(&store, tenant, &[SECRET, "Shared.", "Left over."]).await;
        shelf.put(tenant, "superseded long ago", DateTime::UNIX_EPOCH);
        shelf.put(tenant, "handed in this moment", Utc::now());
        let other = store.ensure_tenant("other").await.unwrap();
        shelf.put(other, SECRET, DateTime::UNIX_EPOCH);

        let erased = store.erase_document(&shelf, tenant, secret).await.unwrap().unwrap();
        assert_eq!((erased.originals, erased.vectors, erased.passages), (1, 2, 2), "{erased:?}");
        assert!(erased.kept.iter().any(|kept| kept.contains("same bytes")), "{erased:?}");
        assert!(erased.kept.iter().any(|kept| kept.contains("less than an hour")), "{erased:?}");
        let wanted = store.wanted(model(), &[(tenant, twin)]).await.unwrap();
        assert_eq!((wanted[0].document.points.len(), wanted[0].missing.len()), (1, 0), "the twin has its vector");
        let erased = store.erase_document(&shelf, tenant, twin).await.unwrap().unwrap();
        assert_eq!((erased.originals, erased.vectors), (1, 1), "{erased:?}");
    })
    .await;
}

#[tokio::test]
async fn what_is_on_its_way_in_is_erased_and_another_tenants_is_not_there() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let (tenant, other) = (store.ensure_tenant("default").await.unwrap(), store.ensure_tenant("other").await.unwrap());
    let waiting = submission(tenant, "quagga.md", SECRET, &["public"]);
    let document = waiting.document_id();
    store.submit(tenant, Uuid::now_v7(), READING, &[waiting]).await.unwrap();
    let held = Intake::claim(store, 1).await.unwrap();
    let shelf = Shelf::default();
    assert_eq!(store.erase_document(&shelf, other, document).await.unwrap(), None);
    let erased = store.erase_document(&shelf, tenant, document).await.unwrap().unwrap();
    assert_eq!((erased.jobs, erased.documents), (1, 0));
    // A worker that had it in its hands cannot bring it back.
    let versions = held.into_iter().map(|job| (job, version(&[SECRET]))).collect();
    let _ = Intake::commit(store, versions).await;
    assert_eq!(database.columns_with("quagga").await, Vec::<String>::new());
    assert_eq!(store.erase_document(&shelf, tenant, document).await.unwrap(), None);
    database.drop_database().await;
}

#[tokio::test]
async fn a_document_handed_in_again_after_its_erasure_is_as_new() {
    with_store(|store, tenant| async move {
        let shelf = Shelf::default();
        let handed_in = || submission(tenant, "quagga.md", SECRET, &["public"]);
        let document = take_in(&store, handed_in(), &[SECRET]).await;
        store.erase_document(&shelf, tenant, document).await.unwrap().unwrap();
        assert_eq!(take_in(&store, handed_in(), &[SECRET]).await, document);
        let listed = store.list_documents(&scope(tenant, &[]), None, 10).await.unwrap();
        assert_eq!((listed[0].source_location.as_str(), listed[0].version), ("quagga.md", 2));
    })
    .await;
}
