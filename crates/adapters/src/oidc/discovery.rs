//! What a provider says of itself at its well-known address.

use ibidem_ports::identity_provider::ProviderError;
use reqwest::Url;
use serde::Deserialize;

use super::fetch;

/// The parts of a provider's description that are used.
#[derive(Clone, Deserialize, Debug)]
pub(super) struct Metadata {
    pub(super) issuer: String,
    pub(super) jwks_uri: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    pub(super) userinfo_endpoint: Option<String>,
    pub(super) end_session_endpoint: Option<String>,
    pub(super) device_authorization_endpoint: Option<String>,
    /// None where the provider does not say: then as the standard has it.
    pub(super) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    /// Whether replies say which provider they are of.
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

impl Metadata {
    fn endpoints(&self) -> impl Iterator<Item = &String> {
        let always = [&self.jwks_uri, &self.authorization_endpoint, &self.token_endpoint];
        let some = [&self.userinfo_endpoint, &self.end_session_endpoint, &self.device_authorization_endpoint];
        always.into_iter().chain(some.into_iter().flatten())
    }
}

pub(super) async fn discover(client: &reqwest::Client, issuer: &str) -> Result<Metadata, ProviderError> {
    let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    let metadata: Metadata = fetch::success(client.get(address)).await?;
    // Another's description at this address would have us take another's tokens.
    if metadata.issuer != issuer {
        let found = &metadata.issuer;
        return Err(ProviderError::Unavailable(format!(
            "it calls itself {found:?}; `sign_in.issuer` must be written so"
        )));
    }
    if let Some(open) = metadata.endpoints().find(|address| !is_private(address)) {
        return Err(ProviderError::Unavailable(format!("its address {open:?} is not https")));
    }
    Ok(metadata)
}

/// Whether nobody on the way can read what is sent: https, or a server on this machine.
pub fn is_private(address: &str) -> bool {
    let Ok(url) = Url::parse(address) else { return false };
    let is_here = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_are_private() {
        let cases = [
            ("https://login.example.org/realms/a", true),
            ("http://127.0.0.1:9000", true),
            ("http://localhost:9000/a", true),
            ("http://[::1]:9000", true),
            ("http://login.example.org", false),
            ("http://127.0.0.1.example.org", false),
            ("http://user@evil.example@127.0.0.1.example", false),
            ("ftp://127.0.0.1", false),
            ("login.example.org", false),
            ("", false),
        ];
        for (address, expected) in cases {
            assert_eq!(is_private(address), expected, "{address}");
        }
    }
}
