//! People by an OpenID Connect provider: discovery, its keys, and what its tokens say.

mod bearer;
mod claims;
mod code;
mod device;
mod discovery;
mod fetch;
mod keys;
mod logout;
mod token;

use std::str::FromStr as _;
use std::time::Duration;

use async_trait::async_trait;
use ibidem_ports::identity_provider::{
    Beginning, IdentityProvider, LoggedOut, PersonClaims, ProviderError, Returned, SignedIn,
};
use ibidem_words::Sha256Hash;
use jsonwebtoken::Algorithm;
use moka::future::Cache;
use tokio::sync::OnceCell;

pub use self::device::DeviceSignIn;
pub use self::discovery::is_private;

use self::claims::UserInfo;
use self::discovery::Metadata;
use self::keys::KeyRing;

/// How long what the userinfo endpoint said of a token's holder counts.
const USERINFO_FOR: Duration = Duration::from_secs(60);
/// Of how many tokens it is remembered.
const USERINFO_OF: u64 = 10_000;

/// Signatures that a public key checks. One that a shared secret checks is never taken: whoever may check it may make it.
const BY_PUBLIC_KEY: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

#[derive(Clone, PartialEq, Eq)]
pub struct OidcSettings {
    /// Exactly as the provider writes it in its tokens.
    pub issuer: String,
    pub client_id: String,
    /// None for a client that keeps no secret.
    pub client_secret: Option<String>,
    /// Whom access tokens must be meant for. Without any, no access token is taken.
    pub audiences: Vec<String>,
    /// The claim that lists a person's groups: a name, or a path of names with dots between.
    pub groups_claim: String,
    /// What is asked for at sign-in, `openid` first.
    pub scopes: Vec<String>,
    /// Signatures that count.
    pub algorithms: Vec<String>,
    /// How far the clocks of the provider and this machine may differ.
    pub leeway: Duration,
    /// For one call of the provider.
    pub timeout: Duration,
}

/// A secret is in no log.
impl std::fmt::Debug for OidcSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OidcSettings").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// A provider. Nothing is fetched before it is needed.
pub struct Oidc {
    settings: OidcSettings,
    algorithms: Vec<Algorithm>,
    client: reqwest::Client,
    metadata: OnceCell<Metadata>,
    keys: KeyRing,
    /// By the digest of the access token.
    userinfo: Cache<Sha256Hash, UserInfo>,
}

impl Oidc {
    pub fn new(settings: OidcSettings) -> Result<Self, ProviderError> {
        let algorithms = settings.algorithms.iter().map(|name| by_public_key(name)).collect::<Result<Vec<_>, _>>()?;
        // A redirect would let one host send our secrets to another.
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .timeout(settings.timeout)
            .build()
            .map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        let userinfo = Cache::builder().max_capacity(USERINFO_OF).time_to_live(USERINFO_FOR).build();
        Ok(Self { settings, algorithms, client, metadata: OnceCell::new(), keys: KeyRing::default(), userinfo })
    }

    /// What the provider says of itself, fetched when it is first needed.
    async fn metadata(&self) -> Result<&Metadata, ProviderError> {
        self.metadata.get_or_try_init(|| discovery::discover(&self.client, &self.settings.issuer)).await
    }

    /// Whether the provider answers and has keys that can be used: how many.
    pub async fn check(&self) -> Result<usize, ProviderError> {
        let metadata = self.metadata().await?;
        self.keys.refresh(&self.client, &metadata.jwks_uri).await
    }
}

/// An algorithm by its name, if a public key checks its signatures.
pub fn by_public_key(name: &str) -> Result<Algorithm, ProviderError> {
    let algorithm = Algorithm::from_str(name).ok().filter(|algorithm| BY_PUBLIC_KEY.contains(algorithm));
    algorithm.ok_or_else(|| {
        let names: Vec<String> = BY_PUBLIC_KEY.iter().map(|algorithm| format!("{algorithm:?}")).collect();
        ProviderError::Refused(format!("{name:?} is no signature by a public key: use {}", names.join(", ")))
    })
}

#[async_trait]
impl IdentityProvider for Oidc {
    async fn bearer(&self, token: &str) -> Result<PersonClaims, ProviderError> {
        self.checked_bearer(token).await
    }

    async fn sign_in_address(&self, beginning: &Beginning) -> Result<String, ProviderError> {
        self.authorization_address(beginning).await
    }

    async fn redeem(&self, returned: &Returned) -> Result<SignedIn, ProviderError> {
        self.redeemed(returned).await
    }

    async fn logout_address(&self, id_token: &str, return_to: &str) -> Result<Option<String>, ProviderError> {
        self.end_session_address(id_token, return_to).await
    }

    async fn logged_out(&self, token: &str) -> Result<LoggedOut, ProviderError> {
        self.checked_logout(token).await
    }
}
