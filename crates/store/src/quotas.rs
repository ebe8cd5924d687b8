//! What keys, people and tenants have used of their limits: one count for all servers.

mod days;
mod rates;
mod turns;
mod uses;

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Identity, TenantId};

use crate::Store;
use crate::asked::{Asked as _, Run as _};
pub use days::DailyUse;
pub use turns::TurnPlace;
pub use uses::HolderUse;

/// What a limit holds for: a tenant, or one of its keys or people.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Holder {
    pub(crate) tenant: TenantId,
    pub(crate) name: String,
}

impl Holder {
    /// All of a tenant together.
    pub fn tenant(tenant: TenantId) -> Self {
        Self { tenant, name: "tenant".to_owned() }
    }

    /// Whoever acts.
    pub fn subject(identity: &Identity) -> Self {
        Self { tenant: identity.tenant(), name: identity.subject().id().to_string() }
    }
}

/// A limit that is reached, and when there is room again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exceeded {
    /// Which of the limits that were asked about.
    pub place: usize,
    pub wait: TimeDelta,
}

impl Store {
    /// The moment that all servers count by: the database's, unless a test has one of its own.
    pub(crate) async fn moment(&self, at: Option<DateTime<Utc>>) -> Result<DateTime<Utc>, CatalogueError> {
        if let Some(at) = at {
            return Ok(at);
        }
        sqlx::query_scalar!(r#"SELECT clock_timestamp() AS "now!""#).one(&self.pool).await
    }

    /// Takes away what can no longer count: of days before this one, and of turns that must have ended.
    pub async fn sweep_quotas(&self, now: DateTime<Utc>) -> Result<(), CatalogueError> {
        sqlx::query!("DELETE FROM daily_use WHERE day < $1", now.date_naive()).run(&self.pool).await?;
        sqlx::query!("DELETE FROM turns_under_way WHERE ends_by < $1", now).run(&self.pool).await?;
        sqlx::query!("DELETE FROM request_rates WHERE free_at < $1", now).run(&self.pool).await?;
        Ok(())
    }
}
