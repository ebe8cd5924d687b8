//! What is on record about a question, and who may read it.

use std::time::Duration;

use axum::http::StatusCode;
use ibidem_engine::replay::{Again, Decided, Replay};
use ibidem_ports::records::DecisionRecord;
use ibidem_store::{HashKey, Texts};
use ibidem_words::{Answer, SubjectId};
use serde_json::{Value, json};

use super::world::{Extras, POLICY, Reply, World, policy};

const QUESTION: &str = "How many days of leave may be carried over?";

async fn ask(world: &World, key: &str, body: &Value) -> Value {
    let reply = world.call("POST", "/v1/answers", Some(key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

fn path_of(answer: &Value) -> String {
    format!("/v1/audit/{}", answer["request_id"].as_str().unwrap())
}

/// Nobody waits for a record: it appears a moment after its answer.
async fn recorded(world: &World, admin: &str, answer: &Value) -> Value {
    for _ in 0..3_000 {
        let reply = world.call("GET", &path_of(answer), Some(admin), "").await;
        if reply.status == StatusCode::OK {
            return reply.body;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no record of {answer}");
}

/// What the decision on record comes to when it is made again, under the same policy.
fn again(record: &Value) -> Again {
    let decision: DecisionRecord = serde_json::from_value(record["decision"].clone()).unwrap();
    let policy = policy(POLICY).borrow().clone();
    Replay::under(&policy).unwrap().again(&decision)
}

fn as_answered(answer: &Value) -> Again {
    let answer: Answer = serde_json::from_value(answer.clone()).unwrap();
    Again::Decided(Decided { action: answer.action, reason: answer.reason, trace: answer.trace })
}

#[tokio::test]
async fn an_admin_reads_everything_that_led_to_an_answer() {
    let world = World::create().await;
    let (key, admin) = (world.key("asker", &[]).await, world.key_named("audit", "admin", &[]).await);
    let history = json!([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good day"}]);
    let body = json!({"query": QUESTION, "history": history, "session_id": "s-1", "collections": ["Policy"]});
    let answer = ask(&world, &key, &body).await;
    let body = recorded(&world, &admin, &answer).await;
    assert_eq!(body["request_id"], answer["request_id"]);
    let record = &body["records"][0];
    let id = record["asker"]["subject_id"].as_str().unwrap();
    assert!(id.parse::<SubjectId>().is_ok(), "{id}");
    assert_eq!(record["asker"], json!({"subject_id": id, "subject_name": "desk", "session_id": "s-1", "turn": 2}));
    assert_eq!((&record["question"]["query"], &record["answer"]), (&json!(QUESTION), &answer));
    assert_eq!((&record["route"], &record["texts"]), (&json!("direct"), &json!("plain")));
    assert_eq!(record["retrieval"]["found"], 1, "{record}");
    let searched = &record["decision"]["searched"];
    assert_eq!((&searched["variants"][0], &searched["hits"]), (&json!(["question", QUESTION]), &json!(1)), "{record}");
    assert!(record["decision"]["rounds"][0]["candidates"][0]["cosine"].is_number(), "{record}");
    assert_eq!(again(record), as_answered(&answer));
    assert!(record["draft"].as_str().unwrap().contains("Ten are."), "the model's own words: {record}");
    let auditor = json!({
        "markers": {"expanded": 2, "not_minted": 0, "malformed": 0, "repeated": 0, "internal": 0},
        "sentences": {"supported": 2, "contradicted": 0, "unsupported": 1, "unchecked": 0},
        "markers_dropped": 0, "sentences_dropped": 1, "marker_score": 1.0, "sentence_score": 2.0 / 3.0,
        "citations_checked": 1, "citations_broken": 0,
    });
    assert_eq!(record["auditor"], auditor);
    assert_eq!((&record["tools"], &record["fallback_flags"]), (&json!([]), &json!([])));
    assert_eq!(record["policy_sha256"], answer["receipt"]["policy_sha256"]);
    let stages: Vec<&str> = record["stages"].as_array().unwrap().iter().map(|it| it[0].as_str().unwrap()).collect();
    assert_eq!((stages.first(), stages.last()), (Some(&"route"), Some(&"turn")));
    world.end().await;
}

#[tokio::test]
async fn only_admins_of_the_same_tenant_read_records_and_nobody_else_learns_whether_there_are_any() {
    let world = World::create().await;
    let (key, admin) = (world.key("asker", &[]).await, world.key_named("audit", "admin", &[]).await);
    let answer = ask(&world, &key, &json!({"query": QUESTION})).await;
    recorded(&world, &admin, &answer).await;
    let bare = |mut reply: Reply| {
        reply.body.as_object_mut().unwrap().remove("request_id");
        (reply.status, reply.body)
    };
    let missing = "/v1/audit/00000000-0000-0000-0000-000000000007";
    for role in ["asker", "curator"] {
        let key = world.key_named(role, role, &["finance"]).await;
        let there = bare(world.call("GET", &path_of(&answer), Some(&key), "").await);
        assert_eq!(there.0, StatusCode::FORBIDDEN);
        assert_eq!(there, bare(world.call("GET", missing, Some(&key), "").await));
    }
    let elsewhere = world.key_of("other", "admin").await;
    let others = bare(world.call("GET", &path_of(&answer), Some(&elsewhere), "").await);
    assert_eq!(others.0, StatusCode::NOT_FOUND);
    for path in [missing, "/v1/audit/seven"] {
        assert_eq!(others, bare(world.call("GET", path, Some(&admin), "").await), "{path}");
    }
    world.end().await;
}

#[tokio::test]
async fn with_hashed_queries_no_word_of_a_question_is_in_any_column() {
    let texts = Texts::Hashed(HashKey::of(b"a secret of the operator, long enough"));
    let world = World::create_with(policy(POLICY), Extras { texts: Some(texts), ..Extras::default() }).await;
    let (key, admin) = (world.key("asker", &[]).await, world.key_named("audit", "admin", &[]).await);
    // One is answered in its own words, one refused, one asked by words alone, one with an index that is away.
    let queries = [
        "How many days of leave may be carried over?",
        "Quarks, gluons and penguins?",
        "How many days of leave are carried over to zanzibar?",
        "Which days of leave did the zebra carry over?",
    ];
    let mut answers = Vec::new();
    for (place, query) in queries.iter().enumerate() {
        world.embedder.set_down(place == 2);
        world.index.set_down(place == 3);
        let history = json!([{"role": "user", "content": "Is the okapi a horse?"}]);
        answers.push(ask(&world, &key, &json!({"query": query, "history": history})).await);
    }
    let mut digests = Vec::new();
    for answer in &answers {
        let body = recorded(&world, &admin, answer).await;
        let record = &body["records"][0];
        assert_eq!(record["texts"], "hashed");
        // What decided is still there.
        assert_eq!((&record["answer"]["action"], &record["answer"]["reason"]), (&answer["action"], &answer["reason"]));
        assert_eq!(record["answer"]["trace"], answer["trace"]);
        assert_eq!(again(record), as_answered(answer));
        digests.push(record["question"]["query"].as_str().unwrap().to_owned());
        let path = format!("/v1/answers/{}", answer["request_id"].as_str().unwrap());
        assert_eq!(world.call("GET", &path, Some(&key), "").await.status, StatusCode::NOT_FOUND);
    }
    assert_eq!(answers[0]["action"], "cite", "the answer has words of the question: {}", answers[0]);
    let words = queries.join(" ").to_lowercase() + " okapi horse";
    let words: Vec<&str> = words.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3).collect();
    let columns = world.columns_of("audit").await;
    assert!(columns.len() >= 25, "{columns:?}");
    for (column, texts) in &columns {
        // Names of fields have words of their own, such as `overall`: only whole ones are somebody's.
        let texts = texts.to_lowercase();
        let found = texts.split(|c: char| !c.is_alphanumeric()).find(|word| words.contains(word));
        assert_eq!(found, None, "{column}: {texts}");
    }
    // The same question is known again.
    let again = ask(&world, &key, &json!({"query": queries[0]})).await;
    assert_eq!(recorded(&world, &admin, &again).await["records"][0]["question"]["query"], digests[0]);
    world.end().await;
}

#[tokio::test]
async fn without_the_audit_nothing_is_recorded() {
    let world = World::create_with(policy(POLICY), Extras { texts: None, ..Extras::default() }).await;
    let (key, admin) = (world.key("asker", &[]).await, world.key_named("audit", "admin", &[]).await);
    let answer = ask(&world, &key, &json!({"query": QUESTION})).await;
    world.stop().await;
    assert_eq!(world.store().turn_count().await.unwrap(), 0);
    assert_eq!(world.call("GET", &path_of(&answer), Some(&admin), "").await.status, StatusCode::NOT_FOUND);
    world.end().await;
}
