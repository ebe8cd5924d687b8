//! `POST /v1/answers`: whole, as a stream, and for somebody who hangs up.

use std::time::Duration;

use axum::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::world::World;

const QUESTION: &str = r#"{"query": "How many days of leave may be carried over?"}"#;
const STREAMED: &str = r#"{"query": "How many days of leave may be carried over?", "stream": true}"#;

/// The events of a stream, by name and data.
fn events(stream: &str) -> Vec<(String, Value)> {
    let field = |event: &str, name: &str| {
        let lines = event.lines().filter_map(|line| line.strip_prefix(name));
        lines.map(|line| line.trim_start().to_owned()).collect::<Vec<_>>().join("\n")
    };
    let events = stream.split("\n\n").filter(|event| event.contains("event:"));
    events.map(|event| (field(event, "event:"), serde_json::from_str(&field(event, "data:")).unwrap())).collect()
}

#[tokio::test]
async fn an_answer_has_every_field_of_the_contract_and_cites_what_the_asker_may_see() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let reply = world.call("POST", "/v1/answers", Some(&key), QUESTION).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.body);
    let mut fields: Vec<_> = reply.body.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "action",
            "answer",
            "citations",
            "confidence",
            "context_chunks_used",
            "context_tokens_used",
            "generation_time_ms",
            "grounded",
            "language",
            "model_used",
            "nearest",
            "reason",
            "receipt",
            "refusal_reason",
            "refused",
            "request_id",
            "retrieval_quality",
            "route_to",
            "suggestions",
            "trace",
            "transparency",
            "warnings",
            "why"
        ]
    );
    assert_eq!(reply.body["action"], "cite");
    assert_eq!(reply.body["answer"], "Five days may be carried over.[1] Leave may be carried over.[1]");
    assert_eq!(reply.body["request_id"].as_str(), reply.header("x-request-id"));
    assert_eq!(reply.body["context_tokens_used"], 58, "as the model counts, by the estimate");
    let citation = &reply.body["citations"][0];
    let mut fields: Vec<_> = citation.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "address",
            "chunk_index",
            "collection",
            "document_id",
            "document_name",
            "document_sha256",
            "file",
            "link",
            "marker",
            "page_number",
            "relevance_score",
            "replaced_by",
            "section",
            "snippet",
            "snippet_full",
            "source_id",
            "span",
            "status",
            "updated_at",
            "version"
        ]
    );
    assert_eq!(citation["snippet"], "Five days of leave may be carried over.");
    assert_eq!(citation["source_id"], format!("{}:0", citation["document_id"].as_str().unwrap()));
    world.end().await;
}

#[tokio::test]
async fn a_stream_ends_in_the_same_answer_and_shows_no_sentence_without_a_source() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let whole = world.call("POST", "/v1/answers", Some(&key), QUESTION).await.body;
    let reply = world.call("POST", "/v1/answers", Some(&key), STREAMED).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let events = events(&reply.text);
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["sentence", "sentence", "answer"], "{}", reply.text);
    assert_eq!(events[0].1["text"], "Five days may be carried over.[1] ");
    let last = &events[2].1;
    for field in ["action", "answer", "citations", "trace", "warnings"] {
        assert_eq!(last[field], whole[field], "{field}");
    }
    for field in ["stretches", "answer_sha256", "policy_sha256", "trace_sha256"] {
        assert_eq!(last["receipt"][field], whole["receipt"][field], "{field}");
    }
    assert_eq!(events[0].1["citations"][0], whole["citations"][0]);
    world.end().await;
}

#[tokio::test]
async fn a_refusal_is_an_answer_with_its_reason_numbers_and_next_step() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let body = json!({ "query": "Quarks, gluons and penguins?" }).to_string();
    let streamed = json!({ "query": "Quarks, gluons and penguins?", "stream": true }).to_string();
    let reply = world.call("POST", "/v1/answers", Some(&key), &body).await;
    assert_eq!((reply.status, reply.body["refused"].as_bool()), (StatusCode::OK, Some(true)));
    assert_eq!(reply.body["reason"], "low_similarity");
    assert!(reply.body["refusal_reason"].as_str().unwrap().ends_with("below threshold (0.3)"), "{}", reply.body);
    assert!(!reply.body["suggestions"].as_array().unwrap().is_empty());
    let stream = world.call("POST", "/v1/answers", Some(&key), &streamed).await.text;
    assert_eq!(events(&stream).len(), 1, "{stream}");
    assert!(world.model.prompts().is_empty(), "no model was asked");
    world.end().await;
}

