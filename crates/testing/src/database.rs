//! A database of its own for each test, on the server that `stack/up` started.
//!
//! The migrations run once: into a template that all test processes share. Each test's database is a copy of it.

#![allow(clippy::expect_used, reason = "a test without its database must fail loudly")]

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use chrono::Utc;
use ibidem_language::bm25::Analysis;
use ibidem_store::{Store, StoreSettings};
use ibidem_words::Sha256Hash;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use uuid::Uuid;

static MIGRATIONS: Migrator = sqlx::migrate!("../store/migrations");

/// A database older than this, to which nobody is connected, is one that a killed process left behind.
const LEFT_BEHIND_AFTER: Duration = Duration::from_secs(60 * 60);

/// A migrated database that goes when the test is over, also when it panics.
pub struct TestDatabase {
    pub store: Store,
    pub url: String,
    /// Beside the store's: for what the store never does.
    connection: PgPool,
    removal: Removal,
}

/// Drops the database when it is dropped itself.
struct Removal {
    name: String,
    server_url: String,
    is_done: bool,
}

impl TestDatabase {
    /// # Panics
    /// When the stack is not up: a test that cannot reach its database has failed, not been skipped.
    pub async fn create() -> Self {
        let server_url = std::env::var("IBIDEM__DATABASE__URL")
            .expect("IBIDEM__DATABASE__URL is not set: run `stack/up` and `eval \"$(stack/env)\"` first");
        let mut connection = PgConnection::connect(&server_url).await.expect("PostgreSQL answers");
        remove_left_behind(&mut connection).await;
        let template = template(&mut connection, &server_url).await;
        let name = new_name();
        let removal = Removal { name: name.clone(), server_url: server_url.clone(), is_done: false };
        execute(&mut connection, format!("CREATE DATABASE {name} TEMPLATE {template}"))
            .await
            .expect("the template can be copied");
        let _ = connection.close().await;
        let url = url_of(&server_url, &name);
        let connection = PgPoolOptions::new().max_connections(1).connect_lazy(&url).expect("the URL is valid");
        Self { store: open(&url), url, connection, removal }
    }

    /// Does something to the database that the store itself never does.
    ///
    /// # Panics
    /// When the database will not have it.
    pub async fn run(&self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(&self.connection).await.expect("the statement is run");
    }

    /// Lets so much time pass for every lease and for every job and every hand-over that waits, without waiting.
    ///
    /// # Panics
    /// When the database will not have it.
    pub async fn pass(&self, time: Duration) {
        let statements = [
            "UPDATE jobs SET leased_until = leased_until - make_interval(secs => $1),
                 not_before = not_before - make_interval(secs => $1)",
            "UPDATE outbox SET leased_until = leased_until - make_interval(secs => $1)",
            "UPDATE hand_overs SET leased_until = leased_until - make_interval(secs => $1),
                 not_before = not_before - make_interval(secs => $1)",
        ];
        for statement in statements {
            let moved = sqlx::query(statement).bind(time.as_secs_f64()).execute(&self.connection).await;
            moved.expect("the times can be moved");
        }
    }

    /// Every column of a table by name, with all of its values as text.
    ///
    /// # Panics
    /// When there is no such table.
    pub async fn columns_of(&self, table: &str) -> Vec<(String, String)> {
        let names = sqlx::query_scalar::<_, String>(
            "SELECT column_name::text FROM information_schema.columns WHERE table_name = $1 ORDER BY ordinal_position",
        );
        let names = names.bind(table).fetch_all(&self.connection).await.expect("the columns can be listed");
        let mut columns = Vec::new();
        for name in names {
            let query = AssertSqlSafe(format!("SELECT coalesce(string_agg({name}::text, E'\\n'), '') FROM {table}"));
            let texts = sqlx::query_scalar::<_, String>(query).fetch_one(&self.connection).await;
            columns.push((name, texts.expect("the column can be read")));
        }
        columns
    }

    /// The names of all columns, of any table, that hold these words: as text, as JSON, or among bytes.
    ///
    /// # Panics
    /// When a column cannot be read.
    pub async fn columns_with(&self, words: &str) -> Vec<String> {
        let columns = sqlx::query_as::<_, (String, String, String)>(
            "SELECT table_name::text, column_name::text, data_type::text FROM information_schema.columns
             WHERE table_schema = 'public' ORDER BY 1, 2",
        );
        let columns = columns.fetch_all(&self.connection).await.expect("the columns can be listed");
        let mut found = Vec::new();
        for (table, column, kind) in columns {
            let holds = if kind == "bytea" {
                format!("position(convert_to($1, 'UTF8') IN {column}) > 0")
            } else {
                format!("position(lower($1) IN lower({column}::text)) > 0")
            };
            let query = AssertSqlSafe(format!("SELECT EXISTS (SELECT FROM {table} WHERE {holds})"));
            let is_there = sqlx::query_scalar::<_, bool>(query).bind(words).fetch_one(&self.connection).await;
            if is_there.expect("the column can be read") {
                found.push(format!("{table}.{column}"));
            }
        }
        found
    }

