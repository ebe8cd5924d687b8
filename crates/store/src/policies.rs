//! Policies that were in force, by their hash.

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::{PolicyTexts, Sha256Hash};
use sqlx::PgExecutor;

use crate::asked::Asked as _;
use crate::{Store, unavailable};

/// Keeps a policy's texts, also as part of what else is written.
pub(crate) async fn kept(
    database: impl PgExecutor<'_>,
    hash: Sha256Hash,
    texts: &PolicyTexts,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "INSERT INTO policies (sha256, policy, thresholds) VALUES ($1, $2, $3) ON CONFLICT (sha256) DO NOTHING",
        hash.as_bytes(),
        texts.policy,
        texts.thresholds,
    )
    .execute(database)
    .await?;
    Ok(())
}

impl Store {
    /// Keeps a policy's texts, so that what it decides can be decided again. Keeping it twice changes nothing.
    pub async fn keep_policy(&self, hash: Sha256Hash, texts: &PolicyTexts) -> Result<(), CatalogueError> {
        kept(&self.pool, hash, texts).await.map_err(unavailable)
    }

    /// Every policy that was in force.
    pub async fn policies(&self) -> Result<Vec<PolicyTexts>, CatalogueError> {
        let rows = sqlx::query!("SELECT policy, thresholds FROM policies ORDER BY first_in_force, sha256")
            .all(&self.pool)
            .await?;
        let texts = rows.into_iter().map(|row| PolicyTexts { policy: row.policy, thresholds: row.thresholds });
        Ok(texts.collect())
    }
}
