//! Committing document versions: all of a job, or nothing of it.

use ibidem_language::bm25::DocumentTerms;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::{Committed, Job, NewPassage, NewVersion};
use ibidem_words::{AddressKey, DocumentId, TenantId};
use sqlx::PgConnection;

use crate::convert::{corrupt, to_i32};
use crate::documents::ask_for_publication;
use crate::next_versions::{answering, store_next_version};
use crate::others_words::refuse_taken_address;
use crate::word_statistics::store_terms;
use crate::{Store, refused, unavailable};

/// A job's row at the moment of its commit. It is read again here because the document may have been
/// retagged since the job was taken, and the newest word on who sees it counts.
pub(crate) struct EndedJob {
    pub(crate) tenant: TenantId,
    pub(crate) document: DocumentId,
    pub(crate) collection: String,
    pub(crate) source_location: String,
    format: String,
    original_sha256: Vec<u8>,
    pub(crate) fingerprint: Vec<u8>,
    pub(crate) tags: Vec<String>,
}

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
    .fetch_optional(connection)
    .await
    .map_err(unavailable)?;
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

/// What a list of documents about something looks at.
pub(crate) fn listed_words(version: &NewVersion) -> String {
    /// Beyond this the words of a document are not listed by: a `tsvector` holds no more than a megabyte.
    const MOST_CHARACTERS: usize = 100_000;
    version.title.chars().chain([' ']).chain(version.text.chars().take(MOST_CHARACTERS)).collect()
}

/// The keys of the addresses that a version says it replaces.
pub(crate) fn replaced_keys(version: &NewVersion) -> Vec<String> {
    let replaces = version.standing.replacing().iter().filter_map(|address| AddressKey::of(address));
    replaces.map(|key| key.as_str().to_owned()).collect()
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
        serde_json::to_value(&version.standing).map_err(corrupt)?,
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

/// Stores a version's text and passages under this number.
pub(crate) async fn insert_version(
    connection: &mut PgConnection,
    ended: &EndedJob,
    number: i32,
    version: &NewVersion,
) -> Result<(), CatalogueError> {
    sqlx::query!(
        "INSERT INTO document_versions (tenant_id, document_id, version, title, kind, format, updated_at,
                                        original_sha256, text, text_sha256, chunk_count, remarks, standing)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        ended.tenant.0,
        ended.document.0,
        number,
        version.title,
        version.kind.as_ref().map(|kind| kind.as_str()),
        ended.format,
        version.updated_at,
        ended.original_sha256,
        version.text,
        version.text_sha256.as_bytes(),
        to_i32(version.passages.len())?,
        &version.remarks,
        serde_json::to_value(&version.standing).map_err(corrupt)?,
    )
    .execute(&mut *connection)
    .await
    .map_err(refused)?;
    insert_passages(connection, ended, number, &version.passages).await
}

/// One statement for all passages of a document, each column an array.
async fn insert_passages(
    connection: &mut PgConnection,
    ended: &EndedJob,
    version: i32,
    passages: &[NewPassage],
) -> Result<(), CatalogueError> {
    let column = |number: fn(&NewPassage) -> u32| {
        passages.iter().map(|passage| to_i32(number(passage))).collect::<Result<Vec<i32>, _>>()
    };
    let pages = passages.iter().map(|passage| passage.page.map(to_i32).transpose()).collect::<Result<Vec<_>, _>>()?;
    let above = passages.iter().map(|passage| serde_json::to_string(&passage.above).map_err(corrupt));
    let above = above.collect::<Result<Vec<String>, _>>()?;
    sqlx::query!(
        "INSERT INTO chunks (tenant_id, document_id, version, chunk_index, section, page, span_start, span_end,
                             tokens, sha256, embedding_key, text, above)
         SELECT $1, $2, $3, passage.number - 1, section, page, span_start, span_end, tokens, sha256, embedding_key, text,
                above::jsonb
         FROM unnest($4::text[], $5::integer[], $6::integer[], $7::integer[], $8::integer[], $9::bytea[],
                     $10::bytea[], $11::text[], $12::text[]) WITH ORDINALITY
              AS passage (section, page, span_start, span_end, tokens, sha256, embedding_key, text, above, number)",
        ended.tenant.0,
        ended.document.0,
        version,
        &passages.iter().map(|passage| passage.section.clone()).collect::<Vec<_>>() as &[Option<String>],
        &pages as &[Option<i32>],
        &column(|passage| passage.span.start)?,
        &column(|passage| passage.span.end)?,
        &column(|passage| passage.tokens)?,
        &passages.iter().map(|passage| passage.sha256.as_bytes().to_vec()).collect::<Vec<_>>(),
        &passages.iter().map(|passage| passage.embedding_key.as_bytes().to_vec()).collect::<Vec<_>>(),
        &passages.iter().map(|passage| passage.text.clone()).collect::<Vec<_>>(),
        &above,
    )
    .execute(connection)
    .await
    .map_err(refused)?;
    Ok(())
}
