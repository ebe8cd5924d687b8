//! Records while the database is away, and those that it will not have.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::json;

use super::metrics::Scrape;
use super::world::World;

const AWAY: &str = "ALTER TABLE audit RENAME TO audit_away";
const BACK: &str = "ALTER TABLE audit_away RENAME TO audit";

async fn ask(world: &World, key: &str, session: &str) {
    let body = json!({"query": "How many days of leave may be carried over?", "session_id": session}).to_string();
    let reply = world.call("POST", "/v1/answers", Some(key), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
}

/// Waiting, written and lost.
async fn counted(world: &World) -> [f64; 3] {
    let scrape = Scrape::of(world).await;
    ["audit_waiting", "audit_written_total", "audit_lost_total"].map(|name| scrape.value(name, &[]))
}

#[tokio::test]
async fn records_are_kept_while_the_table_is_away_and_written_when_it_is_back() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.run_sql(AWAY).await;
    for _ in 0..5 {
        ask(&world, &key, "s").await;
    }
    world.turns_ended().await;
    assert_eq!(counted(&world).await, [5.0, 0.0, 0.0]);
    world.run_sql(BACK).await;
    world.stop().await;
    assert_eq!(counted(&world).await, [0.0, 5.0, 0.0]);
    assert_eq!(world.store().turn_count().await.unwrap(), 5);
    world.end().await;
}

#[tokio::test]
async fn a_record_that_the_database_will_not_have_is_lost_alone_and_counted() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.run_sql("ALTER TABLE audit ADD CHECK (session_id <> 'cursed')").await;
    world.run_sql(AWAY).await;
    for session in ["a", "b", "cursed", "c"] {
        ask(&world, &key, session).await;
    }
    world.turns_ended().await;
    world.run_sql(BACK).await;
    world.stop().await;
    assert_eq!(counted(&world).await, [0.0, 3.0, 1.0]);
    assert_eq!(world.store().turn_count().await.unwrap(), 3);
    world.end().await;
}

#[tokio::test]
async fn a_record_that_never_ends_holds_up_no_other_and_leaves_no_statement_behind() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world
        .run_sql(
            "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN IF new.session_id = 'cursed' THEN PERFORM pg_sleep(600); END IF; RETURN new; END $$;
             CREATE TRIGGER linger BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION linger()",
        )
        .await;
    world.run_sql(AWAY).await;
    for session in ["a", "b", "cursed", "c"] {
        ask(&world, &key, session).await;
    }
    world.turns_ended().await;
    world.run_sql(BACK).await;
    let began = Instant::now();
    while counted(&world).await[1] < 3.0 {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", counted(&world).await);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // The others did not wait for it; it is given up when it failed again while others are written.
    while counted(&world).await[2] < 1.0 {
        ask(&world, &key, "later").await;
        assert!(began.elapsed() < Duration::from_secs(120), "{:?}", counted(&world).await);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let lingering = "DO $$ BEGIN IF EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
                     AND state = 'active' AND query LIKE 'INSERT INTO audit%'
                     AND now() - query_start > interval '5 s') THEN RAISE 'it goes on'; END IF; END $$";
    world.run_sql(lingering).await;
    world.stop().await;
    assert_eq!(counted(&world).await[2], 1.0);
    world.end().await;
}

#[tokio::test]
async fn a_server_that_stops_does_not_wait_for_ever_and_counts_what_it_lost() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world.run_sql(AWAY).await;
    for _ in 0..3 {
        ask(&world, &key, "s").await;
    }
    world.stop().await;
    assert_eq!(counted(&world).await, [0.0, 0.0, 3.0]);
    world.end().await;
}

#[tokio::test]
async fn a_month_that_is_made_while_a_record_is_written_does_not_cost_the_record() {
    let world = World::create().await;
    let key = world.key("asker", &[]).await;
    world
        .run_sql(r#"DO $$ BEGIN EXECUTE to_char(now() AT TIME ZONE 'UTC', '"DROP TABLE audit_"YYYY_MM'); END $$"#)
        .await;
    // The record is for the default partition, waits for its lock, and is no longer for it when it gets it.
    let making = world.run_sql(
        "BEGIN; LOCK TABLE audit_elsewhen IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(1); \
         SELECT audit_make_month(now()); COMMIT",
    );
    let asking = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        ask(&world, &key, "s").await;
    };
    tokio::join!(making, asking);
    world.stop().await;
    assert_eq!(counted(&world).await, [0.0, 1.0, 0.0]);
    assert_eq!(world.store().audit_months().await.unwrap().elsewhen, 0);
    world.end().await;
}
