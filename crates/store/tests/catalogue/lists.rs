//! Lists of documents: in one order over all audiences, page after page, with the titles that answer.

use chrono::{DateTime, NaiveDate, TimeDelta};
use ibidem_store::DocumentsOf;

use super::erase::Shelf;
use super::*;

async fn put(store: &Store, submission: Submission, title: &str, day: i64) -> DocumentId {
    let document = submission.document_id();
    store.submit(submission.tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
    let jobs: Vec<Job> = Intake::claim(store, 10).await.unwrap();
    let updated_at = DateTime::UNIX_EPOCH + TimeDelta::days(day);
    let made = NewVersion { title: title.to_owned(), address: None, updated_at, ..version(&["First."]) };
    Intake::commit(store, jobs.into_iter().map(|job| (job, made.clone())).collect()).await.unwrap();
    document
}

async fn titles(store: &Store, scope: &Scope, of: DocumentsOf) -> Vec<String> {
    let rows = store.documents_of(scope, &of, NaiveDate::default()).await.unwrap();
    rows.into_iter().map(|row| row.title).collect()
}

fn all() -> DocumentsOf {
    DocumentsOf { most: 50, ..DocumentsOf::default() }
}

#[tokio::test]
async fn the_newest_of_all_that_is_seen_come_first_whatever_their_tags() {
    with_store(|store, tenant| async move {
        for (day, title, audience) in [
            (1, "Alpha 100%", &["public"][..]),
            (2, "Beta", &["security"]),
            (3, "Gamma_1", &["public"]),
            (4, "Delta", &["finance"]),
            (5, "Epsilon alpha", &["finance", "security"]),
        ] {
            put(&store, submission(tenant, title, title, audience), title, day).await;
        }
        let (guest, security) = (scope(tenant, &[]), scope(tenant, &["security"]));
        assert_eq!(titles(&store, &guest, all()).await, ["Gamma_1", "Alpha 100%"]);
        let seen = ["Epsilon alpha", "Gamma_1", "Beta", "Alpha 100%"];
        assert_eq!(titles(&store, &security, all()).await, seen);

        let mut page_after_page = Vec::new();
        let mut after = None;
        loop {
            let of = DocumentsOf { after, most: 1, ..DocumentsOf::default() };
            let rows = store.documents_of(&security, &of, NaiveDate::default()).await.unwrap();
            let Some(row) = rows.into_iter().next() else { break };
            after = Some((row.updated_at, row.id.0));
            page_after_page.push(row.title);
        }
        assert_eq!(page_after_page, seen);

        for (words, expected) in [
            (&["ALPHA"][..], &["Epsilon alpha", "Alpha 100%"][..]),
            (&["alpha", "eps"], &["Epsilon alpha"]),
            (&["0%"], &["Alpha 100%"]),
            (&["%"], &["Alpha 100%"]),
            (&["a_1"], &["Gamma_1"]),
            (&["\\"], &[]),
        ] {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(titles(&store, &security, DocumentsOf { words, ..all() }).await, expected);
        }
        let tag = Some("security".parse().unwrap());
        assert_eq!(titles(&store, &security, DocumentsOf { tag, ..all() }).await, ["Epsilon alpha", "Beta"]);
        for (collection, many) in [("adr", 4), ("Policy", 0)] {
            let of = DocumentsOf { collection: Some(collection.to_owned()), ..all() };
            assert_eq!(titles(&store, &security, of).await.len(), many, "{collection}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_list_has_the_title_of_the_version_that_answers_and_none_of_what_is_erased() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    let guest = scope(tenant, &[]);
    let listed = || titles(store, &guest, all());
    let document = put(store, submission(tenant, "a.md", "one", &["public"]), "The old fund", 1).await;
    publish_all(store).await;
    put(store, submission(tenant, "a.md", "two", &["public"]), "The quagga fund", 2).await;
    assert_eq!(listed().await, ["The old fund"], "it answers until the index has the new one");
    publish_all(store).await;
    assert_eq!(listed().await, ["The quagga fund"]);

    // Removed and handed in again, it has the number of no version that is there yet.
    store.remove(tenant, document).await.unwrap();
    put(store, submission(tenant, "a.md", "three", &["public"]), "The new quagga fund", 3).await;
    assert_eq!(listed().await, ["The new quagga fund"]);

    // As a worker of an older release makes a version: it knows nothing of the columns.
    database
        .run(
            "BEGIN;
             UPDATE documents SET title = '', updated_at = now(), current_version = current_version + 1;
             INSERT INTO document_versions (tenant_id, document_id, version, title, format, updated_at, original_sha256,
                                            text, text_sha256, chunk_count)
             SELECT tenant_id, document_id, version + 1, 'A quagga from before', format, updated_at, original_sha256, text,
                    text_sha256, chunk_count
             FROM document_versions ORDER BY version DESC LIMIT 1;
             COMMIT",
        )
        .await;
    assert_eq!(listed().await, ["A quagga from before"]);

    store.erase_document(&Shelf::default(), tenant, document).await.unwrap();
    assert_eq!(database.columns_with("quagga").await, Vec::<String>::new());
    database.drop_database().await;
}
