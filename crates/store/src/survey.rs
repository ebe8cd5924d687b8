//! Looking over everything, as an operator: progress, backlog, and the catalogue page by page.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::index::IndexDocument;
use ibidem_words::{DocumentId, ModelHash, TenantId};
use sqlx::{Connection as _, PgConnection};
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{to_collection, to_i32, to_kind, to_tags, to_u32};
use crate::memory::as_document;
use crate::{Store, unavailable};

/// A document that could not be taken in, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FailedJob {
    pub source_location: String,
    pub reason: String,
}

/// What is left of a batch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchProgress {
    pub waiting: u64,
    pub failed: Vec<FailedJob>,
}

/// What the index should hold of a document, or of an entry of curated memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DocumentState {
    pub tenant: TenantId,
    /// Under which tenant its points lie: itself, or its memory.
    pub shelf: TenantId,
    pub document: DocumentId,
    pub version: u32,
    pub passages: u32,
    /// See `IndexDocument::stamp`.
    pub stamp: String,
}

/// Held by the one process that does something only one may do at a time.
pub struct Exclusive {
    _connection: PgConnection,
}

/// Work that is waiting, over all tenants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Backlog {
    pub jobs: u64,
    pub failed_jobs: u64,
    pub publications: u64,
}

impl Store {
    pub async fn batch_progress(&self, batch: Uuid) -> Result<BatchProgress, CatalogueError> {
        // Asked several times a second while somebody waits: the many that wait are only counted.
        let waiting = sqlx::query_scalar!(
            r#"SELECT count(*) AS "count!" FROM jobs WHERE batch = $1 AND failed_at IS NULL"#,
            batch,
        )
        .one(&self.pool)
        .await?;
        let failed = sqlx::query!(
            "SELECT source_location, failure FROM jobs WHERE batch = $1 AND failed_at IS NOT NULL
             ORDER BY source_location",
            batch,
        )
        .all(&self.pool)
        .await?;
        let failed = failed.into_iter().map(|row| FailedJob {
            source_location: row.source_location,
            reason: row.failure.unwrap_or_else(|| "unknown".to_owned()),
        });
        Ok(BatchProgress { waiting: waiting.unsigned_abs(), failed: failed.collect() })
    }

    pub async fn backlog(&self) -> Result<Backlog, CatalogueError> {
        let row = sqlx::query!(
            r#"SELECT (SELECT count(*) FROM jobs WHERE failed_at IS NULL) AS "jobs!",
                      (SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL) AS "failed!",
                      (SELECT count(*) FROM outbox) AS "publications!""#
        )
        .one(&self.pool)
        .await?;
        Ok(Backlog {
            jobs: row.jobs.unsigned_abs(),
            failed_jobs: row.failed.unsigned_abs(),
            publications: row.publications.unsigned_abs(),
        })
    }

