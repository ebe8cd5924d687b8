//! The keys that sign receipts: one signs, the others are kept for what they signed.

use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{InvalidKey, KnownKey, PublicKey, PublicKeys, SigningKey};
use rand::Rng;

use crate::asked::{Asked as _, Run as _};
use crate::{Store, unavailable};

/// A key as a list shows it.
#[derive(Clone, Debug)]
pub struct SigningKeyRow {
    pub id: String,
    /// Its private half is in the database.
    pub is_kept_here: bool,
    pub created_at: DateTime<Utc>,
    pub retired_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Why a key was not revoked.
#[derive(Debug, thiserror::Error)]
pub enum RevokeError {
    #[error("no key that signed here has the id {0}; `ibidem signing-key list` lists them")]
    Unknown(String),
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
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

    /// Makes the public half of a key known that signs from now on: what it signs can then be checked. One that the
    /// operator keeps elsewhere may come back; one that was revoked may not.
    pub async fn know_signing_key(&self, key: &SigningKey) -> Result<(), CatalogueError> {
        let public = key.public();
        let known = sqlx::query!(
            "INSERT INTO signing_keys (id, public_key) VALUES ($1, $2)
             ON CONFLICT (id) DO UPDATE SET retired_at = CASE WHEN signing_keys.seed IS NULL THEN NULL ELSE signing_keys.retired_at END
             WHERE signing_keys.revoked_at IS NULL",
            public.id(),
            public.as_bytes(),
        ).run(&self.pool).await?;
        match known.rows_affected() {
            0 => Err(CatalogueError::Refused(format!(
                "the signing key {} was revoked: put another one in its place",
                public.id()
            ))),
            _ => Ok(()),
        }
    }

    /// A key that another one has taken the place of. One that the database keeps was retired when it was replaced.
    pub async fn retire_signing_key(&self, key: &PublicKey) -> Result<(), CatalogueError> {
        sqlx::query!(
            "UPDATE signing_keys SET retired_at = now() WHERE id = $1 AND seed IS NULL AND retired_at IS NULL",
            key.id()
        )
        .run(&self.pool)
        .await?;
        Ok(())
    }

    /// Nothing that the key signed counts any more. Where it is the one that signs, a new one has to be made first.
    pub async fn revoke_signing_key(&self, id: &str) -> Result<(), RevokeError> {
        let revoked = sqlx::query!(
            "UPDATE signing_keys SET retired_at = coalesce(retired_at, now()), revoked_at = coalesce(revoked_at, now()),
                 seed = NULL
             WHERE id = $1",
            id
        )
        .run(&self.pool)
        .await?;
        match revoked.rows_affected() {
            0 => Err(RevokeError::Unknown(id.to_owned())),
            _ => Ok(()),
        }
    }

    /// Every key that ever signed here, with the time in which it did.
    pub async fn public_keys(&self) -> Result<PublicKeys, CatalogueError> {
        let rows = sqlx::query!(
            "SELECT public_key, created_at, retired_at, revoked_at FROM signing_keys ORDER BY created_at, id"
        )
        .all(&self.pool)
        .await?;
        let keys: Result<Vec<KnownKey>, InvalidKey> = rows
            .into_iter()
            .map(|row| {
                Ok(KnownKey {
                    key: PublicKey::from_bytes(&row.public_key)?,
                    signs_from: Some(row.created_at),
                    signed_until: row.retired_at,
                    revoked_at: row.revoked_at,
                })
            })
            .collect();
        keys.map(PublicKeys::of).map_err(|error| corrupt(&error))
    }

    pub async fn list_signing_keys(&self) -> Result<Vec<SigningKeyRow>, CatalogueError> {
        let rows = sqlx::query!(
            r#"SELECT id, seed IS NOT NULL AS "is_kept_here!", created_at, retired_at, revoked_at FROM signing_keys
               ORDER BY created_at, id"#
        )
        .all(&self.pool)
        .await?;
        let key = rows.into_iter().map(|row| SigningKeyRow {
            id: row.id,
            is_kept_here: row.is_kept_here,
            created_at: row.created_at,
            retired_at: row.retired_at,
            revoked_at: row.revoked_at,
        });
        Ok(key.collect())
    }

    async fn kept_signing_key(&self) -> Result<Option<SigningKey>, CatalogueError> {
        let seed = sqlx::query_scalar!(
            r#"SELECT seed AS "seed!" FROM signing_keys WHERE seed IS NOT NULL AND retired_at IS NULL
               ORDER BY created_at DESC, id LIMIT 1"#
        )
        .optional(&self.pool)
        .await?;
        seed.map(|seed| SigningKey::from_seed(&seed).map_err(|error| corrupt(&error))).transpose()
    }

    /// One at a time: whoever comes second finds what the first has made, unless a new one is wanted whatever there is.
    async fn new_signing_key(&self, whatever_there_is: bool) -> Result<SigningKey, CatalogueError> {
        let mut seed = [0_u8; 32];
        rand::rng().fill_bytes(&mut seed);
        let made = SigningKey::from_seed(&seed).map_err(|error| corrupt(&error))?;
        let mut transaction = self.pool.begin().await.map_err(unavailable)?;
        sqlx::query!("LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE").run(&mut *transaction).await?;
        if whatever_there_is {
            sqlx::query!("UPDATE signing_keys SET retired_at = now() WHERE seed IS NOT NULL AND retired_at IS NULL")
                .run(&mut *transaction)
                .await?;
        }
        sqlx::query!(
            "INSERT INTO signing_keys (id, public_key, seed) SELECT $1, $2, $3
             WHERE NOT EXISTS (SELECT FROM signing_keys WHERE seed IS NOT NULL AND retired_at IS NULL)",
            made.public().id(),
            made.public().as_bytes(),
            &seed,
        )
        .run(&mut *transaction)
        .await?;
        transaction.commit().await.map_err(unavailable)?;
        let kept = self.kept_signing_key().await?;
        kept.ok_or_else(|| CatalogueError::Corrupt("no key signs".to_owned()))
    }
}

fn corrupt(error: &InvalidKey) -> CatalogueError {
    CatalogueError::Corrupt(error.to_string())
}
