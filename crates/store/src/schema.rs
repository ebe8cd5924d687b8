//! The database's shape, kept in step with this binary.

use ibidem_ports::catalogue::CatalogueError;
use sqlx::migrate::{Migrate, Migrator};

use crate::asked::Asked as _;
use crate::{Store, unavailable};

pub(crate) static MIGRATIONS: Migrator = sqlx::migrate!();

/// How the database's schema stands to what this binary needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SchemaState {
    Current {
        version: i64,
    },
    /// `ibidem migrate` brings it up.
    Behind {
        applied: usize,
        needed: usize,
    },
    /// Applied by a newer binary: this one must not touch it.
    Ahead {
        newest_known: i64,
        applied: i64,
    },
    /// A migration was changed after it was applied.
    Altered {
        version: i64,
    },
}

impl Store {
    /// Applies what is missing. Safe to run from several processes at once: they wait for each other.
    pub async fn migrate(&self) -> Result<usize, CatalogueError> {
        let before = self.applied_migrations().await?.len();
        MIGRATIONS.run(&self.pool).await.map_err(|error| CatalogueError::Unavailable(error.to_string()))?;
        // In a new installation there is nothing to count; in an older one `ibidem reindex` counts.
        self.conclude_counting().await?;
        Ok(self.applied_migrations().await?.len() - before)
    }

    pub async fn schema_state(&self) -> Result<SchemaState, CatalogueError> {
        let applied = self.applied_migrations().await?;
        let known: Vec<_> = MIGRATIONS.iter().collect();
        for migration in &applied {
            let Some(ours) = known.iter().find(|ours| ours.version == migration.version) else {
                let newest_known = known.iter().map(|ours| ours.version).max().unwrap_or(0);
                return Ok(SchemaState::Ahead { newest_known, applied: migration.version });
            };
            if ours.checksum != migration.checksum {
                return Ok(SchemaState::Altered { version: ours.version });
            }
        }
        if applied.len() < known.len() {
            return Ok(SchemaState::Behind { applied: applied.len(), needed: known.len() });
        }
        Ok(SchemaState::Current { version: known.iter().map(|ours| ours.version).max().unwrap_or(0) })
    }

    /// Whether the database can be written, and its files can grow: on a full disk what fits into the files that are there
    /// is still written. What is written for this is gone with the transaction.
    pub async fn check_writable(&self) -> Result<(), CatalogueError> {
        const ROOM: &str =
            "CREATE TEMPORARY TABLE ibidem_room ON COMMIT DROP AS SELECT generate_series(1, 4000) AS number";
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let written = sqlx::query(ROOM).execute(&mut *transaction).await;
        let is_forbidden = |error: &sqlx::Error| {
            const INSUFFICIENT_PRIVILEGE: &str = "42501";
            error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == INSUFFICIENT_PRIVILEGE)
        };
        match written {
            // Whoever may not make temporary tables learns nothing this way.
            Err(error) if is_forbidden(&error) => Ok(()),
            Err(error) => Err(unavailable(error)),
            Ok(_) => transaction.rollback().await.map_err(unavailable),
        }
    }

    /// The version of the tables, if there are any.
    pub(crate) async fn newest_migration(&self) -> Result<Option<i64>, CatalogueError> {
        Ok(self.applied_migrations().await?.iter().map(|migration| migration.version).max())
    }

    /// What was applied so far. Looking changes nothing: a database that was never migrated stays as it is.
    async fn applied_migrations(&self) -> Result<Vec<sqlx::migrate::AppliedMigration>, CatalogueError> {
        let mut connection = self.pool.acquire().await.map_err(unavailable)?;
        let table = &MIGRATIONS.table_name;
        let migrated = sqlx::query_scalar!(r#"SELECT to_regclass($1) IS NOT NULL AS "migrated!""#, table.as_ref())
            .one(&mut *connection)
            .await?;
        if !migrated {
            return Ok(Vec::new());
        }
        connection.list_applied_migrations(table).await.map_err(|error| CatalogueError::Unavailable(error.to_string()))
    }
}
