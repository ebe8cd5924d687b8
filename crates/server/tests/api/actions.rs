//! Every action on data leaves a record: who, what, and how it ended.

use std::collections::HashMap;

use axum::http::StatusCode;
use ibidem_server::{Least, Recorded, Rules, ServerLimits, endpoints};
use ibidem_store::{ActionEntry, ActionsOf, AuditedAction, HashKey, Texts};
use ibidem_words::Role;
use serde_json::{Value, json};

use super::world::{Extras, POLICY, World, limits, policy};

const NOBODY: &str = "00000000-0000-0000-0000-000000000007";

/// What is on record of the tenant, oldest first, when everything is written.
async fn recorded(world: &World) -> Vec<ActionEntry> {
    world.stop().await;
    let mut entries = world.store().actions(&ActionsOf::all(Some(world.tenant), 1_000)).await.unwrap();
    entries.reverse();
    entries
}

/// The endpoints that leave a record, with what it is called.
fn audited() -> Vec<(&'static Rules, AuditedAction)> {
    let recorded = endpoints().iter().filter_map(|rules| match rules.recorded {
        Recorded::As(action) => Some((rules, action)),
        Recorded::Not(_) => None,
    });
    recorded.collect()
}

fn told(entry: &ActionEntry) -> (&str, &str) {
    (&entry.action, &entry.outcome)
}

#[tokio::test]
async fn every_route_records_an_action_or_is_exempt() {
    let world = World::create().await;
    let (admin, asker) = (world.key_named("boss", "admin", &[]).await, world.key_named("asker", "asker", &[]).await);
    let audited = audited();
    for (Rules { method, path, .. }, _) in &audited {
        let path = path.replace("{request_id}", NOBODY).replace("{id}", NOBODY);
        for key in [&admin, &asker] {
            world.call(method, &path, Some(key), "{}").await;
        }
    }
    for Rules { method, path, recorded, .. } in endpoints() {
        if let Recorded::Not(why) = recorded {
            assert!(!why.is_empty(), "{method} {path}");
            world.call(method, path, Some(&admin), "").await;
        }
    }
    let entries = recorded(&world).await;
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for entry in &entries {
        *counts.entry(&entry.action).or_default() += 1;
        assert!(entry.subject_id.as_ref().is_some_and(|id| id.starts_with("key:")), "{entry:?}");
        assert!(entry.request_id.is_some(), "{entry:?}");
        assert_eq!(
            entry.role.as_deref(),
            Some(if entry.subject_name.as_deref() == Some("boss") { "admin" } else { "asker" })
        );
    }
    for (Rules { method, path, .. }, action) in &audited {
        let routes = audited.iter().filter(|(_, other)| other == action).count();
        assert_eq!(counts.get(action.as_str()), Some(&(2 * routes)), "{method} {path}: {counts:?}");
    }
    assert_eq!(entries.len(), 2 * audited.len());
    let denied = entries.iter().filter(|entry| entry.outcome == "forbidden").count();
    let above = |least: &Least| matches!(least, Least::Role(role) if *role > Role::Asker);
    let withheld = endpoints().iter().filter(|rules| above(&rules.least)).count();
    assert_eq!(denied, withheld, "what an asker may not do: {:?}", entries.iter().map(told).collect::<Vec<_>>());
    world.end().await;
}

#[tokio::test]
async fn a_record_tells_who_did_what_to_which_and_how_it_ended() {
    let world = World::create().await;
    let (key, curator) = (world.key("asker", &[]).await, world.key_named("curator", "curator", &[]).await);
    let found = world.call("POST", "/v1/search", Some(&key), r#"{"query": "leave"}"#).await;
    assert_eq!(found.status, StatusCode::OK);
    let pin = json!({"triggers": ["When may I leave?"], "references": [{"address": "ADR-1"}], "tags": ["public"]});
    let pinned = world.call("POST", "/v1/memory/pins", Some(&curator), &pin.to_string()).await;
    assert_eq!(pinned.status, StatusCode::CREATED, "{}", pinned.text);
    let entries = recorded(&world).await;
    assert_eq!(entries.iter().map(told).collect::<Vec<_>>(), [("search", "done"), ("memory.pin", "done")]);
    assert_eq!(entries[0].details, json!({"query": "leave", "hits": found.body["hits"].as_array().unwrap().len()}));
    assert_eq!(entries[0].request_id.unwrap().to_string(), found.body["request_id"].as_str().unwrap());
    assert_eq!(entries[1].object_kind.as_deref(), Some("memory"));
    assert_eq!(entries[1].object_id.as_deref(), pinned.body["id"].as_str());
    assert!(!entries[1].details.to_string().contains("leave"), "no texts");
    world.end().await;
}

#[tokio::test]
async fn a_refused_model_is_recorded_whole_and_as_a_stream() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    for stream in [false, true] {
        let body = json!({"query": "Leave?", "model": "other", "stream": stream}).to_string();
        world.call("POST", "/v1/answers", Some(&key), &body).await;
    }
    let entries = recorded(&world).await;
    let refused = ("answer.ask", "model_not_allowed");
    assert_eq!(entries.iter().map(told).collect::<Vec<_>>(), [refused, refused]);
    world.end().await;
}

