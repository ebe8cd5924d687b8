//! The store against a real PostgreSQL, a database of its own for each test.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing assertion is a test's product, in its helpers too")]

mod actions;
mod audit;
mod databases;
mod erase;
mod hand_overs;
mod jobs;
mod keys;
mod lists;
mod memory;
mod others_words;
mod publications;
mod suite;
mod texts;
mod validity;
mod visibility;
mod word_statistics;

use std::time::Duration;

use ibidem_language::bm25::Analysis;
use ibidem_ports::intake::{Format, Intake, Job, NewPassage, NewVersion, Submission};
use ibidem_store::{Store, StoreSettings};
use ibidem_testing::database::TestDatabase;
use ibidem_words::{
    CharSpan, DocumentId, HandIn, Identity, LineAbove, LinesAbove, PassageKey, Role, Scope, Sha256Hash, Tag, TenantId,
    passage_in_context,
};
use uuid::Uuid;

const READING: &str = "test";

fn tags(names: &[&str]) -> Vec<Tag> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

fn scope(tenant: TenantId, names: &[&str]) -> Scope {
    let tags = tags(names).into_iter().collect();
    Scope::of(&Identity::for_tests(tenant, "someone", tags))
}

fn submission(tenant: TenantId, location: &str, text: &str, audience: &[&str]) -> Submission {
    Submission {
        tenant,
        collection: "ADR".parse().unwrap(),
        source_location: location.to_owned(),
        format: Format::Plain,
        original: Sha256Hash::of(text.as_bytes()),
        tags: tags(audience),
        title: None,
        address: None,
        kind: None,
        updated_at: None,
    }
}

/// What stands above every passage here.
fn above() -> LineAbove {
    LineAbove { text: "Decision".to_owned(), span: CharSpan { start: 0, end: 8 } }
}

fn passage(text: &str, start: u32) -> NewPassage {
    let length = u32::try_from(text.chars().count()).unwrap();
    NewPassage {
        text: text.to_owned(),
        section: Some("Decision".to_owned()),
        page: Some(3),
        span: CharSpan { start, end: start + length },
        above: LinesAbove { heading: Some(above()), ..LinesAbove::default() },
        tokens: 4,
        sha256: Sha256Hash::of(text.as_bytes()),
        embedding_key: Sha256Hash::of(passage_in_context("A title", Some("Decision"), text).as_bytes()),
    }
}

fn version(texts: &[&str]) -> NewVersion {
    let whole = texts.join("\n");
    NewVersion {
        title: "A title".to_owned(),
        address: Some("ADR-0001".to_owned()),
        kind: None,
        updated_at: chrono::DateTime::UNIX_EPOCH,
        text_sha256: Sha256Hash::of(whole.as_bytes()),
        text: whole,
        passages: texts
            .iter()
            .enumerate()
            .map(|(place, text)| passage(text, u32::try_from(place).unwrap() * 100))
            .collect(),
        validity: Default::default(),
        remarks: Vec::new(),
    }
}

/// Hands one document in, and does its job.
async fn take_in(store: &Store, submission: Submission, texts: &[&str]) -> DocumentId {
    let document = submission.document_id();
    store.submit(submission.tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
    let jobs: Vec<Job> = Intake::claim(store, 10).await.unwrap();
    let versions = jobs.into_iter().map(|job| (job, version(texts))).collect();
    Intake::commit(store, versions).await.unwrap();
    document
}

/// Acknowledges whatever waits, as if an index had it all.
async fn publish_all(store: &Store) {
    use ibidem_ports::outbox::Outbox;
    loop {
        let waiting = Outbox::claim(store, 1_000).await.unwrap();
        if waiting.is_empty() {
            return;
        }
        store.acknowledge(&waiting).await.unwrap();
    }
}

fn key(document: DocumentId, version: u32, chunk_index: u32) -> PassageKey {
    PassageKey { document, version, chunk_index }
}

async fn with_store<F: Future<Output = ()>>(test: impl FnOnce(Store, TenantId) -> F) {
    let database = TestDatabase::create().await;
    let tenant = database.store.ensure_tenant("default").await.unwrap();
    test(database.store.clone(), tenant).await;
    database.drop_database().await;
}

#[tokio::test]
async fn a_migrated_database_is_current_and_migrating_again_does_nothing() {
    with_store(|store, _| async move {
        assert!(matches!(store.schema_state().await.unwrap(), ibidem_store::SchemaState::Current { .. }));
        assert_eq!(store.migrate().await.unwrap(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_database_that_can_be_written_is_told_from_one_that_cannot() {
    let database = TestDatabase::create().await;
    for _ in 0..3 {
        database.store.check_writable().await.unwrap();
    }
    // A disk cannot be filled from here; a database that may only be read cannot grow either.
    let apart = if database.url.contains('?') { '&' } else { '?' };
    let read_only = Store::new(&StoreSettings {
        url: format!("{}{apart}options=-c%20default_transaction_read_only%3Don", database.url),
        max_connections: 1,
        acquire_timeout: Duration::from_secs(10),
        read_timeout: Duration::from_secs(10),
        lease: Duration::from_secs(60),
        analysis: Analysis::default(),
    })
    .unwrap();
    let error = read_only.check_writable().await.unwrap_err();
    assert!(error.to_string().contains("read-only"), "{error}");
    database.drop_database().await;
}

#[tokio::test]
async fn only_one_process_at_a_time_holds_a_name() {
    with_store(|store, _| async move {
        let held = store.exclusively("reindex").await.unwrap();
        assert!(held.is_some());
        assert!(store.exclusively("reindex").await.unwrap().is_none());
        drop(held);
        for _ in 0..3_000 {
            if store.exclusively("reindex").await.unwrap().is_some() {
                return;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("the name was not given back");
    })
    .await;
}
