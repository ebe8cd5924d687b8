//! Word statistics are kept in step with the documents, whatever is done to them and however much at once.

use ibidem_language::bm25::{Analysis, Language};
use ibidem_ports::word_statistics::WordStatistics as _;

use super::*;

async fn is_exact(database: &TestDatabase) -> usize {
    let [kept, anew] = database.kept_and_recounted().await;
    assert_eq!(kept, anew);
    kept.len()
}

async fn weighs(store: &Store, tenant: TenantId) -> bool {
    store.counts(&scope(tenant, &[]), &[]).await.unwrap().is_some()
}

#[tokio::test]
async fn counts_follow_every_change_and_leave_nothing_behind() {
    let database = TestDatabase::create().await;
    let store = database.store.clone();
    let tenant = store.ensure_tenant("default").await.unwrap();
    let document = take_in(&store, submission(tenant, "a", "1", &["public"]), &["oil and water", "oil"]).await;
    let other = take_in(&store, submission(tenant, "b", "1", &["hr", "public"]), &["oil"]).await;
    assert!(is_exact(&database).await > 0);
    take_in(&store, submission(tenant, "a", "2", &["public"]), &["wine"]).await;
    is_exact(&database).await;
    publish_all(&store).await;
    is_exact(&database).await;
    // Handed in again with other tags, and retagged by name.
    store.submit(tenant, Uuid::now_v7(), READING, &[submission(tenant, "a", "2", &["hr"])]).await.unwrap();
    is_exact(&database).await;
    store.retag(tenant, document, &tags(&["public", "hr", "public"])).await.unwrap();
    is_exact(&database).await;
    store.remove(tenant, document).await.unwrap();
    assert!(is_exact(&database).await > 0);
    take_in(&store, submission(tenant, "a", "3", &["public"]), &["back again"]).await;
    is_exact(&database).await;
    store.remove(tenant, document).await.unwrap();
    store.remove(tenant, other).await.unwrap();
    assert_eq!(is_exact(&database).await, 0, "no word is left of documents that are gone");
    database.drop_database().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_at_once_neither_wait_for_each_other_in_a_circle_nor_lose_a_count() {
    let database = TestDatabase::create().await;
    let store = database.store.clone();
    let tenant = store.ensure_tenant("default").await.unwrap();
    let texts = ["oil and water", "water and wine", "wine and oil"];
    let mut documents = Vec::new();
    for number in 0..6 {
        let location = format!("{number}");
        documents.push(take_in(&store, submission(tenant, &location, "0", &["public"]), &texts).await);
    }
    let mut work = tokio::task::JoinSet::new();
    for worker in 0..6_usize {
        let (store, documents) = (store.clone(), documents.clone());
        work.spawn(async move {
            for round in 0..8_usize {
                let audience = [&["public"][..], &["hr"], &["hr", "public"]][(worker + round) % 3];
                // Several documents in one transaction, in an order that is not everybody's.
                let mut submissions: Vec<Submission> =
                    (0..6).map(|number| submission(tenant, &number.to_string(), "0", audience)).collect();
                submissions.rotate_left(worker);
                store.submit(tenant, Uuid::now_v7(), READING, &submissions).await.unwrap();
                store.retag(tenant, documents[(worker * round) % 6], &tags(audience)).await.unwrap();
                let own = format!("own {worker}");
                store
                    .submit(tenant, Uuid::now_v7(), READING, &[submission(tenant, &own, &round.to_string(), audience)])
                    .await
                    .unwrap();
                let jobs = Intake::claim(&store, 10).await.unwrap();
                let versions = jobs.into_iter().map(|job| (job, version(&texts[..round % 3 + 1]))).collect();
                Intake::commit(&store, versions).await.unwrap();
            }
        });
    }
    work.join_all().await;
    assert!(is_exact(&database).await > 0);
    database.drop_database().await;
}

#[tokio::test]
async fn an_installation_from_before_says_that_words_are_not_weighed_until_they_are_counted() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    assert!(weighs(store, tenant).await, "a new installation has nothing to count");
    for number in 0..5 {
        take_in(store, submission(tenant, &number.to_string(), "1", &["public"]), &["oil", "water"]).await;
    }
    assert!(weighs(store, tenant).await);

    // As the migration leaves it.
    database.run("DELETE FROM document_terms; DELETE FROM counted_analyses").await;
    take_in(store, submission(tenant, "new", "1", &["public"]), &["wine"]).await;
    assert!(!weighs(store, tenant).await, "a count of some documents would be wrong");
    assert!(!store.conclude_counting().await.unwrap());
    while store.count_words_of_some(2).await.unwrap() > 0 {}
    assert!(store.conclude_counting().await.unwrap());
    assert!(weighs(store, tenant).await);
    assert_eq!(store.counts(&scope(tenant, &[]), &[]).await.unwrap().unwrap().passages, 11);
    is_exact(&database).await;
    database.drop_database().await;
}

#[tokio::test]
async fn a_version_that_an_older_release_makes_without_counting_is_noticed() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    take_in(store, submission(tenant, "a", "1", &["public"]), &["oil"]).await;
    assert!(weighs(store, tenant).await);
    database
        .run(
            "BEGIN; UPDATE document_versions SET version = 2; UPDATE chunks SET version = 2;
             UPDATE documents SET current_version = 2; COMMIT",
        )
        .await;
    assert!(!weighs(store, tenant).await, "its terms are those of the version before");
    assert_eq!(store.count_words_of_some(10).await.unwrap(), 1);
    assert!(store.conclude_counting().await.unwrap());
    is_exact(&database).await;
    database.drop_database().await;
}

#[tokio::test]
async fn another_language_is_counted_by_itself() {
    let database = TestDatabase::create().await;
    let english = &database.store;
    let tenant = english.ensure_tenant("default").await.unwrap();
    take_in(english, submission(tenant, "a", "1", &["public"]), &["oil"]).await;
    let german = Store::new(&StoreSettings {
        url: database.url.clone(),
        max_connections: 4,
        acquire_timeout: Duration::from_secs(10),
        read_timeout: Duration::from_secs(10),
        lease: Duration::from_secs(60),
        analysis: Analysis::of(Language::German),
    })
    .unwrap();
    assert!(weighs(english, tenant).await && !weighs(&german, tenant).await);
    assert_eq!(german.count_words_of_some(10).await.unwrap(), 1);
    assert!(german.conclude_counting().await.unwrap());
    assert!(!weighs(english, tenant).await && weighs(&german, tenant).await);
    german.close().await;
    database.drop_database().await;
}

#[tokio::test]
async fn a_tenant_or_a_document_that_is_deleted_outright_takes_its_words_along() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    take_in(store, submission(tenant, "a", "1", &["public"]), &["oil"]).await;
    take_in(store, submission(tenant, "b", "1", &["hr"]), &["oil"]).await;
    database.run("DELETE FROM document_versions; DELETE FROM documents WHERE source_location = 'a'").await;
    assert!(is_exact(&database).await > 0);
    database
        .run(
            "BEGIN; DELETE FROM outbox; DELETE FROM documents; DELETE FROM tags; DELETE FROM collections;
             DELETE FROM tenants; COMMIT",
        )
        .await;
    for table in ["document_terms", "tag_sets", "term_counts"] {
        let texts: Vec<String> = database.columns_of(table).await.into_iter().map(|(_, texts)| texts).collect();
        assert!(texts.iter().all(String::is_empty), "{table}: {texts:?}");
    }
    database.drop_database().await;
}
