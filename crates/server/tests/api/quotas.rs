//! Limits by key and tenant: what is refused says what was exceeded, and several servers count together.

use std::sync::Arc;

use axum::http::StatusCode;
use chrono::{DateTime, TimeDelta, Utc};
use ibidem_server::{QuotaError, QuotaSettings, Quotas, ServerLimits, UseLimits};
use ibidem_words::{Identity, TenantId};

use super::world::{Extras, POLICY, World, limits, policy};

async fn world_of(key: UseLimits, tenant: UseLimits) -> World {
    let quotas = Quotas::new(QuotaSettings { key, tenant, ..QuotaSettings::default() });
    World::create_with(policy(POLICY), Extras { quotas, ..Extras::default() }).await
}

const QUESTION: &str = r#"{"query": "How many days of leave may be carried over?"}"#;

#[tokio::test]
async fn over_a_limit_is_429_with_what_was_exceeded_and_when_to_come_again() {
    let world = world_of(UseLimits { requests_per_minute: 1, ..UseLimits::default() }, UseLimits::default()).await;
    let (key, other) = (world.key("asker", &[]).await, world.key("asker", &[]).await);
    let search = r#"{"query": "leave"}"#;
    assert_eq!(world.call("POST", "/v1/search", Some(&key), search).await.status, StatusCode::OK);
    let reply = world.call("POST", "/v1/search", Some(&key), search).await;
    assert_eq!((reply.status, reply.body["type"].as_str()), (StatusCode::TOO_MANY_REQUESTS, Some("over_limit")));
    assert!(
        reply.body["detail"].as_str().unwrap().contains("`requests_per_minute` of this key is 1"),
        "{}",
        reply.text
    );
    let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(world.call("POST", "/v1/search", Some(&other), search).await.status, StatusCode::OK, "its own limit");
    world.end().await;
}

#[tokio::test]
async fn documents_bytes_and_tokens_have_their_day() {
    let day = UseLimits { documents_per_day: 2, bytes_per_day: 100, ..UseLimits::default() };
    let world = world_of(UseLimits::default(), day).await;
    let identity = Identity::for_tests(world.tenant, "desk", Default::default());
    let quotas = Quotas::new(QuotaSettings { tenant: day, ..QuotaSettings::default() });
    let what = |result: Result<(), QuotaError>| match result {
        Ok(()) => "taken",
        Err(QuotaError::Over(over)) => over.what,
        Err(QuotaError::Store(error)) => panic!("{error}"),
    };
    let store = world.store();
    assert_eq!(what(quotas.take_document(store, &identity, 200).await), "bytes_per_day");
    assert_eq!(what(quotas.take_document(store, &identity, 60).await), "taken");
    assert_eq!(what(quotas.take_document(store, &identity, 60).await), "bytes_per_day");
    assert_eq!(what(quotas.take_document(store, &identity, 40).await), "taken", "what was refused was not counted");
    assert_eq!(what(quotas.take_document(store, &identity, 0).await), "documents_per_day");
    world.end().await;
}

#[tokio::test]
async fn tokens_of_a_model_are_counted_when_a_turn_has_ended() {
    let few = UseLimits { model_tokens_per_day: 1, ..UseLimits::default() };
    let world = world_of(few, UseLimits::default()).await;
    let key = world.key("asker", &[]).await;
    let first = world.call("POST", "/v1/answers", Some(&key), QUESTION).await;
    assert_eq!(first.status, StatusCode::OK, "{}", first.text);
    let second = world.call("POST", "/v1/answers", Some(&key), QUESTION).await;
    assert_eq!(second.status, StatusCode::TOO_MANY_REQUESTS, "{}", second.text);
    assert!(second.text.contains("model_tokens_per_day"), "{}", second.text);
    world.end().await;
}

#[tokio::test]
async fn one_question_at_a_time_is_one_at_a_time() {
    let one = UseLimits { turns_at_once: 1, ..UseLimits::default() };
    let world = Arc::new(world_of(one, UseLimits::default()).await);
    let key = world.key("asker", &[]).await;
    let thinking = world.thoughtful.attention.acquire_many(8).await.unwrap();
    let first = {
        let (world, key) = (world.clone(), key.clone());
        tokio::spawn(async move { world.call("POST", "/v1/answers", Some(&key), QUESTION).await.status })
    };
    world.thoughtful.asked.notified().await;
    let second = world.call("POST", "/v1/answers", Some(&key), QUESTION).await;
    assert!(second.text.contains("turns_at_once"), "{}", second.text);
    drop(thinking);
    assert_eq!(first.await.unwrap(), StatusCode::OK);
    let third = world.call("POST", "/v1/answers", Some(&key), QUESTION).await;
    assert_eq!(third.status, StatusCode::OK, "{}", third.text);
    Arc::into_inner(world).unwrap().end().await;
}

#[tokio::test]
async fn a_tenant_has_its_share_of_the_places() {
    let limits = ServerLimits { max_in_flight: 4, tenant_share_percent: 25, key_share_percent: 100, ..limits() };
    let world = World::create_with(policy(POLICY), Extras { limits, ..Extras::default() }).await;
    let world = Arc::new(world);
    let (key, other) = (world.key("asker", &[]).await, world.key("asker", &[]).await);
    let thinking = world.thoughtful.attention.acquire_many(8).await.unwrap();
    let first = {
        let world = world.clone();
        tokio::spawn(async move { world.call("POST", "/v1/answers", Some(&key), QUESTION).await.status })
    };
    world.thoughtful.asked.notified().await;
    let second = world.call("POST", "/v1/answers", Some(&other), QUESTION).await;
    assert_eq!(second.body["type"], "tenant_overloaded", "{}", second.text);
    drop(thinking);
    assert_eq!(first.await.unwrap(), StatusCode::OK);
    Arc::into_inner(world).unwrap().end().await;
}

/// Two servers, 200 clients who ask again and again, five minutes of a clock that the test moves.
#[tokio::test]
async fn two_servers_accept_together_what_one_may_within_two_percent() {
    const PER_MINUTE: u32 = 60;
    const MINUTES: i64 = 5;
    const CLIENTS: usize = 200;
    let world = World::create().await;
    let settings = QuotaSettings {
        key: UseLimits { requests_per_minute: PER_MINUTE, ..UseLimits::default() },
        ..QuotaSettings::default()
    };
    let servers = [Quotas::new(settings.clone()), Quotas::new(settings)];
    let identity = Identity::for_tests(world.tenant, "desk", Default::default());
    let begins: DateTime<Utc> = DateTime::from_timestamp(1_800_000_007, 0).unwrap();
    let mut accepted = 0_i64;
    for step in 0..MINUTES * 60 * 2 {
        let now = begins + TimeDelta::milliseconds(step * 500);
        for client in 0..CLIENTS {
            match servers[client % 2].admit(world.store(), &identity, Some(now)).await {
                Ok(()) => accepted += 1,
                Err(QuotaError::Over(over)) => assert!(over.wait <= TimeDelta::seconds(1), "{over:?}"),
                Err(QuotaError::Store(error)) => panic!("{error}"),
            }
        }
    }
    let expected = i64::from(PER_MINUTE) * MINUTES;
    assert!((accepted - expected).abs() * 50 <= expected, "{accepted} of {expected}");
    let elsewhere = Identity::for_tests(TenantId::named("elsewhere"), "desk", Default::default());
    let now = begins + TimeDelta::minutes(MINUTES);
    assert!(servers[0].admit(world.store(), &elsewhere, Some(now)).await.is_ok(), "another's limit is its own");
    world.end().await;
}
