//! A server over HTTP that misbehaves below the protocol: too large, of another kind, elsewhere, slow.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use ibidem_adapters::mcp::Reached;
use ibidem_engine::ask::Spoken;
use ibidem_ports::records::ToolOutcome;
use serde_json::{Value, json};

use crate::world::World;

/// The good desk's description, which the policy pins.
const DESCRIBED: &str = include_str!("../../tools.json");

async fn served(way: &'static str) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = axum::Router::new().route("/mcp", post(move |Json(message): Json<Value>| replied(way, message)));
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

async fn replied(way: &'static str, message: Value) -> Response {
    let tools: Value = serde_json::from_str(DESCRIBED).unwrap();
    let result = match message["method"].as_str() {
        Some("initialize") => json!({"protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "hostile", "version": "0"}}),
        Some("tools/list") => json!({"tools": tools}),
        Some("tools/call") => return called(way, &message["id"]).await,
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    Json(json!({"jsonrpc": "2.0", "id": message["id"], "result": result})).into_response()
}

async fn called(way: &str, id: &Value) -> Response {
    let price = json!({"plan_code": "M", "plan_name": "Mobile M", "price_monthly_pln": 45, "status": "offered"});
    let reply =
        |price: &Value| json!({"jsonrpc": "2.0", "id": id, "result": {"content": [], "structuredContent": price}});
    let events = |data: String| ([(header::CONTENT_TYPE, "text/event-stream")], data).into_response();
    let mut huge = price.clone();
    huge["plan_name"] = json!("x".repeat(8 << 20));
    match way {
        "huge_json" => Json(reply(&huge)).into_response(),
        "huge_event" => events(format!("data: {}\n\n", reply(&huge))),
        "events" => events(format!("data: {}\n\n", reply(&price))),
        "page" => ([(header::CONTENT_TYPE, "text/html")], "<p>It costs 45</p>").into_response(),
        "broken" => (StatusCode::INTERNAL_SERVER_ERROR, "SECRET").into_response(),
        "elsewhere" => (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, "http://127.0.0.1:9/mcp")]).into_response(),
        "slow" => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Json(reply(&price)).into_response()
        }
        _ => Json(reply(&price)).into_response(),
    }
}

#[tokio::test]
async fn each_way_to_misbehave_over_http_has_its_outcome() {
    for (way, outcome) in [
        ("", ToolOutcome::Answered),
        ("events", ToolOutcome::Answered),
        ("huge_json", ToolOutcome::TooLarge),
        ("huge_event", ToolOutcome::TooLarge),
        ("page", ToolOutcome::Unavailable),
        ("broken", ToolOutcome::Unavailable),
        ("elsewhere", ToolOutcome::Unavailable),
        ("slow", ToolOutcome::Timeout),
    ] {
        let patience = if way == "slow" { Duration::from_secs(2) } else { Duration::from_secs(20) };
        let url = format!("http://{}/mcp", served(way).await);
        let world = World::of(Reached::Url { url, token: None }, patience);
        let Spoken { answer, tool_calls, failure, .. } = world.ask("What does plan M cost?").await;
        assert_eq!(tool_calls[0].outcome, outcome, "{way}: {failure:?}");
        let out = serde_json::to_string(&answer).unwrap();
        assert!(outcome == ToolOutcome::Answered || !answer.answer.contains("45"), "{way}: {out}");
        assert!(!out.contains("SECRET"), "{way}: {out}");
    }
}
