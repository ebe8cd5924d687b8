//! Publications: what the index should hold, and what of it is still to be done.

use std::collections::{BTreeMap, HashSet};

use async_trait::async_trait;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::index::{IndexDocument, IndexPoint};
use ibidem_ports::outbox::{ClaimedOf, Outbox, Publication, Wanted};
use ibidem_ports::vectors::MissingVector;
use ibidem_words::{DocumentId, ModelHash, PassageKey, TenantId, passage_in_context};
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{to_collection, to_digest, to_i32, to_kind, to_tags, to_u32, to_vector};
use crate::documents::ask_for_publication;
use crate::{Store, unavailable};

#[async_trait]
impl Outbox for Store {
    async fn claim(&self, limit: usize) -> Result<Vec<Publication>, CatalogueError> {
        let lease = Uuid::now_v7();
        // Tenants take turns, as with jobs: one that has many documents changed does not keep another's from being found.
        let mut rows = sqlx::query!(
            "WITH RECURSIVE waiting AS (
                 (SELECT tenant_id FROM outbox ORDER BY tenant_id LIMIT 1)
                 UNION ALL
                 SELECT (SELECT outbox.tenant_id FROM outbox WHERE outbox.tenant_id > waiting.tenant_id
                         ORDER BY outbox.tenant_id LIMIT 1)
                 FROM waiting WHERE waiting.tenant_id IS NOT NULL
             ), turns AS (
                 -- More than are taken: another worker may be taking some of them at this moment.
                 SELECT waiting.tenant_id, oldest.document_id, oldest.enqueued_at, row_number() OVER (
                            PARTITION BY waiting.tenant_id ORDER BY oldest.enqueued_at, oldest.document_id) AS turn
                 FROM waiting CROSS JOIN LATERAL (
                     SELECT document_id, enqueued_at FROM outbox
                     WHERE tenant_id = waiting.tenant_id AND (leased_until IS NULL OR leased_until < now())
                     ORDER BY enqueued_at, document_id LIMIT 4 * $1::bigint) oldest
             ), free AS (
                 SELECT outbox.tenant_id, outbox.document_id
                 FROM outbox JOIN turns ON outbox.tenant_id = turns.tenant_id AND outbox.document_id = turns.document_id
                 WHERE leased_until IS NULL OR leased_until < now()
                 ORDER BY turns.turn, turns.enqueued_at, outbox.tenant_id, outbox.document_id LIMIT $1::bigint
                 FOR UPDATE OF outbox SKIP LOCKED
             )
             UPDATE outbox SET lease = $2, leased_until = now() + $3
             FROM free WHERE outbox.tenant_id = free.tenant_id AND outbox.document_id = free.document_id
             RETURNING outbox.tenant_id, outbox.document_id, generation",
            i64::from(to_i32(limit)?),
            lease,
            self.lease_interval()?,
        )
        .all(&self.pool)
        .await?;
        rows.sort_by_key(|row| (row.tenant_id, row.document_id));
        let publications = rows.into_iter().map(|row| Publication {
            tenant: TenantId(row.tenant_id),
            document: DocumentId(row.document_id),
            generation: row.generation,
            lease,
        });
        Ok(publications.collect())
    }

    async fn claim_of(&self, documents: &[(TenantId, DocumentId)]) -> Result<ClaimedOf, CatalogueError> {
        let lease = Uuid::now_v7();
        let (tenants, ids): (Vec<Uuid>, Vec<Uuid>) =
            documents.iter().map(|(tenant, document)| (tenant.0, document.0)).unzip();
        let taken = sqlx::query!(
            "WITH free AS (
                 SELECT outbox.tenant_id, outbox.document_id
                 FROM outbox JOIN unnest($1::uuid[], $2::uuid[]) AS asked (tenant_id, document_id)
                     ON outbox.tenant_id = asked.tenant_id AND outbox.document_id = asked.document_id
                 WHERE leased_until IS NULL OR leased_until < now()
                 ORDER BY outbox.tenant_id, outbox.document_id FOR UPDATE OF outbox SKIP LOCKED
             )
             UPDATE outbox SET lease = $3, leased_until = now() + $4
             FROM free WHERE outbox.tenant_id = free.tenant_id AND outbox.document_id = free.document_id
             RETURNING outbox.tenant_id, outbox.document_id, generation",
            &tenants,
            &ids,
            lease,
            self.lease_interval()?,
        )
        .all(&self.pool)
        .await?;
        let others = sqlx::query_scalar!(
            r#"SELECT count(*) AS "count!" FROM outbox
               JOIN unnest($1::uuid[], $2::uuid[]) AS asked (tenant_id, document_id)
                   ON outbox.tenant_id = asked.tenant_id AND outbox.document_id = asked.document_id
               WHERE lease IS DISTINCT FROM $3"#,
            &tenants,
            &ids,
            lease,
        )
        .one(&self.pool)
        .await?;
        let publications = taken.into_iter().map(|row| Publication {
            tenant: TenantId(row.tenant_id),
            document: DocumentId(row.document_id),
            generation: row.generation,
            lease,
        });
        Ok(ClaimedOf { publications: publications.collect(), others: others.unsigned_abs() })
    }

    async fn wanted(
        &self,
        model: ModelHash,
        documents: &[(TenantId, DocumentId)],
    ) -> Result<Vec<Wanted>, CatalogueError> {
        let (tenants, ids): (Vec<Uuid>, Vec<Uuid>) =
            documents.iter().map(|(tenant, document)| (tenant.0, document.0)).unzip();
        // One row for a document without passages too, and for one that was erased and has no version: it is to
        // disappear from the index. Of a document with a next version, both: the old one answers until all of the new one
        // is in the index.
        let rows = sqlx::query!(
            r#"SELECT d.tenant_id, d.id, d.collection, d.tags, v.version AS "version?",
                      v.title AS "title?", v.kind AS "kind?", c.chunk_index AS "chunk_index?", c.section AS "section?", c.text AS "text?",
                      c.embedding_key AS "embedding_key?", e.vector AS "vector?"
               FROM unnest($1::uuid[], $2::uuid[]) AS asked (tenant_id, document_id)
               CROSS JOIN LATERAL (SELECT * FROM documents
                   WHERE tenant_id = asked.tenant_id AND id = asked.document_id OFFSET 0) d
               LEFT JOIN LATERAL (SELECT version FROM next_versions
                   WHERE tenant_id = d.tenant_id AND document_id = d.id OFFSET 0) n ON true
               LEFT JOIN LATERAL (SELECT * FROM document_versions
                   WHERE tenant_id = d.tenant_id AND document_id = d.id AND version IN (d.current_version, n.version)
                   OFFSET 0) v ON true
               LEFT JOIN LATERAL (SELECT * FROM chunks
                   WHERE tenant_id = d.tenant_id AND document_id = d.id AND version = v.version
                       AND d.removed_at IS NULL OFFSET 0) c ON true
               LEFT JOIN LATERAL (SELECT * FROM embeddings
                   WHERE tenant_id = d.tenant_id AND embedding_key = c.embedding_key AND model_hash = $3 OFFSET 0) e
                   ON true
               ORDER BY d.tenant_id, d.id, v.version, c.chunk_index"#,
            &tenants,
            &ids,
            model.0.as_bytes(),
        ).all(&self.pool).await?;

        let mut wanted: BTreeMap<(TenantId, DocumentId), Wanted> = BTreeMap::new();
        for row in rows {
            let key = (TenantId(row.tenant_id), DocumentId(row.id));
            let entry = match wanted.entry(key) {
                std::collections::btree_map::Entry::Occupied(occupied) => occupied.into_mut(),
                std::collections::btree_map::Entry::Vacant(vacant) => {
                    let document = IndexDocument {
                        tenant: key.0,
                        document: key.1,
                        collection: to_collection(row.collection)?,
                        kind: to_kind(row.kind)?,
                        tags: to_tags(row.tags)?,
                        points: Vec::new(),
                    };
                    vacant.insert(Wanted { document, missing: Vec::new() })
                }
            };
            let (Some(version), Some(chunk_index), Some(text), Some(embedding_key)) =
                (row.version, row.chunk_index, row.text, row.embedding_key)
            else {
                continue;
            };
            let words = passage_in_context(row.title.as_deref().unwrap_or_default(), row.section.as_deref(), &text);
            match row.vector {
                Some(vector) => entry.document.points.push(IndexPoint {
                    passage: PassageKey {
                        document: key.1,
                        version: to_u32(version)?,
                        chunk_index: to_u32(chunk_index)?,
                    },
                    vector: to_vector(&vector)?,
                    words,
                }),
                None => {
                    entry.missing.push(MissingVector { tenant: key.0, key: to_digest(&embedding_key)?, text: words });
                }
            }
        }
        let others: Vec<_> = documents.iter().copied().filter(|document| !wanted.contains_key(document)).collect();
        let mut wanted: Vec<Wanted> = wanted.into_values().collect();
        if !others.is_empty() {
            wanted.extend(self.wanted_entries(model, &others).await?);
        }
        Ok(wanted)
    }

    async fn renew(&self, held: &[Publication]) -> Result<(), CatalogueError> {
        let held = Columns::of(held);
        sqlx::query!(
            "UPDATE outbox SET leased_until = now() + $4
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS held (tenant_id, document_id, lease)
             WHERE outbox.tenant_id = held.tenant_id AND outbox.document_id = held.document_id
                 AND outbox.lease = held.lease",
            &held.tenants,
            &held.documents,
            &held.leases,
            self.lease_interval()?,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }

    async fn acknowledge(&self, done: &[Publication]) -> Result<(), CatalogueError> {
        let in_force = self.bring_into_force(done).await?;
        let is_done = |one: &&Publication| !in_force.contains(&(one.tenant.0, one.document.0));
        let done: Vec<Publication> = done.iter().filter(is_done).cloned().collect();
        let columns = Columns::of(&done);
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let ended = sqlx::query!(
            "DELETE FROM outbox USING unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::uuid[])
                 AS done (tenant_id, document_id, generation, lease)
             WHERE outbox.tenant_id = done.tenant_id AND outbox.document_id = done.document_id
                 AND outbox.generation = done.generation AND outbox.lease = done.lease
             RETURNING outbox.tenant_id, outbox.document_id",
            &columns.tenants,
            &columns.documents,
            &columns.generations,
            &columns.leases,
        )
        .all(&mut *transaction)
        .await?;
        // Changed again meanwhile: free for the next round at once, not only when the lease runs out.
        let changed = sqlx::query!(
            "UPDATE outbox SET lease = NULL, leased_until = NULL
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS done (tenant_id, document_id, lease)
             WHERE outbox.tenant_id = done.tenant_id AND outbox.document_id = done.document_id
                 AND outbox.lease = done.lease
             RETURNING outbox.tenant_id, outbox.document_id",
            &columns.tenants,
            &columns.documents,
            &columns.leases,
        )
        .all(&mut *transaction)
        .await?;
        let ended = ended.into_iter().map(|row| (row.tenant_id, row.document_id));
        let changed = changed.into_iter().map(|row| (row.tenant_id, row.document_id));
        let ours: HashSet<_> = ended.chain(changed).collect();
        let late = done.iter().filter(|done| !ours.contains(&(done.tenant.0, done.document.0)));
        for publication in late {
            ask_for_publication(&mut transaction, publication.tenant, &[publication.document]).await?;
        }
        transaction.commit().await.map_err(unavailable)
    }

    async fn release(&self, held: &[Publication]) -> Result<(), CatalogueError> {
        let held = Columns::of(held);
        sqlx::query!(
            "UPDATE outbox SET lease = NULL, leased_until = NULL
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS held (tenant_id, document_id, lease)
             WHERE outbox.tenant_id = held.tenant_id AND outbox.document_id = held.document_id
                 AND outbox.lease = held.lease",
            &held.tenants,
            &held.documents,
            &held.leases,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }
}

/// Publications as a query takes them.
struct Columns {
    tenants: Vec<Uuid>,
    documents: Vec<Uuid>,
    generations: Vec<i64>,
    leases: Vec<Uuid>,
}

impl Columns {
    fn of(publications: &[Publication]) -> Self {
        Self {
            tenants: publications.iter().map(|publication| publication.tenant.0).collect(),
            documents: publications.iter().map(|publication| publication.document.0).collect(),
            generations: publications.iter().map(|publication| publication.generation).collect(),
            leases: publications.iter().map(|publication| publication.lease).collect(),
        }
    }
}
