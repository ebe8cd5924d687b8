//! A tenant goes: first everything it said, then, when the index has followed, its rows.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::originals::Originals;
use ibidem_words::{DocumentId, TenantId};

use super::{EraseError, Erased};
use crate::asked::{Asked as _, Run as _};
use crate::documents::ask_for_publication;
use crate::{Store, unavailable};

impl Store {
    /// Takes away everything that a tenant's people wrote, handed in or asked, and its keys. What is left are ids, so that
    /// the index can follow; [`Store::forget_tenant`] ends it. Doing it again finishes what was interrupted.
    pub async fn erase_tenant(&self, originals: &dyn Originals, tenant: TenantId) -> Result<Erased, EraseError> {
        let mut erased = self.erase_rows(tenant).await?;
        for kept in originals.list(tenant).await? {
            originals.remove(tenant, kept.digest).await?;
            erased.originals += 1;
        }
        erased.keep("policies that were in force: they are the installation's, and name no tenant");
        erased.keep("one record of this action");
        erased.keep("backups, logs, and answers and receipts that were handed out: they are out of reach from here");
        erased.keep("former collections of the index and those of other embedding models, where there are any");
        Ok(erased)
    }

    async fn erase_rows(&self, tenant: TenantId) -> Result<Erased, CatalogueError> {
        let mut erased = Erased::default();
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        // The keys first: nobody acts for the tenant from here on, and a worker that holds a job cannot commit it.
        macro_rules! gone {
            ($statement:literal) => {
                sqlx::query!($statement, tenant.0).run(&mut *transaction).await?.rows_affected()
            };
        }
        erased.keys = gone!("DELETE FROM api_keys WHERE tenant_id = $1");
        gone!("DELETE FROM people WHERE tenant_id = $1");
        gone!("DELETE FROM group_rights WHERE tenant_id = $1");
        gone!("DELETE FROM policy_places WHERE tenant_id = $1");
        erased.jobs = gone!("DELETE FROM jobs WHERE tenant_id = $1");
        gone!("DELETE FROM next_versions WHERE tenant_id = $1");
        gone!("DELETE FROM source_folders WHERE tenant_id = $1");
        erased.passages = gone!("DELETE FROM chunks WHERE tenant_id = $1");
        erased.versions = gone!("DELETE FROM document_versions WHERE tenant_id = $1");
        erased.documents = gone!(
            "UPDATE documents SET source_location = 'erased', tags = '{}',
                 fingerprint = decode(repeat('00', 32), 'hex'), address = NULL, address_key = NULL, words = NULL, replaces = '{}',
                 removed_at = coalesce(removed_at, now()), erased_at = now(), changed_at = now()
             WHERE tenant_id = $1 AND erased_at IS NULL"
        );
        gone!("DELETE FROM memory_passages WHERE tenant_id = $1");
        erased.entries = gone!(
            "UPDATE memory_entries SET text = CASE WHEN kind = 'note' THEN '' END, triggers = '{}', refers_to = '[]',
                 tags = '{}', version = version + 1, passage_count = 0, created_by = '', changed_by = '',
                 changed_at = now(), removed_at = now()
             WHERE tenant_id = $1 AND (removed_at IS NULL OR created_by <> '')"
        );
        erased.vectors = gone!("DELETE FROM embeddings WHERE tenant_id = $1");
        gone!("DELETE FROM request_rates WHERE tenant_id = $1");
        gone!("DELETE FROM turns_under_way WHERE tenant_id = $1");
        gone!("DELETE FROM daily_use WHERE tenant_id = $1");
        gone!("DELETE FROM evaluation_runs WHERE tenant_id = $1");
        gone!("DELETE FROM feedback WHERE tenant_id = $1");
        gone!("DELETE FROM hand_overs WHERE tenant_id = $1");
        gone!("DELETE FROM confirmations WHERE tenant_id = $1");
        gone!("DELETE FROM conversations WHERE tenant_id = $1");
        gone!("DELETE FROM conversation_erasures WHERE tenant_id = $1");
        erased.records = gone!("DELETE FROM audit WHERE tenant_id = $1");
        erased.actions = gone!("DELETE FROM actions WHERE tenant_id = $1 AND action <> 'tenant.erase'");
        let ids = sqlx::query_scalar!(
            r#"SELECT id AS "id!" FROM documents WHERE tenant_id = $1
               UNION ALL SELECT id FROM memory_entries WHERE tenant_id = $1"#,
            tenant.0,
        )
        .all(&mut *transaction)
        .await?;
        let ids: Vec<DocumentId> = ids.into_iter().map(DocumentId).collect();
        ask_for_publication(&mut transaction, tenant, &ids).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(erased)
    }

    /// How many of a tenant's documents and entries the index does not hold as the catalogue does.
    pub async fn publications_of(&self, tenant: TenantId) -> Result<u64, CatalogueError> {
        let count = sqlx::query_scalar!(r#"SELECT count(*) AS "count!" FROM outbox WHERE tenant_id = $1"#, tenant.0)
            .one(&self.pool)
            .await?;
        Ok(count.unsigned_abs())
    }

    /// Deletes what is left of a tenant that was erased, once the index has followed. False while it has not.
    pub async fn forget_tenant(&self, tenant: TenantId) -> Result<bool, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let is_left = sqlx::query_scalar!(
            r#"SELECT EXISTS (SELECT FROM outbox WHERE tenant_id = $1)
                   OR EXISTS (SELECT FROM documents WHERE tenant_id = $1 AND erased_at IS NULL)
                   OR EXISTS (SELECT FROM memory_entries WHERE tenant_id = $1 AND removed_at IS NULL) AS "is_left!""#,
            tenant.0,
        )
        .one(&mut *transaction)
        .await?;
        if is_left {
            return Ok(false);
        }
        macro_rules! forget {
            ($($statement:literal,)*) => {
                $(sqlx::query!($statement, tenant.0).run(&mut *transaction).await?;)*
            };
        }
        forget!(
            "DELETE FROM policy_places WHERE tenant_id = $1",
            "DELETE FROM feedback WHERE tenant_id = $1",
            "DELETE FROM conversations WHERE tenant_id = $1",
            "DELETE FROM conversation_erasures WHERE tenant_id = $1",
            "DELETE FROM embeddings WHERE tenant_id = $1",
            "DELETE FROM memory_entries WHERE tenant_id = $1",
            "DELETE FROM documents WHERE tenant_id = $1",
            "DELETE FROM tags WHERE tenant_id = $1",
            "DELETE FROM users WHERE tenant_id = $1",
            "DELETE FROM collections WHERE tenant_id = $1",
            "DELETE FROM tenants WHERE id = $1",
        );
        transaction.commit().await.map_err(unavailable)?;
        Ok(true)
    }
}
