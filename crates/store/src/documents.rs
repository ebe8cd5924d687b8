//! What an operator does with documents that are already in: list, retag, remove.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, DocumentId, Scope, Tag, TenantId};
use sqlx::PgConnection;

use crate::asked::{Asked as _, Run as _};
use crate::collections::ensure_tags;
use crate::convert::{scope_tags, tag_names, to_collection, to_tags, to_u32};
use crate::next_versions::forget_next_version;
use crate::{Store, unavailable};

/// A document as a list shows it.
#[derive(Clone, PartialEq, Debug)]
pub struct DocumentRow {
    pub id: DocumentId,
    pub collection: CollectionName,
    pub title: String,
    pub address: Option<String>,
    pub source_location: String,
    pub tags: Vec<Tag>,
    pub version: u32,
    pub chunks: u32,
    pub updated_at: DateTime<Utc>,
}

/// What became of a removal or a change of tags.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RemovalOutcome {
    Done,
    /// Nothing of that id is there, or not for this scope.
    NotFound,
}

impl Store {
    /// Documents visible in this scope, in a fixed order, page by page.
    pub async fn list_documents(
        &self,
        scope: &Scope,
        after: Option<(&CollectionName, &str)>,
        limit: i64,
    ) -> Result<Vec<DocumentRow>, CatalogueError> {
        let (after_collection, after_location) =
            after.map_or((None, None), |(collection, location)| (Some(collection.as_str()), Some(location)));
        let rows = sqlx::query!(
            r#"SELECT d.id, d.collection, d.address, d.source_location, d.tags, d.current_version,
                      v.title, v.updated_at, v.chunk_count
               FROM documents d
               JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
                   AND v.version = d.current_version
               WHERE d.tenant_id = $1 AND is_visible(d.tags, d.removed_at, $2)
                   AND ($3::text IS NULL OR (d.collection, d.source_location) > ($3, $4))
               ORDER BY d.collection, d.source_location LIMIT $5"#,
            scope.tenant().0,
            &scope_tags(scope),
            after_collection,
            after_location,
            limit,
        )
        .all(&self.pool)
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(DocumentRow {
                    id: DocumentId(row.id),
                    collection: to_collection(row.collection)?,
                    title: row.title,
                    address: row.address,
                    source_location: row.source_location,
                    tags: to_tags(row.tags)?,
                    version: to_u32(row.current_version)?,
                    chunks: to_u32(row.chunk_count)?,
                    updated_at: row.updated_at,
                })
            })
            .collect()
    }

    /// Changes who sees a document, as of now: the catalogue is asked before anything is shown,
    /// and the index follows through the outbox.
    pub async fn retag(
        &self,
        tenant: TenantId,
        document: DocumentId,
        tags: &[Tag],
    ) -> Result<RemovalOutcome, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        ensure_tags(&mut transaction, tenant, tags).await?;
        // The job first, as a commit does: the other order could deadlock with it.
        let waiting = sqlx::query!(
            "UPDATE jobs SET tags = $3 WHERE tenant_id = $1 AND document_id = $2",
            tenant.0,
            document.0,
            &tag_names(tags),
        )
        .run(&mut *transaction)
        .await?;
        let found = retag_document(&mut transaction, tenant, document, tags).await?;
        transaction.commit().await.map_err(unavailable)?;
        let outcome =
            if found || waiting.rows_affected() > 0 { RemovalOutcome::Done } else { RemovalOutcome::NotFound };
        Ok(outcome)
    }

    /// Removes a document at once. Its versions' texts stay, so that old receipts can still be checked.
    pub async fn remove(&self, tenant: TenantId, document: DocumentId) -> Result<RemovalOutcome, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let waiting = sqlx::query!("DELETE FROM jobs WHERE tenant_id = $1 AND document_id = $2", tenant.0, document.0)
            .run(&mut *transaction)
            .await?;
        let removed = sqlx::query!(
            "UPDATE documents SET removed_at = now(), changed_at = now()
             WHERE tenant_id = $1 AND id = $2 AND removed_at IS NULL",
            tenant.0,
            document.0,
        )
        .run(&mut *transaction)
        .await?;
        if removed.rows_affected() > 0 {
            forget_next_version(&mut transaction, tenant.0, document.0).await?;
            sqlx::query!("DELETE FROM chunks WHERE tenant_id = $1 AND document_id = $2", tenant.0, document.0)
                .run(&mut *transaction)
                .await?;
            ask_for_publication(&mut transaction, tenant, &[document]).await?;
        }
        transaction.commit().await.map_err(unavailable)?;
        let found = removed.rows_affected() + waiting.rows_affected() > 0;
        Ok(if found { RemovalOutcome::Done } else { RemovalOutcome::NotFound })
    }
}

pub(crate) async fn retag_document(
    connection: &mut PgConnection,
    tenant: TenantId,
    document: DocumentId,
    tags: &[Tag],
) -> Result<bool, CatalogueError> {
    let changed = sqlx::query!(
        "UPDATE documents SET tags = $3, changed_at = now() WHERE tenant_id = $1 AND id = $2 AND removed_at IS NULL",
        tenant.0,
        document.0,
        &tag_names(tags),
    )
    .run(&mut *connection)
    .await?;
    if changed.rows_affected() == 0 {
        return Ok(false);
    }
    retag_next_version(connection, tenant, document, tags).await?;
    ask_for_publication(connection, tenant, &[document]).await?;
    Ok(true)
}

/// Gives a document's next version these tags, if it has one.
pub(crate) async fn retag_next_version(
    connection: &mut PgConnection,
    tenant: TenantId,
    document: DocumentId,
    tags: &[Tag],
) -> Result<(), CatalogueError> {
    sqlx::query!(
        "UPDATE next_versions SET tags = $3 WHERE tenant_id = $1 AND document_id = $2",
        tenant.0,
        document.0,
        &tag_names(tags),
    )
    .run(connection)
    .await?;
    Ok(())
}

/// Notes that the index may differ from the catalogue for these documents.
pub(crate) async fn ask_for_publication(
    connection: &mut PgConnection,
    tenant: TenantId,
    documents: &[DocumentId],
) -> Result<(), CatalogueError> {
    // In one order everywhere, so that two transactions never wait for each other in a circle.
    let mut documents: Vec<_> = documents.iter().map(|document| document.0).collect();
    documents.sort_unstable();
    documents.dedup();
    sqlx::query!(
        "INSERT INTO outbox (tenant_id, document_id) SELECT $1, id FROM unnest($2::uuid[]) AS id
         ON CONFLICT (tenant_id, document_id) DO UPDATE SET generation = outbox.generation + 1",
        tenant.0,
        &documents,
    )
    .run(connection)
    .await?;
    Ok(())
}
