//! Sign-ins that have begun and wait for the provider to send the browser back.

use std::time::Duration;

use ibidem_ports::catalogue::CatalogueError;
use ibidem_words::Sha256Hash;

use super::random_secret;
use crate::asked::Asked as _;
use crate::{Store, refused, unavailable};

/// The secrets of one sign-in: readable only now.
#[derive(Clone, Debug)]
pub struct BegunSignIn {
    /// Goes to the provider and comes back.
    pub state: String,
    /// Comes back inside the token.
    pub nonce: String,
    /// Its digest goes to the provider, itself comes with the code.
    pub verifier: String,
    /// Stays with the browser.
    pub browser: String,
}

/// What was kept of one that came back.
#[derive(Clone, Debug)]
pub struct KeptSignIn {
    pub nonce: String,
    pub verifier: String,
    pub return_to: String,
}

impl Store {
    /// Keeps a sign-in that begins, for so long.
    pub async fn begin_sign_in(&self, return_to: &str, wait: Duration) -> Result<BegunSignIn, CatalogueError> {
        let begun = BegunSignIn {
            state: random_secret(),
            nonce: random_secret(),
            verifier: random_secret(),
            browser: random_secret(),
        };
        let [state, browser] = [&begun.state, &begun.browser].map(|secret| Sha256Hash::of(secret.as_bytes()));
        let expired = sqlx::query!("DELETE FROM sign_in_attempts WHERE expires_at < now()");
        expired.execute(&self.pool).await.map_err(unavailable)?;
        sqlx::query!(
            "INSERT INTO sign_in_attempts (state_sha256, browser_sha256, nonce, verifier, return_to, expires_at)
             VALUES ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))",
            state.as_bytes(),
            browser.as_bytes(),
            begun.nonce,
            begun.verifier,
            return_to,
            wait.as_secs_f64(),
        )
        .execute(&self.pool)
        .await
        .map_err(refused)?;
        Ok(begun)
    }

    /// Takes the sign-in that this state and this browser began. It can be taken once.
    pub async fn take_sign_in(&self, state: &str, browser: &str) -> Result<Option<KeptSignIn>, CatalogueError> {
        let [state, browser] = [state, browser].map(|secret| Sha256Hash::of(secret.as_bytes()));
        sqlx::query_as!(
            KeptSignIn,
            "DELETE FROM sign_in_attempts
             WHERE state_sha256 = $1 AND browser_sha256 = $2 AND expires_at > now()
             RETURNING nonce, verifier, return_to",
            state.as_bytes(),
            browser.as_bytes(),
        )
        .optional(&self.pool)
        .await
    }
}
