//! From which folder documents were handed in, and what of it is still kept.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, DocumentId, TenantId};
use uuid::Uuid;

use crate::Store;
use crate::asked::{Asked as _, Run as _};

/// A document that came from a folder, and is still found or on its way in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderDocument {
    pub id: DocumentId,
    pub source_location: String,
    /// The same bytes were handed in under another name, and are not read yet.
    pub is_waiting_elsewhere: bool,
}

impl Store {
    /// Notes that these documents came from this folder. One that came from another folder before is now this one's.
    pub async fn note_folder(
        &self,
        tenant: TenantId,
        collection: &CollectionName,
        folder: &str,
        documents: &[DocumentId],
    ) -> Result<(), CatalogueError> {
        let documents: Vec<Uuid> = documents.iter().map(|document| document.0).collect();
        sqlx::query!(
            "INSERT INTO source_folders (tenant_id, document_id, collection, folder)
             SELECT DISTINCT $1::uuid, id, $2::text, $3::text FROM unnest($4::uuid[]) AS handed (id)
             ON CONFLICT (tenant_id, document_id) DO UPDATE SET folder = excluded.folder
             WHERE source_folders.folder <> excluded.folder",
            tenant.0,
            collection.as_str(),
            folder,
            &documents,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }

    /// What came from a folder into a collection and was not removed since, in the order of its names.
    pub async fn documents_of_folder(
        &self,
        tenant: TenantId,
        collection: &CollectionName,
        folder: &str,
    ) -> Result<Vec<FolderDocument>, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT f.document_id, coalesce(d.source_location, j.source_location) AS "source_location!",
                   EXISTS (SELECT FROM document_versions v
                           JOIN jobs other ON other.tenant_id = v.tenant_id AND other.collection = f.collection
                               AND other.original_sha256 = v.original_sha256 AND other.document_id <> d.id
                           WHERE v.tenant_id = d.tenant_id AND v.document_id = d.id AND v.version = d.current_version)
                       AS "is_waiting_elsewhere!"
               FROM source_folders f
               LEFT JOIN documents d ON d.tenant_id = f.tenant_id AND d.id = f.document_id AND d.removed_at IS NULL
               LEFT JOIN jobs j ON j.tenant_id = f.tenant_id AND j.document_id = f.document_id
               WHERE f.tenant_id = $1 AND f.collection = $2 AND f.folder = $3
                   AND (d.id IS NOT NULL OR j.id IS NOT NULL)
               ORDER BY 2"#,
            tenant.0,
            collection.as_str(),
            folder,
        )
        .all(&self.pool)
        .await?;
        let document = |id, source_location, is_waiting_elsewhere| FolderDocument {
            id: DocumentId(id),
            source_location,
            is_waiting_elsewhere,
        };
        let rows = rows.into_iter();
        Ok(rows.map(|row| document(row.document_id, row.source_location, row.is_waiting_elsewhere)).collect())
    }

    /// Names of documents of a collection of which no folder is known, though they came over no API: an older version took
    /// them in.
    pub async fn documents_of_no_folder(
        &self,
        tenant: TenantId,
        collection: &CollectionName,
    ) -> Result<Vec<String>, CatalogueError> {
        sqlx::query_scalar!(
            "SELECT d.source_location FROM documents d
             WHERE d.tenant_id = $1 AND d.collection = $2 AND d.removed_at IS NULL AND d.source_location NOT LIKE 'api:%'
                 AND NOT EXISTS (SELECT FROM source_folders f WHERE f.tenant_id = d.tenant_id AND f.document_id = d.id)
             ORDER BY d.source_location",
            tenant.0,
            collection.as_str(),
        ).all(&self.pool).await
    }
}
