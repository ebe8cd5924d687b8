//! Feedback: whose it may be, who reads it, and that it is counted.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::world::{METRICS_TOKEN, World};

const QUESTION: &str = r#"{"query": "How many days of leave may be carried over, by the okapi rule?"}"#;

async fn answered(world: &World, key: &str) -> String {
    let answer = world.call("POST", "/v1/answers", Some(key), QUESTION).await.body;
    assert_eq!(answer["action"], "cite", "{answer}");
    let path = format!("/v1/answers/{}", answer["request_id"].as_str().unwrap());
    world.written(1).await;
    path
}

async fn listed(world: &World, key: &str) -> Vec<Value> {
    let reply = world.call("GET", "/v1/feedback", Some(key), "").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body["feedback"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_asker_says_what_is_wrong_and_curators_of_the_sources_read_it() {
    let world = World::create().await;
    let text = "Five days of leave may be carried over by the okapi rule of the board.";
    world.take_in(world.tenant, "okapi.md", "board", "Board okapi", text).await;
    let key = world.key_named("desk", "asker", &["board"]).await;
    let path = format!("{}/feedback", answered(&world, &key).await);
    let down = json!({ "thumb": "down", "reason": "incomplete", "comment": "And the okapi?" });
    for (body, status) in [
        (json!({ "thumb": "up", "reason": "wrong" }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "thumb": "sideways" }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "thumb": "down", "comment": "x".repeat(2_001) }), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({ "thumb": "up" }), StatusCode::NO_CONTENT),
        (down.clone(), StatusCode::NO_CONTENT),
    ] {
        let reply = world.call("POST", &path, Some(&key), &body.to_string()).await;
        assert_eq!(reply.status, status, "{body}: {}", reply.text);
    }
    let other = world.key_named("desk", "admin", &["board"]).await;
    assert_eq!(world.call("POST", &path, Some(&other), &down.to_string()).await.status, StatusCode::NOT_FOUND);

    let read = listed(&world, &world.key("curator", &["board"]).await).await;
    assert_eq!(read.len(), 1, "the last word counts: {read:?}");
    assert_eq!((&read[0]["reason"], &read[0]["comment"]), (&json!("incomplete"), &json!("And the okapi?")));
    assert!(read[0]["question"].as_str().unwrap().contains("okapi rule"));
    assert!(listed(&world, &world.key("curator", &[]).await).await.is_empty(), "not of what they do not see");
    assert!(listed(&world, &world.key("admin", &[]).await).await.is_empty(), "nor an admin without the tag");
    let asker = world.key("asker", &["board"]).await;
    assert_eq!(world.call("GET", "/v1/feedback", Some(&asker), "").await.status, StatusCode::FORBIDDEN);

    let counted = world.call("GET", "/metrics", Some(&format!("Bearer {METRICS_TOKEN}")), "").await.text;
    assert!(counted.contains(r#"answer_feedback_total{verdict="incomplete"} 1"#), "{counted}");
    assert!(counted.contains(r#"answer_feedback_total{verdict="up"} 1"#), "{counted}");
    world.end().await;
}
