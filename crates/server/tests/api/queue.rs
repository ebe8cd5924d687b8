//! `GET /v1/queue`: how far the intake of the tenant's documents is.

use axum::http::StatusCode;
use ibidem_ports::intake::{Failed, Failure, Format, Intake, Submission};
use ibidem_words::{Sha256Hash, TenantId};
use serde_json::Value;
use uuid::Uuid;

use crate::world::World;

async fn submit(world: &World, tenant: TenantId, files: &[(&str, &str)]) {
    let submissions: Vec<_> = files
        .iter()
        .map(|(file, tag)| Submission {
            tenant,
            collection: "Policy".parse().unwrap(),
            source_location: (*file).to_owned(),
            format: Format::Plain,
            original: Sha256Hash::of(file.as_bytes()),
            tags: vec![tag.parse().unwrap()],
            title: None,
            address: None,
            kind: None,
            updated_at: None,
        })
        .collect();
    world.store().submit(tenant, Uuid::now_v7(), "test", &submissions).await.unwrap();
}

async fn read(world: &World, key: &str) -> Value {
    let reply = world.call("GET", "/v1/queue", Some(key), "").await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

fn numbers(body: &Value) -> [u64; 4] {
    ["waiting", "retrying", "running", "failed"].map(|name| body[name].as_u64().unwrap())
}

#[tokio::test]
async fn an_admin_reads_what_waits_runs_and_failed_of_the_own_tenant_and_names_only_of_visible_documents() {
    let world = World::create().await;
    let (admin, outside) = (world.key("admin", &[]).await, world.key_of("other", "admin").await);
    let fresh = read(&world, &admin).await;
    assert_eq!((numbers(&fresh), &fresh["oldest_waiting"]), ([0, 0, 0, 0], &Value::Null), "{fresh}");
    assert_eq!((&fresh["taken_in_last_hour"], &fresh["publications"]), (&2.into(), &2.into()), "{fresh}");

    submit(&world, world.tenant, &[("a.pdf", "public"), ("b.pdf", "finance"), ("c.pdf", "public")]).await;
    let waiting = read(&world, &admin).await;
    assert_eq!(numbers(&waiting), [3, 0, 0, 0]);
    assert!(waiting["oldest_waiting"].is_string(), "{waiting}");

    let jobs = Intake::claim(world.store(), 3).await.unwrap();
    assert_eq!(numbers(&read(&world, &admin).await), [0, 0, 3, 0]);
    for job in &jobs {
        let failure = if job.submission.source_location == "c.pdf" { Failure::Passing } else { Failure::Permanent };
        let failed = world.store().fail(job, "it has no text in it", failure).await.unwrap();
        assert_eq!(failed == Failed::GivenUp, failure == Failure::Permanent);
    }
    let failed = read(&world, &admin).await;
    assert_eq!(numbers(&failed), [1, 1, 0, 2]);
    let named = |body: &Value| -> Vec<String> {
        let failures = body["failures"].as_array().unwrap().iter();
        let mut named: Vec<_> = failures.map(|one| format!("{} {}", one["file"], one["reason"])).collect();
        named.sort();
        named
    };
    assert_eq!(named(&failed), [r#""a.pdf" "it has no text in it""#]);
    let finance = world.key("admin", &["finance"]).await;
    assert_eq!(named(&read(&world, &finance).await).len(), 2);

    assert_eq!(numbers(&read(&world, &outside).await), [0, 0, 0, 0], "no other tenant's");
    for role in ["asker", "curator"] {
        let key = world.key(role, &["finance"]).await;
        assert_eq!(world.call("GET", "/v1/queue", Some(&key), "").await.status, StatusCode::FORBIDDEN);
    }
    world.end().await;
}
