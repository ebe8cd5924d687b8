//! Requests per minute.

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_ports::catalogue::CatalogueError;

use super::{Exceeded, Holder};
use crate::asked::{Asked as _, Run as _};
use crate::{Store, unavailable};

/// A twelfth of a minute's requests may come at once.
const BURST_PARTS: u32 = 12;

/// The time between two requests, and how far ahead of it somebody may be.
fn spacing(per_minute: u32) -> (TimeDelta, TimeDelta) {
    let between = TimeDelta::microseconds(60_000_000 / i64::from(per_minute.max(1)));
    let burst = (per_minute / BURST_PARTS).max(1);
    (between, between * i32::try_from(burst).unwrap_or(i32::MAX))
}

impl Store {
    /// Counts a request for each of these, or for none when one of them has no room. `at` is the database's time unless
    /// it is given.
    pub async fn take_request(
        &self,
        limits: &[(Holder, u32)],
        at: Option<DateTime<Utc>>,
    ) -> Result<Result<(), Exceeded>, CatalogueError> {
        let now = self.moment(at).await?;
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        for (place, (holder, per_minute)) in limits.iter().enumerate() {
            let (between, ahead) = spacing(*per_minute);
            let taken = sqlx::query!(
                "INSERT INTO request_rates AS known (tenant_id, holder, free_at) VALUES ($1, $2, $3)
                 ON CONFLICT (tenant_id, holder) DO UPDATE
                 SET free_at = greatest(known.free_at, $4) + ($3 - $4)
                 WHERE greatest(known.free_at, $4) + ($3 - $4) <= $5",
                holder.tenant.0,
                holder.name,
                now + between,
                now,
                now + ahead,
            )
            .run(&mut *transaction)
            .await?;
            if taken.rows_affected() > 0 {
                continue;
            }
            transaction.rollback().await.map_err(unavailable)?;
            let free_at = sqlx::query_scalar!(
                "SELECT free_at FROM request_rates WHERE tenant_id = $1 AND holder = $2",
                holder.tenant.0,
                holder.name,
            )
            .optional(&self.pool)
            .await?;
            let wait = free_at.map_or(TimeDelta::zero(), |free_at| free_at + between - ahead - now);
            return Ok(Err(Exceeded { place, wait: wait.max(TimeDelta::zero()) }));
        }
        transaction.commit().await.map_err(unavailable)?;
        Ok(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_a_minute_come_one_a_second_and_five_at_once() {
        assert_eq!(spacing(60), (TimeDelta::seconds(1), TimeDelta::seconds(5)));
        assert_eq!(spacing(1), (TimeDelta::seconds(60), TimeDelta::seconds(60)));
    }
}