#[tokio::test]
async fn requests_turned_away_before_their_key_is_known_are_counted_for_the_installation() {
    let limits = ServerLimits { max_in_flight: 1, ..limits() };
    let world = World::create_with(policy(POLICY), Extras { limits, ..Extras::default() }).await;
    for _ in 0..3 {
        let reply = world.call("POST", "/v1/search", Some("Bearer ibk_unknown"), r#"{"query": "x"}"#).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED);
    }
    {
        let key = world.key("asker", &[]).await;
        let _attention = world.thoughtful.attention.acquire_many(8).await.unwrap();
        let headers = [("authorization", key.as_str()), ("content-type", "application/json")];
        let asked = json!({"query": "How many days of leave may be carried over?", "stream": true}).to_string();
        let _stream = world.begin("POST", "/v1/answers", &headers, &asked).await;
        world.thoughtful.asked.notified().await;
        let reply = world.call("POST", "/v1/search", Some(&key), r#"{"query": "x"}"#).await;
        assert_eq!(reply.body["type"], "overloaded", "{}", reply.text);
    }
    assert_eq!(recorded(&world).await.iter().map(told).collect::<Vec<_>>(), [("answer.ask", "done")]);
    let all = world.store().actions(&ActionsOf::all(None, 100)).await.unwrap();
    let mut counted: HashMap<(&str, &str), u64> = HashMap::new();
    for entry in &all {
        *counted.entry(told(entry)).or_default() += entry.details["requests"].as_u64().unwrap();
        assert_eq!((&entry.subject_id, &entry.request_id), (&None, &None));
    }
    assert_eq!(counted, [(("search", "unauthenticated"), 3), (("search", "overloaded"), 1)].into());
    world.end().await;
}

#[tokio::test]
async fn a_caller_who_hangs_up_leaves_a_record() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    let headers = [("authorization", key.as_str()), ("content-type", "application/json")];
    let body = r#"{"query": "How many days of leave may be carried over?"}"#;
    {
        let _attention = world.thoughtful.attention.acquire_many(8).await.unwrap();
        let begun = world.begin("POST", "/v1/answers", &headers, body);
        tokio::select! {
            _ = begun => panic!("the model is still thinking"),
            () = world.thoughtful.asked.notified() => {}
        }
    }
    // The turn goes on to its end, and so does its record.
    assert_eq!(recorded(&world).await.iter().map(told).collect::<Vec<_>>(), [("answer.ask", "done")]);
    world.end().await;
}

#[tokio::test]
async fn with_hashed_queries_no_word_of_a_search_is_on_record() {
    let texts = Texts::Hashed(HashKey::of(b"a secret of the operator, long enough"));
    let world = World::create_with(policy(POLICY), Extras { texts: Some(texts), ..Extras::default() }).await;
    let key = world.key("asker", &[]).await;
    world.call("POST", "/v1/search", Some(&key), r#"{"query": "zanzibar"}"#).await;
    let entries = recorded(&world).await;
    assert!(entries[0].details["query"].as_str().unwrap().starts_with("hmac-sha256:"), "{entries:?}");
    for (column, texts) in world.columns_of("actions").await {
        assert!(!texts.contains("zanzibar"), "{column}");
    }
    world.end().await;
}

#[tokio::test]
async fn without_the_audit_no_action_is_recorded() {
    let world = World::create_with(policy(POLICY), Extras { texts: None, ..Extras::default() }).await;
    let key = world.key("asker", &[]).await;
    assert_eq!(world.call("POST", "/v1/search", Some(&key), r#"{"query": "leave"}"#).await.status, StatusCode::OK);
    assert!(recorded(&world).await.is_empty());
    world.end().await;
}

#[tokio::test]
async fn admins_page_through_their_own_tenants_records_and_nobody_else_does() {
    let world = World::create().await;
    let (key, admin) = (world.key("asker", &[]).await, world.key_named("boss", "admin", &[]).await);
    let elsewhere = world.key_of("other", "admin").await;
    for _ in 0..5 {
        world.call("POST", "/v1/search", Some(&key), r#"{"query": "leave"}"#).await;
    }
    let path = "/v1/audit/actions?action=search&outcome=done";
    let mut seen: Vec<Value> = Vec::new();
    // Nobody waits for records.
    for _ in 0..3_000 {
        let reply = world.call("GET", path, Some(&admin), "").await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        seen = reply.body["actions"].as_array().unwrap().clone();
        if seen.len() == 5 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(seen.len(), 5);
    let (mut paged, mut cursor) = (Vec::new(), String::new());
    loop {
        let body = world.call("GET", &format!("{path}&limit=2{cursor}"), Some(&admin), "").await.body;
        paged.extend(body["actions"].as_array().unwrap().clone());
        let Some(next) = body["next"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, seen);
    assert_eq!(world.call("GET", path, Some(&elsewhere), "").await.body["actions"], json!([]));
    assert_eq!(world.call("GET", path, Some(&key), "").await.status, StatusCode::FORBIDDEN);
    for wrong in ["action=nothing", "subject=desk", "cursor=x", "limit=0", "limit=501", "tenant=other"] {
        let reply = world.call("GET", &format!("/v1/audit/actions?{wrong}"), Some(&admin), "").await;
        assert!(reply.status.is_client_error(), "{wrong}: {}", reply.text);
    }
    assert!(AuditedAction::ALL.len() > audited().len(), "commands have some of their own");
    world.end().await;
}
