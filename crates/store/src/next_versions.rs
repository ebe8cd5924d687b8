//! A document's next version: kept, and not current before the index has all of it, so that the old one answers until
//! the new one can.

use std::collections::HashSet;

use ibidem_language::bm25::DocumentTerms;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::NewVersion;
use ibidem_ports::outbox::Publication;
use ibidem_words::{AddressKey, Tag};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{tag_names, to_i32, to_tags};
use crate::new_version::{EndedJob, insert_version, listed_words, replaced_keys};
use crate::word_statistics::columns;
use crate::{Store, refused, unavailable};

/// The version that answers now.
pub(crate) struct Answering {
    tags: Vec<String>,
    current: i32,
    /// The number of a version that was to follow it, if there is one.
    next: Option<i32>,
}

/// None where no version answers: the document is new, or was removed.
pub(crate) async fn answering(
    connection: &mut PgConnection,
    ended: &EndedJob,
) -> Result<Option<Answering>, CatalogueError> {
    let row = sqlx::query!(
        r#"SELECT d.tags, d.current_version, n.version AS "next?"
           FROM documents d LEFT JOIN next_versions n ON n.tenant_id = d.tenant_id AND n.document_id = d.id
           WHERE d.tenant_id = $1 AND d.id = $2 AND d.removed_at IS NULL FOR UPDATE OF d"#,
        ended.tenant.0,
        ended.document.0,
    )
    .optional(connection)
    .await?;
    Ok(row.map(|row| Answering { tags: row.tags, current: row.current_version, next: row.next }))
}

/// Stores the version that follows the one which answers, in the place of another one that was to follow it.
pub(crate) async fn store_next_version(
    connection: &mut PgConnection,
    ended: &EndedJob,
    answering: &Answering,
    version: &NewVersion,
    analysis: &str,
    terms: &DocumentTerms,
) -> Result<(), CatalogueError> {
    let number = answering.next.unwrap_or(answering.current) + 1;
    let between = Tag::of_both(&to_tags(answering.tags.clone())?, &to_tags(ended.tags.clone())?);
    // The old version is shown to nobody who will not see the new one, from now on; and to nobody who did not see it.
    sqlx::query!(
        "UPDATE documents SET tags = $3, changed_at = now() WHERE tenant_id = $1 AND id = $2",
        ended.tenant.0,
        ended.document.0,
        &tag_names(&between),
    )
    .execute(&mut *connection)
    .await
    .map_err(refused)?;
    sqlx::query!(
        "DELETE FROM chunks WHERE tenant_id = $1 AND document_id = $2 AND version > $3",
        ended.tenant.0,
        ended.document.0,
        answering.current,
    )
    .execute(&mut *connection)
    .await
    .map_err(refused)?;
    insert_version(connection, ended, number, version).await?;
    let address_key = version.address.as_deref().and_then(AddressKey::of);
    let (ids, counts) = columns(terms);
    sqlx::query!(
        "INSERT INTO next_versions (tenant_id, document_id, version, tags, fingerprint, address, address_key, words,
                                    replaces, analysis, passages, terms, counts)
         VALUES ($1, $2, $3, $4, $5, $6, $7, strip(to_tsvector('english', $8)), $9, $10, $11, $12, $13)
         ON CONFLICT (tenant_id, document_id) DO UPDATE SET
             version = excluded.version, tags = excluded.tags, fingerprint = excluded.fingerprint,
             address = excluded.address, address_key = excluded.address_key, words = excluded.words,
             replaces = excluded.replaces, analysis = excluded.analysis, passages = excluded.passages,
             terms = excluded.terms, counts = excluded.counts",
        ended.tenant.0,
        ended.document.0,
        number,
        &ended.tags,
        ended.fingerprint,
        version.address,
        address_key.as_ref().map(AddressKey::as_str),
        listed_words(version),
        &replaced_keys(version),
        analysis,
        to_i32(terms.passages)?,
        &ids,
        &counts,
    )
    .execute(connection)
    .await
    .map_err(refused)?;
    Ok(())
}

