//! The rows of a version: what a commit writes at once, and what it keeps until the index has it.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::{NewPassage, NewVersion};
use ibidem_words::{AddressKey, DocumentId, TenantId};
use sqlx::PgConnection;

use crate::convert::{corrupt, to_i32};
use crate::refused;

/// A job's row at the moment of its commit. It is read again here because the document may have been
/// retagged since the job was taken, and the newest word on who sees it counts.
pub(crate) struct EndedJob {
    pub(crate) tenant: TenantId,
    pub(crate) document: DocumentId,
    pub(crate) collection: String,
    pub(crate) source_location: String,
    pub(crate) format: String,
    pub(crate) original_sha256: Vec<u8>,
    pub(crate) fingerprint: Vec<u8>,
    pub(crate) tags: Vec<String>,
}

/// What a list of documents about something looks at.
pub(crate) fn listed_words(version: &NewVersion) -> String {
    /// Beyond this the words of a document are not listed by: a `tsvector` holds no more than a megabyte.
    const MOST_CHARACTERS: usize = 100_000;
    version.title.chars().chain([' ']).chain(version.text.chars().take(MOST_CHARACTERS)).collect()
}

/// The keys of the addresses that a version says it replaces.
pub(crate) fn replaced_keys(version: &NewVersion) -> Vec<String> {
    let replaces = version.validity.replacing().iter().filter_map(|address| AddressKey::of(address));
    replaces.map(|key| key.as_str().to_owned()).collect()
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
        serde_json::to_value(&version.validity).map_err(corrupt)?,
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
