//! Tenants, collections and tags with their owners.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, Scope, Tag, TenantId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{scope_tags, tag_names, to_collection};
use crate::{Store, unavailable};

impl Store {
    /// Makes sure a tenant of this name exists.
    pub async fn ensure_tenant(&self, name: &str) -> Result<TenantId, CatalogueError> {
        let tenant = TenantId::named(name);
        sqlx::query!("INSERT INTO tenants (id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING", tenant.0, name)
            .run(&self.pool)
            .await?;
        Ok(tenant)
    }

    /// The collections in which somebody may see a document, by name.
    pub async fn visible_collections(&self, scope: &Scope) -> Result<Vec<CollectionName>, CatalogueError> {
        let names = sqlx::query_scalar!(
            r#"SELECT name FROM collections
               WHERE tenant_id = $1 AND sees_collection($1, name, $2)
               ORDER BY name COLLATE "C""#,
            scope.tenant().0,
            &scope_tags(scope),
        )
        .all_in_time(self)
        .await?;
        names.into_iter().map(to_collection).collect()
    }

    /// Makes somebody the owner of a tag: questions about it are routed to them.
    pub async fn set_tag_owner(&self, tenant: TenantId, tag: &Tag, email: &str) -> Result<(), CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        let owner = sqlx::query_scalar!(
            "INSERT INTO users (tenant_id, id, email) VALUES ($1, $2, $3)
             ON CONFLICT (tenant_id, email) DO UPDATE SET email = excluded.email RETURNING id",
            tenant.0,
            Uuid::new_v5(&tenant.0, format!("user\0{email}").as_bytes()),
            email,
        )
        .one(&mut *transaction)
        .await?;
        sqlx::query!(
            "INSERT INTO tags (tenant_id, name, owner_user_id) VALUES ($1, $2, $3)
             ON CONFLICT (tenant_id, name) DO UPDATE SET owner_user_id = excluded.owner_user_id",
            tenant.0,
            tag.as_str(),
            owner,
        )
        .run(&mut *transaction)
        .await?;
        transaction.commit().await.map_err(unavailable)
    }
}

/// Collections and tags come into being with the first document that names them.
pub(crate) async fn ensure_collection_and_tags(
    connection: &mut PgConnection,
    tenant: TenantId,
    collection: &CollectionName,
    tags: &[Tag],
) -> Result<(), CatalogueError> {
    sqlx::query!(
        "INSERT INTO collections (tenant_id, name) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        tenant.0,
        collection.as_str(),
    )
    .run(&mut *connection)
    .await?;
    ensure_tags(connection, tenant, tags).await
}

pub(crate) async fn ensure_tags(
    connection: &mut PgConnection,
    tenant: TenantId,
    tags: &[Tag],
) -> Result<(), CatalogueError> {
    sqlx::query!(
        "INSERT INTO tags (tenant_id, name) SELECT $1, name FROM unnest($2::text[]) AS name ON CONFLICT DO NOTHING",
        tenant.0,
        &tag_names(tags),
    )
    .run(&mut *connection)
    .await?;
    Ok(())
}
