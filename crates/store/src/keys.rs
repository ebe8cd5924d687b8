//! API keys: made once, shown once, kept only as a digest.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{CollectionName, HandIn, Identity, Role, Sha256Hash, Subject, Tag, TenantId};
use rand::Rng;
use uuid::Uuid;

use crate::asked::{Asked as _, Run as _};
use crate::convert::{hand_in_column, tag_names, to_collection, to_digest, to_hand_in, to_parsed, to_tags};
use crate::embedding::{KeyEmbedding, NewEmbedding, PageOrigin};
use crate::{Store, policies, refused, unavailable};

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
    /// Where a curator's key may hand documents in. An admin's may everywhere, an asker's nowhere.
    pub hand_in: HandIn,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A key that was just made: the only moment at which it can be read.
#[derive(Clone, Debug)]
pub struct CreatedKey {
    pub id: Uuid,
    pub secret: String,
}

/// Whoever shows a valid key.
#[derive(Clone, Debug)]
pub struct KeyHolder {
    pub identity: Identity,
    /// None for a key that is not for pages of other sites.
    pub embedding: Option<KeyEmbedding>,
    /// How many settings of policies its tenant has had by now: none is ever changed or taken back.
    pub policy_settings: i64,
}

/// A key as a list shows it.
#[derive(Clone, Debug)]
pub struct ApiKeyRow {
    pub id: Uuid,
    pub name: String,
    pub role: Role,
    pub tags: Vec<Tag>,
    pub hand_in: HandIn,
    pub created_at: DateTime<Utc>,
    pub expires_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
    /// None for a key that is not for pages of other sites.
    pub embedding: Option<KeyEmbedding>,
}

/// What is stored of a key for pages of other sites: none where no origin is.
fn to_embedding(
    origins: &[String],
    collections: Vec<String>,
    policy: Option<&[u8]>,
) -> Result<Option<KeyEmbedding>, CatalogueError> {
    if origins.is_empty() {
        return Ok(None);
    }
    Ok(Some(KeyEmbedding {
        origins: origins.iter().map(|origin| to_parsed(origin)).collect::<Result<_, _>>()?,
        collections: collections.into_iter().map(to_collection).collect::<Result<_, _>>()?,
        policy: policy.map(to_digest).transpose()?,
    }))
}

impl Store {
    pub async fn create_key(&self, key: &NewKey) -> Result<CreatedKey, CatalogueError> {
        self.insert_key(key, None).await
    }

    /// Creates a key for pages of other sites. Whatever its role, it can only ask.
    pub async fn create_embedded_key(
        &self,
        key: &NewKey,
        embedding: &NewEmbedding,
    ) -> Result<CreatedKey, CatalogueError> {
        self.insert_key(key, Some(embedding)).await
    }

    async fn insert_key(&self, key: &NewKey, embedding: Option<&NewEmbedding>) -> Result<CreatedKey, CatalogueError> {
        let mut random = [0_u8; 32];
        rand::rng().fill_bytes(&mut random);
        let created = CreatedKey { id: Uuid::now_v7(), secret: format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(random)) };
        let digest = Sha256Hash::of(created.secret.as_bytes());
        let texts = |of: fn(&NewEmbedding) -> Vec<String>| embedding.map(of).unwrap_or_default();
        let origins = texts(|embedding| embedding.origins.iter().map(PageOrigin::to_string).collect());
        let collections =
            texts(|embedding| embedding.collections.iter().map(CollectionName::as_str).map(str::to_owned).collect());
        let policy = embedding.and_then(|embedding| embedding.policy.as_ref());
        let hand_in = hand_in_column(&key.hand_in);
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        if let Some((sha256, texts)) = policy {
            policies::kept(&mut *transaction, *sha256, texts).await.map_err(refused)?;
        }
        sqlx::query!(
            "INSERT INTO api_keys (id, tenant_id, name, key_sha256, role, tags, expires_at, origins, collections,
                 policy_sha256, hand_in)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            created.id,
            key.tenant.0,
            key.name,
            digest.as_bytes(),
            key.role.as_str(),
            &tag_names(&key.tags),
            key.expires_at,
            &origins,
            &collections,
            policy.map(|(sha256, _)| sha256.as_bytes().as_slice()),
            hand_in.as_deref(),
        )
        .run(&mut *transaction)
        .await?;
        transaction.commit().await.map_err(unavailable)?;
        Ok(created)
    }

    /// Who this key stands for. Looked up by its digest, so that no comparison tells how near a guess was.
    pub async fn authenticate(&self, secret: &str) -> Result<KeyHolder, KeyError> {
        let digest = Sha256Hash::of(secret.as_bytes());
        let row = sqlx::query!(
            r#"SELECT id, tenant_id, name, role, tags, hand_in, origins, collections, policy_sha256,
                      (SELECT count(*) FROM policy_places p WHERE p.tenant_id = k.tenant_id) AS "policy_settings!"
               FROM api_keys k
               WHERE key_sha256 = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())"#,
            digest.as_bytes(),
        )
        .optional_in_time(self)
        .await?
        .ok_or(KeyError::Invalid)?;
        let key = Subject::of_key(row.id, row.name);
        let tags = to_tags(row.tags)?.into_iter().collect();
        let identity = Identity::of_key(TenantId(row.tenant_id), key, to_parsed(&row.role)?, tags);
        Ok(KeyHolder {
            identity: identity.handing_in(to_hand_in(row.hand_in)?),
            embedding: to_embedding(&row.origins, row.collections, row.policy_sha256.as_deref())?,
            policy_settings: row.policy_settings,
        })
    }

    pub async fn list_keys(&self, tenant: TenantId) -> Result<Vec<ApiKeyRow>, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT id, name, role, tags, hand_in, created_at, expires_at, revoked_at, origins, collections, policy_sha256
             FROM api_keys WHERE tenant_id = $1 ORDER BY created_at, id",
            tenant.0,
        ).all(&self.pool).await?;
        rows.into_iter()
            .map(|row| {
                Ok(ApiKeyRow {
                    id: row.id,
                    name: row.name,
                    role: to_parsed(&row.role)?,
                    tags: to_tags(row.tags)?,
                    hand_in: to_hand_in(row.hand_in)?,
                    created_at: row.created_at,
                    expires_at: row.expires_at,
                    revoked_at: row.revoked_at,
                    embedding: to_embedding(&row.origins, row.collections, row.policy_sha256.as_deref())?,
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
        .run(&self.pool)
        .await?;
        Ok(revoked.rows_affected() > 0)
    }
}
