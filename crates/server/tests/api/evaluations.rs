//! `GET /v1/evaluations`: what was recorded of evaluation runs, for the admins of the own tenant.

use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta};
use ibidem_store::{RiskAtCoverage, RunFigures, SureAnswers};
use ibidem_words::Sha256Hash;

use crate::world::World;

fn figures(passed: u64) -> RunFigures {
    RunFigures {
        policy: "book".to_owned(),
        policy_sha256: Sha256Hash::of(b"book"),
        version: "0.1.0".to_owned(),
        question_set: "f00d".to_owned(),
        answering_model: None,
        embedding_model: "fake".to_owned(),
        documents: 2,
        questions: 10,
        passed,
        targets_reached: passed == 10,
        risk_coverage: vec![RiskAtCoverage { coverage: 0.5, risk: 0.1 }, RiskAtCoverage { coverage: 1.0, risk: 0.2 }],
        reliability: vec![SureAnswers { confidence: 0.8, right: 0.75, count: 4, low: 0.3, high: 0.95 }],
    }
}

#[tokio::test]
async fn runs_are_listed_newest_first_for_admins_of_the_own_tenant() {
    let world = World::create().await;
    let (admin, outside) = (world.key("admin", &[]).await, world.key_of("other", "admin").await);
    let at = DateTime::UNIX_EPOCH;
    world.store().record_evaluation(world.tenant, at, &figures(8)).await.unwrap();
    world.store().record_evaluation(world.tenant, at + TimeDelta::days(1), &figures(10)).await.unwrap();
    let reply = world.call("GET", "/v1/evaluations", Some(&admin), "").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    let runs = reply.body["runs"].as_array().unwrap();
    let passed: Vec<_> = runs.iter().map(|run| (&run["passed"], &run["targets_reached"])).collect();
    assert_eq!(passed, [(&10.into(), &true.into()), (&8.into(), &false.into())]);
    assert_eq!(runs[0]["risk_coverage"][1]["risk"], 0.2);
    assert_eq!(runs[0]["reliability"][0]["count"], 4);
    let other = world.call("GET", "/v1/evaluations", Some(&outside), "").await;
    assert_eq!(other.body["runs"].as_array().map(Vec::len), Some(0), "{}", other.text);
    world.end().await;
}
