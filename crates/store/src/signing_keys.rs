//! The keys that sign receipts: one signs, the others are kept for what they signed.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{InvalidKey, PublicKey, PublicKeys, SigningKey};
use rand::Rng;

use crate::{Store, unavailable};

/// A key as a list shows it.
#[derive(Clone, Debug)]
pub struct SigningKeyRow {
    pub id: String,
    /// Its private half is in the database.
    pub is_kept_here: bool,
    pub created_at: DateTime<Utc>,
    pub retired_at: Option<DateTime<Utc>>,
}

impl Store {
    /// The key that signs, made now if there is none. Processes that ask at the same time get the same one.
    pub async fn signing_key(&self) -> Result<SigningKey, CatalogueError> {
        if let Some(key) = self.kept_signing_key().await? {
            return Ok(key);
        }
        self.new_signing_key(false).await
    }

    /// A new key signs from now on, in running servers as soon as they look.
    pub async fn rotate_signing_key(&self) -> Result<SigningKey, CatalogueError> {
        self.new_signing_key(true).await
    }

    /// Makes the public half of a key known that the operator keeps elsewhere: what it signs can then be checked.
    pub async fn know_signing_key(&self, key: &SigningKey) -> Result<(), CatalogueError> {
        let public = key.public();
        sqlx::query!(
            "INSERT INTO signing_keys (id, public_key) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
            public.id(),
            public.as_bytes(),
        )
        .execute(&self.pool)
        .await
        .map_err(unavailable)?;
        Ok(())
    }

    /// Every key that ever signed here.
    pub async fn public_keys(&self) -> Result<PublicKeys, CatalogueError> {
        let rows = sqlx::query_scalar!("SELECT public_key FROM signing_keys ORDER BY created_at, id")
            .fetch_all(&self.pool)
            .await
            .map_err(unavailable)?;
        let keys: Result<Vec<PublicKey>, InvalidKey> = rows.iter().map(|bytes| PublicKey::from_bytes(bytes)).collect();
        keys.map(PublicKeys::of).map_err(|error| corrupt(&error))
    }

    pub async fn list_signing_keys(&self) -> Result<Vec<SigningKeyRow>, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT id, seed IS NOT NULL AS "is_kept_here!", created_at, retired_at FROM signing_keys
               ORDER BY created_at, id"#
        )
        .fetch_all(&self.pool)
        .await
        .map_err(unavailable)?;
        let key = rows.into_iter().map(|row| SigningKeyRow {
            id: row.id,
            is_kept_here: row.is_kept_here,
            created_at: row.created_at,
            retired_at: row.retired_at,
        });
        Ok(key.collect())
    }

    async fn kept_signing_key(&self) -> Result<Option<SigningKey>, CatalogueError> {
        let seed = sqlx::query_scalar!(
            r#"SELECT seed AS "seed!" FROM signing_keys WHERE seed IS NOT NULL AND retired_at IS NULL
               ORDER BY created_at DESC, id LIMIT 1"#
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(unavailable)?;
        seed.map(|seed| SigningKey::from_seed(&seed).map_err(|error| corrupt(&error))).transpose()
    }

    /// One at a time: whoever comes second finds what the first has made, unless a new one is wanted whatever there is.
    async fn new_signing_key(&self, whatever_there_is: bool) -> Result<SigningKey, CatalogueError> {
        let mut seed = [0_u8; 32];
        rand::rng().fill_bytes(&mut seed);
        let made = SigningKey::from_seed(&seed).map_err(|error| corrupt(&error))?;
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        sqlx::query!("LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE")
            .execute(&mut *transaction)
            .await
            .map_err(unavailable)?;
        if whatever_there_is {
            sqlx::query!("UPDATE signing_keys SET retired_at = now() WHERE seed IS NOT NULL AND retired_at IS NULL")
                .execute(&mut *transaction)
                .await
                .map_err(unavailable)?;
        }
        sqlx::query!(
            "INSERT INTO signing_keys (id, public_key, seed) SELECT $1, $2, $3
             WHERE NOT EXISTS (SELECT FROM signing_keys WHERE seed IS NOT NULL AND retired_at IS NULL)",
            made.public().id(),
            made.public().as_bytes(),
            &seed,
        )
        .execute(&mut *transaction)
        .await
        .map_err(unavailable)?;
        transaction.commit().await.map_err(unavailable)?;
        let kept = self.kept_signing_key().await?;
        kept.ok_or_else(|| CatalogueError::Corrupt("no key signs".to_owned()))
    }
}

fn corrupt(error: &InvalidKey) -> CatalogueError {
    CatalogueError::Corrupt(error.to_string())
}
