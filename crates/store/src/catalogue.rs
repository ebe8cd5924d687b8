//! Reading passages within a scope.

use async_trait::async_trait;
use ibidem_engine::ports::catalogue::{Catalogue, CatalogueError, CataloguePassage};
use ibidem_engine::words::{CharSpan, DocumentId, PassageKey, Scope};

use crate::convert::{to_collection, to_digest, to_i32, to_kind, to_u32};
use crate::{Store, unavailable};

#[async_trait]
impl Catalogue for Store {
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        let documents: Vec<_> = passages.iter().map(|passage| passage.document.0).collect();
        let versions = passages.iter().map(|passage| to_i32(passage.version)).collect::<Result<Vec<_>, _>>()?;
        let chunks = passages.iter().map(|passage| to_i32(passage.chunk_index)).collect::<Result<Vec<_>, _>>()?;
        let rows = sqlx::query!(
            r#"SELECT d.id, d.collection, d.address, d.source_location, d.current_version,
                      v.title, v.kind, v.updated_at, v.text_sha256,
                      c.chunk_index, c.section, c.page, c.span_start, c.span_end, c.text, c.tokens
               FROM unnest($2::uuid[], $3::integer[], $4::integer[]) AS asked (document_id, version, chunk_index)
               CROSS JOIN LATERAL (SELECT * FROM documents
                   WHERE tenant_id = $1 AND id = asked.document_id AND current_version = asked.version
                       AND removed_at IS NULL AND tags && $5 OFFSET 0) d
               CROSS JOIN LATERAL (SELECT * FROM document_versions
                   WHERE tenant_id = $1 AND document_id = d.id AND version = d.current_version OFFSET 0) v
               CROSS JOIN LATERAL (SELECT * FROM chunks
                   WHERE tenant_id = $1 AND document_id = d.id AND version = d.current_version
                       AND chunk_index = asked.chunk_index OFFSET 0) c"#,
            scope.tenant().0,
            &documents,
            &versions,
            &chunks,
            &scope.tags().map(|tag| tag.as_str().to_owned()).collect::<Vec<_>>(),
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unavailable)?;
        rows.into_iter()
            .map(|row| {
                Ok(CataloguePassage {
                    passage: PassageKey {
                        document: DocumentId(row.id),
                        version: to_u32(row.current_version)?,
                        chunk_index: to_u32(row.chunk_index)?,
                    },
                    collection: to_collection(row.collection)?,
                    kind: to_kind(row.kind)?,
                    title: row.title,
                    address: row.address,
                    source_location: row.source_location,
                    updated_at: row.updated_at,
                    section: row.section,
                    page: row.page.map(to_u32).transpose()?,
                    span: CharSpan { start: to_u32(row.span_start)?, end: to_u32(row.span_end)? },
                    text: row.text,
                    tokens: to_u32(row.tokens)?,
                    document_sha256: to_digest(&row.text_sha256)?,
                })
            })
            .collect()
    }
}
