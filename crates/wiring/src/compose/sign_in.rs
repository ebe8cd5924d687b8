//! The identity provider, from the settings.

use std::sync::Arc;

use anyhow::Context as _;
use ibidem_adapters::oidc::{Oidc, OidcSettings};
use ibidem_server::{AccessTokens, SignIn};
use ibidem_store::Store;

use crate::settings::SignInSettings;

pub fn provider(settings: &SignInSettings) -> anyhow::Result<Oidc> {
    Oidc::new(settings.oidc()).context("check `sign_in`")
}

/// The provider for programs without a browser, which are a client of their own.
pub fn device_provider(settings: &SignInSettings) -> anyhow::Result<Oidc> {
    let Some(client_id) = settings.device_client_id.0.clone() else { return provider(settings) };
    let oidc = OidcSettings { client_id, client_secret: None, ..settings.oidc() };
    Oidc::new(oidc).context("check `sign_in`")
}

/// How people sign in on a server, where they do.
pub async fn for_server(settings: Option<&SignInSettings>, store: &Store) -> anyhow::Result<Option<SignIn>> {
    let Some(settings) = settings else { return Ok(None) };
    let OidcSettings { issuer, scopes, audiences, .. } = settings.oidc();
    let (idle, lifetime) = settings.session();
    Ok(Some(SignIn {
        provider: Arc::new(provider(settings)?),
        tenant: store.ensure_tenant(&settings.tenant).await?,
        public_url: settings.public_url(),
        tokens: (!audiences.is_empty()).then_some(AccessTokens { issuer, scopes }),
        idle,
        lifetime,
    }))
}
