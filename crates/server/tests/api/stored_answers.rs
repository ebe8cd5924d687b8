//! Answers read again: only by the key that asked, and only what that key may see now.

use std::time::Duration;

use axum::http::StatusCode;
use ibidem_words::{DocumentId, Tag};
use serde_json::{Value, json};

use super::world::{Reply, World};

const QUESTION: &str = r#"{"query": "How many days of leave may be carried over, by the okapi rule?"}"#;
/// Only in the document that is not for everybody.
const SECRET: &str = "okapi rule of the board";

async fn world_with_a_secret() -> (World, DocumentId) {
    let world = World::create().await;
    let text = format!("Five days of leave may be carried over by the {SECRET}.");
    let secret = world.take_in(world.tenant, "okapi.md", "board", "Board okapi", &text).await;
    (world, secret)
}

/// An answer that cites the secret, as it was given, once it is recorded; and where it is read again.
async fn asked(world: &World, key: &str) -> (Value, String) {
    let answer = world.call("POST", "/v1/answers", Some(key), QUESTION).await.body;
    assert_eq!(answer["action"], "cite", "{answer}");
    assert!(answer.to_string().contains(SECRET), "{answer}");
    let path = format!("/v1/answers/{}", answer["request_id"].as_str().unwrap());
    for _ in 0..3_000 {
        let read = world.call("GET", &path, Some(key), "").await;
        if read.status == StatusCode::OK {
            assert_eq!(read.body, answer, "as it was given");
            return (answer, path);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the answer was not recorded");
}

fn bare(mut reply: Reply) -> (StatusCode, String) {
    reply.body.as_object_mut().unwrap().remove("request_id");
    (reply.status, reply.body.to_string())
}

fn is_without_the_secret(answer: &Value, read: &Reply) {
    assert_eq!(read.status, StatusCode::OK, "{}", read.text);
    for word in [SECRET, "okapi", "Five days", "board"] {
        assert!(!read.text.contains(word), "{word}: {}", read.text);
    }
    for field in ["request_id", "action", "trace"] {
        assert_eq!(read.body[field], answer[field], "{field}");
    }
    // The database keeps microseconds.
    let seconds = |moment: &Value| moment.as_str().unwrap()[..19].to_owned();
    assert_eq!(seconds(&read.body["asked_at"]), seconds(&answer["receipt"]["asked_at"]));
    assert_eq!((&read.body["answer"], &read.body["receipt"]), (&json!(""), &Value::Null));
    assert_eq!(read.body["withdrawn"], json!({"citations": 1, "sentences": [1, 2], "fields": []}), "{}", read.text);
}

#[tokio::test]
async fn of_two_keys_with_one_name_each_reads_its_own_answers_only() {
    let (world, _) = world_with_a_secret().await;
    let key = world.key_named("desk", "asker", &["board"]).await;
    let (_, path) = asked(&world, &key).await;
    for (role, tags) in [("asker", &[][..]), ("admin", &[]), ("asker", &["board"])] {
        let namesake = world.key_named("desk", role, tags).await;
        let theirs = bare(world.call("GET", &path, Some(&namesake), "").await);
        assert_eq!(theirs.0, StatusCode::NOT_FOUND, "{role} {tags:?}: {}", theirs.1);
        let nobodys = "/v1/answers/00000000-0000-0000-0000-000000000007";
        assert_eq!(theirs, bare(world.call("GET", nobodys, Some(&namesake), "").await), "the same bytes");
    }
    world.end().await;
}

#[tokio::test]
async fn an_answer_from_before_there_were_ids_is_nobodys() {
    let (world, _) = world_with_a_secret().await;
    let key = world.key_named("desk", "asker", &["board"]).await;
    let (_, path) = asked(&world, &key).await;
    world.run_sql("UPDATE audit SET subject_id = NULL").await;
    assert_eq!(world.call("GET", &path, Some(&key), "").await.status, StatusCode::NOT_FOUND);
    world.end().await;
}

#[tokio::test]
async fn what_was_removed_is_not_read_again() {
    let (world, secret) = world_with_a_secret().await;
    let key = world.key_named("desk", "asker", &["board"]).await;
    let (answer, path) = asked(&world, &key).await;
    world.store().remove(world.tenant, secret).await.unwrap();
    is_without_the_secret(&answer, &world.call("GET", &path, Some(&key), "").await);
    world.end().await;
}

#[tokio::test]
async fn what_is_no_longer_for_the_asker_is_not_read_again_until_it_is_once_more() {
    let (world, secret) = world_with_a_secret().await;
    let key = world.key_named("desk", "asker", &["board"]).await;
    let (answer, path) = asked(&world, &key).await;
    let tags = |name: &str| [name.parse::<Tag>().unwrap()];
    world.store().retag(world.tenant, secret, &tags("chair")).await.unwrap();
    is_without_the_secret(&answer, &world.call("GET", &path, Some(&key), "").await);
    world.store().retag(world.tenant, secret, &tags("board")).await.unwrap();
    assert_eq!(world.call("GET", &path, Some(&key), "").await.body, answer);
    world.end().await;
}

#[tokio::test]
async fn an_admin_without_the_tag_reads_the_record_without_the_words() {
    let (world, _) = world_with_a_secret().await;
    let key = world.key_named("desk", "asker", &["board"]).await;
    let (answer, path) = asked(&world, &key).await;
    let path = path.replace("answers", "audit");
    let (without, with) = (world.key("admin", &[]).await, world.key("admin", &["board"]).await);
    let read = world.call("GET", &path, Some(&without), "").await;
    let record = &read.body["records"][0];
    assert_eq!((&record["answer"]["action"], &record["draft"]), (&answer["action"], &json!("[withdrawn]")));
    // What the asker typed is the asker's.
    let documents_words = read.text.replace("by the okapi rule?", "");
    assert!(!documents_words.contains("okapi") && !read.text.contains("Five days"), "{}", read.text);
    let read = world.call("GET", &path, Some(&with), "").await;
    assert_eq!(read.body["records"][0]["answer"], answer);
    world.end().await;
}