    /// How many passages the current versions of all documents have.
    pub async fn passage_count(&self) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM chunks"#).one(&self.pool).await?;
        Ok(count.unsigned_abs())
    }

    pub async fn document_count(&self) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM documents WHERE removed_at IS NULL"#)
            .one(&self.pool)
            .await?;
        Ok(count.unsigned_abs())
    }

    /// The database's clock, which `changed_at` is measured by.
    pub async fn now(&self) -> Result<DateTime<Utc>, CatalogueError> {
        sqlx::query_scalar!(r#"SELECT now() AS "now!""#).one(&self.pool).await
    }

    /// Every document and every entry of curated memory, removed ones included, page by page, for reindexing.
    pub async fn page_of_documents(
        &self,
        after: Option<(TenantId, DocumentId)>,
        changed_since: Option<DateTime<Utc>>,
        limit: usize,
    ) -> Result<Vec<(TenantId, DocumentId)>, CatalogueError> {
        let (tenant, document) = from(after);
        let rows = sqlx::query!(
            r#"(SELECT tenant_id AS "tenant_id!", id AS "id!" FROM documents
                WHERE (tenant_id, id) > ($1, $2)
                    AND ($3::timestamptz IS NULL OR changed_at >= $3)
                ORDER BY tenant_id, id LIMIT $4)
               UNION ALL
               (SELECT tenant_id, id FROM memory_entries
                WHERE (tenant_id, id) > ($1, $2)
                    AND ($3::timestamptz IS NULL OR changed_at >= $3)
                ORDER BY tenant_id, id LIMIT $4)
               ORDER BY 1, 2 LIMIT $4"#,
            tenant,
            document,
            changed_since,
            i64::from(to_i32(limit)?),
        )
        .all(&self.pool)
        .await?;
        Ok(rows.into_iter().map(|row| (TenantId(row.tenant_id), DocumentId(row.id))).collect())
    }

    /// What the index should hold of each document and entry, without the passages themselves, page by page.
    pub async fn page_of_states(
        &self,
        after: Option<(TenantId, DocumentId)>,
        limit: usize,
    ) -> Result<Vec<DocumentState>, CatalogueError> {
        let (tenant, document) = from(after);
        let rows = sqlx::query!(
            r#"(SELECT d.tenant_id AS "tenant_id!", d.id AS "id!", d.collection, d.tags AS "tags!",
                       d.current_version AS "version!", v.kind,
                       CASE WHEN d.removed_at IS NULL THEN v.chunk_count ELSE 0 END AS "passages!"
                FROM documents d
                JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
                    AND v.version = d.current_version
                WHERE (d.tenant_id, d.id) > ($1, $2)
                ORDER BY d.tenant_id, d.id LIMIT $3)
               UNION ALL
               -- An entry is in no collection.
               (SELECT tenant_id, id, NULL, tags, version, NULL, passage_count FROM memory_entries
                WHERE (tenant_id, id) > ($1, $2)
                ORDER BY tenant_id, id LIMIT $3)
               ORDER BY 1, 2 LIMIT $3"#,
            tenant,
            document,
            i64::from(to_i32(limit)?),
        )
        .all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                let (tenant, id) = (TenantId(row.tenant_id), DocumentId(row.id));
                let document = match row.collection {
                    None => as_document(tenant, id, row.tags)?,
                    Some(collection) => IndexDocument {
                        tenant,
                        document: id,
                        collection: to_collection(collection)?,
                        kind: to_kind(row.kind)?,
                        tags: to_tags(row.tags)?,
                        points: Vec::new(),
                    },
                };
                Ok(DocumentState {
                    tenant,
                    shelf: document.tenant,
                    document: id,
                    version: to_u32(row.version)?,
                    passages: to_u32(row.passages)?,
                    stamp: document.stamp().to_string(),
                })
            })
            .collect()
    }

    /// How many publications asked for until then are still waiting.
    pub async fn publications_until(&self, until: DateTime<Utc>) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM outbox WHERE enqueued_at <= $1"#, until)
            .one(&self.pool)
            .await?;
        Ok(count.unsigned_abs())
    }

    /// Takes a name that only one process at a time can have, until the guard is dropped or the process ends.
    pub async fn exclusively(&self, name: &str) -> Result<Option<Exclusive>, CatalogueError> {
        // A connection of its own, outside the pool: the lock lives and dies with it.
        let mut connection = PgConnection::connect_with(&self.pool.connect_options()).await.map_err(unavailable)?;
        let taken = sqlx::query_scalar!(r#"SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS "taken!""#, name)
            .one(&mut connection)
            .await?;
        Ok(taken.then_some(Exclusive { _connection: connection }))
    }

    /// Drops vectors that no passage and no entry uses any more, or of models other than this one. Returns how many.
    pub async fn prune_vectors(&self, keep: ModelHash) -> Result<u64, CatalogueError> {
        let pruned = sqlx::query!(
            "DELETE FROM embeddings e WHERE e.model_hash <> $1
                 OR NOT EXISTS (SELECT FROM chunks c WHERE c.tenant_id = e.tenant_id AND c.embedding_key = e.embedding_key)
                 AND NOT EXISTS (SELECT FROM memory_passages p
                     WHERE p.tenant_id = e.tenant_id AND p.embedding_key = e.embedding_key)",
            keep.0.as_bytes(),
        ).run(&self.pool).await?;
        Ok(pruned.rows_affected())
    }
}

/// Where a page begins: behind this one, or behind nothing. A condition that may be absent would have every page read all
/// the pages before it.
fn from(after: Option<(TenantId, DocumentId)>) -> (Uuid, Uuid) {
    after.map_or((Uuid::nil(), Uuid::nil()), |(tenant, document)| (tenant.0, document.0))
}
