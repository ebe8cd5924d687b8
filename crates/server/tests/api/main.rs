//! The API in process: the real router and database, an index and a model that can be told to fail.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing assertion is a test's product, in its helpers too")]

mod actions;
mod answers;
mod audit;
mod audit_away;
mod chat;
mod claims;
mod confidence;
mod confirmations;
mod conversations;
mod deployed;
mod difference;
mod document_list;
mod documents;
mod door;
mod embedding;
mod erasing;
mod evaluations;
mod feedback;
mod hand_over;
mod health;
mod mcp;
mod memory;
mod metrics;
mod observed;
mod openapi;
mod pages;
mod people;
mod permissions;
mod policies;
mod policy_change;
mod queue;
mod quotas;
mod receipts;
mod search;
mod sign_in;
mod stored_answers;
mod tenant_metrics;
mod terms;
mod what_if;
mod world;

use axum::http::StatusCode;

use world::World;

#[tokio::test]
async fn without_a_valid_key_everything_but_health_is_refused() {
    let world = World::create().await;
    for (method, path) in [
        ("GET", "/openapi.json"),
        ("GET", "/metrics"),
        ("POST", "/v1/answers"),
        ("POST", "/v1/search"),
        ("POST", "/v1/conversations"),
        ("GET", "/v1/conversations"),
        ("GET", "/v1/conversations/00000000-0000-0000-0000-000000000007"),
        ("PATCH", "/v1/conversations/00000000-0000-0000-0000-000000000007"),
        ("DELETE", "/v1/conversations/00000000-0000-0000-0000-000000000007"),
        ("GET", "/v1/conversations/00000000-0000-0000-0000-000000000007/export"),
        ("POST", "/v1/answers/00000000-0000-0000-0000-000000000007/feedback"),
        ("GET", "/v1/feedback"),
        ("GET", "/v1/documents"),
        ("POST", "/v1/documents"),
        ("PATCH", "/v1/documents/00000000-0000-0000-0000-000000000007"),
        ("POST", "/v1/memory/pins"),
        ("POST", "/v1/memory/notes"),
        ("GET", "/v1/memory"),
        ("GET", "/v1/memory/00000000-0000-0000-0000-000000000007"),
        ("PUT", "/v1/memory/00000000-0000-0000-0000-000000000007"),
        ("GET", "/v1/answers/00000000-0000-0000-0000-000000000007"),
        ("GET", "/v1/audit/00000000-0000-0000-0000-000000000007"),
        ("DELETE", "/v1/memory/00000000-0000-0000-0000-000000000007"),
        ("GET", "/v1/keys"),
        ("POST", "/v1/keys"),
        ("GET", "/v1/groups"),
        ("PUT", "/v1/groups"),
        ("GET", "/v1/people"),
        ("GET", "/v1/policies"),
        ("PUT", "/v1/policies"),
        ("DELETE", "/v1/policies"),
        ("POST", "/v1/policies/what-if"),
        ("GET", "/v1/queue"),
        ("GET", "/v1/metrics"),
        ("GET", "/auth/me"),
    ] {
        for authorization in [None, Some("Bearer wrong"), Some("Basic abc"), Some("Bearer"), Some("Bearer ")] {
            let reply = world.call(method, path, authorization, r#"{"query": "leave"}"#).await;
            assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{method} {path} {authorization:?}");
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
            assert_eq!(reply.body["type"], "unauthenticated");
        }
    }
    assert_eq!(world.call("GET", "/healthz", None, "").await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn every_reply_carries_the_request_id_and_every_error_is_a_problem_document() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let cases = [
        ("GET", "/nowhere", "", StatusCode::NOT_FOUND, "not_found"),
        ("GET", "/v1/search", "", StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed"),
        ("POST", "/v1/search", "{", StatusCode::BAD_REQUEST, "malformed_request"),
        ("POST", "/v1/search", r#"{"query": ""}"#, StatusCode::UNPROCESSABLE_ENTITY, "invalid_request"),
        ("POST", "/v1/search", r#"{"query": "  "}"#, StatusCode::UNPROCESSABLE_ENTITY, "invalid_request"),
        ("POST", "/v1/search", r#"{"query": "x", "limit": 0}"#, StatusCode::UNPROCESSABLE_ENTITY, "invalid_request"),
        ("POST", "/v1/search", r#"{"query": "x", "limit": 101}"#, StatusCode::UNPROCESSABLE_ENTITY, "invalid_request"),
        (
            "POST",
            "/v1/search",
            r#"{"query": "x", "tenant": "y"}"#,
            StatusCode::UNPROCESSABLE_ENTITY,
            "malformed_request",
        ),
    ];
    for (method, path, body, status, kind) in cases {
        let reply = world.call(method, path, Some(&key), body).await;
        assert_eq!((reply.status, reply.body["type"].as_str()), (status, Some(kind)), "{method} {path} {body}");
        assert_eq!(reply.header("content-type"), Some("application/problem+json"));
        assert_eq!(reply.body["request_id"].as_str(), reply.header("x-request-id"));
        assert!(!reply.body["detail"].as_str().unwrap().is_empty());
    }
    world.end().await;
}

#[tokio::test]
async fn a_callers_request_id_is_kept_if_it_is_a_uuid() {
    let world = World::create().await;
    let id = "0190163d-8694-739b-aea5-966c26f8ad91";
    assert_eq!(world.call_with("GET", "/healthz", &[("x-request-id", id)], "").await.header("x-request-id"), Some(id));
    let odd = world.call_with("GET", "/healthz", &[("x-request-id", "'; drop table")], "").await;
    assert_ne!(odd.header("x-request-id"), Some("'; drop table"));
    world.end().await;
}
