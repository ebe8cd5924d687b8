//! Bounds at the door: what is too long, too much at once, too slow, or read by nobody.

use std::time::Duration;

use axum::http::StatusCode;
use axum::serve::Listener;
use ibidem_server::{ConnectionLimits, ServerLimits, serve};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::sync::{mpsc, oneshot};

use crate::world::{Extras, POLICY, World, limits, policy};

#[tokio::test]
async fn what_is_too_long_or_blank_is_refused_with_its_field() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let said = |content: &str| json!({ "role": "user", "content": content });
    let asked = |field: &str, value: Value| json!({ "query": "leave", field: value });
    let cases = [
        (json!({ "query": "\u{200b}\u{202e}\0" }), "query: is blank"),
        (asked("history", json!(vec![said("a"); 101])), "history: has 101 messages; the most is 100"),
        (asked("history", json!([said(&"a".repeat(16_001))])), "history[0].content: has 16001 characters"),
        (asked("history", json!(vec![said(&"a".repeat(10_001)); 10])), "history: has 100010 characters"),
        (asked("history", json!([said("a"), said(" \u{feff}")])), "history[1].content: is blank"),
        (asked("session_id", json!("a\r\nb")), "session_id: has a line break"),
        (asked("session_id", json!("")), "session_id: is blank"),
        (asked("model", json!("m".repeat(201))), "model: has 201 characters"),
        (asked("max_context_chunks", json!(21)), "max_context_chunks: is 21"),
        (asked("collections", json!(["ADR\u{3164}"])), "is not a name"),
    ];
    for (body, expected) in cases {
        let reply = world.call("POST", "/v1/answers", Some(&key), &body.to_string()).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{expected}: {}", reply.text);
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains(expected), "{detail:?} should contain {expected:?}");
    }
    let searched = world.call("POST", "/v1/search", Some(&key), &json!({ "query": "\u{2060}" }).to_string()).await;
    assert_eq!(
        (searched.status, searched.body["detail"].as_str()),
        (StatusCode::UNPROCESSABLE_ENTITY, Some("query: is blank"))
    );
    world.end().await;
}

