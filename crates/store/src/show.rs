//! One document as an operator looks at it.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{DocumentId, TenantId};

use crate::Store;
use crate::asked::Asked as _;

/// The current version of a document, and what was left out or changed in reading it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownDocument {
    pub title: String,
    pub collection: String,
    pub source_location: String,
    pub address: Option<String>,
    pub kind: Option<String>,
    pub tags: Vec<String>,
    pub version: i32,
    pub passages: i32,
    pub updated_at: DateTime<Utc>,
    pub remarks: Vec<String>,
}

impl Store {
    pub async fn show_document(
        &self,
        tenant: TenantId,
        document: DocumentId,
    ) -> Result<Option<ShownDocument>, CatalogueError> {
        sqlx::query_as!(
            ShownDocument,
            "SELECT v.title, d.collection, d.source_location, d.address, v.kind, d.tags, v.version,
                    v.chunk_count AS passages, v.updated_at, v.remarks
             FROM documents d
             JOIN document_versions v ON v.tenant_id = d.tenant_id AND v.document_id = d.id
                 AND v.version = d.current_version
             WHERE d.tenant_id = $1 AND d.id = $2 AND d.removed_at IS NULL",
            tenant.0,
            document.0,
        )
        .optional(&self.pool)
        .await
    }
}
