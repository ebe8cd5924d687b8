//! Signing in at an identity provider: how people do it here, and who comes with a token or a session.

mod cookies;

use std::sync::Arc;
use std::time::Duration;

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method};
use ibidem_ports::identity_provider::IdentityProvider;
use ibidem_store::{OpenSession, PersonError, Store};
use ibidem_words::{Identity, TenantId};

pub(crate) use self::cookies::Cookie;
use crate::problem::Problem;

/// A page of another site can have a browser send requests with its cookies. It cannot have it send this header, so a
/// request that changes something needs it beside the cookie.
const OUR_OWN_PAGES: &str = "x-ibidem-request";

/// Where the description of the API is, below the address of the server (RFC 9728). Those of other doors are below it.
const PROTECTED_RESOURCE: &str = "/.well-known/oauth-protected-resource";

/// How people sign in here.
#[derive(Clone)]
pub struct SignIn {
    pub provider: Arc<dyn IdentityProvider>,
    /// Whose people they are.
    pub tenant: TenantId,
    /// Where browsers reach this server, without a final slash.
    pub public_url: String,
    /// Where programs get access tokens that count here; none where no token does.
    pub tokens: Option<AccessTokens>,
    /// A session that nobody uses for so long ends.
    pub idle: Duration,
    /// A session ends after so long, however busy it is.
    pub lifetime: Duration,
}

/// The access tokens that count on the API.
#[derive(Clone, Debug)]
pub struct AccessTokens {
    /// The provider that gives them, as it calls itself.
    pub issuer: String,
    /// What the provider is asked for.
    pub scopes: Vec<String>,
}

impl SignIn {
    pub(crate) fn callback_url(&self) -> String {
        format!("{}/auth/callback", self.public_url)
    }

    /// What somebody without credentials is told in `WWW-Authenticate` at the door of this path; none where they could get
    /// no token.
    pub(crate) fn challenge(&self, path: &str) -> Option<HeaderValue> {
        self.tokens.as_ref()?;
        let described = format!("Bearer resource_metadata=\"{}{PROTECTED_RESOURCE}{path}\"", self.public_url);
        HeaderValue::from_str(&described).ok()
    }

    /// Whether browsers keep cookies that only https sends.
    fn is_https(&self) -> bool {
        self.public_url.starts_with("https://")
    }
}

/// Whether it has the form of a provider's token. Keys of ours never do.
pub(crate) fn is_token(written: &str) -> bool {
    written.bytes().filter(|byte| *byte == b'.').count() == 2
}

/// The person whom an access token speaks for, with what their groups give them now.
pub(crate) async fn person_of_token(store: &Store, sign_in: &SignIn, token: &str) -> Result<Identity, Problem> {
    let claims = sign_in.provider.bearer(token).await.map_err(|error| Problem::of_token(&error))?;
    admitted(store.admit_person(sign_in.tenant, &claims).await)
}

/// The person whose session a request came with, where anybody signs in.
pub(crate) async fn person_of_session(
    store: &Store,
    sign_in: Option<&SignIn>,
    parts: &Parts,
) -> Result<Identity, Problem> {
    let sign_in = sign_in.ok_or_else(Problem::unauthenticated)?;
    let session = open_session(store, sign_in, &parts.headers).await?.ok_or_else(Problem::unauthenticated)?;
    let only_reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(&parts.method);
    if !only_reads && !parts.headers.contains_key(OUR_OWN_PAGES) {
        return Err(Problem::cross_site());
    }
    Ok(session.identity)
}

/// The session whose cookie a request came with.
pub(crate) async fn open_session(
    store: &Store,
    sign_in: &SignIn,
    headers: &HeaderMap,
) -> Result<Option<OpenSession>, Problem> {
    let Some(secret) = Cookie::Session.value(sign_in, headers) else { return Ok(None) };
    admitted(store.session(&secret, sign_in.idle).await)
}

/// Whoever is known and may do nothing here is told so.
pub(crate) fn admitted<T>(person: Result<T, PersonError>) -> Result<T, Problem> {
    person.map_err(|error| match error {
        PersonError::NotAdmitted => Problem::not_admitted(),
        PersonError::Store(error) => error.into(),
    })
}
