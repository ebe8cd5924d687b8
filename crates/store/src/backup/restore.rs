//! Back into an empty database, all of it or nothing.

use std::io::Read;

use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};

use super::{BackupError, TableShape, kept_tables};
use crate::schema::MIGRATIONS;
use crate::{Store, unavailable};

/// How much of a file is sent at a time.
const PIECE: usize = 256 * 1024;

/// What an installation that is in use has.
const SIGNS_OF_USE: [(&str, &str); 4] = [
    ("documents", "SELECT EXISTS (SELECT FROM documents)"),
    ("API keys", "SELECT EXISTS (SELECT FROM api_keys)"),
    ("people", "SELECT EXISTS (SELECT FROM people)"),
    ("conversations", "SELECT EXISTS (SELECT FROM conversations)"),
];

/// A restore under way: nobody sees anything of it before it is finished, and dropped it leaves nothing.
pub struct Restore {
    transaction: Transaction<'static, Postgres>,
    tables: Vec<TableShape>,
}

impl Store {
    /// Gives an empty database the tables of that version, and gets ready to fill them. `tables` are the backup's.
    pub async fn begin_restore(&self, schema_version: i64, tables: &[TableShape]) -> Result<Restore, BackupError> {
        let known = MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0);
        if schema_version > known {
            return Err(BackupError::Newer { backup: schema_version, known });
        }
        if let Some(applied) = self.newest_migration().await?.filter(|applied| *applied > schema_version) {
            return Err(BackupError::AlreadyMigrated { applied, backup: schema_version });
        }
        MIGRATIONS.run_to(schema_version, &self.pool).await.map_err(|error| unavailable(error.into()))?;
        let mut transaction = self.pool.begin().await?;
        for (sign, query) in SIGNS_OF_USE {
            if sqlx::query_scalar::<_, bool>(query).fetch_one(&mut *transaction).await? {
                return Err(BackupError::NotEmpty(sign));
            }
        }
        let needed = kept_tables(&mut transaction).await?;
        check_tables(&needed, tables)?;
        run(&mut transaction, "SET CONSTRAINTS ALL DEFERRED".to_owned()).await?;
        // What counts or follows rows has done so before: its results are among what is restored.
        for table in &needed {
            run(&mut transaction, format!("ALTER TABLE {} DISABLE TRIGGER USER", table.quoted().0)).await?;
        }
        let names: Vec<_> = needed.iter().map(|table| table.quoted().0).collect();
        run(&mut transaction, format!("TRUNCATE {} CASCADE", names.join(", "))).await?;
        Ok(Restore { transaction, tables: needed })
    }
}

fn check_tables(needed: &[TableShape], tables: &[TableShape]) -> Result<(), BackupError> {
    let differing = needed.iter().filter(|table| !tables.contains(table));
    let unknown = tables.iter().filter(|table| !needed.contains(table));
    let names: Vec<_> = differing.chain(unknown).map(|table| table.name.as_str()).collect();
    if names.is_empty() { Ok(()) } else { Err(BackupError::OtherTables(names.join(", "))) }
}

impl Restore {
    /// In this order they can be filled.
    pub fn tables(&self) -> Vec<TableShape> {
        self.tables.clone()
    }

    /// Fills a table with what was read of it, and returns how many rows it has now.
    pub async fn fill(&mut self, table: &TableShape, rows: &mut (dyn Read + Send)) -> Result<u64, BackupError> {
        let (name, columns) = table.quoted();
        let statement = format!("COPY {name} ({columns}) FROM STDIN");
        let mut copying = self.transaction.copy_in_raw(&statement).await?;
        let mut piece = vec![0; PIECE];
        loop {
            match rows.read(&mut piece) {
                Ok(0) => return Ok(copying.finish().await?),
                Ok(length) => {
                    copying.send(&piece[..length]).await?;
                }
                Err(error) => {
                    copying.abort("the file cannot be read").await?;
                    return Err(error.into());
                }
            }
        }
    }

    /// Now it counts. `Store::migrate` then brings it to this version.
    pub async fn finish(mut self) -> Result<(), BackupError> {
        run(&mut self.transaction, "SET CONSTRAINTS ALL IMMEDIATE".to_owned()).await?;
        for table in &self.tables {
            run(&mut self.transaction, format!("ALTER TABLE {} ENABLE TRIGGER USER", table.quoted().0)).await?;
        }
        run(
            &mut self.transaction,
            "SELECT setval('tag_sets_id_seq', greatest((SELECT coalesce(max(id), 0) FROM tag_sets), 1))".to_owned(),
        )
        .await?;
        // Records of months that this database has not had: they are put where that month is dropped with its age.
        for (table, moment) in [("audit", "asked_at"), ("actions", "acted_at")] {
            let months = format!(
                "SELECT {table}_make_month(month) FROM (SELECT DISTINCT date_trunc('month', {moment}, 'UTC') AS month \
                 FROM {table}_elsewhen) AS months"
            );
            run(&mut self.transaction, months).await?;
        }
        self.transaction.commit().await?;
        Ok(())
    }
}

/// Of names that are in this file or were read from the database's own catalogue.
async fn run(connection: &mut PgConnection, statement: String) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(AssertSqlSafe(statement)).execute(connection).await.map(drop)
}
