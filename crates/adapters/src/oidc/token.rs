//! One check for every kind of token: signature, issuer, audience, times.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use ibidem_ports::identity_provider::ProviderError;
use jsonwebtoken::{Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::Oidc;

/// Longer tokens are not read.
const LONGEST: usize = 32 * 1024;
/// How long a token about an event counts where it does not say so itself.
const EVENT_FOR: Duration = Duration::from_secs(300);

pub(super) type Claims = Map<String, Value>;

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
pub(super) fn refused(reason: impl ToString) -> ProviderError {
    ProviderError::Refused(reason.to_string())
}

impl Oidc {
    /// What a token says, if the provider signed it for one of these audiences and it is in force now.
    pub(super) async fn verified(&self, token: &str, audiences: &[String]) -> Result<Claims, ProviderError> {
        self.verified_with(token, audiences, &["exp", "iss", "aud", "sub"]).await
    }

    /// The same of a token that tells of an event. It may lack an end, and then must be new.
    pub(super) async fn verified_event(&self, token: &str, audiences: &[String]) -> Result<Claims, ProviderError> {
        let claims = self.verified_with(token, audiences, &["iss", "aud"]).await?;
        if !claims.contains_key("exp") && issued_at(&claims)? + EVENT_FOR < Utc::now() {
            return Err(refused("the token is too old"));
        }
        Ok(claims)
    }

    async fn verified_with(
        &self,
        token: &str,
        audiences: &[String],
        required: &[&str],
    ) -> Result<Claims, ProviderError> {
        if token.len() > LONGEST {
            return Err(refused("the token is too long"));
        }
        if has_critical_extensions(token)? {
            return Err(refused("the token needs an extension that is not known"));
        }
        // `none` is no algorithm to the reader of headers.
        let header = decode_header(token).map_err(refused)?;
        if !self.algorithms.contains(&header.alg) {
            return Err(refused(format!("the algorithm {:?} is not allowed", header.alg)));
        }
        let jwks_uri = &self.metadata().await?.jwks_uri;
        let key = self.keys.key(&self.client, jwks_uri, header.kid.as_deref(), header.alg).await?;
        let mut validation = Validation::new(header.alg);
        validation.leeway = self.settings.leeway.as_secs();
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(audiences);
        validation.set_required_spec_claims(required);
        let claims = decode::<Claims>(token, &key, &validation).map_err(refused)?.claims;
        if issued_at(&claims)? > Utc::now() + self.settings.leeway {
            return Err(refused("the token was issued in the future"));
        }
        Ok(claims)
    }
}

/// When the provider said so.
pub(super) fn issued_at(claims: &Claims) -> Result<DateTime<Utc>, ProviderError> {
    let seconds = claims.get("iat").and_then(Value::as_i64);
    let at = seconds.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    at.ok_or_else(|| refused("the token does not say when it was issued"))
}

/// A header may say that it cannot be understood without knowing an extension.
fn has_critical_extensions(token: &str) -> Result<bool, ProviderError> {
    let header = token.split('.').next().unwrap_or_default();
    let header = URL_SAFE_NO_PAD.decode(header).map_err(refused)?;
    let header: Claims = serde_json::from_slice(&header).map_err(refused)?;
    Ok(header.contains_key("crit"))
}
