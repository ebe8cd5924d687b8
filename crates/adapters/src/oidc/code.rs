//! Signing in by authorization code, with PKCE, state and nonce.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ibidem_ports::identity_provider::{Beginning, ProviderError, Returned, SignedIn};
use ibidem_words::Sha256Hash;
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Url};
use serde::Deserialize;
use serde_json::Value;

use super::token::{Claims, refused};
use super::{Oidc, fetch};

const FORM: &str = "application/x-www-form-urlencoded";
const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";

/// What the token endpoint replies.
#[derive(Deserialize)]
pub(super) struct TokenReply {
    pub(super) access_token: Option<String>,
    pub(super) id_token: Option<String>,
    pub(super) error: Option<String>,
}

impl Oidc {
    pub(super) async fn authorization_address(&self, beginning: &Beginning) -> Result<String, ProviderError> {
        let metadata = self.metadata().await?;
        let mut address = Url::parse(&metadata.authorization_endpoint)
            .map_err(|error| ProviderError::Unavailable(format!("its authorization endpoint: {error}")))?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256Hash::of(beginning.verifier.as_bytes()).as_bytes());
        address.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &self.settings.client_id),
            ("redirect_uri", &beginning.redirect_uri),
            ("scope", &self.settings.scopes.join(" ")),
            ("state", &beginning.state),
            ("nonce", &beginning.nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        Ok(address.into())
    }

    pub(super) async fn redeemed(&self, returned: &Returned) -> Result<SignedIn, ProviderError> {
        let metadata = self.metadata().await?;
        // A reply of another provider would have our code sent to the wrong one.
        match &returned.issuer {
            Some(issuer) if *issuer != self.settings.issuer => return Err(refused("the reply is of another provider")),
            None if metadata.authorization_response_iss_parameter_supported => {
                return Err(refused("the reply does not say which provider it is of"));
            }
            _ => {}
        }
        let reply = self
            .tokens(&[
                ("grant_type", "authorization_code"),
                ("code", &returned.code),
                ("redirect_uri", &returned.redirect_uri),
                ("code_verifier", &returned.verifier),
            ])
            .await?;
        if let Some(error) = reply.error {
            return Err(refused(format!("the code is not taken: {error}")));
        }
        let id_token = reply.id_token.ok_or_else(|| refused("the provider sent no ID token"))?;
        let claims = self.verified(&id_token, std::slice::from_ref(&self.settings.client_id)).await?;
        self.check_id_token(&claims, &returned.nonce)?;
        let person = self.person_of(&claims, reply.access_token.as_deref().unwrap_or_default()).await?;
        let provider_session = claims.get("sid").and_then(Value::as_str).map(str::to_owned);
        Ok(SignedIn { person, provider_session, id_token })
    }

    fn check_id_token(&self, claims: &Claims, nonce: &str) -> Result<(), ProviderError> {
        if claims.get("nonce").and_then(Value::as_str) != Some(nonce) {
            return Err(refused("the ID token answers another sign-in"));
        }
        // A token for several is made for one of them.
        let is_for_several = claims.get("aud").and_then(Value::as_array).is_some_and(|audiences| audiences.len() > 1);
        match claims.get("azp").and_then(Value::as_str) {
            Some(party) if party != self.settings.client_id => Err(refused("the ID token is made for another client")),
            None if is_for_several => Err(refused("the ID token does not say for which client it is made")),
            _ => Ok(()),
        }
    }

    /// Asks the token endpoint, as this client.
    pub(super) async fn tokens(&self, fields: &[(&str, &str)]) -> Result<TokenReply, ProviderError> {
        let metadata = self.metadata().await?;
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref();
        let takes = |method: &str| methods.is_none_or(|methods| methods.iter().any(|known| known == method));
        let request = self.client.post(&metadata.token_endpoint);
        let mut fields = fields.to_vec();
        let request = match &self.settings.client_secret {
            // Where both would do, the one that the standard asks every provider to take.
            Some(secret) if takes(BASIC) || !takes(POST) => {
                request.basic_auth(form_encoded(&self.settings.client_id), Some(form_encoded(secret)))
            }
            Some(secret) => {
                fields.extend([("client_id", self.settings.client_id.as_str()), ("client_secret", secret)]);
                request
            }
            None => {
                fields.push(("client_id", &self.settings.client_id));
                request
            }
        };
        let (_, reply) = fetch::document(with_form(request, &fields)).await?;
        Ok(reply)
    }
}

pub(super) fn with_form(request: RequestBuilder, fields: &[(&str, &str)]) -> RequestBuilder {
    let pairs = fields.iter().map(|(name, value)| format!("{name}={}", form_encoded(value)));
    request.header(CONTENT_TYPE, FORM).body(pairs.collect::<Vec<_>>().join("&"))
}

/// As a form writes it: letters, digits and a few signs as they are.
fn form_encoded(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'*' => written.push(char::from(byte)),
            _ => written.push_str(&format!("%{byte:02X}")),
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_what_was_meant() {
        assert_eq!(form_encoded("a b&c=d%+ü~"), "a%20b%26c%3Dd%25%2B%C3%BC%7E");
    }
}
