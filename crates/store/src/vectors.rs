//! Vectors, by tenant, model and what was embedded.

use async_trait::async_trait;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::vectors::{NewVector, VectorShelf};
use ibidem_words::{ModelHash, Sha256Hash, TenantId};
use uuid::Uuid;

use crate::Store;
use crate::asked::{Asked as _, Run as _};
use crate::convert::{to_digest, vector_bytes};

#[async_trait]
impl VectorShelf for Store {
    async fn stored(
        &self,
        model: ModelHash,
        keys: &[(TenantId, Sha256Hash)],
    ) -> Result<Vec<(TenantId, Sha256Hash)>, CatalogueError> {
        let tenants: Vec<Uuid> = keys.iter().map(|(tenant, _)| tenant.0).collect();
        let digests: Vec<Vec<u8>> = keys.iter().map(|(_, key)| key.as_bytes().to_vec()).collect();
        let rows = sqlx::query!(
            "SELECT e.tenant_id, e.embedding_key
             FROM unnest($1::uuid[], $2::bytea[]) AS asked (tenant_id, embedding_key)
             CROSS JOIN LATERAL (SELECT tenant_id, embedding_key FROM embeddings
                 WHERE tenant_id = asked.tenant_id AND embedding_key = asked.embedding_key AND model_hash = $3
                 OFFSET 0) e",
            &tenants,
            &digests,
            model.0.as_bytes(),
        )
        .all(&self.pool)
        .await?;
        rows.into_iter().map(|row| Ok((TenantId(row.tenant_id), to_digest(&row.embedding_key)?))).collect()
    }

    async fn store(&self, model: ModelHash, mut vectors: Vec<NewVector>) -> Result<(), CatalogueError> {
        // In one order everywhere, so that two transactions never wait for each other in a circle.
        vectors.sort_by_key(|vector| (vector.tenant, vector.key));
        vectors.dedup_by_key(|vector| (vector.tenant, vector.key));
        let tenants: Vec<Uuid> = vectors.iter().map(|vector| vector.tenant.0).collect();
        let keys: Vec<Vec<u8>> = vectors.iter().map(|vector| vector.key.as_bytes().to_vec()).collect();
        let numbers: Vec<Vec<u8>> = vectors.iter().map(|vector| vector_bytes(&vector.vector)).collect();
        sqlx::query!(
            "INSERT INTO embeddings (tenant_id, model_hash, embedding_key, vector)
             SELECT tenant_id, $1, embedding_key, vector
             FROM unnest($2::uuid[], $3::bytea[], $4::bytea[]) AS made (tenant_id, embedding_key, vector)
             ON CONFLICT DO NOTHING",
            model.0.as_bytes(),
            &tenants,
            &keys,
            &numbers,
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }
}
