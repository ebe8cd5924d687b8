//! Keys that speak for people: a front end signs whom it speaks for.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{Identity, TenantId};
use rand::Rng;
use uuid::Uuid;

use super::PersonError;
use crate::Store;
use crate::asked::{Asked as _, Run as _};

impl Store {
    /// Lets a key speak for people. What is returned is the secret that signs; a former one no longer counts. None when
    /// the tenant has no such key that is valid.
    pub async fn let_key_speak(&self, tenant: TenantId, key: Uuid) -> Result<Option<String>, CatalogueError> {
        let mut random = [0_u8; 32];
        rand::rng().fill_bytes(&mut random);
        let secret = URL_SAFE_NO_PAD.encode(random);
        let changed = sqlx::query!(
            "UPDATE api_keys SET speaking_secret = $3 WHERE tenant_id = $1 AND id = $2 AND revoked_at IS NULL",
            tenant.0,
            key,
            secret,
        )
        .run(&self.pool)
        .await?;
        Ok((changed.rows_affected() > 0).then_some(secret))
    }

    /// The secret by which a key's words about people are checked; none when it may not speak for anybody.
    pub async fn speaking_secret(&self, tenant: TenantId, key: Uuid) -> Result<Option<String>, CatalogueError> {
        let secret =
            sqlx::query_scalar!("SELECT speaking_secret FROM api_keys WHERE tenant_id = $1 AND id = $2", tenant.0, key)
                .optional_in_time(self)
                .await?;
        Ok(secret.flatten())
    }

    /// The one person with this verified address. Of several none is meant.
    pub async fn person_by_email(&self, tenant: TenantId, email: &str) -> Result<Identity, PersonError> {
        let ids = sqlx::query_scalar!(
            "SELECT id FROM people WHERE tenant_id = $1 AND email = $2 LIMIT 2",
            tenant.0,
            email.to_lowercase(),
        )
        .all_in_time(self)
        .await?;
        match ids[..] {
            [id] => self.person(tenant, id).await,
            _ => Err(PersonError::NotAdmitted),
        }
    }
}
