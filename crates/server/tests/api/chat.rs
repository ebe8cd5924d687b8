//! `POST /v1/chat/completions` and `GET /v1/models`: the same answers in the form that chat programs read.

use std::time::Duration;

use axum::http::StatusCode;
use futures::StreamExt as _;
use ibidem_server::{QuotaSettings, Quotas, UseLimits};
use ibidem_store::ActionsOf;
use serde_json::{Value, json};

use super::metrics::Scrape;
use super::world::{Extras, POLICY, World, policy};

const QUESTION: &str = "How many days of leave may be carried over?";

fn chat(content: &Value, more: Value) -> String {
    let mut body = json!({ "model": "ibidem", "messages": [{ "role": "user", "content": content }] });
    let more: serde_json::Map<String, Value> = serde_json::from_value(more).unwrap();
    body.as_object_mut().unwrap().extend(more);
    body.to_string()
}

/// The pieces of a stream, and whether it ended as it must.
fn pieces(stream: &str) -> Vec<Value> {
    let mut data: Vec<&str> = stream.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).collect();
    assert_eq!(data.pop(), Some("[DONE]"), "{stream}");
    data.into_iter().map(|piece| serde_json::from_str(piece).unwrap()).collect()
}

fn text(pieces: &[Value]) -> String {
    pieces.iter().filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str()).collect()
}

#[tokio::test]
async fn a_completion_is_the_answer_with_its_sources_and_the_stream_says_the_same() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let asked = world.call("POST", "/v1/answers", Some(&key), &json!({ "query": QUESTION }).to_string()).await.body;
    let body = chat(&json!(QUESTION), json!({ "tools": [{ "type": "function" }], "temperature": 0.1, "n": 1 }));
    let reply = world.call("POST", "/v1/chat/completions", Some(&key), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.body);
    assert_eq!(reply.body["object"], "chat.completion");
    let choice = &reply.body["choices"][0];
    assert_eq!((&choice["finish_reason"], &choice["message"]["role"]), (&json!("stop"), &json!("assistant")));
    let content = choice["message"]["content"].as_str().unwrap();
    let (said, sources) = content.split_once("\n\nSources:\n").unwrap();
    assert_eq!(said, asked["answer"]);
    assert!(sources.starts_with("[1] "), "{sources}");
    let annotations = choice["message"]["annotations"].as_array().unwrap();
    assert_eq!(annotations.len(), said.matches("[1]").count());
    assert_eq!(reply.body["ibidem"]["citations"], asked["citations"]);
    assert_eq!(reply.body["ibidem"]["receipt"]["stretches"], asked["receipt"]["stretches"]);

    let parts = json!([{ "type": "text", "text": QUESTION }, { "type": "image_url", "image_url": {} }]);
    let streamed = chat(&parts, json!({ "stream": true, "stream_options": { "include_usage": true } }));
    let reply = world.call("POST", "/v1/chat/completions", Some(&key), &streamed).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let pieces = pieces(&reply.text);
    assert_eq!(pieces[0]["choices"][0]["delta"]["role"], "assistant");
    assert_eq!(text(&pieces), content);
    let (usage, before) = pieces.split_last().unwrap();
    assert_eq!(usage["choices"], json!([]));
    assert_eq!(usage["usage"]["prompt_tokens"], asked["context_tokens_used"]);
    let (end, before) = before.split_last().unwrap();
    assert_eq!(end["choices"][0]["finish_reason"], "stop");
    assert_eq!(end["ibidem"]["answer"], asked["answer"]);
    let annotated = &before.last().unwrap()["choices"][0]["delta"]["annotations"];
    assert_eq!(annotated, &json!(annotations));
    world.end().await;
}

#[tokio::test]
async fn a_refusal_is_an_ordinary_reply_whole_and_as_a_stream() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let question = json!("Quarks, gluons and penguins?");
    let reply = world.call("POST", "/v1/chat/completions", Some(&key), &chat(&question, json!({}))).await;
    assert_eq!(reply.status, StatusCode::OK);
    assert_eq!(reply.body["ibidem"]["refused"], true);
    let content = reply.body["choices"][0]["message"]["content"].as_str().unwrap();
    let answer = &reply.body["ibidem"];
    let said = answer["answer"].as_str().unwrap();
    assert!(!said.is_empty() && content.starts_with(said), "{content}");
    assert!(content.contains(answer["why"].as_str().unwrap()), "{content}");
    for step in answer["suggestions"].as_array().unwrap() {
        assert!(content.contains(step.as_str().unwrap()), "{content}");
    }
    for miss in answer["nearest"].as_array().unwrap() {
        assert!(content.contains(miss["title"].as_str().unwrap()), "{content}");
    }
    assert!(!content.contains("threshold"), "numbers are in the fields: {content}");
    assert_eq!(reply.body["choices"][0]["finish_reason"], "stop");
    let streamed = chat(&question, json!({ "stream": true }));
    let stream = world.call("POST", "/v1/chat/completions", Some(&key), &streamed).await;
    let pieces = pieces(&stream.text);
    assert_eq!(text(&pieces), content);
    assert_eq!(pieces.last().unwrap()["choices"][0]["finish_reason"], "stop");
    world.end().await;
}

