//! Handing documents in: what is new is queued, what only changed its audience is retagged, the rest costs nothing.

use std::collections::HashMap;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::{Submission, Submitted};
use ibidem_words::{DocumentId, Sha256Hash, TenantId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::collections::ensure_collection_and_tags;
use crate::convert::{tag_names, to_digest};
use crate::documents::retag_document;
use crate::{Store, refused, unavailable};

struct Known {
    fingerprint: Sha256Hash,
    tags: Vec<String>,
    removed: bool,
}

impl Store {
    /// Hands in documents of one tenant, all or none of them. `batch` is what progress is asked by;
    /// `reading` names the way documents are read (see [`Submission::fingerprint`]).
    pub async fn submit(
        &self,
        tenant: TenantId,
        batch: Uuid,
        reading: &str,
        submissions: &[Submission],
    ) -> Result<Vec<Submitted>, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let mut audiences: Vec<_> =
            submissions.iter().map(|submission| (&submission.collection, &submission.tags)).collect();
        audiences.sort();
        audiences.dedup();
        for (collection, tags) in audiences {
            ensure_collection_and_tags(&mut transaction, tenant, collection, tags).await?;
        }

        let known = known_documents(&mut transaction, tenant, submissions).await?;
        let mut outcomes = vec![Submitted::Unchanged; submissions.len()];
        // By document, as a commit locks them: two transactions never wait for each other in a circle.
        let mut in_order: Vec<_> = submissions.iter().enumerate().collect();
        in_order.sort_by_key(|(_, submission)| submission.document_id());
        for (place, submission) in in_order {
            let document = submission.document_id();
            let fingerprint = submission.fingerprint(reading);
            let same_content = known.get(&document).filter(|known| !known.removed && known.fingerprint == fingerprint);
            outcomes[place] = match same_content {
                None => {
                    queue(&mut transaction, batch, submission, fingerprint).await?;
                    Submitted::Queued
                }
                Some(known) => {
                    // An older submission that was not done yet has been taken back by this one.
                    let superseded = cancel_job(&mut transaction, tenant, document).await?;
                    if !superseded && known.tags == tag_names(&submission.tags) {
                        Submitted::Unchanged
                    } else {
                        retag_document(&mut transaction, tenant, document, &submission.tags).await?;
                        Submitted::Retagged
                    }
                }
            };
        }
        transaction.commit().await.map_err(unavailable)?;
        Ok(outcomes)
    }
}

async fn known_documents(
    connection: &mut PgConnection,
    tenant: TenantId,
    submissions: &[Submission],
) -> Result<HashMap<DocumentId, Known>, CatalogueError> {
    let documents: Vec<_> = submissions.iter().map(|submission| submission.document_id().0).collect();
    let rows = sqlx::query!(
        r#"SELECT d.id, coalesce(n.fingerprint, d.fingerprint) AS "fingerprint!", coalesce(n.tags, d.tags) AS "tags!",
                  d.removed_at IS NOT NULL AS "removed!"
           FROM documents d LEFT JOIN next_versions n ON n.tenant_id = d.tenant_id AND n.document_id = d.id
           WHERE d.tenant_id = $1 AND d.id = ANY ($2)"#,
        tenant.0,
        &documents,
    )
    .all(connection)
    .await?;
    rows.into_iter()
        .map(|row| {
            let known = Known { fingerprint: to_digest(&row.fingerprint)?, tags: row.tags, removed: row.removed };
            Ok((DocumentId(row.id), known))
        })
        .collect()
}

async fn cancel_job(
    connection: &mut PgConnection,
    tenant: TenantId,
    document: DocumentId,
) -> Result<bool, CatalogueError> {
    let cancelled = sqlx::query!("DELETE FROM jobs WHERE tenant_id = $1 AND document_id = $2", tenant.0, document.0)
        .run(connection)
        .await?;
    Ok(cancelled.rows_affected() > 0)
}

/// A document has one job: a newer submission takes the older one's place, and whoever works on the older loses its lease.
async fn queue(
    connection: &mut PgConnection,
    batch: Uuid,
    submission: &Submission,
    fingerprint: Sha256Hash,
) -> Result<(), CatalogueError> {
    sqlx::query!(
        "INSERT INTO jobs (id, batch, tenant_id, document_id, collection, source_location, format, original_sha256,
                           fingerprint, tags, title, address, kind, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
         ON CONFLICT (tenant_id, document_id) DO UPDATE SET
             batch = excluded.batch, format = excluded.format, original_sha256 = excluded.original_sha256,
             fingerprint = excluded.fingerprint, tags = excluded.tags, title = excluded.title,
             address = excluded.address, kind = excluded.kind, updated_at = excluded.updated_at,
             attempts = 0, claims = 0, not_before = now(), failed_at = NULL, failure = NULL,
             lease = CASE WHEN jobs.fingerprint = excluded.fingerprint THEN jobs.lease END,
             leased_until = CASE WHEN jobs.fingerprint = excluded.fingerprint THEN jobs.leased_until END",
        Uuid::now_v7(),
        batch,
        submission.tenant.0,
        submission.document_id().0,
        submission.collection.as_str(),
        submission.source_location,
        submission.format.as_str(),
        submission.original.as_bytes(),
        fingerprint.as_bytes(),
        &tag_names(&submission.tags),
        submission.title,
        submission.address,
        submission.kind.as_ref().map(|kind| kind.as_str()),
        submission.updated_at,
    )
    .execute(connection)
    .await
    .map_err(refused)?;
    Ok(())
}
