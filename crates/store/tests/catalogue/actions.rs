//! The record of actions: written, read page by page, and kept in months as the audit is.

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_store::{ActionObject, ActionRecord, ActionsOf, AuditLog, AuditedAction, Texts};
use ibidem_testing::database::TestDatabase;
use ibidem_words::{Identity, SubjectId, TenantId};
use sqlx::{Connection as _, PgConnection};

use super::*;

fn at(written: &str) -> DateTime<Utc> {
    written.parse().unwrap()
}

fn log(store: &Store) -> AuditLog {
    AuditLog { store: store.clone(), texts: Texts::Plain }
}

fn search(tenant: TenantId, name: &str, moment: &str) -> ActionRecord {
    let mut record = ActionRecord::by_operator(AuditedAction::Search, None);
    record.is_by(&Identity::for_tests(tenant, name, Default::default()));
    ActionRecord { acted_at: at(moment), query: Some("leave\0?".to_owned()), ..record }
}

#[tokio::test]
async fn actions_are_read_newest_first_by_tenant_subject_action_and_time() {
    with_store(|store, tenant| async move {
        let log = log(&store);
        let other = store.ensure_tenant("other").await.unwrap();
        let rows = [
            log.action_row(search(tenant, "one", "2031-02-01T00:00:00Z")),
            log.action_row(search(tenant, "two", "2031-02-02T00:00:00Z")),
            log.action_row(search(other, "one", "2031-02-03T00:00:00Z")),
            log.action_row(ActionRecord {
                acted_at: at("2031-02-04T00:00:00Z"),
                object: Some(ActionObject::new("key", "k")),
                ..ActionRecord::by_operator(AuditedAction::CreateKey, Some(tenant))
            }),
        ];
        log.write_actions(&rows).await.unwrap();
        log.write_actions(&rows).await.unwrap();
        let all = ActionsOf::all(Some(tenant), 10);
        let names = |entries: Vec<ibidem_store::ActionEntry>| -> Vec<String> {
            entries.into_iter().map(|entry| entry.subject_name.unwrap()).collect()
        };
        let found = store.actions(&all).await.unwrap();
        assert_eq!(found[1].details["query"], "leave\u{fffd}?");
        assert_eq!((found[0].object_id.as_deref(), found[0].role.as_deref()), (Some("k"), Some("operator")));
        let after = Some((found[0].acted_at, found[0].id));
        assert_eq!(names(found), ["operator", "two", "one"], "written twice, each is there once");
        assert_eq!(names(store.actions(&ActionsOf { after, most: 1, ..all.clone() }).await.unwrap()), ["two"]);
        let by_operator = ActionsOf { subject: Some(SubjectId::Operator), ..all.clone() };
        assert_eq!(names(store.actions(&by_operator).await.unwrap()), ["operator"]);
        let searches = ActionsOf { action: Some(AuditedAction::Search), ..all.clone() };
        assert_eq!(names(store.actions(&searches).await.unwrap()), ["two", "one"]);
        let until = Some(at("2031-02-02T00:00:00Z"));
        assert_eq!(names(store.actions(&ActionsOf { until, ..all.clone() }).await.unwrap()), ["one"]);
        let since = Some(at("2031-02-03T00:00:00Z"));
        assert_eq!(names(store.actions(&ActionsOf { since, ..all }).await.unwrap()), ["operator"]);
        assert!(store.actions(&ActionsOf::all(None, 10)).await.unwrap().is_empty(), "the installation's own");
    })
    .await;
}

#[tokio::test]
async fn months_are_made_and_go_as_the_audits_do() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    let mut connection = PgConnection::connect(&database.url).await.unwrap();
    let log = log(store);
    for moment in ["2021-01-31T23:59:59Z", "2021-02-01T00:00:00Z", "2021-04-01T00:00:00Z"] {
        log.keep_action(search(tenant, "one", moment)).await.unwrap();
    }
    assert_eq!(store.make_audit_months(at("2021-01-15T00:00:00Z")).await.unwrap(), 2);
    let rows = sqlx::query_as("SELECT tableoid::regclass::text, count(*) FROM actions GROUP BY 1 ORDER BY 1");
    let partitions: Vec<(String, i64)> = rows.fetch_all(&mut connection).await.unwrap();
    let expected = [("actions_2021_01", 1), ("actions_2021_02", 1), ("actions_elsewhen", 1)];
    assert_eq!(partitions, expected.map(|(name, rows)| (name.to_owned(), rows)));
    let pruned = store.prune_audit(at("2021-02-28T23:00:00Z")).await.unwrap();
    assert_eq!((pruned.months, pruned.records), (vec!["2021_01".to_owned()], 0));
    let pruned = store.prune_audit(Utc::now() - TimeDelta::days(365)).await.unwrap();
    assert_eq!((pruned.months, pruned.records), (vec!["2021_02".to_owned()], 1));
    assert!(store.actions(&ActionsOf::all(Some(tenant), 10)).await.unwrap().is_empty());
    database.drop_database().await;
}
