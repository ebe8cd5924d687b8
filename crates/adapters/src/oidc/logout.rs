//! Logging out: at the provider, and when the provider says that somebody has.

use ibidem_ports::identity_provider::{LoggedOut, ProviderError};
use reqwest::Url;
use serde_json::Value;

use super::Oidc;
use super::token::refused;

/// What a logout token says has happened.
const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";

impl Oidc {
    /// The provider's page that ends its own session, where it has one.
    pub(super) async fn end_session_address(
        &self,
        id_token: &str,
        return_to: &str,
    ) -> Result<Option<String>, ProviderError> {
        let Some(address) = &self.metadata().await?.end_session_endpoint else { return Ok(None) };
        let mut address = Url::parse(address)
            .map_err(|error| ProviderError::Unavailable(format!("its end-session endpoint: {error}")))?;
        address.query_pairs_mut().extend_pairs([
            ("id_token_hint", id_token),
            ("client_id", &self.settings.client_id),
            ("post_logout_redirect_uri", &format!("{return_to}/")),
        ]);
        Ok(Some(address.into()))
    }

    /// Whose sessions a logout token ends.
    pub(super) async fn checked_logout(&self, token: &str) -> Result<LoggedOut, ProviderError> {
        let claims = self.verified_event(token, std::slice::from_ref(&self.settings.client_id)).await?;
        if claims.get("events").and_then(|events| events.get(EVENT)).is_none() {
            return Err(refused("the token ends no session"));
        }
        // An ID token that somebody shows as a logout token has one.
        if claims.contains_key("nonce") {
            return Err(refused("a logout token has no nonce"));
        }
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::to_owned);
        let (subject, provider_session) = (text("sub"), text("sid"));
        if subject.is_none() && provider_session.is_none() {
            return Err(refused("the token does not say whose session has ended"));
        }
        Ok(LoggedOut { issuer: self.settings.issuer.clone(), subject, provider_session })
    }
}
