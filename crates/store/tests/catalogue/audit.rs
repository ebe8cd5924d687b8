//! The audit's table: its months, what is carried over into it, and what goes.

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_testing::database::TestDatabase;
use sqlx::postgres::PgQueryResult;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

const BEFORE_THE_AUDIT: [&str; 6] = [
    include_str!("../../migrations/0001_catalogue.sql"),
    include_str!("../../migrations/0002_work.sql"),
    include_str!("../../migrations/0003_keys.sql"),
    include_str!("../../migrations/0004_turns.sql"),
    include_str!("../../migrations/0005_addresses.sql"),
    include_str!("../../migrations/0006_memory.sql"),
];
const AUDIT: &str = include_str!("../../migrations/0007_audit.sql");

fn at(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

async fn run(connection: &mut PgConnection, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(connection).await.unwrap();
}

/// A record of this moment, with nothing in it.
async fn record(connection: &mut PgConnection, moment: &str) {
    // A month that is made while a statement waits turns it away, once: the store's own writer tries again, too.
    if try_record(connection, moment).await.is_err() {
        try_record(connection, moment).await.unwrap();
    }
}

async fn try_record(connection: &mut PgConnection, moment: &str) -> Result<PgQueryResult, sqlx::Error> {
    let statement = format!(
        "INSERT INTO audit (id, asked_at, tenant_id, request_id, subject_name, turn, texts, question, route, action, answer,
                                markers_dropped, sentences_dropped, tools, fallback_flags, policy_sha256, duration_ms,
                                stages)
             VALUES (gen_random_uuid(), '{moment}', gen_random_uuid(), gen_random_uuid(), 'desk', 1, 'plain', '{{}}',
                     'tree', 'cite', '{{}}', 0, 0, '[]', '[]', '', 1, '[]')"
    );
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await
}

async fn partitions(connection: &mut PgConnection) -> Vec<(String, i64)> {
    let rows = sqlx::query_as("SELECT tableoid::regclass::text, count(*) FROM audit GROUP BY 1 ORDER BY 1");
    rows.fetch_all(connection).await.unwrap()
}

#[tokio::test]
async fn a_record_without_a_month_is_kept_and_moves_when_the_month_is_made() {
    let database = TestDatabase::create().await;
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    // A session's own time zone moves no border.
    run(&mut connection, "SET timezone = 'Pacific/Auckland'").await;
    for moment in ["2031-01-31T23:59:59.999Z", "2031-02-01T00:00:00Z", "2031-02-28T23:59:59Z", "2031-03-01T00:00:00Z"] {
        record(&mut connection, moment).await;
    }
    assert_eq!(partitions(&mut connection).await, [("audit_elsewhen".to_owned(), 4)]);
    assert_eq!(database.store.make_audit_months(at("2031-01-15T00:00:00Z")).await.unwrap(), 2);
    assert_eq!(database.store.make_audit_months(at("2031-01-31T23:59:59Z")).await.unwrap(), 0);
    let expected = [("audit_2031_01", 1), ("audit_2031_02", 2), ("audit_elsewhen", 1)];
    assert_eq!(partitions(&mut connection).await, expected.map(|(name, rows)| (name.to_owned(), rows)));
    assert_eq!(database.store.audit_months().await.unwrap().elsewhen, 1);
    database.drop_database().await;
}

#[tokio::test]
async fn servers_that_make_the_same_month_at_once_do_not_collide_and_writers_go_on() {
    let database = TestDatabase::create().await;
    let store = database.store.clone();
    let makers = (0..8).map(|_| {
        let store = store.clone();
        tokio::spawn(async move { store.make_audit_months(at("2032-12-15T00:00:00Z")).await })
    });
    let makers: Vec<_> = makers.collect();
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    for _ in 0..50 {
        record(&mut connection, "2032-12-15T00:00:00Z").await;
    }
    let mut made = 0;
    for maker in makers {
        made += maker.await.unwrap().unwrap();
    }
    assert_eq!(made, 2, "December and, over the year's end, January");
    assert_eq!(partitions(&mut connection).await, [("audit_2032_12".to_owned(), 50)]);
    assert!(store.audit_months().await.unwrap().names.ends_with(&["2032_12".to_owned(), "2033_01".to_owned()]));
    database.drop_database().await;
}

