//! By which clock data is old enough to be deleted.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;

use crate::{Store, unavailable};

impl Store {
    /// The earlier of this machine's clock and the database's. What is deleted for its age is deleted by this: a clock
    /// that is ahead by a year would otherwise delete every record at once, and nothing brings them back.
    pub async fn earlier_clock(&self, here: DateTime<Utc>) -> Result<DateTime<Utc>, CatalogueError> {
        let there: DateTime<Utc> =
            sqlx::query_scalar("SELECT now()").fetch_one(&self.pool).await.map_err(unavailable)?;
        Ok(here.min(there))
    }
}
