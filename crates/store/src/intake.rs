//! Jobs: taking them, holding on to them, giving them up. Committing what they made is in [`crate::commit`].

use std::collections::HashSet;

use async_trait::async_trait;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::{Committed, Failed, Failure, Intake, Job, NewVersion, Submission};
use ibidem_words::{TenantId, seen};
use uuid::Uuid;

use crate::Store;
use crate::asked::{Asked as _, Run as _};
use crate::convert::{to_collection, to_digest, to_i32, to_kind, to_parsed, to_tags, to_u32};

/// A job that ended in an error this often is given up.
const MOST_ATTEMPTS: i32 = 5;
/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 2_000;
/// A job taken this often without ever ending takes its worker down each time: it is given up too.
const MOST_CLAIMS: i32 = 50;

#[async_trait]
impl Intake for Store {
    async fn claim(&self, limit: usize) -> Result<Vec<Job>, CatalogueError> {
        self.leased(limit, false).await
    }

    async fn claim_of_idle(&self, limit: usize) -> Result<Vec<Job>, CatalogueError> {
        self.leased(limit, true).await
    }

    async fn renew(&self, jobs: &[(Uuid, Uuid)]) -> Result<Vec<Uuid>, CatalogueError> {
        let (ids, leases): (Vec<Uuid>, Vec<Uuid>) = jobs.iter().copied().unzip();
        let kept = sqlx::query_scalar!(
            "UPDATE jobs SET leased_until = now() + $3
             FROM unnest($1::uuid[], $2::uuid[]) AS held (id, lease)
             WHERE jobs.id = held.id AND jobs.lease = held.lease RETURNING jobs.id",
            &ids,
            &leases,
            self.lease_interval()?,
        )
        .all(&self.pool)
        .await?;
        let kept: HashSet<Uuid> = kept.into_iter().collect();
        Ok(ids.into_iter().filter(|id| !kept.contains(id)).collect())
    }

    async fn commit(&self, versions: Vec<(Job, NewVersion)>) -> Result<Vec<Committed>, CatalogueError> {
        self.commit_versions(versions).await
    }

    async fn fail(&self, job: &Job, reason: &str, failure: Failure) -> Result<Failed, CatalogueError> {
        // A reason may repeat what the document says: what cannot be kept of it must not keep the job from failing.
        let reason: String = seen(reason).chars().take(LONGEST_REASON).collect();
        let given_up = sqlx::query_scalar!(
            r#"UPDATE jobs SET lease = NULL, leased_until = NULL, failure = $3,
                   attempts = attempts + CASE WHEN $6 THEN 0 ELSE 1 END,
                   claims = CASE WHEN $6 THEN 0 ELSE claims END,
                   -- 1, 2, 4, 8 seconds: long enough for a restart, short enough for a person who waits.
                   not_before = now() + interval '1 second' * CASE WHEN $6 THEN 4 ELSE 2 ^ LEAST(attempts, 6) END,
                   failed_at = CASE WHEN $4 OR (NOT $6 AND attempts + 1 >= $5) THEN now() END
               WHERE id = $1 AND lease = $2 RETURNING failed_at IS NOT NULL AS "given_up!""#,
            job.id,
            job.lease,
            reason,
            failure == Failure::Permanent,
            MOST_ATTEMPTS,
            failure == Failure::Outage,
        )
        .optional(&self.pool)
        .await?;
        Ok(match given_up {
            None => Failed::LeaseLost,
            Some(true) => Failed::GivenUp,
            Some(false) => Failed::WillRetry,
        })
    }
}

