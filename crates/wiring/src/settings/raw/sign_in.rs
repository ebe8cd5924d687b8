//! The section `sign_in`.

use std::time::Duration;

use ibidem_adapters::oidc::{OidcSettings, by_public_key, is_private};
use serde::Deserialize;

use super::Problems;
use crate::settings::checked::SignInSettings;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSignIn {
    issuer: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    device_client_id: Option<String>,
    public_url: Option<String>,
    tenant: String,
    audiences: Vec<String>,
    groups_claim: String,
    scopes: Vec<String>,
    algorithms: Vec<String>,
    leeway_seconds: u64,
    timeout_ms: u64,
    session_idle_minutes: u64,
    session_hours: u64,
}

impl RawSignIn {
    /// None when nobody signs in.
    pub(super) fn check(self, problems: &mut Problems) -> Option<SignInSettings> {
        let issuer = self.issuer.filter(|issuer| !issuer.is_empty())?;
        let private =
            "must begin with https://, or with http://127.0.0.1 or http://localhost for a server on this machine";
        if !is_private(&issuer) {
            problems.note("sign_in.issuer", private);
        }
        let given = |value: Option<String>| value.filter(|value| !value.is_empty());
        let (client_id, public_url) = (given(self.client_id), given(self.public_url));
        if client_id.is_none() {
            problems.note(
                "sign_in.client_id",
                "is needed with `sign_in.issuer`: the provider shows it for the registered client",
            );
        }
        match &public_url {
            None => problems.note(
                "sign_in.public_url",
                "is needed with `sign_in.issuer`: write where browsers reach this server, for example https://ibidem.example.org",
            ),
            Some(url) if !is_private(url) => problems.note("sign_in.public_url", private),
            Some(_) => {}
        }
        if !self.scopes.iter().any(|scope| scope == "openid") {
            problems.note("sign_in.scopes", "must have openid among them");
        }
        if self.groups_claim.is_empty() {
            problems.note("sign_in.groups_claim", "is empty; write the name of the claim that lists a person's groups");
        }
        if self.algorithms.is_empty() {
            problems.note("sign_in.algorithms", "is empty, so that no token would count");
        }
        for name in &self.algorithms {
            if let Err(error) = by_public_key(name) {
                problems.note("sign_in.algorithms", &error.to_string());
            }
        }
        if self.leeway_seconds > 300 {
            problems
                .note("sign_in.leeway_seconds", "must be at most 300: a token should not count long after it expired");
        }
        problems.at_least("sign_in.timeout_ms", self.timeout_ms, 1);
        problems.at_least("sign_in.session_idle_minutes", self.session_idle_minutes, 2);
        problems.at_least("sign_in.session_hours", self.session_hours, 1);
        Some(SignInSettings {
            oidc: OidcSettings {
                issuer,
                client_id: client_id?,
                client_secret: given(self.client_secret),
                audiences: self.audiences,
                groups_claim: self.groups_claim,
                scopes: self.scopes,
                algorithms: self.algorithms,
                leeway: Duration::from_secs(self.leeway_seconds),
                timeout: Duration::from_millis(self.timeout_ms),
            },
            device_client_id: given(self.device_client_id),
            tenant: self.tenant,
            public_url: public_url?.trim_end_matches('/').to_owned(),
            idle: Duration::from_secs(self.session_idle_minutes.saturating_mul(60)),
            lifetime: Duration::from_secs(self.session_hours.saturating_mul(3_600)),
        })
    }
}