#[tokio::test]
async fn a_request_that_names_two_hosts_is_refused_at_every_door() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    for (method, path) in [
        ("GET", "/healthz"),
        ("GET", "/"),
        ("GET", "/auth/me"),
        ("POST", "/v1/answers"),
        ("POST", "/v1/chat/completions"),
        ("POST", "/mcp"),
        ("GET", "/nowhere"),
    ] {
        let hosts =
            |second: &'static str| [("host", "ibidem.example"), ("host", second), ("authorization", key.as_str())];
        for second in ["other.example", "ibidem.example"] {
            let reply = world.call_with(method, path, &hosts(second), "").await;
            assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{method} {path}: {}", reply.text);
            assert!(reply.text.contains("more than one Host header"), "{method} {path}: {}", reply.text);
        }
    }
    let once = [("host", "ibidem.example"), ("authorization", key.as_str())];
    assert_eq!(world.call_with("GET", "/auth/me", &once, "").await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn what_nobody_sees_reaches_neither_the_search_nor_the_record() {
    let world = World::create().await;
    let (key, admin) = (world.key("asker", &[]).await, world.key("admin", &[]).await);
    let body = json!({
        "query": "How many days of \u{202e}leave\u{200b} may be\0 carried over?",
        "history": [{ "role": "user", "content": "He\u{7}llo\u{1b}[2J" }],
        "session_id": "desk\u{200d}-1",
    });
    let reply = world.call("POST", "/v1/answers", Some(&key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    let id = reply.body["request_id"].as_str().unwrap().to_owned();
    world.stop().await;
    let record = world.call("GET", &format!("/v1/audit/{id}"), Some(&admin), "").await;
    let question = &record.body["records"][0]["question"];
    assert_eq!(question["query"], "How many days of leave may be carried over?");
    assert_eq!(question["history"][0]["content"], "Hello[2J");
    assert_eq!(record.body["records"][0]["asker"]["session_id"], "desk-1");
    world.end().await;
}

#[tokio::test]
async fn two_keys_are_no_key() {
    let world = World::create().await;
    let (asker, admin) = (world.key("asker", &[]).await, world.key("admin", &[]).await);
    for keys in [[&asker, &admin], [&admin, &asker], [&asker, &asker]] {
        let headers = [("authorization", keys[0].as_str()), ("authorization", keys[1].as_str())];
        let reply = world.call_with("GET", "/openapi.json", &headers, "").await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
    }
    world.end().await;
}

async fn of_limits(limits: ServerLimits) -> World {
    World::create_with(policy(POLICY), Extras { limits, ..Extras::default() }).await
}

const QUESTION: &str = r#"{"query": "How many days of leave may be carried over?"}"#;

#[tokio::test]
async fn a_key_has_its_share_and_a_full_server_still_answers_its_probes() {
    let world = of_limits(ServerLimits { max_in_flight: 4, key_share_percent: 50, ..limits() }).await;
    let mut keys = Vec::new();
    for _ in 0..3 {
        keys.push(world.key("asker", &[]).await);
    }
    // Whoever holds it keeps the model thinking, and with it the places taken.
    let attention = world.thoughtful.attention.acquire_many(8).await.unwrap();
    let mut under_way = Vec::new();
    for key in [&keys[0], &keys[0], &keys[1], &keys[1]] {
        let stream = QUESTION.replace('}', r#", "stream": true}"#);
        let headers = [("authorization", key.as_str()), ("content-type", "application/json")];
        let response = world.begin("POST", "/v1/answers", &headers, &stream).await;
        assert_eq!(response.status(), StatusCode::OK);
        if key == &keys[0] && under_way.len() == 1 {
            let more = world.call("POST", "/v1/search", Some(key), QUESTION).await;
            assert_eq!((more.status, more.header("retry-after")), (StatusCode::TOO_MANY_REQUESTS, Some("1")));
            assert_eq!(more.body["type"], "key_overloaded");
            assert!(more.body["detail"].as_str().unwrap().contains("2 requests under way"), "{}", more.text);
            assert_eq!(world.call("POST", "/v1/search", Some(&keys[1]), QUESTION).await.status, StatusCode::OK);
        }
        under_way.push(response);
    }
    let full = world.call("POST", "/v1/search", Some(&keys[2]), QUESTION).await;
    assert_eq!((full.status, full.header("retry-after")), (StatusCode::SERVICE_UNAVAILABLE, Some("1")));
    for probe in ["/healthz", "/readyz"] {
        assert_eq!(world.call("GET", probe, None, "").await.status, StatusCode::OK, "{probe}");
    }
    drop((attention, under_way));
    world.turns_ended().await;
    assert_eq!(world.call("POST", "/v1/search", Some(&keys[0]), QUESTION).await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn bodies_have_a_size_of_their_own_kind() {
    let world = of_limits(ServerLimits { max_json_bytes: 2_000, ..limits() }).await;
    let key = world.key("asker", &[]).await;
    let body = json!({ "query": "x".repeat(2_000) }).to_string();
    let reply = world.call("POST", "/v1/search", Some(&key), &body).await;
    assert_eq!((reply.status, reply.body["type"].as_str()), (StatusCode::PAYLOAD_TOO_LARGE, Some("malformed_request")));
    world.end().await;
}

/// One connection in memory.
struct One(mpsc::Receiver<DuplexStream>);

impl Listener for One {
    type Io = DuplexStream;
    type Addr = ();

    async fn accept(&mut self) -> (DuplexStream, ()) {
        match self.0.recv().await {
            Some(io) => (io, ()),
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A connection that holds few bytes, with a server that soon loses patience.
async fn connected(world: &World) -> (DuplexStream, impl AsyncFnOnce() + use<>) {
    let (ours, theirs) = duplex(64);
    let (connections, listener) = mpsc::channel(1);
    connections.send(theirs).await.unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(serve(One(listener), world.state(), async { drop(stopped.await) }));
    (ours, async move || {
        drop((stop, connections));
        serving.await.unwrap();
    })
}

fn impatient() -> ServerLimits {
    let soon = Duration::from_millis(50);
    let connections = ConnectionLimits { read_timeout: soon, ..limits().connections };
    ServerLimits { body_timeout: soon, connections, ..limits() }
}

#[tokio::test]
async fn a_stream_that_nobody_reads_is_ended_and_its_turn_is_recorded() {
    let world = of_limits(impatient()).await;
    let key = world.key("asker", &[]).await;
    let body = QUESTION.replace('}', r#", "stream": true}"#);
    let (mut client, stop) = connected(&world).await;
    let head = format!(
        "POST /v1/answers HTTP/1.1\r\nhost: h\r\nauthorization: {key}\r\ncontent-type: application/json\r\n\
         x-request-id: 00000000-0000-4000-8000-000000000001\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    client.write_all(head.as_bytes()).await.unwrap();
    // The server stops, in order, although nobody has read anything.
    stop().await;
    let mut read = Vec::new();
    let _ = client.read_to_end(&mut read).await;
    assert!(read.len() <= 64, "{}", String::from_utf8_lossy(&read));
    let answer = world.call("GET", "/v1/answers/00000000-0000-4000-8000-000000000001", Some(&key), "").await;
    assert_eq!((answer.status, answer.body["action"].as_str()), (StatusCode::OK, Some("cite")), "{}", answer.text);
    world.end().await;
}

#[tokio::test]
async fn a_body_that_does_not_arrive_is_not_waited_for() {
    let world = of_limits(impatient()).await;
    let key = world.key("asker", &[]).await;
    let (client, stop) = connected(&world).await;
    let (mut reading, mut writing) = tokio::io::split(client);
    let head = format!(
        "POST /v1/search HTTP/1.1\r\nhost: h\r\nauthorization: {key}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{\"query\""
    );
    writing.write_all(head.as_bytes()).await.unwrap();
    let mut read = String::new();
    let _ = reading.read_to_string(&mut read).await;
    assert!(read.starts_with("HTTP/1.1 408 ") && read.contains("body_too_slow"), "{read}");
    stop().await;
    world.end().await;
}
