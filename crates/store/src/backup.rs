//! Every table out of the database in one consistent look, and back into an empty database.

mod restore;

use std::collections::BTreeSet;
use std::io;

use futures::TryStreamExt as _;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Sha256Hash, TenantId};
use serde::{Deserialize, Serialize};
use sqlx::{PgConnection, Postgres, Transaction};

use crate::{SchemaState, Store, unavailable};

pub use self::restore::Restore;

/// What must not come back, or means nothing elsewhere: which migrations ran is known by the schema's version, sessions
/// may have ended since, and the others are of requests under way.
const LEFT_OUT: [&str; 5] = ["_sqlx_migrations", "request_rates", "sessions", "sign_in_attempts", "turns_under_way"];

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Database(#[from] CatalogueError),
    #[error("the tables are not of this version of Ibidem; run `ibidem migrate` first")]
    OtherSchema,
    #[error("the backup is of a newer Ibidem (tables of version {backup}, known up to {known}); use that one")]
    Newer { backup: i64, known: i64 },
    #[error(
        "the tables are already of version {applied}, the backup is of version {backup}; restore into a new, empty \
         database"
    )]
    AlreadyMigrated { applied: i64, backup: i64 },
    #[error("the database already has data ({0}); restore into a new, empty database")]
    NotEmpty(&'static str),
    #[error("the backup does not have the tables of its version: {0}")]
    OtherTables(String),
    #[error("table {table} of the backup has {found} rows and should have {expected}")]
    OtherRows { table: String, expected: u64, found: u64 },
    #[error("{0}")]
    File(#[from] io::Error),
}

impl From<sqlx::Error> for BackupError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(unavailable(error))
    }
}

/// A table by its name and columns, as they are written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TableShape {
    pub name: String,
    pub columns: Vec<String>,
}

impl TableShape {
    fn quoted(&self) -> (String, String) {
        let quote = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
        (quote(&self.name), self.columns.iter().map(quote).collect::<Vec<_>>().join(", "))
    }
}

/// The database as it was at one moment, whatever happens meanwhile.
pub struct Snapshot {
    transaction: Transaction<'static, Postgres>,
    schema_version: i64,
}

impl Store {
    pub async fn snapshot(&self) -> Result<Snapshot, BackupError> {
        let SchemaState::Current { version } = self.schema_state().await? else {
            return Err(BackupError::OtherSchema);
        };
        let mut transaction = self.pool.begin().await?;
        sqlx::query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY").execute(&mut *transaction).await?;
        Ok(Snapshot { transaction, schema_version: version })
    }
}

impl Snapshot {
    pub fn schema_version(&self) -> i64 {
        self.schema_version
    }

    /// The tables that are kept, each after those that it refers to.
    pub async fn tables(&mut self) -> Result<Vec<TableShape>, BackupError> {
        Ok(kept_tables(&mut self.transaction).await?)
    }

    /// Hands over the rows of a table, a line for each, and returns how many there are.
    pub async fn export_rows(
        &mut self,
        table: &TableShape,
        write: &mut (dyn FnMut(&[u8]) -> io::Result<()> + Send),
    ) -> Result<u64, BackupError> {
        let (name, columns) = table.quoted();
        let statement = format!("COPY (SELECT {columns} FROM {name}) TO STDOUT");
        let mut stream = self.transaction.copy_out_raw(&statement).await?;
        let mut rows = 0;
        while let Some(piece) = stream.try_next().await? {
            // A line break inside a value is written as `\n`, so each real one ends a row.
            rows += piece.iter().filter(|byte| **byte == b'\n').count() as u64;
            write(&piece)?;
        }
        Ok(rows)
    }

    /// The originals that documents and waiting jobs need, each once.
    pub async fn originals(&mut self) -> Result<Vec<(TenantId, Sha256Hash)>, BackupError> {
        let found: Vec<(uuid::Uuid, Vec<u8>)> = sqlx::query_as(
            "SELECT tenant_id, original_sha256 FROM document_versions
             UNION SELECT tenant_id, original_sha256 FROM jobs ORDER BY 1, 2",
        )
        .fetch_all(&mut *self.transaction)
        .await?;
        let digest =
            |bytes: &[u8]| Sha256Hash::try_from(bytes).map_err(|error| CatalogueError::Unavailable(error.to_string()));
        Ok(found
            .iter()
            .map(|(tenant, bytes)| Ok((TenantId(*tenant), digest(bytes)?)))
            .collect::<Result<_, CatalogueError>>()?)
    }
}

async fn kept_tables(connection: &mut PgConnection) -> Result<Vec<TableShape>, sqlx::Error> {
    let shapes: Vec<(String, Vec<String>)> = sqlx::query_as(
        "SELECT pg_class.relname::text, array_agg(attname::text ORDER BY attnum)
         FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
         WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
               AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
         GROUP BY pg_class.relname ORDER BY pg_class.relname",
    )
    .fetch_all(&mut *connection)
    .await?;
    let references: Vec<(String, String)> = sqlx::query_as(
        "SELECT referring.relname::text, referred.relname::text
         FROM pg_constraint
         JOIN pg_class AS referring ON referring.oid = conrelid
         JOIN pg_class AS referred ON referred.oid = confrelid
         WHERE contype = 'f' AND conrelid <> confrelid AND NOT referring.relispartition AND NOT referred.relispartition",
    )
    .fetch_all(&mut *connection)
    .await?;
    let shapes = shapes.into_iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
    let shapes = shapes.map(|(name, columns)| TableShape { name, columns }).collect();
    Ok(after_what_they_refer_to(shapes, &references))
}

/// Tables that refer to each other in a circle come last, as they are.
fn after_what_they_refer_to(mut waiting: Vec<TableShape>, references: &[(String, String)]) -> Vec<TableShape> {
    let mut ordered: Vec<TableShape> = Vec::new();
    loop {
        let names: BTreeSet<String> = waiting.iter().map(|table| table.name.clone()).collect();
        let is_ready = |table: &TableShape| {
            !references.iter().any(|(referring, referred)| *referring == table.name && names.contains(referred))
        };
        let (ready, rest): (Vec<_>, Vec<_>) = waiting.into_iter().partition(is_ready);
        let is_stuck = ready.is_empty();
        ordered.extend(ready);
        if is_stuck {
            ordered.extend(rest);
            return ordered;
        }
        waiting = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_comes_after_those_it_refers_to() {
        let tables = ["documents", "tenants", "versions"];
        let shapes = tables.map(|name| TableShape { name: name.to_owned(), columns: Vec::new() }).to_vec();
        let refers = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        let ordered =
            after_what_they_refer_to(shapes, &[refers("documents", "tenants"), refers("versions", "documents")]);
        let names: Vec<_> = ordered.iter().map(|table| table.name.as_str()).collect();
        assert_eq!(names, ["tenants", "documents", "versions"]);
    }
}