#[tokio::test]
async fn whole_months_go_when_they_are_old_and_records_of_no_month_one_by_one() {
    let database = TestDatabase::create().await;
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    for month in ["2020-01-15T00:00:00Z", "2020-03-15T00:00:00Z"] {
        database.store.make_audit_months(at(month)).await.unwrap();
        record(&mut connection, month).await;
    }
    for moment in ["2019-12-31T00:00:00Z", "2020-05-01T00:00:00Z"] {
        record(&mut connection, moment).await;
    }
    let almost = database.store.prune_audit(at("2020-02-01T00:00:00Z") - TimeDelta::microseconds(1)).await.unwrap();
    assert_eq!((almost.months.len(), almost.records), (0, 1), "January has not ended yet");
    let pruned = database.store.prune_audit(at("2020-03-20T00:00:00Z")).await.unwrap();
    assert_eq!((pruned.months, pruned.records), (vec!["2020_01".to_owned(), "2020_02".to_owned()], 0));
    let left = [("audit_2020_03", 1), ("audit_elsewhen", 1)];
    assert_eq!(partitions(&mut connection).await, left.map(|(name, rows)| (name.to_owned(), rows)));
    database.drop_database().await;
}

#[tokio::test]
async fn a_clock_that_is_ahead_makes_no_record_old() {
    let database = TestDatabase::create().await;
    let ahead = Utc::now() + TimeDelta::days(400);
    let behind = Utc::now() - TimeDelta::days(400);
    assert!(database.store.earlier_clock(ahead).await.unwrap() < Utc::now() + TimeDelta::minutes(5));
    assert_eq!(database.store.earlier_clock(behind).await.unwrap(), behind);
    database.drop_database().await;
}

#[tokio::test]
async fn what_was_recorded_before_is_carried_over_each_in_its_month() {
    let database = TestDatabase::create().await;
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    run(&mut connection, "CREATE SCHEMA earlier; SET search_path = earlier").await;
    for migration in BEFORE_THE_AUDIT {
        run(&mut connection, migration).await;
    }
    run(
        &mut connection,
        r#"INSERT INTO tenants (id, name) VALUES ('00000000-0000-0000-0000-000000000001', 'default');
           INSERT INTO turns SELECT gen_random_uuid(), '00000000-0000-0000-0000-000000000001', gen_random_uuid(), 'desk',
                  's-1', moment, 7, '\x01', '{"query": "leave?", "collections": ["Policy"], "history":
                  [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}', '{"action": "refuse",
                  "reason": "no_results", "retrieval_quality": {"fallback_reasons": ["bm25_only"]}}', 'draft', 1, 2, 'it failed'
           FROM unnest(ARRAY['2025-12-31 23:59:59+00', '2026-01-01 00:00:00+00']::timestamptz[]) AS moments (moment)"#,
    )
    .await;
    run(&mut connection, AUDIT).await;
    let expected = [("audit_2025_12", 1), ("audit_2026_01", 1)];
    assert_eq!(partitions(&mut connection).await, expected.map(|(name, rows)| (name.to_owned(), rows)));
    let columns =
        "turn, route, action || ' ' || reason, fallback_flags::text, draft || ' ' || failure, markers_dropped";
    let rows: Vec<(i32, String, String, String, String, i32)> =
        sqlx::query_as(AssertSqlSafe(format!("SELECT {columns} FROM audit"))).fetch_all(&mut connection).await.unwrap();
    let carried = (2, "direct", "refuse no_results", r#"["bm25_only"]"#, "draft it failed", 1);
    for row in &rows {
        assert_eq!((row.0, row.1.as_str(), row.2.as_str(), row.3.as_str(), row.4.as_str(), row.5), carried);
    }
    let gone: bool =
        sqlx::query_scalar("SELECT to_regclass('turns') IS NULL").fetch_one(&mut connection).await.unwrap();
    assert!(gone && rows.len() == 2);
    database.drop_database().await;
}
