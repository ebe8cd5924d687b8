//! Which policy is in force for a tenant and its collections, and which ones were.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, PolicyTexts, Sha256Hash, SubjectId, TenantId};
use sqlx::PgConnection;

use crate::asked::Asked as _;
use crate::convert::{to_collection, to_digest, to_u32};
use crate::{Store, policies, refused, unavailable};

/// A setting of a place.
#[derive(Clone, PartialEq, Debug)]
pub struct PlacedPolicy {
    /// None for the tenant as a whole.
    pub collection: Option<CollectionName>,
    /// Counted from 1 at each place.
    pub version: u32,
    /// None where what was set before was taken back.
    pub policy: Option<Sha256Hash>,
    /// What the policy calls itself.
    pub name: String,
    pub set_by: String,
    pub set_at: DateTime<Utc>,
}

/// A policy to be put in force.
#[derive(Clone, Debug)]
pub struct NewPlacedPolicy<'a> {
    pub sha256: Sha256Hash,
    pub texts: &'a PolicyTexts,
    pub name: &'a str,
}

/// A policy in force for a tenant or one of its collections.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyOfTenant {
    pub tenant: String,
    /// None for the tenant as a whole.
    pub collection: Option<String>,
    /// What the policy calls itself.
    pub name: String,
    pub texts: PolicyTexts,
}

/// What a place is called in the database.
fn place_of(collection: Option<&CollectionName>) -> String {
    collection.map(|name| name.as_str().to_lowercase()).unwrap_or_default()
}

impl Store {
    /// What is in force now: the newest setting of each place that was not taken back.
    pub async fn placed_policies(&self, tenant: TenantId) -> Result<Vec<PlacedPolicy>, CatalogueError> {
        let mut newest = self.policy_settings(tenant, true).await?;
        newest.retain(|setting| setting.policy.is_some());
        Ok(newest)
    }

    /// Every setting there was, by place, the newest first.
    pub async fn policy_history(&self, tenant: TenantId) -> Result<Vec<PlacedPolicy>, CatalogueError> {
        self.policy_settings(tenant, false).await
    }

    async fn policy_settings(&self, tenant: TenantId, only_newest: bool) -> Result<Vec<PlacedPolicy>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT collection, version, policy_sha256, name, set_by, set_at FROM policy_places p
             WHERE tenant_id = $1 AND (NOT $2 OR version = (
                 SELECT max(version) FROM policy_places n WHERE n.tenant_id = $1 AND n.place = p.place))
             ORDER BY place, version DESC",
            tenant.0,
            only_newest,
        )
        .all_in_time(self)
        .await?;
        let settings = rows.into_iter().map(|row| {
            Ok(PlacedPolicy {
                collection: row.collection.map(to_collection).transpose()?,
                version: to_u32(row.version)?,
                policy: row.policy_sha256.as_deref().map(to_digest).transpose()?,
                name: row.name,
                set_by: row.set_by,
                set_at: row.set_at,
            })
        });
        settings.collect()
    }

    /// Every policy that is in force for a tenant or a collection, of all tenants.
    pub async fn policies_of_tenants(&self) -> Result<Vec<PolicyOfTenant>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT t.name AS tenant, p.collection, p.name, o.policy, o.thresholds
             FROM policy_places p JOIN tenants t ON t.id = p.tenant_id JOIN policies o ON o.sha256 = p.policy_sha256
             WHERE p.version = (
                 SELECT max(version) FROM policy_places n WHERE n.tenant_id = p.tenant_id AND n.place = p.place)
             ORDER BY t.name, p.place",
        )
        .all_in_time(self)
        .await?;
        let placed = rows.into_iter().map(|row| PolicyOfTenant {
            tenant: row.tenant,
            collection: row.collection,
            name: row.name,
            texts: PolicyTexts { policy: row.policy, thresholds: row.thresholds },
        });
        Ok(placed.collect())
    }

    /// A policy's texts by its hash.
    pub async fn policy_texts(&self, sha256: Sha256Hash) -> Result<Option<PolicyTexts>, CatalogueError> {
        let row = sqlx::query!("SELECT policy, thresholds FROM policies WHERE sha256 = $1", sha256.as_bytes())
            .optional_in_time(self)
            .await?;
        Ok(row.map(|row| PolicyTexts { policy: row.policy, thresholds: row.thresholds }))
    }

    /// Puts a policy in force at a place, in place of what was there. It counts from the next question on, on every
    /// server. Returns the version.
    pub async fn place_policy(
        &self,
        tenant: TenantId,
        collection: Option<&CollectionName>,
        new: &NewPlacedPolicy<'_>,
        by: SubjectId,
    ) -> Result<u32, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        policies::kept(&mut *transaction, new.sha256, new.texts).await.map_err(refused)?;
        let setting = Setting { tenant, collection, policy: Some(new.sha256), name: new.name, by };
        let version = setting.keep(&mut transaction).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(version)
    }

    /// Takes back what is set at a place: the tenant's policy is in force there again, or the installation's. None if
    /// nothing is set there.
    pub async fn unplace_policy(
        &self,
        tenant: TenantId,
        collection: Option<&CollectionName>,
        by: SubjectId,
    ) -> Result<Option<u32>, CatalogueError> {
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        lock(&mut transaction, tenant).await?;
        let newest = sqlx::query!(
            "SELECT policy_sha256 FROM policy_places WHERE tenant_id = $1 AND place = $2 ORDER BY version DESC LIMIT 1",
            tenant.0,
            place_of(collection),
        )
        .optional(&mut *transaction)
        .await?;
        if newest.is_none_or(|newest| newest.policy_sha256.is_none()) {
            return Ok(None);
        }
        let version = Setting { tenant, collection, policy: None, name: "", by }.keep(&mut transaction).await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(Some(version))
    }
}

/// Two who set the same place do it one after the other.
async fn lock(connection: &mut PgConnection, tenant: TenantId) -> Result<(), CatalogueError> {
    sqlx::query!("SELECT id FROM tenants WHERE id = $1 FOR NO KEY UPDATE", tenant.0).optional(connection).await?;
    Ok(())
}

struct Setting<'a> {
    tenant: TenantId,
    collection: Option<&'a CollectionName>,
    policy: Option<Sha256Hash>,
    name: &'a str,
    by: SubjectId,
}

impl Setting<'_> {
    async fn keep(&self, connection: &mut PgConnection) -> Result<u32, CatalogueError> {
        lock(&mut *connection, self.tenant).await?;
        let version = sqlx::query_scalar!(
            "INSERT INTO policy_places (tenant_id, place, version, collection, policy_sha256, name, set_by)
             SELECT $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6
             FROM policy_places WHERE tenant_id = $1 AND place = $2
             RETURNING version",
            self.tenant.0,
            place_of(self.collection),
            self.collection.map(CollectionName::as_str),
            self.policy.as_ref().map(|policy| policy.as_bytes().as_slice()),
            self.name,
            self.by.to_string(),
        )
        .fetch_one(connection)
        .await
        .map_err(refused)?;
        to_u32(version)
    }
}
