//! All the questions of `lab/data/addresses` on a database with a document for each of 31,102 verses.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::DateTime;
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::Policy;
use ibidem_engine::search::Searcher;
use ibidem_engine::turn::Asked;
use ibidem_lab::addresses::{load, run};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_testing::database::TestDatabase;
use ibidem_testing::fakes::{FakeEmbedder, FakeIndex};
use ibidem_words::{AddressKey, CollectionName, DocumentId, Identity, Question, Reason, Scope, Sha256Hash, TenantId};
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/addresses").join(name)
}

/// Every address there is, in the order of the books.
fn verses() -> Vec<String> {
    let books: BTreeMap<String, Vec<u32>> =
        serde_json::from_slice(&std::fs::read(data("verses_per_chapter.json")).unwrap()).unwrap();
    let chapters = books.iter().flat_map(|(book, chapters)| (1_u32..).zip(chapters).map(move |(n, c)| (book, n, *c)));
    chapters.flat_map(|(book, chapter, verses)| (1..=verses).map(move |n| format!("{book} {chapter}:{n}"))).collect()
}

/// As the catalogue would have them.
async fn shelve(database: &TestDatabase, tenant: TenantId, addresses: &[String]) {
    let pool = PgPoolOptions::new().max_connections(1).connect(&database.url).await.unwrap();
    let collection: CollectionName = "Verses".parse().unwrap();
    let place = |address: &String| format!("verses.jsonl#{address}");
    let ids: Vec<Uuid> =
        addresses.iter().map(|address| DocumentId::at(tenant, &collection, &place(address)).0).collect();
    let keys: Vec<String> = addresses.iter().map(|a| AddressKey::of(a).unwrap().as_str().to_owned()).collect();
    let digest = Sha256Hash::of(b"verse");
    sqlx::query("INSERT INTO collections (tenant_id, name) VALUES ($1, 'Verses')")
        .bind(tenant.0)
        .execute(&pool)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO documents (tenant_id, id, collection, source_location, tags, current_version, fingerprint, address,
                                address_key, words)
         SELECT $1, id, 'Verses', 'verses.jsonl#' || address, ARRAY['public'], 1, $5, address, key,
                to_tsvector('english', address)
         FROM unnest($2::uuid[], $3::text[], $4::text[]) AS verse (id, address, key)",
    )
    .bind(tenant.0)
    .bind(&ids)
    .bind(addresses)
    .bind(&keys)
    .bind(digest.as_bytes())
    .execute(&pool)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO document_versions (tenant_id, document_id, version, title, format, updated_at, original_sha256,
                                        text, text_sha256, chunk_count)
         SELECT $1, id, 1, address, 'plain', now(), $4, 'What ' || address || ' says.', $4, 1
         FROM unnest($2::uuid[], $3::text[]) AS verse (id, address)",
    )
    .bind(tenant.0)
    .bind(&ids)
    .bind(addresses)
    .bind(digest.as_bytes())
    .execute(&pool)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO chunks (tenant_id, document_id, version, chunk_index, span_start, span_end, tokens, sha256,
                             embedding_key, text)
         SELECT $1, id, 1, 0, 0, 1, 1, $4, $4, 'What ' || address || ' says.'
         FROM unnest($2::uuid[], $3::text[]) AS verse (id, address)",
    )
    .bind(tenant.0)
    .bind(&ids)
    .bind(addresses)
    .bind(digest.as_bytes())
    .execute(&pool)
    .await
    .unwrap();
    pool.close().await;
}

fn asked(tenant: TenantId, policy: &Arc<Policy>, query: &str) -> Asked {
    let identity = Identity::for_tests(tenant, "reader", Default::default());
    Asked {
        request_id: Uuid::nil(),
        at: DateTime::UNIX_EPOCH,
        scope: Scope::of(&identity),
        question: Question::new(query),
        policy: policy.clone(),
        deadline: Deadline::NONE,
    }
}

#[tokio::test]
async fn every_address_brings_exactly_what_it_names_and_what_does_not_exist_is_refused() {
    let database = TestDatabase::create().await;
    let tenant = database.store.ensure_tenant("default").await.unwrap();
    let addresses = verses();
    assert_eq!(addresses.len(), 31_102);
    shelve(&database, tenant, &addresses).await;

    // Nothing is searched by meaning or words: an index that is down would be noticed.
    let index = Arc::new(FakeIndex::new(64));
    index.set_down(true);
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let (catalogue, words) = (Arc::new(database.store.clone()), Arc::new(database.store.clone()));
    let engine = Engine::new(Searcher { embedder: Part::bare(embedder), index: Part::bare(index), catalogue, words });
    let policy = Arc::new(Policy::parse(&std::fs::read_to_string(data("policy.yaml")).unwrap()).unwrap());
    let queries = load(&data("address_queries.jsonl")).unwrap();
    assert_eq!(queries.len(), 525);
    let (scores, wrong) = run(&engine, |query| asked(tenant, &policy, query), &queries).await.unwrap();
    for score in &scores {
        eprintln!("{score:?}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");

    let missing = engine.ask(asked(tenant, &policy, "Luke 22:105"), &mut Nobody).await.unwrap().answer;
    assert_eq!(missing.reason, Some(Reason::EntityNotFound));
    let offered: Vec<_> = missing.offers.iter().map(|offer| (offer.text.as_str(), offer.query.as_str())).collect();
    assert_eq!(
        offered,
        [
            ("Did you mean Luke 22:71?", "Luke 22:71"),
            ("Did you mean Luke 22:70?", "Luke 22:70"),
            ("Did you mean Luke 22:69?", "Luke 22:69")
        ]
    );
    let partly = engine.ask(asked(tenant, &policy, "Genesis 1:30-33"), &mut Nobody).await.unwrap().answer;
    assert_eq!(partly.citations.len(), 2);
    assert_eq!(partly.warnings, ["There is no document called genesis 1 32, genesis 1 33."]);
    database.drop_database().await;
}
