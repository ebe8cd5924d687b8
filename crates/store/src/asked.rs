//! Queries with the catalogue's errors: a database that fails is one that does not answer.

use ibidem_ports::catalogue::CatalogueError;
use sqlx::postgres::{PgArguments, PgExecutor, PgQueryResult, PgRow};
use sqlx::query::{Map, Query, QueryScalar};
use sqlx::{FromRow, Postgres};

use crate::in_time::InTime as _;
use crate::{Store, unavailable};

/// A query with rows. What a question waits for ends in the time that a read has.
pub(crate) trait Asked<Row> {
    async fn all<'e>(self, executor: impl PgExecutor<'e>) -> Result<Vec<Row>, CatalogueError>;
    async fn one<'e>(self, executor: impl PgExecutor<'e>) -> Result<Row, CatalogueError>;
    async fn optional<'e>(self, executor: impl PgExecutor<'e>) -> Result<Option<Row>, CatalogueError>;
    async fn all_in_time(self, store: &Store) -> Result<Vec<Row>, CatalogueError>;
    async fn one_in_time(self, store: &Store) -> Result<Row, CatalogueError>;
    async fn optional_in_time(self, store: &Store) -> Result<Option<Row>, CatalogueError>;
}

macro_rules! asked {
    () => {
        async fn all<'e>(self, executor: impl PgExecutor<'e>) -> Result<Vec<Row>, CatalogueError> {
            self.fetch_all(executor).await.map_err(unavailable)
        }

        async fn one<'e>(self, executor: impl PgExecutor<'e>) -> Result<Row, CatalogueError> {
            self.fetch_one(executor).await.map_err(unavailable)
        }

        async fn optional<'e>(self, executor: impl PgExecutor<'e>) -> Result<Option<Row>, CatalogueError> {
            self.fetch_optional(executor).await.map_err(unavailable)
        }

        async fn all_in_time(self, store: &Store) -> Result<Vec<Row>, CatalogueError> {
            self.fetch_all(&store.pool).in_time(store).await
        }

        async fn one_in_time(self, store: &Store) -> Result<Row, CatalogueError> {
            self.fetch_one(&store.pool).in_time(store).await
        }

        async fn optional_in_time(self, store: &Store) -> Result<Option<Row>, CatalogueError> {
            self.fetch_optional(&store.pool).in_time(store).await
        }
    };
}

impl<Row, Read> Asked<Row> for Map<'static, Postgres, Read, PgArguments>
where
    Row: Send + Unpin + 'static,
    Read: FnMut(PgRow) -> Result<Row, sqlx::Error> + Send + 'static,
{
    asked!();
}

impl<Row> Asked<Row> for QueryScalar<'static, Postgres, Row, PgArguments>
where
    Row: Send + Unpin + 'static,
    (Row,): for<'r> FromRow<'r, PgRow>,
{
    asked!();
}

/// A statement without rows.
pub(crate) trait Run {
    async fn run<'e>(self, executor: impl PgExecutor<'e>) -> Result<PgQueryResult, CatalogueError>;
}

impl Run for Query<'static, Postgres, PgArguments> {
    async fn run<'e>(self, executor: impl PgExecutor<'e>) -> Result<PgQueryResult, CatalogueError> {
        self.execute(executor).await.map_err(unavailable)
    }
}
