//! The suites of all ports that the store stands behind.

use async_trait::async_trait;
use ibidem_ports::intake::Submitted;
use ibidem_testing::suites;
use ibidem_testing::suites::catalogue::{Library, NewDocument, catalogue_suite};
use ibidem_testing::suites::intake::{Desk, intake_suite};
use ibidem_testing::suites::outbox::outbox_suite;
use ibidem_testing::suites::owners::owners_suite;
use ibidem_testing::suites::vectors::vectors_suite;
use ibidem_testing::suites::word_statistics::word_statistics_suite;

use super::*;

struct Shelves(Store);

#[async_trait]
impl Library for Shelves {
    async fn put(&self, tenant: &str, new: NewDocument) -> DocumentId {
        let Self(store) = self;
        let tenant = store.ensure_tenant(tenant).await.unwrap();
        let text = new.passages.join("\n");
        let submission = Submission {
            collection: new.collection,
            tags: new.tags,
            ..submission(tenant, &new.source_location, &text, &[])
        };
        let document = submission.document_id();
        store.submit(tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
        let jobs = Intake::claim(store, 10).await.unwrap();
        let passages: Vec<&str> = new.passages.iter().map(String::as_str).collect();
        let version = NewVersion { title: new.title, address: new.address, ..version(&passages) };
        Intake::commit(store, jobs.into_iter().map(|job| (job, version.clone())).collect()).await.unwrap();
        publish_all(store).await;
        document
    }

    async fn remove(&self, tenant: &str, document: DocumentId) {
        self.0.remove(TenantId::named(tenant), document).await.unwrap();
    }

    async fn retag(&self, tenant: &str, document: DocumentId, tags: Vec<Tag>) {
        self.0.retag(TenantId::named(tenant), document, &tags).await.unwrap();
    }

    async fn own(&self, tenant: &str, tag: &str, email: &str) {
        self.0.set_tag_owner(TenantId::named(tenant), &tag.parse().unwrap(), email).await.unwrap();
    }
}

#[tokio::test]
async fn the_database_behaves_as_a_catalogue() {
    with_store(|store, _| async move { catalogue_suite(&store, &Shelves(store.clone())).await }).await;
}

#[tokio::test]
async fn the_database_keeps_confirmations_and_none_of_their_tokens() {
    with_store(|store, _| async move {
        let tenants = [store.ensure_tenant("default").await.unwrap(), store.ensure_tenant("other").await.unwrap()];
        suites::confirmations::check(&store, tenants).await;
        let before = "2026-05-04T09:00:00Z".parse().unwrap();
        assert_eq!(store.sweep_confirmations(before).await.unwrap(), 0, "nothing has expired by then");
        assert!(store.sweep_confirmations(before + chrono::TimeDelta::days(1)).await.unwrap() > 0);
    })
    .await;
}

#[tokio::test]
async fn the_database_knows_the_owners_of_tags() {
    with_store(|store, _| async move { owners_suite(&store, &Shelves(store.clone())).await }).await;
}

#[tokio::test]
async fn the_database_counts_the_words_of_what_an_asker_may_see() {
    with_store(|store, _| async move { word_statistics_suite(&store, &Shelves(store.clone())).await }).await;
}

/// Where documents are handed in to a database.
struct Counter<'database>(&'database TestDatabase);

#[async_trait]
impl Desk for Counter<'_> {
    async fn tenant(&self, name: &str) -> TenantId {
        self.0.store.ensure_tenant(name).await.unwrap()
    }

    async fn hand_in(&self, submission: Submission) -> Submitted {
        self.0.store.submit(submission.tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap().remove(0)
    }

    async fn retag(&self, tenant: TenantId, document: DocumentId, tags: Vec<Tag>) {
        self.0.store.retag(tenant, document, &tags).await.unwrap();
    }

    async fn remove(&self, tenant: TenantId, document: DocumentId) {
        self.0.store.remove(tenant, document).await.unwrap();
    }

    fn lease(&self) -> Duration {
        self.0.store.lease()
    }

    async fn pass(&self, time: Duration) {
        self.0.pass(time).await;
    }
}

#[tokio::test]
async fn the_database_behaves_as_intake_outbox_and_vectors() {
    let database = TestDatabase::create().await;
    let (store, desk) = (&database.store, Counter(&database));
    vectors_suite(store, &desk).await;
    intake_suite(store, &desk).await;
    outbox_suite(store, store, store, &desk).await;
    database.drop_database().await;
}
