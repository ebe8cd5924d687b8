//! What is counted by the day.

use chrono::{DateTime, Days, NaiveTime, Utc};
use ibidem_ports::catalogue::CatalogueError;

use super::{Exceeded, Holder};
use crate::asked::{Asked as _, Run as _};
use crate::{Store, unavailable};

/// What is counted from midnight to midnight (UTC).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DailyUse {
    /// Read and written by language models.
    ModelTokens,
    /// Handed in.
    Documents,
    /// Of documents that were handed in.
    Bytes,
}

impl DailyUse {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ModelTokens => "model_tokens",
            Self::Documents => "documents",
            Self::Bytes => "bytes",
        }
    }
}

fn tomorrow(now: DateTime<Utc>) -> DateTime<Utc> {
    now.date_naive().checked_add_days(Days::new(1)).map_or(now, |day| day.and_time(NaiveTime::MIN).and_utc())
}

impl Store {
    /// Adds to each of these counts, or to none when one of them would go past its limit.
    pub async fn use_up(
        &self,
        limits: &[(Holder, DailyUse, u64)],
        amounts: impl Fn(DailyUse) -> u64 + Send + Sync,
        now: DateTime<Utc>,
    ) -> Result<Result<(), Exceeded>, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        for (place, (holder, what, most)) in limits.iter().enumerate() {
            let amount = i64::try_from(amounts(*what)).unwrap_or(i64::MAX);
            let most = i64::try_from(*most).unwrap_or(i64::MAX);
            let added = sqlx::query!(
                "INSERT INTO daily_use AS known (tenant_id, holder, what, day, used)
                 SELECT $1::uuid, $2::text, $3::text, $4::date, $5::bigint WHERE $5::bigint <= $6
                 ON CONFLICT (tenant_id, holder, what, day) DO UPDATE SET used = known.used + $5::bigint
                 WHERE known.used + $5::bigint <= $6",
                holder.tenant.0,
                holder.name,
                what.as_str(),
                now.date_naive(),
                amount,
                most,
            )
            .run(&mut *transaction)
            .await?;
            if added.rows_affected() == 0 {
                transaction.rollback().await.map_err(unavailable)?;
                return Ok(Err(Exceeded { place, wait: tomorrow(now) - now }));
            }
        }
        transaction.commit().await.map_err(unavailable)?;
        Ok(Ok(()))
    }

    /// Whether each of these counts is below its limit.
    pub async fn is_left(
        &self,
        limits: &[(Holder, DailyUse, u64)],
        now: DateTime<Utc>,
    ) -> Result<Result<(), Exceeded>, CatalogueError> {
        for (place, (holder, what, most)) in limits.iter().enumerate() {
            let used = sqlx::query_scalar!(
                "SELECT used FROM daily_use WHERE tenant_id = $1 AND holder = $2 AND what = $3 AND day = $4",
                holder.tenant.0,
                holder.name,
                what.as_str(),
                now.date_naive(),
            )
            .optional(&self.pool)
            .await?;
            if used.unwrap_or_default().unsigned_abs() >= *most {
                return Ok(Err(Exceeded { place, wait: tomorrow(now) - now }));
            }
        }
        Ok(Ok(()))
    }

    /// Adds to counts whatever their limits: it was used already.
    pub async fn was_used(
        &self,
        holders: &[Holder],
        what: DailyUse,
        amount: u64,
        now: DateTime<Utc>,
    ) -> Result<(), CatalogueError> {
        for holder in holders {
            sqlx::query!(
                "INSERT INTO daily_use AS known (tenant_id, holder, what, day, used) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (tenant_id, holder, what, day) DO UPDATE SET used = known.used + $5",
                holder.tenant.0,
                holder.name,
                what.as_str(),
                now.date_naive(),
                i64::try_from(amount).unwrap_or(i64::MAX),
            )
            .run(&self.pool)
            .await?;
        }
        Ok(())
    }
}
