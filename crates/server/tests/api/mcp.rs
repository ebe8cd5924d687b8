//! `POST /mcp`: what agents are told, and that their tools say and may do what the API does.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::world::{Reply, World};

const QUESTION: &str = "How many days of leave may be carried over?";

async fn rpc(world: &World, key: Option<&str>, body: &Value) -> Reply {
    rpc_from(world, None, key, body).await
}

/// The same from a page of this origin.
async fn rpc_from(world: &World, origin: Option<&str>, key: Option<&str>, body: &Value) -> Reply {
    let mut headers = vec![
        ("content-type", "application/json"),
        ("host", "127.0.0.1"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-11-25"),
    ];
    headers.extend(key.map(|key| ("authorization", key)));
    headers.extend(origin.map(|origin| ("origin", origin)));
    world.call_with("POST", "/mcp", &headers, &body.to_string()).await
}

pub(super) async fn called(world: &World, key: &str, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
    let reply = rpc(world, Some(key), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body["result"].clone()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_page_of_another_origin_is_turned_away_whatever_key_it_has() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    for (origin, expected) in [
        ("http://stranger.example.net", StatusCode::FORBIDDEN),
        ("http://127.0.0.1:3000", StatusCode::FORBIDDEN),
        ("null", StatusCode::FORBIDDEN),
        ("http://127.0.0.1", StatusCode::OK),
    ] {
        let reply = rpc_from(&world, Some(origin), Some(&key), &list).await;
        assert_eq!(reply.status, expected, "{origin}: {}", reply.text);
        assert_eq!(reply.text.contains("verify_claim"), expected == StatusCode::OK, "{origin}");
    }
}

#[tokio::test]
async fn an_agent_learns_who_serves_and_which_tools_there_are_and_nobody_else_does() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "agent", "version": "1" } } });
    let reply = rpc(&world, Some(&key), &hello).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    let result = &reply.body["result"];
    assert_eq!((&result["serverInfo"]["name"], &result["protocolVersion"]), (&json!("ibidem"), &json!("2025-11-25")));
    assert!(reply.header("mcp-session-id").is_none(), "no replica must remember anybody");

    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    let reply = rpc(&world, Some(&key), &list).await;
    let tools = reply.body["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ask", "search", "read_passage", "define_term", "verify_claim", "list_documents"]);
    for tool in &tools {
        assert_eq!((&tool["inputSchema"]["type"], &tool["outputSchema"]["type"]), (&json!("object"), &json!("object")));
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
    }
    for nobody in [None, Some("Bearer wrong")] {
        for asked in [&hello, &list] {
            let reply = rpc(&world, nobody, asked).await;
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{}", reply.text);
            assert!(!reply.text.contains("verify_claim"));
        }
    }
    world.end().await;
}

