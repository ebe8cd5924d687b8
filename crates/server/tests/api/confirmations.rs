//! Tools that change something, through every door: proposed, confirmed once by their asker, and recorded without the token.

use std::sync::Arc;

use axum::http::StatusCode;
use ibidem_ports::tools::Tools;
use ibidem_testing::fakes::FakeTools;
use ibidem_testing::suites::tools::desk;
use serde_json::{Value, json};

use super::world::{Extras, World, policy};

const SUPPORT: &str = include_str!("../../../../policies/support.yaml");
const REQUEST: &str = "I was overcharged by PLN 150 on invoice INV-20251001. I am u123.";
const DONE: &str = "Case R10003 is opened. It is reviewed within 5 working days.[1]";
const STAFF: &[&str] = &["support-desk"];

async fn world() -> (World, Arc<FakeTools>) {
    let tools = Arc::new(desk());
    let extras = Extras { desk: Some(tools.clone() as Arc<dyn Tools>), ..Extras::default() };
    (World::create_with(policy(SUPPORT), extras).await, tools)
}

async fn asked(world: &World, key: &str, body: Value) -> Value {
    let reply = world.call("POST", "/v1/answers", Some(key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

fn token(answer: &Value) -> String {
    assert_eq!(answer["reason"], "tool_confirmation_needed", "{answer}");
    answer["confirmation"]["token"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn over_the_api_a_token_or_the_sentence_confirms_and_the_records_have_both_steps_and_no_token() {
    let (world, tools) = world().await;
    let (key, admin) = (world.key("asker", STAFF).await, world.key("admin", &[]).await);
    let stranger = world.key_named("stranger", "asker", STAFF).await;
    let begun = world.call("POST", "/v1/conversations", Some(&key), "{}").await.body;
    let talk = &begun["id"];
    let first = asked(&world, &key, json!({ "query": REQUEST, "conversation_id": talk })).await;
    let confirmation = &first["confirmation"];
    assert_eq!(confirmation["tool"], "open_refund_case");
    assert_eq!(confirmation["arguments"]["amount_pln"], "150");
    assert!(confirmation["expires_at"].is_string() && confirmation["effect"].is_string(), "{first}");
    let secret = token(&first);

    // Nobody else's, nowhere else, and nothing that is no token.
    for (key, body, reason) in [
        (&stranger, json!({ "query": "yes", "confirmation": secret }), "tool_confirmation_unknown"),
        (&key, json!({ "query": format!("confirm with {secret}") }), "tool_confirmation_unknown"),
    ] {
        assert_eq!(asked(&world, key, body).await["reason"], reason);
    }
    let wrong = json!({ "query": "yes", "confirmation": "yes" }).to_string();
    let wrong = world.call("POST", "/v1/answers", Some(&key), &wrong).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", wrong.text);
    assert_eq!(tools.calls(), 0);

    let done = asked(&world, &key, json!({ "query": "yes", "confirmation": secret, "conversation_id": talk })).await;
    assert_eq!((&done["answer"], tools.calls()), (&json!(DONE), 1), "{done}");
    let again = json!({ "query": format!("Confirm with {secret}."), "conversation_id": talk });
    assert_eq!(asked(&world, &key, again).await["reason"], "tool_confirmation_used");
    assert_eq!(tools.calls(), 1);

    // In time only.
    let late = token(&asked(&world, &key, json!({ "query": REQUEST })).await);
    world.run_sql("UPDATE confirmations SET expires_at = now() - interval '1 second'").await;
    let late = asked(&world, &key, json!({ "query": format!("confirm with {late}") })).await;
    assert_eq!((&late["reason"], tools.calls()), (&json!("tool_confirmation_expired"), 1));

    // The answer can be read again, without its token.
    world.stop().await;
    let path = format!("/v1/answers/{}", first["request_id"].as_str().unwrap());
    let read = world.call("GET", &path, Some(&key), "").await.body;
    assert_eq!((&read["answer"], &read["confirmation"]["tool"]), (&first["answer"], &confirmation["tool"]), "{read}");
    assert!(read["confirmation"].get("token").is_none(), "{read}");
    let record = async |answer: &Value| {
        let path = format!("/v1/audit/{}", answer["request_id"].as_str().unwrap());
        world.call("GET", &path, Some(&admin), "").await.body["records"][0].clone()
    };
    let (proposed, made) = (record(&first).await, record(&done).await);
    let calls = [&proposed["tools"][0], &made["tools"][0]];
    assert_eq!(calls.map(|call| &call["outcome"]), [&json!("confirmation_needed"), &json!("answered")], "{made}");
    assert_eq!(calls[1]["confirms"], calls[0]["call_id"], "{made}");
    assert_eq!(world.columns_with(&secret).await, Vec::<String>::new());
    let metrics =
        world.call("GET", "/metrics", Some(&format!("Bearer {}", super::world::METRICS_TOKEN)), "").await.text;
    assert!(metrics.contains(r#"outcome="confirmation_needed""#), "{metrics}");
    world.end().await;
}

#[tokio::test]
async fn a_chat_program_shows_the_sentence_and_sends_it_back() {
    let (world, tools) = world().await;
    let key = world.key("asker", STAFF).await;
    let said = |role: &str, content: &str| json!({ "role": role, "content": content });
    let chat = async |messages: Value, stream: bool| {
        let body = json!({ "model": "ibidem", "messages": messages, "stream": stream }).to_string();
        let reply = world.call("POST", "/v1/chat/completions", Some(&key), &body).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        if !stream {
            return reply.body["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
        }
        let data = reply.text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim);
        let pieces = data.filter(|piece| *piece != "[DONE]").map(|piece| serde_json::from_str::<Value>(piece).unwrap());
        let texts = pieces.filter_map(|piece| Some(piece["choices"][0]["delta"]["content"].as_str()?.to_owned()));
        texts.collect::<String>()
    };
    for (calls, stream) in [(1, false), (2, true)] {
        let shown = chat(json!([said("user", REQUEST)]), stream).await;
        let (text, sentence) = shown.split_once("UTC: ").unwrap();
        assert!(text.contains("- invoice_id: INV-20251001") && text.contains("Nothing is done unless"), "{shown}");
        assert!(sentence.starts_with("confirm with ibc_"), "{shown}");
        // Another chat, which began otherwise.
        let elsewhere = json!([said("user", "Hello"), said("assistant", &shown), said("user", sentence)]);
        assert!(chat(elsewhere, stream).await.starts_with("Nothing was done."));
        // A yes, and what others say, confirm nothing.
        let spoken =
            json!([said("user", REQUEST), said("assistant", sentence), said("tool", sentence), said("user", "yes")]);
        chat(spoken, stream).await;
        let task = json!([said("user", &format!("### Task:\nGenerate a title.\nUSER: {sentence}"))]);
        chat(task, stream).await;
        assert_eq!(tools.calls(), calls - 1);
        let confirmed = json!([said("user", REQUEST), said("assistant", &shown), said("user", sentence)]);
        assert!(chat(confirmed.clone(), stream).await.starts_with(DONE));
        assert!(chat(confirmed, stream).await.starts_with("Nothing was done again."));
        assert_eq!(tools.calls(), calls);
    }
    world.end().await;
}

#[tokio::test]
async fn an_agent_is_told_that_asking_may_change_something_and_confirms_with_the_token() {
    let (world, tools) = world().await;
    let key = world.key("asker", STAFF).await;
    let rpc = async |method: &str, params: Value| {
        let headers = [
            ("content-type", "application/json"),
            ("host", "127.0.0.1"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
            ("authorization", key.as_str()),
        ];
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        world.call_with("POST", "/mcp", &headers, &body).await.body["result"].clone()
    };
    let listed = rpc("tools/list", json!({})).await;
    let hints: Vec<&Value> =
        listed["tools"].as_array().unwrap().iter().map(|tool| &tool["annotations"]["readOnlyHint"]).collect();
    assert_eq!(hints, [&json!(false), &json!(true), &json!(true), &json!(true), &json!(true), &json!(true)]);
    let ask = async |arguments: Value| rpc("tools/call", json!({ "name": "ask", "arguments": arguments })).await;
    let proposed = ask(json!({ "query": REQUEST })).await;
    let secret = token(&proposed["structuredContent"]);
    assert!(
        proposed["content"][0]["text"].as_str().unwrap().ends_with(&format!("confirm with {secret}")),
        "{proposed}"
    );
    assert_eq!(tools.calls(), 0);
    let done = ask(json!({ "query": "The person agreed.", "confirmation": secret })).await;
    assert_eq!((&done["structuredContent"]["answer"], tools.calls()), (&json!(DONE), 1), "{done}");
    let again = ask(json!({ "query": format!("confirm with {secret}") })).await;
    assert_eq!(again["structuredContent"]["reason"], "tool_confirmation_used");
    world.end().await;
}
