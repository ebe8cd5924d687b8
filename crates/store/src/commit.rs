//! Committing document versions: all of a job, or nothing of it.

use ibidem_language::bm25::DocumentTerms;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::{Committed, Job, NewVersion};
use ibidem_words::{AddressKey, DocumentId, TenantId};
use sqlx::PgConnection;

use crate::asked::Asked as _;
use crate::convert::corrupt;
use crate::documents::ask_for_publication;
use crate::new_version::{EndedJob, insert_version, listed_words, replaced_keys};
use crate::next_versions::{answering, store_next_version};
use crate::others_words::refuse_taken_address;
use crate::word_statistics::store_terms;
use crate::{Store, refused, unavailable};

impl Store {
    /// Each version in a transaction of its own: one that cannot be kept keeps no other out.
    pub(crate) async fn commit_versions(
        &self,
        versions: Vec<(Job, NewVersion)>,
    ) -> Result<Vec<Committed>, CatalogueError> {
        let terms = self.terms_of(&versions).await?;
        let mut outcomes = Vec::with_capacity(versions.len());
        for ((job, version), terms) in versions.into_iter().zip(terms) {
            outcomes.push(match self.commit_version(&job, &version, &terms).await {
                Ok(outcome) => outcome,
                Err(CatalogueError::Refused(reason)) => Committed::Refused(reason),
                Err(error) => return Err(error),
            });
        }
        Ok(outcomes)
    }

    async fn commit_version(
        &self,
        job: &Job,
        version: &NewVersion,
        terms: &DocumentTerms,
    ) -> Result<Committed, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let Some(ended) = end_job(&mut transaction, job).await? else { return Ok(Committed::LeaseLost) };
        refuse_taken_address(&mut transaction, &ended, version.address.as_deref()).await?;
        match answering(&mut transaction, &ended).await? {
            // It answers until the index has the new version; `next_versions.rs` says how it goes on.
            Some(answering) => {
                store_next_version(&mut transaction, &ended, &answering, version, &self.analysis.id(), terms).await?;
            }
            None => {
                store_version(&mut transaction, &ended, version).await?;
                store_terms(&mut transaction, &self.analysis.id(), ended.tenant, ended.document, terms).await?;
            }
        }
        ask_for_publication(&mut transaction, ended.tenant, &[ended.document]).await?;
        transaction.commit().await.map_err(refused)?;
        Ok(Committed::Done)
    }
}

/// Ends the job if its lease is still ours; else it is somebody else's now.
async fn end_job(connection: &mut PgConnection, job: &Job) -> Result<Option<EndedJob>, CatalogueError> {
    let row = sqlx::query!(
        "DELETE FROM jobs WHERE id = $1 AND lease = $2
         RETURNING tenant_id, document_id, collection, source_location, format, original_sha256, fingerprint, tags",
        job.id,
        job.lease,
    )
    .optional(connection)
    .await?;
    Ok(row.map(|row| EndedJob {
        tenant: TenantId(row.tenant_id),
        document: DocumentId(row.document_id),
        collection: row.collection,
        source_location: row.source_location,
        format: row.format,
        original_sha256: row.original_sha256,
        fingerprint: row.fingerprint,
        tags: row.tags,
    }))
}

/// Stores the version of a document that nobody finds yet, and makes it current.
async fn store_version(
    connection: &mut PgConnection,
    ended: &EndedJob,
    version: &NewVersion,
) -> Result<(), CatalogueError> {
    let address_key = version.address.as_deref().and_then(AddressKey::of);
    let number = sqlx::query_scalar!(
        "INSERT INTO documents (tenant_id, id, collection, source_location, tags, current_version, fingerprint,
                                address, address_key, words, replaces, title, updated_at,
                                standing)
         VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8, strip(to_tsvector('english', $9)), $10, $11, $12, $13)
         ON CONFLICT (tenant_id, id) DO UPDATE SET
             source_location = excluded.source_location, erased_at = NULL,
             tags = excluded.tags, current_version = documents.current_version + 1,
             fingerprint = excluded.fingerprint, address = excluded.address, address_key = excluded.address_key,
             words = excluded.words, replaces = excluded.replaces, title = excluded.title,
             updated_at = excluded.updated_at, standing = excluded.standing, removed_at = NULL, changed_at = now()
         RETURNING current_version",
        ended.tenant.0,
        ended.document.0,
        ended.collection,
        ended.source_location,
        &ended.tags,
        ended.fingerprint,
        version.address,
        address_key.as_ref().map(AddressKey::as_str),
        listed_words(version),
        &replaced_keys(version),
        version.title,
        version.updated_at,
        serde_json::to_value(&version.validity).map_err(corrupt)?,
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(refused)?;
    // Of a version before it that was removed nothing should be left.
    if number > 1 {
        sqlx::query!("DELETE FROM chunks WHERE tenant_id = $1 AND document_id = $2", ended.tenant.0, ended.document.0)
            .execute(&mut *connection)
            .await
            .map_err(refused)?;
    }
    insert_version(connection, ended, number, version).await
}