#[tokio::test]
async fn tools_say_what_the_api_says() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let asked = world.call("POST", "/v1/answers", Some(&key), &json!({ "query": QUESTION }).to_string()).await.body;
    let result = called(&world, &key, "ask", json!({ "query": QUESTION })).await;
    assert_eq!(result["isError"], false, "{result}");
    for same in ["action", "answer", "citations", "refused"] {
        assert_eq!(result["structuredContent"][same], asked[same], "{same}");
    }
    let (said, sources) = text(&result).split_once("\n\nSources:\n").unwrap();
    assert_eq!(said, asked["answer"]);
    assert!(sources.starts_with("[1] "), "{sources}");

    let refused = called(&world, &key, "ask", json!({ "query": "Quarks, gluons and penguins?" })).await;
    assert_eq!((&refused["isError"], &refused["structuredContent"]["refused"]), (&json!(false), &json!(true)));
    let (said, whole) = (text(&refused), &refused["structuredContent"]);
    assert!(said.starts_with(whole["answer"].as_str().unwrap()), "{said}");
    assert!(said.contains(whole["why"].as_str().unwrap()) && said.contains("the tool `search`"), "{said}");
    for miss in whole["nearest"].as_array().unwrap() {
        assert!(said.contains(miss["source_id"].as_str().unwrap()), "{said}");
    }
    assert!(!said.contains("threshold"), "numbers are in the fields: {said}");

    let found = called(&world, &key, "search", json!({ "query": "leave", "limit": 1 })).await;
    let hit = &found["structuredContent"]["hits"][0];
    let passage = called(&world, &key, "read_passage", json!({ "source_id": hit["source_id"] })).await;
    assert_eq!(passage["structuredContent"]["text"], hit["text"]);
    let claim = json!({ "claim": hit["text"], "sources": [hit["source_id"]] });
    let verified = called(&world, &key, "verify_claim", claim).await;
    assert_eq!(verified["structuredContent"]["verdict"], "supported", "{verified}");

    let listed = called(&world, &key, "list_documents", json!({ "words": hit["document_name"], "limit": 5 })).await;
    let listed = listed["structuredContent"]["documents"].as_array().unwrap().clone();
    assert!(listed.iter().any(|document| document["document_id"] == hit["document_id"]), "{listed:?}");

    let read = json!({ "jsonrpc": "2.0", "id": 3, "method": "resources/read",
        "params": { "uri": format!("ibidem://documents/{}", hit["document_id"].as_str().unwrap()) } });
    let document = rpc(&world, Some(&key), &read).await.body;
    let whole = document["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(whole.contains(hit["text"].as_str().unwrap().lines().next().unwrap()), "{document}");
    world.end().await;
}

#[tokio::test]
async fn what_cannot_be_done_is_a_tools_error_that_says_what_to_do() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    for (tool, arguments, said) in [
        ("ask", json!({}), "query"),
        ("ask", json!({ "query": "Why?", "collections": ["No such collection"] }), "No such collection"),
        ("search", json!({ "query": "leave", "limit": 1_000 }), "limit"),
        ("read_passage", json!({ "source_id": "../keys" }), "document_id"),
        ("read_passage", json!({ "source_id": "00000000-0000-0000-0000-000000000001:0" }), "document"),
        ("define_term", json!({ "term": " " }), "term"),
        ("verify_claim", json!({ "claim": "" }), "claim"),
    ] {
        let result = called(&world, &key, tool, arguments.clone()).await;
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        assert!(text(&result).contains(said), "{tool} {arguments}: {}", text(&result));
    }
    let unknown = json!({ "jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": { "name": "refund" } });
    let reply = rpc(&world, Some(&key), &unknown).await;
    assert_eq!(reply.body["error"]["code"], -32_602, "{}", reply.text);
    world.end().await;
}

#[tokio::test]
async fn an_agent_sees_what_its_key_sees() {
    let world = World::create().await;
    let (asker, board) = (world.key("asker", &[]).await, world.key("asker", &["board"]).await);
    world.take_in(world.tenant, "merger.md", "board", "Merger", "The merger is called Kestrel.").await;
    for tool in ["ask", "search"] {
        let query = json!({ "query": "What is the merger called?" });
        let (unseen, seen) =
            (called(&world, &asker, tool, query.clone()).await, called(&world, &board, tool, query).await);
        assert!(!unseen.to_string().contains("Kestrel"), "{tool}: {unseen}");
        if tool == "search" {
            assert!(seen.to_string().contains("Kestrel"), "{tool}: {seen}");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn nothing_is_sent_unasked() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    for method in ["GET", "DELETE", "PUT"] {
        for credentials in [None, Some(key.as_str())] {
            let reply = world.call(method, "/mcp", credentials, "").await;
            assert_eq!(reply.status, StatusCode::METHOD_NOT_ALLOWED, "{method}: {}", reply.text);
            assert_eq!(reply.header("allow"), Some("POST"));
        }
    }
    world.end().await;
}
