//! A database, an index name and a folder of their own, so that measuring never touches what is real.

use std::path::Path;

use anyhow::Context as _;
use ibidem_adapters::qdrant::QdrantIndex;
use ibidem_ports::embedder::EmbeddingModel;
use ibidem_store::Store;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::settings::Settings;

/// Where a bench keeps its things: on the servers of the settings, under names of its own.
pub(super) struct Scratch {
    /// The settings, pointing at the scratch places.
    pub(super) settings: Settings,
    pub(super) store: Store,
    pub(super) index: QdrantIndex,
    server_url: String,
    database: String,
}

impl Scratch {
    /// Makes what is not there yet. `name` is of lower-case letters, digits and `-`.
    pub(super) async fn open(
        settings: &Settings,
        name: &str,
        originals: &Path,
        model: &EmbeddingModel,
    ) -> anyhow::Result<Self> {
        let server_url = settings.database.url.clone();
        let database = format!("ibidem_bench_{}", name.replace('-', "_"));
        let mut scratch = settings.clone();
        scratch.database.url = with_database(&server_url, &database)?;
        scratch.index.name = format!("ibidem-bench-{name}");
        scratch.originals.location = std::path::absolute(originals)?.display().to_string();

        let mut connection = PgConnection::connect(&server_url).await.context("check `database.url`")?;
        let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)")
            .bind(&database)
            .fetch_one(&mut connection)
            .await?;
        if !exists {
            // A name of letters, digits and underscores, made above: nothing to escape.
            sqlx::raw_sql(AssertSqlSafe(format!("CREATE DATABASE {database}"))).execute(&mut connection).await?;
        }
        let store = Store::new(&scratch.store())?;
        store.migrate().await?;
        let index = QdrantIndex::new(scratch.qdrant(), model.clone())?;
        index.ensure_collection().await?;
        Ok(Self { settings: scratch, store, index, server_url, database })
    }

    /// Leaves nothing behind on the servers.
    pub(super) async fn discard(self) -> anyhow::Result<()> {
        self.index.drop_all().await?;
        self.store.close().await;
        let mut connection = PgConnection::connect(&self.server_url).await?;
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.database);
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut connection).await?;
        Ok(())
    }
}

fn with_database(url: &str, database: &str) -> anyhow::Result<String> {
    let (address, parameters) = url.split_once('?').map_or((url, None), |(address, rest)| (address, Some(rest)));
    let (server, _) = address.rsplit_once('/').context("`database.url` names no database")?;
    let parameters = parameters.map_or_else(String::new, |parameters| format!("?{parameters}"));
    Ok(format!("{server}/{database}{parameters}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_a_url_is_exchanged() {
        for (url, expected) in [
            ("postgres://app@127.0.0.1:5432/ibidem", "postgres://app@127.0.0.1:5432/other"),
            ("postgres://app:x@host/ibidem?sslmode=require", "postgres://app:x@host/other?sslmode=require"),
        ] {
            assert_eq!(with_database(url, "other").unwrap(), expected);
        }
    }
}
