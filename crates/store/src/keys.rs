//! API keys: made once, shown once, kept only as a digest.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use ibidem_words::ports::catalogue::CatalogueError;
use ibidem_words::{Identity, Role, Sha256Hash, Subject, Tag, TenantId};
use rand::Rng;
use uuid::Uuid;

use crate::convert::{tag_names, to_parsed, to_tags};
use crate::in_time::InTime as _;
use crate::{Store, unavailable};

/// Starts every key, so that a leaked one is recognised by people and by scanners.
const PREFIX: &str = "ibk_";

#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// Unknown, expired or revoked: the caller is not told which.
    #[error("the API key is not valid")]
    Invalid,
    #[error(transparent)]
    Store(#[from] CatalogueError),
}

/// What a new key may do.
#[derive(Clone, Debug)]
pub struct NewKey {
    pub tenant: TenantId,
    pub name: String,
    pub role: Role,
    pub tags: Vec<Tag>,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A key that was just made: the only moment at which it can be read.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    pub id: Uuid,
    pub secret: String,
}

/// A key as a list shows it.
#[derive(Clone, Debug)]
pub struct ApiKeyRow {
    pub id: Uuid,
    pub name: String,
    pub role: Role,
    pub tags: Vec<Tag>,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

impl Store {
    pub async fn create_key(&self, key: &NewKey) -> Result<CreatedKey, CatalogueError> {
        let mut random = [0_u8; 32];
        rand::rng().fill_bytes(&mut random);
        let created = CreatedKey { id: Uuid::now_v7(), secret: format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random)) };
        let digest = Sha256Hash::of(created.secret.as_bytes());
        sqlx::query!(
            "INSERT INTO api_keys (id, tenant_id, name, key_sha256, role, tags, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            created.id,
            key.tenant.0,
            key.name,
            digest.as_bytes(),
            key.role.as_str(),
            &tag_names(&key.tags),
            key.expires_at,
        )
        .execute(&self.pool)
        .await
        .map_err(unavailable)?;
        Ok(created)
    }

    /// Who this key stands for. Looked up by its digest, so that no comparison tells how near a guess was.
    pub async fn authenticate(&self, secret: &str) -> Result<Identity, KeyError> {
        let digest = Sha256Hash::of(secret.as_bytes());
        let row = sqlx::query!(
            "SELECT id, tenant_id, name, role, tags FROM api_keys
             WHERE key_sha256 = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())",
            digest.as_bytes(),
        )
        .fetch_optional(&self.pool)
        .in_time(self)
        .await?
        .ok_or(KeyError::Invalid)?;
        let key = Subject::of_key(row.id, row.name);
        let tags = to_tags(row.tags)?.into_iter().collect();
        Ok(Identity::of_key(TenantId(row.tenant_id), key, to_parsed(&row.role)?, tags))
    }

    pub async fn list_keys(&self, tenant: TenantId) -> Result<Vec<ApiKeyRow>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT id, name, role, tags, created_at, expires_at, revoked_at FROM api_keys
             WHERE tenant_id = $1 ORDER BY created_at, id",
            tenant.0,
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unavailable)?;
        rows.into_iter()
            .map(|row| {
                Ok(ApiKeyRow {
                    id: row.id,
                    name: row.name,
                    role: to_parsed(&row.role)?,
                    tags: to_tags(row.tags)?,
                    created_at: row.created_at,
                    expires_at: row.expires_at,
                    revoked_at: row.revoked_at,
                })
            })
            .collect()
    }

    /// Ends a key at once. False when there is no such key of this tenant, or it had ended before.
    pub async fn revoke_key(&self, tenant: TenantId, id: Uuid) -> Result<bool, CatalogueError> {
        let revoked = sqlx::query!(
            "UPDATE api_keys SET revoked_at = now() WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL",
            tenant.0,
            id,
        )
        .execute(&self.pool)
        .await
        .map_err(unavailable)?;
        Ok(revoked.rows_affected() > 0)
    }
}
