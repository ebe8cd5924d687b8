//! Questions on their way to somebody who may know: queued, taken by lease, tried again, given up.

use std::time::Duration;

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{HandOver, SubjectId, TenantId, seen};
use sqlx::postgres::types::PgInterval;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{corrupt, to_i32};
use crate::in_time::InTime as _;
use crate::{Store, unavailable};

/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 500;
/// However often it was tried, it is not longer until the next time.
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);
/// How many of one target are sent at the same time: a place that is slow holds up itself alone.
const AT_ONCE_OF_A_TARGET: i64 = 4;

/// A question to hand over.
#[derive(Clone, Debug)]
pub struct NewHandOver {
    pub tenant: TenantId,
    pub asker: SubjectId,
    /// The name of the place it goes to.
    pub target: String,
    pub message: HandOver,
    /// How many questions of one asker are handed over within 24 hours.
    pub most_in_a_day: u32,
}

/// A question that a worker holds, to send it.
#[derive(Clone, Debug)]
pub struct LeasedHandOver {
    pub tenant: TenantId,
    pub target: String,
    pub message: HandOver,
    /// Which try this is; 1 is the first.
    pub attempt: u32,
    lease: Uuid,
}

/// How a failed attempt goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Retries {
    /// It is given up after so many attempts.
    pub most: u32,
    /// Until the second one; each later pause is twice as long, up to an hour.
    pub first_pause: Duration,
}

/// How many questions of a target wait, were sent, and were given up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HandOverCounts {
    pub tenant: String,
    pub target: String,
    pub waiting: u64,
    pub sent: u64,
    pub failed: u64,
}

/// A question that did not reach its owner yet, without its words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnsentHandOver {
    pub tenant: String,
    pub target: String,
    pub id: Uuid,
    pub queued_at: DateTime<Utc>,
    pub attempts: u32,
    /// None while it is still tried.
    pub failed_at: Option<DateTime<Utc>>,
    pub failure: Option<String>,
}

