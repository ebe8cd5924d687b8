//! An identity provider: where people sign in, and what it says of them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

/// What a provider says of somebody, after its signature was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PersonClaims {
    pub issuer: String,
    /// How the provider identifies the person. The id never goes to another person; names and addresses do.
    pub subject: String,
    pub name: Option<String>,
    /// None where the provider says that it has not been verified.
    pub email: Option<String>,
    pub groups: Vec<String>,
    /// When the provider said so.
    pub issued_at: DateTime<Utc>,
}

/// What cannot be believed, and what cannot be asked just now.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProviderError {
    /// The token, the code or the reply does not stand. The reason is for the log.
    #[error("{0}")]
    Refused(String),
    #[error("the identity provider does not answer: {0}")]
    Unavailable(String),
}

/// What a browser is sent to the provider with.
#[derive(Clone, PartialEq, Eq)]
pub struct Beginning {
    pub redirect_uri: String,
    pub state: String,
    pub nonce: String,
    /// Only its digest goes out.
    pub verifier: String,
}

/// What a browser comes back with, and what was kept of its beginning.
#[derive(Clone, PartialEq, Eq)]
pub struct Returned {
    pub code: String,
    /// The provider that the reply says it is of.
    pub issuer: Option<String>,
    pub redirect_uri: String,
    pub nonce: String,
    pub verifier: String,
}

/// Somebody who has signed in.
#[derive(Clone, PartialEq, Eq)]
pub struct SignedIn {
    pub person: PersonClaims,
    /// The provider's name for its own session.
    pub provider_session: Option<String>,
    pub id_token: String,
}

/// Whose sessions a provider says are over: of a person, of one session, or of both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedOut {
    pub issuer: String,
    pub subject: Option<String>,
    pub provider_session: Option<String>,
}

#[async_trait]
pub trait IdentityProvider: Send + Sync {
    /// Whom an access token speaks for, if it is this provider's, for this API, and in force now.
    async fn bearer(&self, token: &str) -> Result<PersonClaims, ProviderError>;

    /// Where a browser signs in.
    async fn sign_in_address(&self, beginning: &Beginning) -> Result<String, ProviderError>;

    /// Who has signed in, by the code that the browser came back with.
    async fn redeem(&self, returned: &Returned) -> Result<SignedIn, ProviderError>;

    /// Where a browser logs out at the provider too, to come back to `return_to`; none where the provider has no such page.
    async fn logout_address(&self, id_token: &str, return_to: &str) -> Result<Option<String>, ProviderError>;

    /// Whose sessions are over, by the provider's own word.
    async fn logged_out(&self, token: &str) -> Result<LoggedOut, ProviderError>;
}
