//! `/healthz` and `/readyz`.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use ibidem_engine::policy::Policy;
use ibidem_ports::degrade::{BreakerSettings, BreakerStates, Breakers};
use ibidem_server::Readiness;
use ibidem_server::metrics::{PartCounts, ToolCalls, VocabularyCounts};
use tokio::sync::watch;

use crate::world::{Extras, POLICY, World, policy};

const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_process_whose_parts_answer_is_ready() {
    let world = World::create().await;
    let reply = world.call("GET", "/readyz", None, "").await;
    assert_eq!((reply.status, reply.body["status"].as_str()), (StatusCode::OK, Some("ok")));
    world.end().await;
}

/// Whose disks are full.
struct Full(Vec<&'static str>);

#[async_trait::async_trait]
impl Readiness for Full {
    async fn missing(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    async fn cannot_write(&self) -> Vec<(&'static str, String)> {
        self.0.iter().map(|part| (*part, "No space left on device".to_owned())).collect()
    }
}

#[tokio::test]
async fn readiness_knows_a_full_disk_and_only_the_databases_turns_questions_away() {
    for (full, status, said) in [
        (vec!["originals"], StatusCode::OK, "ok"),
        (vec!["database"], StatusCode::SERVICE_UNAVAILABLE, "not_ready"),
        (vec!["database", "originals"], StatusCode::SERVICE_UNAVAILABLE, "not_ready"),
    ] {
        let extras = Extras { readiness: Arc::new(Full(full.clone())), ..Extras::default() };
        let world = World::create_with(policy(POLICY), extras).await;
        let reply = world.call("GET", "/readyz", None, "").await;
        assert_eq!((reply.status, &reply.body["status"]), (status, &serde_json::json!(said)));
        assert_eq!(reply.body["cannot_write"], serde_json::json!(full));
        assert!(!reply.text.contains("No space"), "why is for the log");
        world.end().await;
    }
}

#[tokio::test]
async fn readiness_names_the_policy_in_force_also_after_it_changed() {
    let policy = |text: &str| Arc::new(Policy::parse(text).unwrap());
    let (one, other) = (policy(POLICY), policy(&POLICY.replace("0.7", "0.8")));
    let (in_force, taken_from) = watch::channel(one.clone());
    let world = World::create_under(taken_from).await;
    for policy in [&one, &other, &one] {
        in_force.send_replace(policy.clone());
        let reply = world.call("GET", "/readyz", None, "").await;
        assert_eq!(reply.body["policy_sha256"], policy.hash.to_string());
    }
    assert_eq!(world.call("GET", "/healthz", None, "").await.body, serde_json::json!({ "status": "ok" }));
    world.end().await;
}

/// A reranker that failed too often, and an index that did not.
struct OneLeftAlone(Breakers);

impl OneLeftAlone {
    fn new() -> Self {
        let breakers = Breakers::new(BreakerSettings::default());
        let (_, reranker) = (breakers.of("index", PATIENCE), breakers.of("reranker", PATIENCE));
        for _ in 0..BreakerSettings::default().failures_to_open {
            reranker.begin().unwrap().failed();
        }
        Self(breakers)
    }
}

impl PartCounts for OneLeftAlone {
    fn vocabulary(&self) -> VocabularyCounts {
        VocabularyCounts::default()
    }

    fn breakers(&self) -> BreakerStates {
        self.0.states()
    }

    fn tool_calls(&self) -> Vec<ToolCalls> {
        Vec::new()
    }
}

#[tokio::test]
async fn readiness_names_the_parts_that_are_left_alone_and_is_there_without_them() {
    let counts = Arc::new(OneLeftAlone::new());
    let extras = Extras { counts: counts.clone(), ..Extras::default() };
    let world = World::create_with(policy(POLICY), extras).await;
    let reply = world.call("GET", "/readyz", None, "").await;
    assert_eq!((reply.status, &reply.body["left_alone"]), (StatusCode::OK, &serde_json::json!(["reranker"])));
    // Another one took its place.
    drop(counts.0.of("reranker", PATIENCE));
    assert_eq!(world.call("GET", "/readyz", None, "").await.body.get("left_alone"), None);
    world.end().await;
}
