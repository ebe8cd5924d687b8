//! Who is asking: the one way from a request to an identity.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use ibidem_store::{KeyEmbedding, KeyError, KeyHolder, Store};
use ibidem_words::{Identity, Scope};

use crate::audit::Act;
use crate::limits::{RequestSlot, UnderWay};
use crate::policy_places::PolicySettings;
use crate::problem::Problem;
use crate::quotas::Quotas;
use crate::sign_in::SignIn;
use crate::{embedding, permissions, sign_in, speaking};

/// What somebody who comes in is held against.
#[derive(Clone)]
pub(crate) struct Door {
    pub(crate) store: Store,
    /// None when nobody signs in: then there are only keys.
    pub(crate) sign_in: Option<Arc<SignIn>>,
    pub(crate) under_way: UnderWay,
    pub(crate) quotas: Quotas,
}

/// An authenticated caller. A handler that takes one cannot be reached without valid credentials, nor by somebody to
/// whom the table of permissions does not give its route: both are known before anything of the body is read.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) Identity);

impl Caller {
    pub(crate) fn scope(&self) -> Scope {
        Scope::of(&self.0)
    }
}

impl<S> FromRequestParts<S> for Caller
where
    S: Send + Sync,
    Door: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let door = Door::from_ref(state);
        let Identified { identity, embedding, policy_settings } = identified(parts, &door).await?;
        Act::of(&parts.extensions).by(&identity);
        if let Some(embedding) = embedding {
            embedding::confine(parts, embedding)?;
        }
        if let Some(settings) = policy_settings {
            parts.extensions.insert(settings);
        }
        if let Some(slot) = parts.extensions.get::<RequestSlot>() {
            door.under_way.count(slot, &identity)?;
            door.quotas.admit(&door.store, &identity, None).await?;
        }
        permissions::check(parts, &identity)?;
        Ok(Self(identity))
    }
}

/// Somebody whose credentials were checked, with what was read beside them.
struct Identified {
    identity: Identity,
    /// None where the key is not for pages of other sites.
    embedding: Option<KeyEmbedding>,
    /// None where nobody counted them.
    policy_settings: Option<PolicySettings>,
}

impl From<Identity> for Identified {
    fn from(identity: Identity) -> Self {
        Self { identity, embedding: None, policy_settings: None }
    }
}

/// Whose credentials the request came with: a key of ours, an access token of the identity provider, or a session. Where
/// there are others, the session's cookie is not looked at. A key for pages of other sites comes with what it is for.
async fn identified(parts: &Parts, Door { store, sign_in, .. }: &Door) -> Result<Identified, Problem> {
    if !parts.headers.contains_key(AUTHORIZATION) {
        return Ok(sign_in::person_of_session(store, sign_in.as_deref(), parts).await?.into());
    }
    let credentials = bearer(&parts.headers).ok_or_else(Problem::unauthenticated)?;
    if let Some(sign_in) = sign_in.as_ref().filter(|_| sign_in::is_token(credentials)) {
        return Ok(sign_in::person_of_token(store, sign_in, credentials).await?.into());
    }
    let KeyHolder { identity, embedding, policy_settings } = match store.authenticate(credentials).await {
        Ok(holder) => holder,
        Err(KeyError::Invalid) => return Err(Problem::unauthenticated()),
        Err(KeyError::Store(error)) => return Err(error.into()),
    };
    let identity = match &embedding {
        Some(_) => identity,
        // The key's tenant is the person's too, and so are the tenant's policies.
        None => speaking::spoken_for(parts, store, identity).await?,
    };
    Ok(Identified { identity, embedding, policy_settings: Some(PolicySettings(policy_settings)) })
}

/// What the header `Authorization` bears. Of two a proxy may have looked at the one and we at the other: neither counts.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).into_iter();
    let (Some(header), None) = (given.next(), given.next()) else { return None };
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