    /// How many passages have each term, for each set of a tenant's tags: as it is kept, and as it would be if it were
    /// counted anew from the documents' terms.
    ///
    /// # Panics
    /// When the counts cannot be read.
    pub async fn kept_and_recounted(&self) -> [BTreeMap<(Uuid, Vec<String>, i32), i64>; 2] {
        let kept = "SELECT s.tenant_id, s.tags, c.term, c.passages
             FROM tag_sets s JOIN term_counts c ON c.tenant_id = s.tenant_id AND c.tag_set = s.id";
        let anew = "SELECT t.tenant_id, t.tags, one.term, sum(one.passages)::bigint
             FROM document_terms t CROSS JOIN LATERAL unnest(t.terms, t.counts) AS one (term, passages)
             GROUP BY t.tenant_id, t.tags, one.term";
        let mut counts = [BTreeMap::new(), BTreeMap::new()];
        for (query, counts) in [kept, anew].into_iter().zip(&mut counts) {
            let rows = sqlx::query_as::<_, (Uuid, Vec<String>, i32, i64)>(query).fetch_all(&self.connection).await;
            let rows = rows.expect("the counts can be read").into_iter();
            counts.extend(rows.map(|(tenant, tags, term, passages)| ((tenant, tags, term), passages)));
        }
        counts
    }

    /// Ends the test's database.
    pub async fn drop_database(self) {
        let Self { store, connection, mut removal, .. } = self;
        store.close().await;
        connection.close().await;
        removal.run().await;
    }
}

impl Removal {
    async fn run(&mut self) {
        self.is_done = true;
        if let Ok(mut connection) = PgConnection::connect(&self.server_url).await {
            // A database left behind goes with the throwaway server: not worth failing a passed test.
            let _ = execute(&mut connection, format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)).await;
        }
    }
}

impl Drop for Removal {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        let mut removal = Self { name: self.name.clone(), server_url: self.server_url.clone(), is_done: true };
        // On a thread of its own: the test's runtime may be the one that panics, and nothing can be awaited here.
        let removing = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            if let Ok(runtime) = runtime {
                runtime.block_on(removal.run());
            }
        });
        let _ = removing.join();
    }
}

/// The template of this schema, made by whichever process comes first.
async fn template(connection: &mut PgConnection, server_url: &str) -> String {
    let template = template_name();
    if exists(connection, &template).await {
        return template;
    }
    let lock = "SELECT pg_advisory_lock(hashtextextended($1, 0))";
    sqlx::query(lock).bind(&template).execute(&mut *connection).await.expect("the template can be waited for");
    if !exists(connection, &template).await {
        // Under another name until it is complete: a process that is killed meanwhile leaves no half of a template.
        let name = new_name();
        execute(connection, format!("CREATE DATABASE {name}")).await.expect("a database can be created");
        let store = open(&url_of(server_url, &name));
        store.migrate().await.expect("the migrations apply");
        store.close().await;
        // A template that somebody is connected to cannot be copied.
        execute(connection, format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false")).await.expect("it can be closed");
        execute(connection, format!("ALTER DATABASE {name} RENAME TO {template}")).await.expect("it can be named");
    }
    let unlock = "SELECT pg_advisory_unlock(hashtextextended($1, 0))";
    sqlx::query(unlock).bind(&template).execute(&mut *connection).await.expect("the lock can be given back");
    template
}

/// Named by everything that decides what is in it: the migrations, the analysis whose counting they conclude, and the
/// month, because migrations make the partitions of the current one.
fn template_name() -> String {
    let (analysis, month) = (Analysis::default().id(), Utc::now().format("%Y-%m").to_string());
    let checksums = MIGRATIONS.iter().map(|migration| migration.checksum.as_ref());
    let digest = Sha256Hash::of_parts(checksums.chain([analysis.as_bytes(), month.as_bytes()])).to_string();
    format!("template_{}", &digest[..32])
}

/// Removes what killed processes left behind. Whatever cannot be removed is somebody's, or is being removed already.
async fn remove_left_behind(connection: &mut PgConnection) {
    let names = sqlx::query_scalar::<_, String>("SELECT datname::text FROM pg_database WHERE datname LIKE 'test\\_%'");
    for name in names.fetch_all(&mut *connection).await.unwrap_or_default() {
        if age(&name).is_some_and(|age| age > LEFT_BEHIND_AFTER) {
            let _ = execute(connection, format!("DROP DATABASE IF EXISTS {name}")).await;
        }
    }
}

fn new_name() -> String {
    format!("test_{}", Uuid::now_v7().simple())
}

/// How long ago a name was given: it says so itself.
fn age(name: &str) -> Option<Duration> {
    let id: Uuid = name.strip_prefix("test_")?.parse().ok()?;
    let (seconds, _) = id.get_timestamp()?.to_unix();
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).ok()
}

fn url_of(server_url: &str, name: &str) -> String {
    let (base, _) = server_url.rsplit_once('/').expect("the URL ends in a database's name");
    format!("{base}/{name}")
}

fn open(url: &str) -> Store {
    Store::new(&StoreSettings {
        url: url.to_owned(),
        max_connections: 8,
        acquire_timeout: Duration::from_secs(10),
        // Long: a busy machine is no database that hangs.
        read_timeout: Duration::from_secs(60),
        lease: Duration::from_secs(60),
        analysis: Analysis::default(),
    })
    .expect("the URL is valid")
}

async fn exists(connection: &mut PgConnection, name: &str) -> bool {
    let query = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)");
    query.bind(name).fetch_one(connection).await.expect("the databases can be listed")
}

async fn execute(connection: &mut PgConnection, statement: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.map(drop)
}