impl Store {
    /// Makes the next versions current of those documents that are in the index as they were asked for. Their old points
    /// are still there, so they are to be published once more. Says which documents these are.
    pub(crate) async fn bring_into_force(
        &self,
        published: &[Publication],
    ) -> Result<HashSet<(Uuid, Uuid)>, CatalogueError> {
        let (tenants, documents): (Vec<Uuid>, Vec<Uuid>) =
            published.iter().map(|publication| (publication.tenant.0, publication.document.0)).unzip();
        let waiting = sqlx::query!(
            "SELECT n.tenant_id, n.document_id FROM unnest($1::uuid[], $2::uuid[]) AS done (tenant_id, document_id)
             JOIN next_versions n ON n.tenant_id = done.tenant_id AND n.document_id = done.document_id",
            &tenants,
            &documents,
        )
        .all(&self.pool)
        .await?;
        let waiting: HashSet<(Uuid, Uuid)> = waiting.into_iter().map(|row| (row.tenant_id, row.document_id)).collect();
        let mut in_force = HashSet::new();
        for publication in published {
            let key = (publication.tenant.0, publication.document.0);
            if waiting.contains(&key) && self.switch(publication).await? {
                in_force.insert(key);
            }
        }
        Ok(in_force)
    }

    /// False where something else of the document changed since it was published: then that is published first.
    async fn switch(&self, publication: &Publication) -> Result<bool, CatalogueError> {
        let (tenant, document) = (publication.tenant.0, publication.document.0);
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        // The document first and its publication then, as a commit does: the other order could deadlock with it.
        sqlx::query!("SELECT id FROM documents WHERE tenant_id = $1 AND id = $2 FOR UPDATE", tenant, document)
            .optional(&mut *transaction)
            .await?;
        let asked_again = sqlx::query!(
            "UPDATE outbox SET generation = generation + 1, lease = NULL, leased_until = NULL
             WHERE tenant_id = $1 AND document_id = $2 AND generation = $3 AND lease = $4",
            tenant,
            document,
            publication.generation,
            publication.lease,
        )
        .run(&mut *transaction)
        .await?;
        if asked_again.rows_affected() == 0 {
            return Ok(false);
        }
        let switched = sqlx::query!(
            "UPDATE documents d SET tags = n.tags, current_version = n.version, fingerprint = n.fingerprint,
                 address = n.address, address_key = n.address_key, words = n.words, replaces = n.replaces,
                 changed_at = now()
             FROM next_versions n
             WHERE d.tenant_id = $1 AND d.id = $2 AND d.removed_at IS NULL
                 AND n.tenant_id = d.tenant_id AND n.document_id = d.id",
            tenant,
            document,
        )
        .run(&mut *transaction)
        .await?;
        if switched.rows_affected() == 0 {
            return Ok(false);
        }
        sqlx::query!(
            "INSERT INTO document_terms (tenant_id, document_id, analysis, tags, passages, terms, counts)
             SELECT tenant_id, document_id, analysis, tag_set_of(tags), passages, terms, counts FROM next_versions
             WHERE tenant_id = $1 AND document_id = $2",
            tenant,
            document,
        )
        .run(&mut *transaction)
        .await?;
        sqlx::query!(
            "DELETE FROM counted_analyses c USING next_versions n
             WHERE n.tenant_id = $1 AND n.document_id = $2 AND c.analysis <> n.analysis",
            tenant,
            document,
        )
        .run(&mut *transaction)
        .await?;
        // The passages of older versions go: spans of old answers point into the versions' texts, which stay.
        sqlx::query!(
            "DELETE FROM chunks c USING next_versions n
             WHERE c.tenant_id = $1 AND c.document_id = $2 AND n.tenant_id = $1 AND n.document_id = $2
                 AND c.version <> n.version",
            tenant,
            document,
        )
        .run(&mut *transaction)
        .await?;
        forget_next_version(&mut transaction, tenant, document).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(true)
    }
}

/// What was to follow does not any more: the document went, or has become it.
pub(crate) async fn forget_next_version(
    connection: &mut PgConnection,
    tenant: Uuid,
    document: Uuid,
) -> Result<(), CatalogueError> {
    sqlx::query!("DELETE FROM next_versions WHERE tenant_id = $1 AND document_id = $2", tenant, document)
        .run(connection)
        .await?;
    Ok(())
}
