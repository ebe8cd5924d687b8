//! `/healthz` and `/readyz`.

use std::sync::Arc;

use axum::http::StatusCode;
use ibidem_engine::policy::Policy;
use tokio::sync::watch;

use crate::world::{POLICY, World};

#[tokio::test]
async fn a_process_whose_parts_answer_is_ready() {
    let world = World::create().await;
    let reply = world.call("GET", "/readyz", None, "").await;
    assert_eq!((reply.status, reply.body["status"].as_str()), (StatusCode::OK, Some("ok")));
    world.end().await;
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
