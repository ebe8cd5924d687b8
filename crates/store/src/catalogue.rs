//! Reading passages within a scope.

use std::collections::HashSet;

use async_trait::async_trait;
use ibidem_ports::catalogue::{
    AddressedDocument, Catalogue, CatalogueError, CataloguePassage, DocumentFilter, DocumentList, ListedDocument,
};
use ibidem_words::{AddressKey, CharSpan, CollectionName, DocumentId, PassageKey, Scope};

use crate::Store;
use crate::asked::Asked as _;
use crate::convert::{
    KeyColumns, scope_tags, to_address_key, to_collection, to_digest, to_i32, to_kind, to_lines_above, to_u32,
    to_validity,
};

impl Store {
    /// Those of the passages that somebody may read again in what is kept of them: their document is there and visible
    /// in this scope now, and the version that they are of is kept. A newer version withdraws no older one.
    pub async fn still_visible(
        &self,
        scope: &Scope,
        passages: &[PassageKey],
    ) -> Result<HashSet<PassageKey>, CatalogueError> {
        if passages.is_empty() {
            return Ok(HashSet::new());
        }
        let KeyColumns { documents, versions, .. } = KeyColumns::of(passages)?;
        let rows = sqlx::query!(
            r#"SELECT d.id, v.version
               FROM unnest($2::uuid[], $3::integer[]) AS asked (document_id, version)
               CROSS JOIN LATERAL (SELECT * FROM documents
                   WHERE tenant_id = $1 AND id = asked.document_id OFFSET 0) d
               CROSS JOIN LATERAL (SELECT version FROM document_versions
                   WHERE tenant_id = $1 AND document_id = d.id AND version = asked.version OFFSET 0) v
               WHERE is_visible(d.tags, d.removed_at, $4)"#,
            scope.tenant().0,
            &documents,
            &versions,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        let rows = rows.into_iter().map(|row| Ok((DocumentId(row.id), to_u32(row.version)?)));
        let kept: HashSet<(DocumentId, u32)> = rows.collect::<Result<_, CatalogueError>>()?;
        let stands = |key: &&PassageKey| kept.contains(&(key.document, key.version));
        Ok(passages.iter().filter(stands).copied().collect())
    }
}

#[async_trait]
impl Catalogue for Store {
    async fn visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<CataloguePassage>, CatalogueError> {
        let KeyColumns { documents, versions, chunks } = KeyColumns::of(passages)?;
        let rows = sqlx::query!(
            r#"SELECT d.id, d.collection, held_address($1, d.id, $5) AS address, d.source_location, d.current_version,
                      v.title, v.kind, v.updated_at, v.text_sha256, v.standing,
                      replaced_by($1, d.collection, d.id, d.address_key, $5) AS "replaced_by?",
                      c.chunk_index, c.section, c.page, c.span_start, c.span_end, c.text, c.above, c.tokens
               FROM unnest($2::uuid[], $3::integer[], $4::integer[]) AS asked (document_id, version, chunk_index)
               CROSS JOIN LATERAL (SELECT * FROM documents
                   WHERE tenant_id = $1 AND id = asked.document_id OFFSET 0) d
               CROSS JOIN LATERAL (SELECT * FROM document_versions
                   WHERE tenant_id = $1 AND document_id = d.id AND version = d.current_version OFFSET 0) v
               CROSS JOIN LATERAL (SELECT * FROM chunks
                   WHERE tenant_id = $1 AND document_id = d.id AND version = d.current_version
                       AND chunk_index = asked.chunk_index OFFSET 0) c
               -- Beside the key these conditions would let an index of the whole tenant seem as good as the key's own.
               WHERE d.current_version = asked.version AND is_visible(d.tags, d.removed_at, $5)"#,
            scope.tenant().0,
            &documents,
            &versions,
            &chunks,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        let passages = rows
            .into_iter()
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
                    above: to_lines_above(row.above)?,
                    validity: to_validity(row.standing, row.replaced_by)?,
                    tokens: to_u32(row.tokens)?,
                    document_sha256: to_digest(&row.text_sha256)?,
                })
            })
            .collect::<Result<_, CatalogueError>>()?;
        self.settle_amends(scope, passages).await
    }

    async fn still_visible(&self, scope: &Scope, passages: &[PassageKey]) -> Result<Vec<PassageKey>, CatalogueError> {
        let KeyColumns { documents, versions, chunks } = KeyColumns::of(passages)?;
        let rows = sqlx::query!(
            r#"SELECT d.id, asked.version AS "version!", asked.chunk_index AS "chunk_index!"
               FROM unnest($2::uuid[], $3::integer[], $4::integer[]) AS asked (document_id, version, chunk_index)
               CROSS JOIN LATERAL (SELECT * FROM documents
                   WHERE tenant_id = $1 AND id = asked.document_id OFFSET 0) d
               CROSS JOIN LATERAL (SELECT chunk_count FROM document_versions
                   WHERE tenant_id = $1 AND document_id = d.id AND version = asked.version OFFSET 0) v
               WHERE asked.version <= d.current_version AND asked.chunk_index < v.chunk_count
                   AND is_visible(d.tags, d.removed_at, $5)"#,
            scope.tenant().0,
            &documents,
            &versions,
            &chunks,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        rows.into_iter()
            .map(|row| {
                let (version, chunk_index) = (to_u32(row.version)?, to_u32(row.chunk_index)?);
                Ok(PassageKey { document: DocumentId(row.id), version, chunk_index })
            })
            .collect()
    }

    async fn addressed(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        keys: &[AddressKey],
    ) -> Result<Vec<AddressedDocument>, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT d.id, d.collection, d.address AS "address!", d.address_key AS "address_key!", d.current_version,
                      v.chunk_count
               FROM unnest($2::text[]) AS asked (address_key)
               CROSS JOIN LATERAL (SELECT * FROM documents
                   WHERE tenant_id = $1 AND address_key = asked.address_key OFFSET 0) d
               CROSS JOIN LATERAL (SELECT chunk_count FROM document_versions
                   WHERE tenant_id = $1 AND document_id = d.id AND version = d.current_version OFFSET 0) v
               WHERE is_visible(d.tags, d.removed_at, $3) AND ($4::text IS NULL OR d.collection = $4)
                   AND held_address($1, d.id, $3) IS NOT NULL
               ORDER BY d.address_key COLLATE "C", d.id"#,
            scope.tenant().0,
            &keys.iter().map(|key| key.as_str().to_owned()).collect::<Vec<_>>(),
            &scope_tags(scope),
            collection.map(CollectionName::as_str),
        )
        .all_in_time(self)
        .await?;
        rows.into_iter()
            .map(|row| {
                Ok(AddressedDocument {
                    key: to_address_key(&row.address_key)?,
                    address: row.address,
                    collection: to_collection(row.collection)?,
                    document: DocumentId(row.id),
                    version: to_u32(row.current_version)?,
                    passages: to_u32(row.chunk_count)?,
                })
            })
            .collect()
    }

    async fn neighbours(
        &self,
        scope: &Scope,
        collection: Option<&CollectionName>,
        key: &AddressKey,
        most: usize,
    ) -> Result<Vec<(AddressKey, String)>, CatalogueError> {
        let (tags, collection) = (scope_tags(scope), collection.map(CollectionName::as_str));
        let limit = to_i32(most)?;
        // In the order of bytes, `luke!` comes right after everything that begins with `luke `.
        let (first, end) = match key.series() {
            "" => (String::new(), "\u{10ffff}".to_owned()),
            series => (format!("{series} "), format!("{series}!")),
        };
        // From one address to the next along the index of each audience, and so past whatever is hidden in one step. A
        // condition for all of them at once would look at every hidden document in between.
        let before = sqlx::query!(
            r#"SELECT near.address_key AS "address_key!", near.address AS "address!"
               FROM audiences_seen($1, $3) AS seen
               CROSS JOIN LATERAL (
                   WITH RECURSIVE walk AS (
                       (SELECT address_key, address, id, 1 AS place FROM documents
                        WHERE tenant_id = $1 AND collection = seen.collection AND tags = seen.tags AND removed_at IS NULL
                            AND address_key < $2 AND address_key >= $6
                        ORDER BY address_key DESC, id DESC LIMIT 1)
                       UNION ALL
                       SELECT next.*, walk.place + 1 FROM walk CROSS JOIN LATERAL (
                           SELECT address_key, address, id FROM documents
                           WHERE tenant_id = $1 AND collection = seen.collection AND tags = seen.tags
                               AND removed_at IS NULL AND address_key < walk.address_key AND address_key >= $6
                           ORDER BY address_key DESC, id DESC LIMIT 1) next
                       WHERE walk.place < $5
                   )
                   SELECT * FROM walk) near
               WHERE $4::text IS NULL OR seen.collection = $4
               ORDER BY near.address_key DESC, near.id DESC"#,
            scope.tenant().0,
            key.as_str(),
            &tags,
            collection,
            limit,
            first,
        ).all_in_time(self)
        .await?;
        let after = sqlx::query!(
            r#"SELECT near.address_key AS "address_key!", near.address AS "address!"
               FROM audiences_seen($1, $3) AS seen
               CROSS JOIN LATERAL (
                   WITH RECURSIVE walk AS (
                       (SELECT address_key, address, id, 1 AS place FROM documents
                        WHERE tenant_id = $1 AND collection = seen.collection AND tags = seen.tags AND removed_at IS NULL
                            AND address_key > $2 AND address_key < $6
                        ORDER BY address_key, id LIMIT 1)
                       UNION ALL
                       SELECT next.*, walk.place + 1 FROM walk CROSS JOIN LATERAL (
                           SELECT address_key, address, id FROM documents
                           WHERE tenant_id = $1 AND collection = seen.collection AND tags = seen.tags
                               AND removed_at IS NULL AND address_key > walk.address_key AND address_key < $6
                           ORDER BY address_key, id LIMIT 1) next
                       WHERE walk.place < $5
                   )
                   SELECT * FROM walk) near
               WHERE $4::text IS NULL OR seen.collection = $4
               ORDER BY near.address_key, near.id"#,
            scope.tenant().0,
            key.as_str(),
            &tags,
            collection,
            limit,
            end,
        ).all_in_time(self)
        .await?;
        let nearest = |found: Vec<(String, String)>| {
            let mut found = found;
            found.dedup_by(|one, other| one.0 == other.0);
            found.truncate(most);
            found
        };
        let before = nearest(before.into_iter().map(|row| (row.address_key, row.address)).collect());
        let after = nearest(after.into_iter().map(|row| (row.address_key, row.address)).collect());
        let around = before.into_iter().rev().chain(after);
        around.map(|(key, address)| Ok((to_address_key(&key)?, address))).collect()
    }

    async fn unseen_collections(
        &self,
        scope: &Scope,
        collections: &[CollectionName],
    ) -> Result<Vec<CollectionName>, CatalogueError> {
        let names: Vec<String> = collections.iter().map(|name| name.as_str().to_owned()).collect();
        let unseen = sqlx::query_scalar!(
            r#"SELECT asked.name AS "name!" FROM unnest($2::text[]) WITH ORDINALITY AS asked (name, place)
               WHERE NOT EXISTS (SELECT FROM collections c
                   WHERE c.tenant_id = $1 AND lower(c.name) = lower(asked.name)
                       AND sees_collection($1, c.name, $3))
               ORDER BY asked.place"#,
            scope.tenant().0,
            &names,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        unseen.into_iter().map(to_collection).collect()
    }

    async fn tables(
        &self,
        scope: &Scope,
        collections: &[String],
        most: usize,
    ) -> Result<Vec<CataloguePassage>, CatalogueError> {
        // Along the index of first rows.
        let rows = sqlx::query!(
            r#"SELECT d.id, c.version, c.chunk_index
               FROM audiences_seen($1, $2) AS seen
               JOIN documents d ON d.tenant_id = $1 AND d.collection = seen.collection AND d.tags = seen.tags
                   AND d.removed_at IS NULL
               JOIN chunks c ON c.tenant_id = $1 AND c.document_id = d.id AND c.version = d.current_version
                   AND c.above->'rows'->>'before' = '0'
               WHERE cardinality($3::text[]) = 0 OR lower(seen.collection) = ANY ($3)
               ORDER BY d.collection COLLATE "C", d.title COLLATE "C", d.id, c.chunk_index
               LIMIT $4"#,
            scope.tenant().0,
            &scope_tags(scope),
            &collections.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>(),
            i64::from(to_i32(most)?),
        )
        .all_in_time(self)
        .await?;
        let keys = rows.into_iter().map(|row| {
            let (version, chunk_index) = (to_u32(row.version)?, to_u32(row.chunk_index)?);
            Ok(PassageKey { document: DocumentId(row.id), version, chunk_index })
        });
        let keys: Vec<PassageKey> = keys.collect::<Result<_, CatalogueError>>()?;
        let mut tables = self.visible(scope, &keys).await?;
        tables.sort_by_cached_key(|first| keys.iter().position(|key| *key == first.passage));
        // A row that was cut begins its table with its first part.
        let table =
            |first: &CataloguePassage| (first.passage.document, first.above.rows.as_ref().map(|rows| rows.table));
        tables.dedup_by(|next, first| table(next) == table(first));
        Ok(tables)
    }

    async fn list(&self, scope: &Scope, filter: &DocumentFilter) -> Result<DocumentList, CatalogueError> {
        // Words without a meaning of their own ask for nothing: `numnode` of such a query is 0.
        let rows = sqlx::query!(
            r#"WITH asked AS (SELECT plainto_tsquery('english', $4) AS about)
               SELECT d.id, d.collection, held_address($1, d.id, $2) AS address, d.current_version, d.title,
                      count(*) OVER () AS "total!"
               FROM asked
               CROSS JOIN audiences_seen($1, $2) AS seen
               JOIN documents d ON d.tenant_id = $1 AND d.collection = seen.collection AND d.tags = seen.tags
                   AND d.removed_at IS NULL
               WHERE (cardinality($3::text[]) = 0 OR lower(seen.collection) = ANY ($3))
                   AND (numnode(asked.about) = 0 OR d.words @@ asked.about)
               ORDER BY d.collection COLLATE "C", d.address_key COLLATE "C" NULLS LAST, d.title COLLATE "C", d.id
               LIMIT $5"#,
            scope.tenant().0,
            &scope_tags(scope),
            &filter.collections.iter().map(|name| name.to_lowercase()).collect::<Vec<_>>(),
            filter.about.as_deref().unwrap_or_default(),
            i64::from(to_i32(filter.most)?),
        )
        .all_in_time(self)
        .await?;
        let total = rows.first().map_or(0, |row| row.total.unsigned_abs());
        let documents = rows.into_iter().map(|row| {
            Ok(ListedDocument {
                document: DocumentId(row.id),
                version: to_u32(row.current_version)?,
                collection: to_collection(row.collection)?,
                address: row.address,
                title: row.title,
            })
        });
        Ok(DocumentList { documents: documents.collect::<Result<_, CatalogueError>>()?, total })
    }
}