impl Store {
    /// Queues a question, unless the same is queued or sent already. False when it is not on its way: its asker has had
    /// their share of the day, or it was given up.
    pub async fn queue_hand_over(&self, new: &NewHandOver) -> Result<bool, CatalogueError> {
        let message = serde_json::to_value(&new.message).map_err(corrupt)?;
        let queueing = sqlx::query!(
            "INSERT INTO hand_overs (tenant_id, id, subject_id, request_id, target, message)
             SELECT $1, $2, $3, $4, $5, $6
             WHERE (SELECT count(*) FROM hand_overs
                    WHERE tenant_id = $1 AND subject_id = $3 AND queued_at > now() - interval '1 day') < $7
             ON CONFLICT (tenant_id, id) DO NOTHING",
            new.tenant.0,
            new.message.id,
            new.asker.to_string(),
            new.message.request_id,
            new.target,
            message,
            i64::from(new.most_in_a_day),
        );
        queueing.execute(&self.pool).in_time(self).await?;
        let is_on_its_way = sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM hand_overs WHERE tenant_id = $1 AND id = $2 AND failed_at IS NULL)
                   AS "is_on_its_way!""#,
            new.tenant.0,
            new.message.id,
        );
        is_on_its_way.fetch_one(&self.pool).in_time(self).await
    }

    /// Takes questions for these targets. First attempts go before later ones, so that a place that is down does not
    /// hold up the others.
    pub async fn claim_hand_overs(
        &self,
        targets: &[(TenantId, String)],
        limit: usize,
    ) -> Result<Vec<LeasedHandOver>, CatalogueError> {
        let (tenants, names): (Vec<Uuid>, Vec<String>) =
            targets.iter().map(|(tenant, name)| (tenant.0, name.clone())).unzip();
        let lease = Uuid::now_v7();
        let rows = sqlx::query!(
            r#"WITH free AS (
                   SELECT due.tenant_id, due.id
                   FROM unnest($1::uuid[], $2::text[]) AS known (tenant_id, target)
                   CROSS JOIN LATERAL (
                       SELECT h.tenant_id, h.id, h.attempts, h.queued_at FROM hand_overs h
                       WHERE h.tenant_id = known.tenant_id AND h.target = known.target
                           AND h.sent_at IS NULL AND h.failed_at IS NULL AND h.not_before <= now()
                           AND (h.leased_until IS NULL OR h.leased_until < now())
                       ORDER BY h.attempts, h.queued_at, h.id LIMIT $6) due
                   ORDER BY due.attempts, due.queued_at, due.id LIMIT $3
               ), taken AS (
                   SELECT h.tenant_id, h.id FROM hand_overs h JOIN free USING (tenant_id, id)
                   WHERE h.sent_at IS NULL AND h.failed_at IS NULL AND h.not_before <= now()
                       AND (h.leased_until IS NULL OR h.leased_until < now())
                   FOR UPDATE OF h SKIP LOCKED
               )
               UPDATE hand_overs h SET lease = $4, leased_until = now() + $5, attempts = h.attempts + 1
               FROM taken WHERE h.tenant_id = taken.tenant_id AND h.id = taken.id
               RETURNING h.tenant_id, h.target, h.attempts, h.message AS "message!""#,
            &tenants,
            &names,
            i64::from(to_i32(limit)?),
            lease,
            self.lease_interval()?,
            AT_ONCE_OF_A_TARGET,
        )
        .all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                let message = serde_json::from_value(row.message).map_err(corrupt)?;
                let attempt = row.attempts.unsigned_abs();
                Ok(LeasedHandOver { tenant: TenantId(row.tenant_id), target: row.target, message, attempt, lease })
            })
            .collect()
    }

    /// It was sent: its words go. What was erased meanwhile stays erased.
    pub async fn hand_over_sent(&self, sent: &LeasedHandOver) -> Result<(), CatalogueError> {
        sqlx::query!(
            "UPDATE hand_overs SET sent_at = now(), message = NULL, failure = NULL, lease = NULL, leased_until = NULL
             WHERE tenant_id = $1 AND id = $2 AND lease = $3",
            sent.tenant.0,
            sent.message.id,
            sent.lease,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }

    /// It was not sent. True if it is given up.
    pub async fn hand_over_failed(
        &self,
        held: &LeasedHandOver,
        reason: &str,
        retries: Retries,
    ) -> Result<bool, CatalogueError> {
        let reason: String = seen(reason).chars().take(LONGEST_REASON).collect();
        let is_given_up = held.attempt >= retries.most;
        sqlx::query!(
            "UPDATE hand_overs SET failure = $4, lease = NULL, leased_until = NULL, not_before = now() + $5,
                 failed_at = CASE WHEN $6 THEN now() END
             WHERE tenant_id = $1 AND id = $2 AND lease = $3",
            held.tenant.0,
            held.message.id,
            held.lease,
            reason,
            pause(held.attempt, retries.first_pause)?,
            is_given_up,
        )
        .run(&self.pool)
        .await?;
        Ok(is_given_up)
    }

    /// Those that were given up are tried again from the beginning. Returns how many.
    pub async fn retry_hand_overs(&self) -> Result<u64, CatalogueError> {
        let again = sqlx::query!(
            "UPDATE hand_overs SET failed_at = NULL, attempts = 0, not_before = now()
             WHERE failed_at IS NOT NULL AND message IS NOT NULL",
        );
        Ok(again.execute(&self.pool).await.map_err(unavailable)?.rows_affected())
    }

    pub async fn hand_over_counts(&self) -> Result<Vec<HandOverCounts>, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT t.name AS tenant, h.target, count(*) FILTER (WHERE sent_at IS NOT NULL) AS "sent!",
                      count(*) FILTER (WHERE failed_at IS NOT NULL) AS "failed!",
                      count(*) FILTER (WHERE sent_at IS NULL AND failed_at IS NULL) AS "waiting!"
               FROM hand_overs h JOIN tenants t ON t.id = h.tenant_id
               GROUP BY t.name, h.target ORDER BY t.name COLLATE "C", h.target COLLATE "C""#,
        )
        .all_in_time(self)
        .await?;
        let counts = rows.into_iter().map(|row| HandOverCounts {
            tenant: row.tenant,
            target: row.target,
            waiting: row.waiting.unsigned_abs(),
            sent: row.sent.unsigned_abs(),
            failed: row.failed.unsigned_abs(),
        });
        Ok(counts.collect())
    }

    /// Those that were tried and not sent, the latest first.
    pub async fn unsent_hand_overs(&self, limit: usize) -> Result<Vec<UnsentHandOver>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT t.name AS tenant, h.target, h.id, h.queued_at, h.attempts, h.failed_at, h.failure
             FROM hand_overs h JOIN tenants t ON t.id = h.tenant_id
             WHERE h.sent_at IS NULL AND h.attempts > 0 ORDER BY h.queued_at DESC, h.id LIMIT $1",
            i64::from(to_i32(limit)?),
        )
        .all(&self.pool)
        .await?;
        let unsent = rows.into_iter().map(|row| UnsentHandOver {
            tenant: row.tenant,
            target: row.target,
            id: row.id,
            queued_at: row.queued_at,
            attempts: row.attempts.unsigned_abs(),
            failed_at: row.failed_at,
            failure: row.failure,
        });
        Ok(unsent.collect())
    }

    /// Deletes what was queued before, whatever became of it. Returns how many.
    pub async fn sweep_hand_overs(&self, before: DateTime<Utc>) -> Result<u64, CatalogueError> {
        let gone = sqlx::query!("DELETE FROM hand_overs WHERE queued_at < $1", before);
        Ok(gone.execute(&self.pool).await.map_err(unavailable)?.rows_affected())
    }
}

/// Until the next attempt.
fn pause(attempt: u32, first: Duration) -> Result<PgInterval, CatalogueError> {
    let pause = first.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1))).min(LONGEST_PAUSE);
    pause.try_into().map_err(|_| CatalogueError::Corrupt("the pause is too long for an interval".to_owned()))
}
