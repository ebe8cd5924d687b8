//! `POST /v1/search`.

use axum::http::StatusCode;
use serde_json::json;

use crate::world::World;

async fn names(world: &World, key: &str, body: serde_json::Value) -> Vec<String> {
    let reply = world.call("POST", "/v1/search", Some(key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.body);
    let hits = reply.body["hits"].as_array().unwrap().iter();
    hits.map(|hit| hit["source_location"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_hit_carries_both_scores_and_its_place_in_the_document() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let reply = world.call("POST", "/v1/search", Some(&key), r#"{"query": "leave carried over"}"#).await;
    insta::assert_json_snapshot!(reply.body, {
        ".request_id" => "[request_id]",
        ".hits[].scores.cosine" => insta::rounded_redaction(3),
        ".hits[].scores.bm25" => insta::rounded_redaction(3),
        ".hits[].scores.fused" => insta::rounded_redaction(5),
    });
    world.end().await;
}

#[tokio::test]
async fn a_key_finds_public_documents_and_those_of_its_tags_in_its_own_tenant() {
    let world = World::create().await;
    let query = json!({"query": "leave"});
    let asker = world.key("asker", &[]).await;
    assert_eq!(names(&world, &asker, query.clone()).await, ["leave.md"]);
    let finance = world.key("asker", &["finance"]).await;
    assert_eq!(names(&world, &finance, query).await, ["leave.md", "salaries.md"]);
    assert_eq!(names(&world, &finance, json!({"query": "leave", "limit": 1})).await, ["leave.md"]);
    world.end().await;
}

#[tokio::test]
async fn a_collection_that_is_not_there_or_whose_documents_are_all_hidden_is_an_error() {
    let world = World::create().await;
    world.take_in_to("Payroll", world.tenant, "payroll.md", "finance", ["Payroll", "Leave is paid."]).await;
    let (asker, finance) = (world.key("asker", &[]).await, world.key("asker", &["finance"]).await);
    for path in ["/v1/search", "/v1/answers"] {
        for (key, collection, status) in [
            (&asker, "ADR", StatusCode::UNPROCESSABLE_ENTITY),
            (&asker, "Payroll", StatusCode::UNPROCESSABLE_ENTITY),
            (&finance, "Payroll", StatusCode::OK),
        ] {
            let body = json!({"query": "leave", "collections": [collection]}).to_string();
            let reply = world.call("POST", path, Some(key), &body).await;
            assert_eq!(reply.status, status, "{path} {collection}: {}", reply.body);
            let is_unknown = reply.body["type"] == "unknown_collection";
            assert_eq!(is_unknown, status == StatusCode::UNPROCESSABLE_ENTITY, "{}", reply.body);
        }
    }
    world.end().await;
}

#[tokio::test]
async fn a_document_withdrawn_in_the_catalogue_is_not_shown_even_though_the_index_still_has_it() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let query = json!({"query": "leave"});
    let scope = ibidem_words::Scope::of(&world.store().authenticate(&key["Bearer ".len()..]).await.unwrap().identity);
    let document = world.store().list_documents(&scope, None, 1).await.unwrap().remove(0).id;
    world.store().retag(world.tenant, document, &["finance".parse().unwrap()]).await.unwrap();
    assert!(names(&world, &key, query.clone()).await.is_empty());
    world.store().retag(world.tenant, document, &["public".parse().unwrap()]).await.unwrap();
    assert_eq!(names(&world, &key, query.clone()).await, ["leave.md"]);
    world.store().remove(world.tenant, document).await.unwrap();
    assert!(names(&world, &key, query).await.is_empty());
    world.end().await;
}

#[tokio::test]
async fn without_the_embedding_model_words_alone_are_searched_and_that_is_said() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.embedder.set_down(true);
    let reply = world.call("POST", "/v1/search", Some(&key), r#"{"query": "leave"}"#).await;
    assert_eq!(reply.body["fallback_reasons"], json!(["bm25_only"]));
    assert_eq!(reply.body["hits"][0]["scores"]["cosine"], serde_json::Value::Null);
    assert_eq!(reply.body["hits"][0]["source_location"], "leave.md");
    let dense = world.call("POST", "/v1/search", Some(&key), r#"{"query": "leave", "lanes": "dense"}"#).await;
    assert_eq!(
        (dense.status, dense.body["type"].as_str()),
        (StatusCode::SERVICE_UNAVAILABLE, Some("embedding_unavailable"))
    );
    world.end().await;
}

#[tokio::test]
async fn without_the_index_the_search_is_refused_and_no_reason_leaks() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.index.set_down(true);
    let reply = world.call("POST", "/v1/search", Some(&key), r#"{"query": "leave"}"#).await;
    insta::assert_json_snapshot!(reply.body, {".request_id" => "[request_id]"});
    world.end().await;
}
