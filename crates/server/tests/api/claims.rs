//! `POST /v1/claims`: whether the documents say what somebody says.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::world::World;

async fn held(world: &World, key: &str, body: Value) -> Value {
    let reply = world.call("POST", "/v1/claims", Some(key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.body);
    reply.body
}

#[tokio::test]
async fn a_claim_is_supported_by_the_passages_that_say_so_and_by_no_others() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.take_in_public("dogs.md", "Dogs", "Dogs may be brought to the office on Fridays.").await;
    let said = held(&world, &key, json!({ "claim": "Dogs may be brought to the office on Fridays." })).await;
    assert_eq!(said["verdict"], "supported", "{said}");
    let first = &said["passages"][0];
    assert_eq!((&first["verdict"], &first["by"]), (&json!("supported"), &json!("verbatim")));
    assert_eq!(first["document_name"], "Dogs");

    let named = json!({ "claim": "Dogs may be brought on Mondays.", "sources": [first["source_id"]] });
    let said = held(&world, &key, named).await;
    assert_ne!(said["verdict"], "supported", "{said}");
    assert_eq!(said["passages"].as_array().unwrap().len(), 1);
    assert!(said["passages"][0]["why"].is_string() || said["passages"][0]["support"].is_number());
    world.end().await;
}

#[tokio::test]
async fn texts_that_come_with_a_claim_are_evidence_for_it_alone() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.take_in_public("dogs.md", "Dogs", "Dogs may be brought to the office on Fridays.").await;
    let texts = json!([
        { "name": "Parking", "text": "Cars are parked behind the house." },
        { "text": "Bicycles are kept in the cellar. The cellar is locked at eight." }
    ]);
    let said = held(&world, &key, json!({ "claim": "The cellar is locked at eight.", "texts": texts })).await;
    assert_eq!(said["verdict"], "supported", "{said}");
    assert_eq!(said["passages"], json!([]), "with texts nothing is searched");
    assert_eq!((&said["texts"][0]["verdict"], &said["texts"][1]["by"]), (&json!("unsupported"), &json!("verbatim")));

    let other = json!({ "claim": "The cellar is locked at nine.", "texts": texts });
    assert_ne!(held(&world, &key, other).await["verdict"], "supported");

    let dogs = "Dogs may be brought to the office on Fridays.";
    let elsewhere = json!({ "claim": dogs, "texts": texts });
    assert_ne!(held(&world, &key, elsewhere).await["verdict"], "supported");
    let alone = held(&world, &key, json!({ "claim": dogs })).await;
    assert_eq!((&alone["verdict"], &alone["texts"]), (&json!("supported"), &json!([])), "{alone}");
    let both = json!({ "claim": dogs, "texts": texts, "sources": [alone["passages"][0]["source_id"]] });
    assert_eq!(held(&world, &key, both).await["verdict"], "supported");
    world.end().await;
}

#[tokio::test]
async fn what_the_caller_may_not_see_supports_nothing_and_is_not_there() {
    let world = World::create().await;
    let (asker, board) = (world.key("asker", &[]).await, world.key("asker", &["board"]).await);
    let claim = "The merger is called Kestrel.";
    world.take_in(world.tenant, "merger.md", "board", "Merger", claim).await;
    let seen = held(&world, &board, json!({ "claim": claim })).await;
    assert_eq!(seen["verdict"], "supported");
    let unseen = held(&world, &asker, json!({ "claim": claim })).await;
    assert_ne!(unseen["verdict"], "supported");
    // Why a passage does not support it may be said in the claim's own words, so the passages are looked at one by one.
    for passage in unseen["passages"].as_array().unwrap() {
        assert_ne!(passage["document_name"], "Merger", "{passage}");
        assert!(!passage["text"].as_str().unwrap().contains("Kestrel"), "{passage}");
    }
    let hidden = json!({ "claim": claim, "sources": [seen["passages"][0]["source_id"]] }).to_string();
    let absent = json!({ "claim": claim, "sources": ["00000000-0000-0000-0000-000000000001:0"] }).to_string();
    let hidden = world.call("POST", "/v1/claims", Some(&asker), &hidden).await;
    let absent = world.call("POST", "/v1/claims", Some(&asker), &absent).await;
    assert_eq!((hidden.status, absent.status), (StatusCode::NOT_FOUND, StatusCode::NOT_FOUND));
    let without_id = |mut body: Value| {
        body["request_id"].take();
        body
    };
    assert_eq!(without_id(hidden.body), without_id(absent.body));
    world.end().await;
}

#[tokio::test]
async fn what_is_no_claim_is_named() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    for (body, named) in [
        (json!({ "claim": "" }), "claim"),
        (json!({ "claim": "x".repeat(2_001) }), "claim"),
        (json!({ "claim": "A claim.", "sources": ["no id"] }), "source id"),
        (json!({ "claim": "A claim.", "sources": vec!["00000000-0000-0000-0000-000000000001:0"; 17] }), "sources"),
        (json!({ "claim": "A claim.", "texts": [{ "text": "" }] }), "text"),
        (json!({ "claim": "A claim.", "texts": [{ "text": "x".repeat(20_001) }] }), "text"),
        (json!({ "claim": "A claim.", "texts": vec![json!({ "text": "x" }); 17] }), "texts"),
        (json!({ "claim": "A claim.", "more": 1 }), "more"),
    ] {
        let reply = world.call("POST", "/v1/claims", Some(&key), &body.to_string()).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", reply.body);
        assert!(reply.body["detail"].as_str().unwrap().contains(named), "{named}: {}", reply.body);
    }
    world.end().await;
}
