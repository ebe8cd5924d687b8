//! How far the intake of a tenant's documents is: what waits, what is being read, and what could not be read.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::Scope;

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::scope_tags;

/// The work of one tenant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TenantQueue {
    /// Documents that no worker has taken yet, or that wait for another attempt.
    pub waiting: u64,
    /// Of these, those that failed at least once.
    pub retrying: u64,
    /// Documents that a worker reads at this moment.
    pub running: u64,
    /// Documents that were given up.
    pub failed: u64,
    /// Since when the oldest of the waiting waits.
    pub oldest_waiting: Option<DateTime<Utc>>,
    /// Documents and entries that were read, and whose place in the index is not up to date yet.
    pub publications: u64,
    pub oldest_publication: Option<DateTime<Utc>>,
    /// Versions of documents that were taken in within the last hour.
    pub taken_in_last_hour: u64,
}

/// A document that was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenUp {
    pub source_location: String,
    pub collection: String,
    pub failed_at: DateTime<Utc>,
    pub reason: String,
}

impl Store {
    /// Counted over the whole tenant, whoever may see the documents.
    pub async fn tenant_queue(&self, scope: &Scope) -> Result<TenantQueue, CatalogueError> {
        let row = sqlx::query!(
            r#"SELECT j.waiting AS "waiting!", j.retrying AS "retrying!", j.running AS "running!", j.failed AS "failed!",
                      j.oldest AS oldest_waiting, o.publications AS "publications!", o.oldest AS oldest_publication,
                      (SELECT count(*) FROM document_versions
                       WHERE tenant_id = $1 AND created_at > now() - interval '1 hour') AS "taken_in!"
               FROM (SELECT count(*) FILTER (WHERE is_free) AS waiting,
                            count(*) FILTER (WHERE is_free AND attempts > 0) AS retrying,
                            count(*) FILTER (WHERE failed_at IS NULL AND NOT is_free) AS running,
                            count(*) FILTER (WHERE failed_at IS NOT NULL) AS failed,
                            min(created_at) FILTER (WHERE is_free) AS oldest
                     FROM (SELECT created_at, failed_at, attempts,
                                  failed_at IS NULL AND (leased_until IS NULL OR leased_until < now()) AS is_free
                           FROM jobs WHERE tenant_id = $1) each_job) j,
                    (SELECT count(*) AS publications, min(enqueued_at) AS oldest FROM outbox WHERE tenant_id = $1) o"#,
            scope.tenant().0,
        ).one_in_time(self)
        .await?;
        Ok(TenantQueue {
            waiting: row.waiting.unsigned_abs(),
            retrying: row.retrying.unsigned_abs(),
            running: row.running.unsigned_abs(),
            failed: row.failed.unsigned_abs(),
            oldest_waiting: row.oldest_waiting,
            publications: row.publications.unsigned_abs(),
            oldest_publication: row.oldest_publication,
            taken_in_last_hour: row.taken_in.unsigned_abs(),
        })
    }

    /// The documents that were given up last, of those that are for this scope.
    pub async fn given_up(&self, scope: &Scope, most: u16) -> Result<Vec<GivenUp>, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT source_location, collection, failed_at AS "failed_at!", failure
               FROM jobs WHERE tenant_id = $1 AND failed_at IS NOT NULL AND is_visible(tags, NULL, $2)
               ORDER BY failed_at DESC, id LIMIT $3"#,
            scope.tenant().0,
            &scope_tags(scope),
            i64::from(most),
        )
        .all_in_time(self)
        .await?;
        let given_up = rows.into_iter().map(|row| GivenUp {
            source_location: row.source_location,
            collection: row.collection,
            failed_at: row.failed_at,
            reason: row.failure.unwrap_or_else(|| "unknown".to_owned()),
        });
        Ok(given_up.collect())
    }
}
