//! Recalling entries for a question: those the asker may be helped by, with what their references lead to now.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use ibidem_ports::catalogue::{CatalogueError, CataloguePassage};
use ibidem_ports::memory::{Memory, PASSAGES_OF_A_DOCUMENT, Remembered};
use ibidem_words::{AddressKey, CharSpan, DocumentId, MemoryId, PassageKey, Reference, Scope};
use uuid::Uuid;

use super::MemoryRow;
use crate::Store;
use crate::asked::Asked as _;
use crate::convert::{scope_tags, to_collection, to_digest, to_i32, to_kind, to_lines_above, to_u32, to_validity};

#[async_trait]
impl Memory for Store {
    async fn recall(&self, scope: &Scope, entries: &[MemoryId]) -> Result<Vec<Remembered>, CatalogueError> {
        let rows = self.entries(scope, entries).await?;
        let mut rows: HashMap<MemoryId, MemoryRow> = rows.into_iter().map(|row| (row.entry.id, row)).collect();
        let rows: Vec<MemoryRow> = entries.iter().filter_map(|id| rows.remove(id)).collect();
        let references: Vec<&Reference> = rows.iter().flat_map(|row| &row.entry.references).collect();
        let mut resolved = self.resolve(scope, &references).await?.into_iter();
        let remembered = rows.into_iter().map(|row| {
            let resolved: Vec<_> = resolved.by_ref().take(row.entry.references.len()).collect();
            let mut known = HashSet::new();
            Remembered {
                version: row.version,
                entry: row.entry,
                resolved: resolved.iter().filter(|passages| !passages.is_empty()).count(),
                passages: resolved.into_iter().flatten().filter(|passage| known.insert(passage.passage)).collect(),
            }
        });
        Ok(remembered.collect())
    }
}

impl Store {
    /// Those of the references that lead to nothing in this scope now.
    pub async fn leading_nowhere(
        &self,
        scope: &Scope,
        references: &[Reference],
    ) -> Result<Vec<Reference>, CatalogueError> {
        let resolved = self.resolve(scope, &references.iter().collect::<Vec<_>>()).await?;
        let nowhere = references.iter().zip(resolved).filter(|(_, passages)| passages.is_empty());
        Ok(nowhere.map(|(reference, _)| reference.clone()).collect())
    }

    /// The current passages in this scope that each of the references leads to.
    async fn resolve(
        &self,
        scope: &Scope,
        references: &[&Reference],
    ) -> Result<Vec<Vec<CataloguePassage>>, CatalogueError> {
        let mut passages = vec![Vec::new(); references.len()];
        if references.is_empty() {
            return Ok(passages);
        }
        let asked = Columns::of(references)?;
        // Of several documents with one address, the one whose id comes first: the same every time. The inner
        // `OFFSET 0` keep the planner to the key and to the address: while the tables are empty it would rather walk
        // through all of a tenant's documents, by collection or by id, and would keep to it.
        let rows = sqlx::query!(
            r#"SELECT asked.place AS "place!", d.id AS "id!", d.collection AS "collection!",
                      held_address($1, d.id, $6) AS address,
                      d.source_location AS "source_location!", d.current_version AS "current_version!",
                      v.title, v.kind, v.updated_at, v.text_sha256, v.standing,
                      replaced_by($1, d.collection, d.id, d.address_key, $6) AS "replaced_by?",
                      c.chunk_index, c.section, c.page, c.span_start, c.span_end, c.text, c.above, c.tokens
               FROM unnest($2::uuid[], $3::text[], $4::integer[], $5::integer[]) WITH ORDINALITY
                   AS asked (document_id, address_key, first_chunk, last_chunk, place)
               CROSS JOIN LATERAL (
                   (SELECT id, collection, address, address_key, source_location, current_version
                    FROM (SELECT * FROM documents WHERE tenant_id = $1 AND id = asked.document_id OFFSET 0) named
                    WHERE is_visible(tags, removed_at, $6))
                   UNION ALL
                   (SELECT * FROM (SELECT id, collection, address, address_key, source_location, current_version
                        FROM documents
                        WHERE tenant_id = $1 AND address_key = asked.address_key AND is_visible(tags, removed_at, $6)
                        OFFSET 0) at_address
                    WHERE held_address($1, id, $6) IS NOT NULL
                    ORDER BY id LIMIT 1)
                   OFFSET 0) d
               CROSS JOIN LATERAL (SELECT * FROM document_versions
                   WHERE tenant_id = $1 AND document_id = d.id AND version = d.current_version OFFSET 0) v
               CROSS JOIN LATERAL (SELECT * FROM chunks
                   WHERE tenant_id = $1 AND document_id = d.id AND version = d.current_version
                       AND chunk_index BETWEEN asked.first_chunk AND asked.last_chunk OFFSET 0) c
               ORDER BY asked.place, c.chunk_index"#,
            scope.tenant().0,
            &asked.documents as &[Option<Uuid>],
            &asked.address_keys as &[Option<String>],
            &asked.first_chunks,
            &asked.last_chunks,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        for row in rows {
            let place = usize::try_from(row.place - 1).ok().and_then(|place| passages.get_mut(place));
            let Some(place) = place else { continue };
            place.push(CataloguePassage {
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
                above: to_lines_above(row.above)?,
                validity: to_validity(row.standing, row.replaced_by)?,
                tokens: to_u32(row.tokens)?,
                document_sha256: to_digest(&row.text_sha256)?,
            });
        }
        let mut settled = Vec::with_capacity(passages.len());
        for found in passages {
            settled.push(self.settle_amends(scope, found).await?);
        }
        Ok(settled)
    }
}

/// References as a query takes them: a document or an address, and which of its passages.
#[derive(Default)]
struct Columns {
    documents: Vec<Option<Uuid>>,
    address_keys: Vec<Option<String>>,
    first_chunks: Vec<i32>,
    last_chunks: Vec<i32>,
}

impl Columns {
    fn of(references: &[&Reference]) -> Result<Self, CatalogueError> {
        let mut columns = Self::default();
        for reference in references {
            let (document, address) = match reference {
                Reference::Passage(source) => (Some(source.document.0), None),
                Reference::Document(document) => (Some(document.0), None),
                Reference::Address(address) => (None, AddressKey::of(address)),
            };
            let chunks = match reference {
                Reference::Passage(source) => (to_i32(source.chunk_index)?, to_i32(source.chunk_index)?),
                Reference::Document(_) | Reference::Address(_) => (0, to_i32(PASSAGES_OF_A_DOCUMENT - 1)?),
            };
            columns.documents.push(document);
            columns.address_keys.push(address.map(|key| key.as_str().to_owned()));
            columns.first_chunks.push(chunks.0);
            columns.last_chunks.push(chunks.1);
        }
        Ok(columns)
    }
}
