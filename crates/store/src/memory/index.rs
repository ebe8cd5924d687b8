//! What the index should hold of entries: a document each, in their tenant's memory.

use std::collections::BTreeMap;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::index::{IndexDocument, IndexPoint};
use ibidem_ports::outbox::Wanted;
use ibidem_ports::vectors::MissingVector;
use ibidem_words::{CollectionName, DocumentId, ModelHash, PassageKey, TenantId};
use uuid::Uuid;

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::{to_digest, to_tags, to_u32, to_vector};

impl Store {
    /// What the index should hold of those that are entries, the removed ones included: they are to disappear.
    pub(crate) async fn wanted_entries(
        &self,
        model: ModelHash,
        asked: &[(TenantId, DocumentId)],
    ) -> Result<Vec<Wanted>, CatalogueError> {
        let (tenants, ids): (Vec<Uuid>, Vec<Uuid>) = asked.iter().map(|(tenant, id)| (tenant.0, id.0)).unzip();
        let rows = sqlx::query!(
            r#"SELECT m.tenant_id, m.id, m.tags, m.version,
                      p.chunk_index AS "chunk_index?", p.text AS "text?", p.embedding_key AS "embedding_key?",
                      e.vector AS "vector?"
               FROM unnest($1::uuid[], $2::uuid[]) AS asked (tenant_id, entry_id)
               CROSS JOIN LATERAL (SELECT * FROM memory_entries
                   WHERE tenant_id = asked.tenant_id AND id = asked.entry_id OFFSET 0) m
               LEFT JOIN LATERAL (SELECT * FROM memory_passages
                   WHERE tenant_id = m.tenant_id AND entry_id = m.id OFFSET 0) p ON true
               LEFT JOIN LATERAL (SELECT * FROM embeddings
                   WHERE tenant_id = m.tenant_id AND embedding_key = p.embedding_key AND model_hash = $3 OFFSET 0) e
                   ON true
               ORDER BY m.tenant_id, m.id, p.chunk_index"#,
            &tenants,
            &ids,
            model.0.as_bytes(),
        )
        .all(&self.pool)
        .await?;

        let mut wanted: BTreeMap<(TenantId, DocumentId), Wanted> = BTreeMap::new();
        for row in rows {
            let (tenant, id) = (TenantId(row.tenant_id), DocumentId(row.id));
            let document = as_document(tenant, id, row.tags)?;
            let entry = wanted.entry((tenant, id)).or_insert_with(|| Wanted { document, missing: Vec::new() });
            let (Some(chunk_index), Some(text), Some(embedding_key)) = (row.chunk_index, row.text, row.embedding_key)
            else {
                continue;
            };
            let passage = PassageKey { document: id, version: to_u32(row.version)?, chunk_index: to_u32(chunk_index)? };
            match row.vector {
                Some(vector) => {
                    entry.document.points.push(IndexPoint { passage, vector: to_vector(&vector)?, words: text });
                }
                // The vector is the tenant's own, as those of its documents are.
                None => entry.missing.push(MissingVector { tenant, key: to_digest(&embedding_key)?, text }),
            }
        }
        Ok(wanted.into_values().collect())
    }
}

/// An entry as it lies in the index, without its points.
pub(crate) fn as_document(
    tenant: TenantId,
    id: DocumentId,
    tags: Vec<String>,
) -> Result<IndexDocument, CatalogueError> {
    Ok(IndexDocument {
        tenant: tenant.memory(),
        document: id,
        collection: CollectionName::memory(),
        kind: None,
        tags: to_tags(tags)?,
        points: Vec::new(),
    })
}
