//! One document as an asker reads it: what it says, and what is known of it.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{DocumentId, Scope, Sha256Hash, Validity};

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::{scope_tags, to_digest, to_u32, to_validity};

/// The current version of a document.
#[derive(Clone, PartialEq, Debug)]
pub struct ReadableDocument {
    pub id: DocumentId,
    pub version: u32,
    pub title: String,
    pub address: Option<String>,
    pub collection: String,
    pub kind: Option<String>,
    pub source_location: String,
    pub format: String,
    pub updated_at: DateTime<Utc>,
    pub validity: Validity,
    pub passages: u32,
    pub text: String,
    pub text_sha256: Sha256Hash,
    /// Digest of the original.
    pub original: Sha256Hash,
}

/// A version that was kept of a document. What it said is not told: it may have been for others.
#[derive(Clone, PartialEq, Debug)]
pub struct KeptVersion {
    pub version: u32,
    pub updated_at: DateTime<Utc>,
    pub taken_in_at: DateTime<Utc>,
    pub passages: u32,
    pub text_sha256: Sha256Hash,
}

impl Store {
    /// The versions of a document that is visible in this scope, the newest first; none of one that is not.
    pub async fn kept_versions(
        &self,
        scope: &Scope,
        document: DocumentId,
        most: u16,
    ) -> Result<Vec<KeptVersion>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT v.version, v.updated_at, v.created_at, v.chunk_count, v.text_sha256
             FROM documents d JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
             WHERE d.tenant_id = $1 AND d.id = $2 AND is_visible(d.tags, d.removed_at, $3)
             ORDER BY v.version DESC LIMIT $4",
            scope.tenant().0,
            document.0,
            &scope_tags(scope),
            i64::from(most),
        )
        .all_in_time(self)
        .await?;
        let kept = rows.into_iter().map(|row| {
            Ok(KeptVersion {
                version: to_u32(row.version)?,
                updated_at: row.updated_at,
                taken_in_at: row.created_at,
                passages: to_u32(row.chunk_count)?,
                text_sha256: to_digest(&row.text_sha256)?,
            })
        });
        kept.collect()
    }

    /// A document that is there and visible in this scope; none otherwise, whatever the reason.
    pub async fn readable(
        &self,
        scope: &Scope,
        document: DocumentId,
    ) -> Result<Option<ReadableDocument>, CatalogueError> {
        let row = sqlx::query!(
            r#"SELECT d.id, d.collection, held_address($1, d.id, $3) AS address, d.source_location, d.current_version,
                      v.title, v.kind, v.format,
                      v.updated_at, v.standing, v.chunk_count, v.text, v.text_sha256, v.original_sha256,
                      replaced_by($1, d.collection, d.id, d.address_key, $3) AS "replaced_by?"
               FROM documents d
               JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
                   AND v.version = d.current_version
               WHERE d.tenant_id = $1 AND d.id = $2 AND is_visible(d.tags, d.removed_at, $3)"#,
            scope.tenant().0,
            document.0,
            &scope_tags(scope),
        )
        .optional_in_time(self)
        .await?;
        let Some(row) = row else { return Ok(None) };
        Ok(Some(ReadableDocument {
            id: DocumentId(row.id),
            version: to_u32(row.current_version)?,
            title: row.title,
            address: row.address,
            collection: row.collection,
            kind: row.kind,
            source_location: row.source_location,
            format: row.format,
            updated_at: row.updated_at,
            validity: to_validity(row.standing, row.replaced_by)?,
            passages: to_u32(row.chunk_count)?,
            text: row.text,
            text_sha256: to_digest(&row.text_sha256)?,
            original: to_digest(&row.original_sha256)?,
        }))
    }

    /// The number of its current version, if it is there and visible in this scope.
    pub async fn current_version(&self, scope: &Scope, document: DocumentId) -> Result<Option<u32>, CatalogueError> {
        let version = sqlx::query_scalar!(
            "SELECT current_version FROM documents WHERE tenant_id = $1 AND id = $2 AND is_visible(tags, removed_at, $3)",
            scope.tenant().0,
            document.0,
            &scope_tags(scope),
        ).optional_in_time(self)
        .await?;
        version.map(to_u32).transpose()
    }
}