#[tokio::test]
async fn models_are_the_collections_that_the_caller_may_see_and_others_do_not_exist() {
    let world = World::create().await;
    let (key, other) = (world.key("asker", &[]).await, world.key("asker", &["nothing-has-this-tag"]).await);
    let ids = async |key: &str| {
        let reply = world.call("GET", "/v1/models", Some(key), "").await;
        let models = reply.body["data"].as_array().unwrap().clone();
        models.iter().map(|model| model["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = ids(&key).await;
    assert_eq!(all[0], "ibidem");
    assert!(all.len() > 1, "{all:?}");
    assert_eq!(ids(&other).await, all, "everybody carries the tag of what is public");
    let of_one = chat(&json!(QUESTION), json!({ "model": all[1] }));
    let reply = world.call("POST", "/v1/chat/completions", Some(&key), &of_one).await;
    assert_eq!((reply.status, reply.body["model"].as_str()), (StatusCode::OK, Some(all[1].as_str())));
    for unknown in ["gpt-4o", "ibidem/No such collection"] {
        let body = chat(&json!(QUESTION), json!({ "model": unknown }));
        let reply = world.call("POST", "/v1/chat/completions", Some(&key), &body).await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{unknown}");
        assert_eq!(reply.body["error"]["code"], "model_not_found", "{}", reply.body);
    }
    world.end().await;
}

#[tokio::test]
async fn errors_have_the_form_that_clients_of_openai_read() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let nobody = world.call("POST", "/v1/chat/completions", None, &chat(&json!(QUESTION), json!({}))).await;
    assert_eq!(nobody.status, StatusCode::UNAUTHORIZED);
    assert_eq!(nobody.body["error"]["type"], "authentication_error");
    assert_eq!(nobody.header("content-type"), Some("application/json"));
    let long = "x".repeat(5_000);
    for (content, stream) in [(json!(""), false), (json!(""), true), (json!(long), false), (json!(long), true)] {
        let body = chat(&content, json!({ "stream": stream }));
        let reply = world.call("POST", "/v1/chat/completions", Some(&key), &body).await;
        assert_eq!(reply.status, StatusCode::BAD_REQUEST, "{}", reply.text);
        assert_eq!(reply.body["error"]["type"], "invalid_request_error");
        assert!(reply.body["error"]["param"].is_null());
    }
    for path in ["/v1/completions", "/v1/embeddings", "/v1/responses", "/v1/models/ibidem"] {
        let reply = world.call("POST", path, Some(&key), "{}").await;
        assert_eq!(reply.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(reply.body["error"]["code"], "not_found", "{path}: {}", reply.text);
    }
    world.end().await;
}

#[tokio::test]
async fn a_chat_programs_own_prompts_ask_nothing_of_the_engine() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let prompt = format!(
        "### Task:\nGenerate a title.\n### Output:\nJSON format: {{ \"title\": \"…\" }}\n### Chat History:\n\
         <chat_history>\nUSER: {QUESTION}\nASSISTANT: Five.\n</chat_history>"
    );
    for stream in [false, true] {
        let body = chat(&json!(prompt), json!({ "stream": stream }));
        let reply = world.call("POST", "/v1/chat/completions", Some(&key), &body).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let said = if stream {
            text(&pieces(&reply.text))
        } else {
            reply.body["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
        };
        assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), json!({ "title": QUESTION }));
    }
    assert!(world.model.prompts().is_empty(), "no model was asked");
    world.stop().await;
    assert_eq!(world.store().turn_count().await.unwrap(), 0, "it is no question");
    assert_eq!(Scrape::of(&world).await.all("audit_written_total"), [0.0]);
    let actions = world.store().actions(&ActionsOf::all(Some(world.tenant), 10)).await.unwrap();
    let told: Vec<_> = actions.iter().map(|entry| (entry.action.as_str(), entry.outcome.as_str())).collect();
    assert_eq!(told, [("chat.by_rule", "done"); 2]);
    world.end().await;
}

#[tokio::test]
async fn while_a_stream_waits_it_says_so_in_comments_that_every_client_skips() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let headers = [("authorization", key.as_str()), ("content-type", "application/json")];
    let plain = world.call("POST", "/v1/chat/completions", Some(&key), &chat(&json!(QUESTION), json!({}))).await.body;
    let said = plain["choices"][0]["message"]["content"].as_str().unwrap();
    world.thoughtful.asked.notified().await;
    // Whoever holds it keeps the model thinking.
    let attention = world.thoughtful.attention.acquire_many(8).await.unwrap();
    let streamed = chat(&json!(QUESTION), json!({ "stream": true }));
    let response = world.begin("POST", "/v1/chat/completions", &headers, &streamed).await;
    let mut frames = response.into_body().into_data_stream();
    let mut stream = frames.next().await.unwrap().unwrap().to_vec();
    assert!(String::from_utf8_lossy(&stream).contains(r#""role":"assistant""#), "the stream begins before the model");
    world.thoughtful.asked.notified().await;
    tokio::time::pause();
    for _ in 0..2 {
        tokio::time::advance(Duration::from_secs(15)).await;
        let frame = frames.next().await.unwrap().unwrap();
        assert_eq!(frame, ":\n\n", "a comment after 15 seconds without an event");
        stream.extend(frame);
    }
    tokio::time::resume();
    drop(attention);
    while let Some(frame) = frames.next().await {
        stream.extend(frame.unwrap());
    }
    assert_eq!(text(&pieces(std::str::from_utf8(&stream).unwrap())), said);
    world.end().await;
}

#[tokio::test]
async fn what_front_ends_send_unasked_is_taken_and_fifty_turns_are_a_conversation() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let plain = world.call("POST", "/v1/chat/completions", Some(&key), &chat(&json!(QUESTION), json!({}))).await.body;
    let tool = json!({ "type": "function", "function": { "name": "call_refund", "description": "x".repeat(600) } });
    let mut messages = vec![
        json!({ "role": "system", "content": "Answer from what you know." }),
        json!({ "role": "developer", "content": [{ "type": "text", "text": "Cite nothing." }] }),
    ];
    for turn in 0..50 {
        messages.push(json!({ "role": "user", "content": format!("What is rule {turn}? — Straße, 日本, 🦓") }));
        messages.push(json!({ "role": "assistant", "content": "Five.[1]", "annotations": [], "refusal": null }));
    }
    messages.push(json!({ "role": "user", "name": "anna", "content": QUESTION }));
    let unasked = json!({
        "messages": messages, "tools": vec![tool; 40], "tool_choice": "auto", "parallel_tool_calls": true,
        "temperature": 1.7, "top_p": 0.1, "max_tokens": 5, "max_completion_tokens": 5, "stop": ["\n"], "user": "u1",
        "seed": 7, "n": 1, "response_format": { "type": "json_object" }, "logprobs": true, "metadata": { "a": "b" },
        "stream_options": null, "some_field_of_next_year": [1, { "x": null }],
    });
    let body = chat(&json!(QUESTION), unasked.clone());
    assert!(body.len() > 25_000, "{}", body.len());
    let reply = world.call("POST", "/v1/chat/completions", Some(&key), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert_eq!(reply.body["choices"][0]["message"]["content"], plain["choices"][0]["message"]["content"]);
    assert!(reply.body["choices"][0]["message"].get("tool_calls").is_none());

    let mut streamed = unasked;
    streamed["stream"] = json!(true);
    let stream = world.call("POST", "/v1/chat/completions", Some(&key), &chat(&json!(QUESTION), streamed)).await;
    let pieces = pieces(&stream.text);
    assert_eq!(json!(text(&pieces)), plain["choices"][0]["message"]["content"]);
    // Nobody asked for the usage: the piece that ends the text is the last.
    assert_eq!(pieces.last().unwrap()["choices"][0]["finish_reason"], "stop");
    assert!(pieces.iter().all(|piece| piece.get("usage").is_none() && piece["object"] == "chat.completion.chunk"));
    let ids: std::collections::BTreeSet<&str> = pieces.iter().map(|piece| piece["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 1, "one completion has one id");
    world.end().await;
}

#[tokio::test]
async fn an_error_before_the_first_byte_of_a_stream_is_a_plain_error() {
    let few = UseLimits { requests_per_minute: 1, ..UseLimits::default() };
    let quotas = Quotas::new(QuotaSettings { key: few, ..QuotaSettings::default() });
    let world = World::create_with(policy(POLICY), Extras { quotas, ..Extras::default() }).await;
    let (key, limited) = (world.key("asker", &[]).await, world.key("asker", &[]).await);
    let stream = |model: &str| chat(&json!(QUESTION), json!({ "stream": true, "model": model }));
    assert_eq!(world.call("GET", "/v1/models", Some(&limited), "").await.status, StatusCode::OK);
    for (key, model, status, kind) in [
        (None, "ibidem", StatusCode::UNAUTHORIZED, "authentication_error"),
        (Some(&key), "gpt-4o", StatusCode::NOT_FOUND, "invalid_request_error"),
        (Some(&limited), "ibidem", StatusCode::TOO_MANY_REQUESTS, "rate_limit_error"),
    ] {
        let reply = world.call("POST", "/v1/chat/completions", key.map(String::as_str), &stream(model)).await;
        assert_eq!((reply.status, reply.body["error"]["type"].as_str()), (status, Some(kind)), "{}", reply.text);
        assert_eq!(reply.header("content-type"), Some("application/json"), "{status}");
        assert!(
            reply.body["error"]["message"].is_string() && reply.body["error"]["code"].is_string(),
            "{}",
            reply.text
        );
        assert_eq!(reply.header("retry-after").is_some(), status == StatusCode::TOO_MANY_REQUESTS, "{status}");
    }
    world.end().await;
}