impl Store {
    /// Leases jobs, one of each tenant in turn; of `only_idle` tenants those that have none under way, and one of each.
    async fn leased(&self, limit: usize, only_idle: bool) -> Result<Vec<Job>, CatalogueError> {
        self.give_up_deadly_jobs().await?;
        let lease = Uuid::now_v7();
        // Tenants take turns, so that one with many jobs does not keep another's waiting. Each turn is drawn anew
        // by the lease, so that none is always the last when there are more tenants than jobs in a round.
        let mut rows = sqlx::query!(
            "WITH RECURSIVE waiting AS (
                 (SELECT tenant_id FROM jobs WHERE failed_at IS NULL ORDER BY tenant_id LIMIT 1)
                 UNION ALL
                 SELECT (SELECT jobs.tenant_id FROM jobs
                         WHERE failed_at IS NULL AND jobs.tenant_id > waiting.tenant_id ORDER BY jobs.tenant_id LIMIT 1)
                 FROM waiting WHERE waiting.tenant_id IS NOT NULL
             ), turns AS (
                 SELECT job.id, md5(waiting.tenant_id::text || $2::uuid::text) AS draw,
                        under_way.jobs + row_number() OVER (
                            PARTITION BY waiting.tenant_id ORDER BY job.created_at, job.id) AS turn
                 FROM waiting
                 -- A tenant's oldest jobs are taken first, so what is under way is among the first here.
                 CROSS JOIN LATERAL (
                     SELECT count(*) FILTER (WHERE leased_until >= now()) AS jobs
                     FROM (SELECT leased_until FROM jobs WHERE tenant_id = waiting.tenant_id AND failed_at IS NULL
                           ORDER BY created_at, id LIMIT 256) oldest) under_way
                 CROSS JOIN LATERAL (
                     SELECT id, created_at FROM jobs
                     WHERE tenant_id = waiting.tenant_id AND failed_at IS NULL AND not_before <= now()
                         AND (leased_until IS NULL OR leased_until < now())
                     ORDER BY created_at, id LIMIT 4 * $1::bigint) job
             ), drawn AS (
                 -- More than are taken: another worker may be taking some of them at this moment.
                 SELECT id, turn, draw FROM turns WHERE turn = 1 OR NOT $4::boolean
                 ORDER BY turn, draw LIMIT 4 * $1::bigint
             ), free AS (
                 SELECT jobs.id FROM jobs JOIN drawn ON jobs.id = drawn.id
                 WHERE failed_at IS NULL AND not_before <= now() AND (leased_until IS NULL OR leased_until < now())
                 ORDER BY drawn.turn, drawn.draw LIMIT $1::bigint FOR UPDATE OF jobs SKIP LOCKED
             )
             UPDATE jobs SET lease = $2, leased_until = now() + $3, claims = claims + 1
             FROM free WHERE jobs.id = free.id
             RETURNING jobs.id, tenant_id, collection, source_location, format, original_sha256, tags,
                       title, address, kind, updated_at, attempts",
            i64::from(to_i32(limit)?),
            lease,
            self.lease_interval()?,
            only_idle,
        )
        .all(&self.pool)
        .await?;
        rows.sort_by_key(|row| row.id);
        let mut jobs = Vec::with_capacity(rows.len());
        for row in rows {
            let id = row.id;
            let read = || {
                let submission = Submission {
                    tenant: TenantId(row.tenant_id),
                    collection: to_collection(row.collection)?,
                    source_location: row.source_location,
                    format: to_parsed(&row.format)?,
                    original: to_digest(&row.original_sha256)?,
                    tags: to_tags(row.tags)?,
                    title: row.title,
                    address: row.address,
                    kind: to_kind(row.kind)?,
                    updated_at: row.updated_at,
                };
                Ok::<_, CatalogueError>(Job { id, lease, attempts: to_u32(row.attempts)?, submission })
            };
            match read() {
                Ok(job) => jobs.push(job),
                // Only this one: the others that were taken with it are somebody else's.
                Err(error) => self.give_up_unreadable_job(id, &error.to_string()).await?,
            }
        }
        Ok(jobs)
    }

    async fn give_up_unreadable_job(&self, id: Uuid, reason: &str) -> Result<(), CatalogueError> {
        sqlx::query!(
            "UPDATE jobs SET lease = NULL, leased_until = NULL, failed_at = now(), failure = $2 WHERE id = $1",
            id,
            reason,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }

    async fn give_up_deadly_jobs(&self) -> Result<(), CatalogueError> {
        sqlx::query!(
            "UPDATE jobs SET failed_at = now(), failure = 'given up: each worker that read it died'
             WHERE failed_at IS NULL AND claims >= $1 AND leased_until < now()",
            MOST_CLAIMS,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }
}
