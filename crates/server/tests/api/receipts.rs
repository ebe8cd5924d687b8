//! Whatever door an answer comes out of, and whenever, its receipt is of all that the answer says.

use std::time::Duration;

use axum::http::StatusCode;
use ibidem_engine::receipts::{Presented, PresentedError};
use ibidem_words::{PublicKeys, SignatureOutcome};
use serde_json::{Value, json};

use super::mcp::called;
use super::world::{World, signing_key};

const QUESTION: &str = "How many days of leave may be carried over?";

/// The answer is what was given: its receipt is signed, and covers all of it and the question.
pub(super) fn is_whole(answer: &Value) -> bool {
    let presented = Presented::parse(&answer.to_string()).unwrap();
    let (receipt, keys) = (&presented.receipt, PublicKeys::of([signing_key().public().clone()]));
    let signature = keys.check(receipt.sha256, receipt.asked_at, receipt.signature.as_ref());
    let is_signed = matches!(signature, SignatureOutcome::Valid { .. });
    is_signed && presented.has_answer && presented.covers_what_was_shown() && presented.tampered.is_empty()
}

/// The data of the last event of a stream that has this field.
fn last_with(stream: &str, field: &str) -> Value {
    let data = stream.lines().rev().filter_map(|line| line.strip_prefix("data:"));
    let read = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    read.into_iter().find(|event| event.get(field).is_some_and(|it| !it.is_null())).unwrap()
}

/// Once it is recorded.
async fn read(world: &World, path: &str, key: &str) -> Value {
    for _ in 0..3_000 {
        let reply = world.call("GET", path, Some(key), "").await;
        if reply.status == StatusCode::OK {
            return reply.body;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("{path} was not recorded");
}

#[tokio::test]
async fn the_answer_of_every_door_is_the_one_that_its_receipt_is_of() {
    let world = World::create().await;
    let (key, admin) = (world.key("asker", &[]).await, world.key("admin", &[]).await);
    let conversation = world.call("POST", "/v1/conversations", Some(&key), "{}").await.body;
    let conversation = format!("/v1/conversations/{}", conversation["id"].as_str().unwrap());
    let chat = |more: Value| {
        let mut body = json!({ "model": "ibidem", "messages": [{ "role": "user", "content": QUESTION }] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body.to_string()
    };
    let post = async |path: &str, body: String| world.call("POST", path, Some(&key), &body).await;

    let id = conversation.rsplit('/').next().unwrap();
    let whole = post("/v1/answers", json!({ "query": QUESTION, "conversation_id": id }).to_string()).await.body;
    let stream = post("/v1/answers", json!({ "query": QUESTION, "stream": true }).to_string()).await.text;
    let completion = post("/v1/chat/completions", chat(json!({}))).await.body;
    let chunks = post("/v1/chat/completions", chat(json!({ "stream": true }))).await.text;
    let agents = called(&world, &key, "ask", json!({ "query": QUESTION })).await;
    let request = whole["request_id"].as_str().unwrap();
    let again = read(&world, &format!("/v1/answers/{request}"), &key).await;
    let recorded = read(&world, &format!("/v1/audit/{request}"), &admin).await;
    let talked = read(&world, &conversation, &key).await;
    let exported = read(&world, &format!("{conversation}/export"), &key).await;
    for (door, answer) in [
        ("whole", &whole),
        ("stream", &last_with(&stream, "receipt")),
        ("chat", &completion["ibidem"]),
        ("chat stream", &last_with(&chunks, "ibidem")["ibidem"]),
        ("agents", &agents["structuredContent"]),
        ("again", &again),
        ("audit", &recorded["records"][0]["answer"]),
        ("conversation", &talked["questions"][0]["answer"]),
        ("export", &exported["questions"][0]["answer"]),
    ] {
        assert_eq!(answer["action"], "cite", "{door}: {answer}");
        assert_eq!(answer["receipt"]["question"], QUESTION, "{door}: {answer}");
        assert!(is_whole(answer), "{door}: {answer}");
        let mut changed = answer.clone();
        changed["citations"][0]["document_name"] = json!("Salaries");
        assert!(!is_whole(&changed), "{door}");
    }
    assert_eq!((&again, &talked["questions"][0]["answer"]), (&whole, &whole));
    world.end().await;
}

#[tokio::test]
async fn an_answer_of_which_something_was_withdrawn_has_no_receipt_and_a_check_says_why() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let body = json!({ "query": QUESTION }).to_string();
    let answer = world.call("POST", "/v1/answers", Some(&key), &body).await.body;
    let path = format!("/v1/answers/{}", answer["request_id"].as_str().unwrap());
    assert!(is_whole(&read(&world, &path, &key).await));
    let document = answer["citations"][0]["document_id"].as_str().unwrap().parse().unwrap();
    world.store().remove(world.tenant, ibidem_words::DocumentId(document)).await.unwrap();
    let without = read(&world, &path, &key).await;
    assert_eq!(without["receipt"], Value::Null, "{without}");
    assert_eq!(Presented::parse(&without.to_string()), Err(PresentedError::Withdrawn));
    // What was given then can still be checked.
    assert!(is_whole(&answer));
    world.end().await;
}
