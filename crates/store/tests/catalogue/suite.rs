//! The suite that every catalogue passes.

use async_trait::async_trait;
use ibidem_words::suites::catalogue::{Library, NewDocument, catalogue_suite};
use ibidem_words::suites::owners::owners_suite;
use ibidem_words::suites::word_statistics::word_statistics_suite;

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
async fn the_database_knows_the_owners_of_tags() {
    with_store(|store, _| async move { owners_suite(&store, &Shelves(store.clone())).await }).await;
}

#[tokio::test]
async fn the_database_counts_the_words_of_what_an_asker_may_see() {
    with_store(|store, _| async move { word_statistics_suite(&store, &Shelves(store.clone())).await }).await;
}
