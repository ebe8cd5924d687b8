//! Who sees what, and from when on.

use ibidem_ports::catalogue::Catalogue;
use ibidem_ports::intake::{Intake, Submitted};
use ibidem_store::RemovalOutcome;
use sqlx::Connection as _;

use super::*;

#[tokio::test]
async fn a_passage_is_seen_with_its_place_only_inside_its_scope() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["security"]), &["First.", "Second."]).await;
        let seen =
            store.visible(&scope(tenant, &["security"]), &[key(document, 1, 1), key(document, 1, 0)]).await.unwrap();
        assert_eq!(seen.len(), 2);
        let second = seen.iter().find(|passage| passage.passage.chunk_index == 1).unwrap();
        assert_eq!(
            (second.text.as_str(), second.page, second.span),
            ("Second.", Some(3), CharSpan { start: 100, end: 107 })
        );
        assert_eq!(second.section.as_deref(), Some("Decision"));
        assert_eq!(second.above, LinesAbove { heading: Some(above()), ..LinesAbove::default() });
        assert_eq!(second.document_sha256, Sha256Hash::of(b"First.\nSecond."));

        let other = store.ensure_tenant("other").await.unwrap();
        for hidden in [scope(tenant, &[]), scope(tenant, &["finance"]), scope(other, &["security", "public"])] {
            assert!(store.visible(&hidden, &[key(document, 1, 0)]).await.unwrap().is_empty());
        }
        for missing in [key(document, 2, 0), key(document, 1, 9), key(DocumentId(Uuid::from_u128(1)), 1, 0)] {
            assert!(store.visible(&scope(tenant, &["security"]), &[missing]).await.unwrap().is_empty());
        }
    })
    .await;
}

#[tokio::test]
async fn retagging_and_removing_count_at_once() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
        let sees = |names: &'static [&'static str]| {
            let store = store.clone();
            async move { !store.visible(&scope(tenant, names), &[key(document, 1, 0)]).await.unwrap().is_empty() }
        };
        assert!(sees(&[]).await);
        assert_eq!(store.retag(tenant, document, &tags(&["finance"])).await.unwrap(), RemovalOutcome::Done);
        assert!(!sees(&[]).await);
        assert!(sees(&["finance"]).await);
        assert_eq!(store.remove(tenant, document).await.unwrap(), RemovalOutcome::Done);
        assert!(!sees(&["finance"]).await);
        assert_eq!(store.remove(tenant, document).await.unwrap(), RemovalOutcome::NotFound);
        let other = store.ensure_tenant("other").await.unwrap();
        assert_eq!(store.retag(other, document, &tags(&["public"])).await.unwrap(), RemovalOutcome::NotFound);
    })
    .await;
}

#[tokio::test]
async fn a_document_retagged_while_it_is_read_gets_the_newer_audience() {
    with_store(|store, tenant| async move {
        let submission = submission(tenant, "a.md", "one", &["public"]);
        let document = submission.document_id();
        store.submit(tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
        let jobs = Intake::claim(&store, 1).await.unwrap();
        store.retag(tenant, document, &tags(&["finance"])).await.unwrap();
        Intake::commit(&store, jobs.into_iter().map(|job| (job, version(&["First."]))).collect()).await.unwrap();
        assert!(store.visible(&scope(tenant, &[]), &[key(document, 1, 0)]).await.unwrap().is_empty());
        assert_eq!(store.visible(&scope(tenant, &["finance"]), &[key(document, 1, 0)]).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_document_removed_while_it_is_read_stays_removed() {
    with_store(|store, tenant| async move {
        let submission = submission(tenant, "a.md", "one", &["public"]);
        let document = submission.document_id();
        store.submit(tenant, Uuid::now_v7(), READING, &[submission]).await.unwrap();
        let jobs = Intake::claim(&store, 1).await.unwrap();
        store.remove(tenant, document).await.unwrap();
        let outcomes = Intake::commit(&store, jobs.into_iter().map(|job| (job, version(&["First."]))).collect()).await;
        assert_eq!(outcomes.unwrap(), [ibidem_ports::intake::Committed::LeaseLost]);
        assert!(store.visible(&scope(tenant, &[]), &[key(document, 1, 0)]).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn handing_in_again_queues_only_what_changed() {
    with_store(|store, tenant| async move {
        take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First."]).await;
        let hand_in = |text: &'static str, audience: &'static [&'static str], reading: &'static str| {
            let store = store.clone();
            async move {
                let submission = submission(tenant, "a.md", text, audience);
                store.submit(tenant, Uuid::now_v7(), reading, &[submission]).await.unwrap()[0]
            }
        };
        assert_eq!(hand_in("one", &["public"], READING).await, Submitted::Unchanged);
        assert_eq!(hand_in("one", &["finance"], READING).await, Submitted::Retagged);
        assert_eq!(hand_in("two", &["finance"], READING).await, Submitted::Queued);
        // The old content again, before the new was read: the newer job is taken back.
        assert_eq!(hand_in("one", &["finance"], READING).await, Submitted::Retagged);
        assert!(Intake::claim(&store, 10).await.unwrap().is_empty());
        assert_eq!(hand_in("one", &["finance"], "a better reader").await, Submitted::Queued);
    })
    .await;
}

#[tokio::test]
async fn documents_are_listed_in_order_page_by_page_within_the_scope() {
    with_store(|store, tenant| async move {
        for (location, audience) in [("c.md", "public"), ("a.md", "public"), ("b.md", "finance"), ("d.md", "public")] {
            take_in(&store, submission(tenant, location, location, &[audience]), &["First."]).await;
        }
        let all = scope(tenant, &[]);
        let first = store.list_documents(&all, None, 2).await.unwrap();
        let names: Vec<_> = first.iter().map(|row| row.source_location.as_str()).collect();
        assert_eq!(names, ["a.md", "c.md"]);
        let rest =
            store.list_documents(&all, Some((&first[1].collection, &first[1].source_location)), 2).await.unwrap();
        assert_eq!(rest.len(), 1);
        assert_eq!(rest[0].source_location, "d.md");
    })
    .await;
}

/// The lines of a query's plan.
async fn plan(database: &TestDatabase, query: &'static str) -> String {
    let mut connection = sqlx::PgConnection::connect(&database.url).await.unwrap();
    sqlx::raw_sql("SET enable_seqscan = off").execute(&mut connection).await.unwrap();
    let lines: Vec<String> = sqlx::query_scalar(query).fetch_all(&mut connection).await.unwrap();
    lines.join("\n")
}

#[tokio::test]
async fn the_rule_of_visibility_costs_no_index() {
    let database = TestDatabase::create().await;
    let plan = plan(
        &database,
        "EXPLAIN (COSTS off) SELECT id FROM documents
         WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND is_visible(tags, removed_at, ARRAY['public'])
         ORDER BY collection, source_location",
    )
    .await;
    // The planner has put the rule in the place of the call: an index with `WHERE removed_at IS NULL` can be used.
    assert!(plan.contains("documents_by_collection"), "{plan}");
    assert!(plan.contains("tags && '{public}'") && !plan.contains("is_visible"), "{plan}");
    database.drop_database().await;
}

#[test]
fn no_query_has_a_rule_of_visibility_of_its_own() {
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut calls = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let text = std::fs::read_to_string(&entry).unwrap();
            assert!(!text.contains("tags &&"), "{}: use is_visible of the database", entry.display());
            calls += text.matches("is_visible(").count();
        }
    }
    assert!(calls > 10, "{calls}");
}
