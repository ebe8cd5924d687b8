//! Turns under way at once.

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_ports::catalogue::CatalogueError;
use uuid::Uuid;

use super::{Exceeded, Holder};
use crate::asked::{Asked as _, Run as _};
use crate::{Store, unavailable};

/// A turn that is counted until it is let go, or until it must have ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnPlace {
    id: Uuid,
    holders: Vec<Holder>,
}

impl Store {
    /// Counts a turn for each of these, or for none when one of them has as many under way as it may.
    pub async fn begin_turn(
        &self,
        limits: &[(Holder, u32)],
        now: DateTime<Utc>,
        ends_by: DateTime<Utc>,
    ) -> Result<Result<TurnPlace, Exceeded>, CatalogueError> {
        let id = Uuid::now_v7();
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        for (place, (holder, most)) in limits.iter().enumerate() {
            // Two servers must not both see the last place free.
            sqlx::query!(
                "SELECT pg_advisory_xact_lock(hashtextextended($1::text || $2, 29))",
                holder.tenant.0.to_string(),
                holder.name,
            )
            .run(&mut *transaction)
            .await?;
            let row = sqlx::query!(
                r#"SELECT count(*) AS "count!", min(ends_by) AS first FROM turns_under_way
                   WHERE tenant_id = $1 AND holder = $2 AND ends_by > $3"#,
                holder.tenant.0,
                holder.name,
                now,
            )
            .one(&mut *transaction)
            .await?;
            if row.count >= i64::from(*most) {
                transaction.rollback().await.map_err(unavailable)?;
                return Ok(Err(Exceeded { place, wait: row.first.map_or(TimeDelta::zero(), |first| first - now) }));
            }
            sqlx::query!(
                "INSERT INTO turns_under_way (id, tenant_id, holder, ends_by) VALUES ($1, $2, $3, $4)",
                id,
                holder.tenant.0,
                holder.name,
                ends_by,
            )
            .run(&mut *transaction)
            .await?;
        }
        transaction.commit().await.map_err(unavailable)?;
        Ok(Ok(TurnPlace { id, holders: limits.iter().map(|(holder, _)| holder.clone()).collect() }))
    }

    /// A turn has ended.
    pub async fn end_turn(&self, place: &TurnPlace) -> Result<(), CatalogueError> {
        for holder in &place.holders {
            sqlx::query!(
                "DELETE FROM turns_under_way WHERE tenant_id = $1 AND holder = $2 AND id = $3",
                holder.tenant.0,
                holder.name,
                place.id,
            )
            .run(&self.pool)
            .await?;
        }
        Ok(())
    }
}
