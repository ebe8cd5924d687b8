//! Access tokens that people's programs send to the API.

use ibidem_ports::identity_provider::{PersonClaims, ProviderError};
use ibidem_words::Sha256Hash;

use super::claims::{self, UserInfo};
use super::token::{Claims, refused};
use super::{Oidc, fetch};

/// A token with this claim ends a session. It opens nothing.
const EVENTS: &str = "events";

impl Oidc {
    pub(super) async fn checked_bearer(&self, token: &str) -> Result<PersonClaims, ProviderError> {
        if self.settings.audiences.is_empty() {
            return Err(refused("no access token is taken: `sign_in.audiences` is empty"));
        }
        let claims = self.verified(token, &self.settings.audiences).await?;
        if claims.contains_key(EVENTS) {
            return Err(refused("a logout token is no access token"));
        }
        self.person_of(&claims, token).await
    }

    /// The person of a token that was checked. Where it does not list the groups, the provider is asked with the access
    /// token.
    pub(super) async fn person_of(&self, claims: &Claims, access_token: &str) -> Result<PersonClaims, ProviderError> {
        if let Some(groups) = claims::groups(claims, &self.settings.groups_claim) {
            return claims::person(&self.settings.issuer, claims, groups, &UserInfo::default());
        }
        let subject = claims::subject(claims)?;
        let digest = Sha256Hash::of(access_token.as_bytes());
        let known = self.userinfo.get(&digest).await;
        let beside = match known {
            Some(known) => known,
            None => {
                let fetched = self.fetched_userinfo(&subject, access_token).await?;
                self.userinfo.insert(digest, fetched.clone()).await;
                fetched
            }
        };
        claims::person(&self.settings.issuer, claims, beside.groups.clone(), &beside)
    }

    async fn fetched_userinfo(&self, subject: &str, access_token: &str) -> Result<UserInfo, ProviderError> {
        let Some(address) = &self.metadata().await?.userinfo_endpoint else { return Ok(UserInfo::default()) };
        let request = self.client.get(address).bearer_auth(access_token);
        let (status, claims) = fetch::document::<Claims>(request).await?;
        if !status.is_success() {
            return Err(refused(format!("the userinfo endpoint replied {status}")));
        }
        // Of another it would be another's groups.
        if claims::subject(&claims)? != subject {
            return Err(refused("the userinfo endpoint speaks of somebody else"));
        }
        Ok(UserInfo::parse(&claims, &self.settings.groups_claim))
    }
}
