//! A database of its own for each test, on the server that `stack/up` started.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use uuid::Uuid;

use crate::{Store, StoreSettings};

/// A migrated database that goes when the test is over.
pub struct TestDatabase {
    pub store: Store,
    pub url: String,
    name: String,
    server_url: String,
}

impl TestDatabase {
    /// # Panics
    /// When the stack is not up: a test that cannot reach its database has failed, not been skipped.
    #[expect(clippy::expect_used, reason = "a test without its database must fail loudly")]
    pub async fn create() -> Self {
        let server_url = std::env::var("IBIDEM__DATABASE__URL")
            .expect("IBIDEM__DATABASE__URL is not set: run `stack/up` and `eval \"$(stack/env)\"` first");
        let name = format!("test_{}", Uuid::now_v7().simple());
        let mut connection = PgConnection::connect(&server_url).await.expect("PostgreSQL answers");
        sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {name}")))
            .execute(&mut connection)
            .await
            .expect("a database can be created");
        let (base, _) = server_url.rsplit_once('/').expect("the URL ends in a database's name");
        let url = format!("{base}/{name}");
        let store = Store::new(&StoreSettings {
            url: url.clone(),
            max_connections: 8,
            acquire_timeout: Duration::from_secs(10),
            // Long: a busy machine is no database that hangs.
            read_timeout: Duration::from_secs(60),
            lease: Duration::from_secs(60),
            analysis: ibidem_language::bm25::Analysis::default(),
        })
        .expect("the URL is valid");
        store.migrate().await.expect("the migrations apply");
        Self { store, url, name, server_url }
    }

    /// Does something to the database that the store itself never does.
    ///
    /// # Panics
    /// When the database will not have it.
    #[expect(clippy::expect_used, reason = "a test that cannot prepare its database must fail loudly")]
    pub async fn run(&self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(&self.store.pool).await.expect("the statement is run");
    }

    /// Every column of a table by name, with all of its values as text.
    ///
    /// # Panics
    /// When there is no such table.
    #[expect(clippy::expect_used, reason = "a test without its table must fail loudly")]
    pub async fn columns_of(&self, table: &str) -> Vec<(String, String)> {
        let names = sqlx::query_scalar::<_, String>(
            "SELECT column_name::text FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position",
        );
        let names = names.bind(table).fetch_all(&self.store.pool).await.expect("the columns can be listed");
        let mut columns = Vec::new();
        for name in names {
            let query = AssertSqlSafe(format!("SELECT coalesce(string_agg({name}::text, E'\\n'), '') FROM {table}"));
            let texts = sqlx::query_scalar::<_, String>(query).fetch_one(&self.store.pool).await;
            columns.push((name, texts.expect("the column can be read")));
        }
        columns
    }

    /// The names of all columns, of any table, that hold these words: as text, as JSON, or among bytes.
    ///
    /// # Panics
    /// When a column cannot be read.
    #[expect(clippy::expect_used, reason = "a test that cannot look must fail loudly")]
    pub async fn columns_with(&self, words: &str) -> Vec<String> {
        let columns = sqlx::query_as::<_, (String, String, String)>(
            "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
             WHERE table_schema = 'public' ORDER BY 1, 2",
        );
        let columns = columns.fetch_all(&self.store.pool).await.expect("the columns can be listed");
        let mut found = Vec::new();
        for (table, column, kind) in columns {
            let holds = if kind == "bytea" {
                format!("position(convert_to($1, 'UTF8') IN {column}) > 0")
            } else {
                format!("position(lower($1) IN lower({column}::text)) > 0")
            };
            let query = AssertSqlSafe(format!("SELECT EXISTS (SELECT FROM {table} WHERE {holds})"));
            let is_there = sqlx::query_scalar::<_, bool>(query).bind(words).fetch_one(&self.store.pool).await;
            if is_there.expect("the column can be read") {
                found.push(format!("{table}.{column}"));
            }
        }
        found
    }

    /// Ends the test's database.
    pub async fn drop_database(self) {
        self.store.close().await;
        if let Ok(mut connection) = PgConnection::connect(&self.server_url).await {
            let statement = AssertSqlSafe(format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name));
            // A database left behind goes with the throwaway server: not worth failing a passed test.
            let _ = sqlx::raw_sql(statement).execute(&mut connection).await;
        }
    }
}
