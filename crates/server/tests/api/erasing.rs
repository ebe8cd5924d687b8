//! `DELETE /v1/documents/{id}`: removed, or erased with everything that repeats it.

use axum::http::StatusCode;
use ibidem_words::DocumentId;
use serde_json::json;

use super::world::World;

/// Only in the document that is erased.
const SECRET: &str = "quagga";

async fn world_with_a_secret() -> (World, DocumentId, String) {
    let world = World::create().await;
    let text = format!("Five days of leave may be carried over by the pelican, the heron and the {SECRET}.");
    let secret = world.take_in_original("secret.md", &format!("Pelican, heron and {SECRET}"), &text).await;
    (world, secret, format!("/v1/documents/{secret}"))
}

#[tokio::test]
async fn only_admins_remove_and_others_documents_are_not_there() {
    let (world, secret, path) = world_with_a_secret().await;
    for role in ["asker", "curator"] {
        let key = world.key(role, &["public"]).await;
        assert_eq!(world.call("DELETE", &path, Some(&key), "").await.status, StatusCode::FORBIDDEN);
    }
    let elsewhere = world.key_of("other", "admin").await;
    for path in [path.clone(), format!("{path}?erase=true")] {
        assert_eq!(world.call("DELETE", &path, Some(&elsewhere), "").await.status, StatusCode::NOT_FOUND);
    }
    let admin = world.key("admin", &[]).await;
    for nothing in ["/v1/documents/seven", "/v1/documents/00000000-0000-0000-0000-000000000007?erase=true"] {
        assert_eq!(world.call("DELETE", nothing, Some(&admin), "").await.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(world.call("DELETE", &path, Some(&admin), "").await.status, StatusCode::NO_CONTENT);
    assert_eq!(world.call("DELETE", &path, Some(&admin), "").await.status, StatusCode::NOT_FOUND);
    let erased = world.call("DELETE", &format!("{path}?erase=true"), Some(&admin), "").await;
    assert_eq!((erased.status, &erased.body["document_id"]), (StatusCode::OK, &json!(secret.0)), "a removed one too");
    world.end().await;
}

#[tokio::test]
async fn after_an_erasure_no_column_has_a_word_of_the_document() {
    let (world, _, path) = world_with_a_secret().await;
    let (key, admin) = (world.key("asker", &[]).await, world.key_named("boss", "admin", &[]).await);
    let body = json!({"query": "How many days of leave may be carried over by the pelican, the heron and others?", "session_id": "s"});
    let answer = world.call("POST", "/v1/answers", Some(&key), &body.to_string()).await.body;
    assert!(answer["citations"].to_string().contains(SECRET), "{answer}");
    // The asker goes on, and sends along what was said.
    let quoted = answer["citations"][0]["snippet_full"].as_str().unwrap();
    let history = json!([{"role": "user", "content": "And?"}, {"role": "assistant", "content": quoted}]);
    let body = json!({"query": "Penguins and gluons?", "history": history});
    world.call("POST", "/v1/answers", Some(&key), &body.to_string()).await;
    let note = json!({"triggers": ["Which rule?"], "text": "There is a rule.", "tags": ["public"],
        "references": [{"document": path.rsplit('/').next().unwrap()}, {"address": "ADR-1"}]});
    let noted = world
        .call("POST", "/v1/memory/notes", Some(&world.key_named("c", "curator", &[]).await), &note.to_string())
        .await;
    assert_eq!(noted.status, StatusCode::CREATED, "{}", noted.text);
    world.written(2).await;
    assert!(!world.columns_with(SECRET).await.is_empty());

    let erased = world.call("DELETE", &format!("{path}?erase=true"), Some(&admin), "").await;
    assert_eq!(erased.status, StatusCode::OK, "{}", erased.text);
    for (field, count) in
        [("versions", 1), ("passages", 1), ("originals", 1), ("sentences", 2), ("replies", 1), ("references", 1)]
    {
        assert_eq!(erased.body[field], count, "{field}: {}", erased.text);
    }
    assert!(erased.body["records"].as_u64().unwrap() >= 1, "{}", erased.text);
    assert!(!erased.body["kept"].as_array().unwrap().is_empty());
    assert_eq!(world.columns_with(SECRET).await, Vec::<String>::new());
    assert_eq!(world.originals_with(SECRET), 0);
    // The question was asked, and its decision stands.
    let read =
        world.call("GET", &format!("/v1/answers/{}", answer["request_id"].as_str().unwrap()), Some(&key), "").await;
    assert_eq!((&read.body["action"], &read.body["answer"]), (&json!("cite"), &json!("")), "{}", read.text);
    assert_eq!(world.store().turn_count().await.unwrap(), 2);

    let again = world.call("DELETE", &format!("{path}?erase=true"), Some(&admin), "").await;
    assert_eq!(again.status, StatusCode::OK);
    for field in ["versions", "passages", "vectors", "originals", "records", "sentences", "replies", "references"] {
        assert_eq!(again.body[field], 0, "{field}: {}", again.text);
    }
    world.end().await;
}