#[tokio::test]
async fn somebody_who_hangs_up_does_not_lose_the_record() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let headers = |id: &'static str, key: &str| {
        [
            ("x-request-id", id.to_owned()),
            ("authorization", key.to_owned()),
            ("content-type", "application/json".to_owned()),
        ]
    };
    for (id, body) in
        [("0190163d-8694-739b-aea5-966c26f8ad91", STREAMED), ("0190163d-8694-739b-aea5-966c26f8ad92", QUESTION)]
    {
        let headers = headers(id, &key);
        let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let id: Uuid = id.parse().unwrap();
        {
            // While the model thinks, the stream is dropped unread, and the plain reply before it is there.
            let _attention = world.thoughtful.attention.acquire_many(8).await.unwrap();
            let begun = world.begin("POST", "/v1/answers", &headers, body);
            tokio::select! {
                reply = begun => {
                    drop(reply);
                    world.thoughtful.asked.notified().await;
                }
                () = world.thoughtful.asked.notified() => {}
            }
            assert!(world.store().audit(world.tenant, id).await.unwrap().is_empty(), "it is still under way");
        }
        let mut turns = Vec::new();
        for _ in 0..3_000 {
            turns = world.store().audit(world.tenant, id).await.unwrap();
            if !turns.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let record = turns.pop().expect("the turn was recorded");
        assert_eq!(record.answer["answer"], "Five days may be carried over.[1] Leave may be carried over.[1]");
        assert!(record.draft.unwrap().contains("Ten are."), "the record keeps what the model really said");
    }
    world.end().await;
}

#[tokio::test]
async fn an_answer_is_read_again_by_whoever_asked_and_by_nobody_else() {
    let world = World::create().await;
    let (key, other) = (world.key("asker", &[]).await, world.key_named("another desk", "admin", &[]).await);
    let answer = world.call("POST", "/v1/answers", Some(&key), QUESTION).await.body;
    let path = format!("/v1/answers/{}", answer["request_id"].as_str().unwrap());
    let mut read = world.call("GET", &path, Some(&key), "").await;
    for _ in 0..3_000 {
        if read.status == StatusCode::OK {
            break;
        }
        // Nobody waits for the record.
        tokio::time::sleep(Duration::from_millis(20)).await;
        read = world.call("GET", &path, Some(&key), "").await;
    }
    assert_eq!((read.status, &read.body), (StatusCode::OK, &answer));
    // Not there, somebody else's, and not even an id: one and the same.
    let mut replies = Vec::new();
    for (path, key) in [
        ("/v1/answers/00000000-0000-0000-0000-000000000007", &key),
        (path.as_str(), &other),
        ("/v1/answers/seven", &key),
    ] {
        let mut reply = world.call("GET", path, Some(key), "").await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
        reply.body.as_object_mut().unwrap().remove("request_id");
        replies.push(reply.body);
    }
    assert!(replies.windows(2).all(|two| two[0] == two[1]), "{replies:?}");
    world.end().await;
}

#[tokio::test]
async fn what_is_wrong_with_the_asking_is_a_problem_that_says_what_to_do() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let too_long = json!({ "query": "x".repeat(4_001) }).to_string();
    let cases = [
        (r#"{"query": " "}"#, "invalid_request"),
        (&too_long, "invalid_request"),
        (r#"{"query": "x", "max_context_chunks": 0}"#, "invalid_request"),
        (r#"{"query": "x", "tenant": "other"}"#, "malformed_request"),
        (r#"{"query": "x", "history": [{"role": "root", "content": "y"}]}"#, "malformed_request"),
        (r#"{"query": "x", "model": "other"}"#, "model_not_allowed"),
    ];
    for (body, kind) in cases {
        let reply = world.call("POST", "/v1/answers", Some(&key), body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert_eq!(reply.body["type"], kind, "{body}");
    }
    let reply = world.call("POST", "/v1/answers", Some(&key), r#"{"query": "x", "model": "other"}"#).await;
    assert!(reply.body["detail"].as_str().unwrap().contains("allowed are: scripted"), "{}", reply.body);
    world.end().await;
}

#[tokio::test]
async fn without_the_index_the_refusal_names_it_and_nothing_is_made_up() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.index.set_down(true);
    let reply = world.call("POST", "/v1/answers", Some(&key), QUESTION).await;
    assert_eq!(reply.body["reason"], "retrieval_unavailable", "{}", reply.body);
    assert!(world.model.prompts().is_empty());
    world.end().await;
}

#[tokio::test]
async fn the_public_keys_of_receipts_are_for_everybody() {
    let world = World::create().await;
    let key = world.store().signing_key().await.unwrap();
    let reply = world.call("GET", "/.well-known/ibidem-receipt-keys.json", None, "").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.body);
    assert_eq!(reply.body["keys"][0]["kid"], key.public().id());
    assert_eq!((&reply.body["keys"][0]["kty"], &reply.body["keys"][0]["crv"]), (&"OKP".into(), &"Ed25519".into()));
    assert!(!reply.text.contains("\"d\""), "the private half is nobody's");
    world.end().await;
}
