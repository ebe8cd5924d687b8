//! The databases of tests themselves: they are copies, they go also on a panic, and what was left behind goes later.

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use uuid::{NoContext, Timestamp};

use super::*;

async fn server() -> PgConnection {
    PgConnection::connect(&std::env::var("IBIDEM__DATABASE__URL").unwrap()).await.unwrap()
}

async fn exists(server: &mut PgConnection, name: &str) -> bool {
    let query = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)");
    query.bind(name).fetch_one(server).await.unwrap()
}

async fn execute(server: &mut PgConnection, statement: String) {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(server).await.unwrap();
}

fn name_of(database: &TestDatabase) -> String {
    database.url.rsplit('/').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_database_goes_when_its_test_panics() {
    let mut server = server().await;
    let (sender, name) = std::sync::mpsc::channel();
    let test = tokio::spawn(async move {
        let database = TestDatabase::create().await;
        database.store.ensure_tenant("default").await.unwrap();
        sender.send(name_of(&database)).unwrap();
        panic!("as a test does that fails");
    });
    assert!(test.await.unwrap_err().is_panic());
    assert!(!exists(&mut server, &name.recv().unwrap()).await);
}

#[tokio::test]
async fn two_databases_are_two_copies_of_one_template() {
    let (one, other) = tokio::join!(TestDatabase::create(), TestDatabase::create());
    one.store.ensure_tenant("default").await.unwrap();
    assert!(other.columns_of("tenants").await.iter().all(|(_, values)| values.is_empty()));
    let (one_name, other_name) = (name_of(&one), name_of(&other));
    one.drop_database().await;
    let mut server = server().await;
    assert!(!exists(&mut server, &one_name).await && exists(&mut server, &other_name).await);
    other.drop_database().await;
}

#[tokio::test]
async fn what_a_killed_test_left_behind_goes_after_an_hour_unless_somebody_uses_it() {
    const MINUTE: u64 = 60;
    let name = |minutes: u64| {
        let now = u64::try_from(chrono::Utc::now().timestamp()).unwrap();
        let since = Timestamp::from_unix(NoContext, now - minutes * MINUTE, 0);
        format!("test_{}", Uuid::new_v7(since).simple())
    };
    let (left_behind, young, used) = (name(61), name(59), name(62));
    let mut server = server().await;
    for name in [&left_behind, &young, &used] {
        execute(&mut server, format!("CREATE DATABASE {name} TEMPLATE template0")).await;
    }
    let base = std::env::var("IBIDEM__DATABASE__URL").unwrap();
    let base = base.rsplit_once('/').unwrap().0;
    let user = PgConnection::connect(&format!("{base}/{used}")).await.unwrap();

    TestDatabase::create().await.drop_database().await;
    assert!(!exists(&mut server, &left_behind).await);
    assert!(exists(&mut server, &young).await);
    assert!(exists(&mut server, &used).await);
    user.close().await.unwrap();
    for name in [&young, &used] {
        execute(&mut server, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
    }
}
