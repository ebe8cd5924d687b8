//! Who is asking: the one way from a request to an identity.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use ibidem_store::KeyError;
use ibidem_words::{Identity, Role, Scope};

use crate::audit::Act;
use crate::limits::RequestSlot;
use crate::problem::Problem;
use crate::state::AppState;

/// An authenticated caller. A handler that takes one cannot be reached without a valid key.
#[derive(Clone, Debug)]
pub(crate) struct Caller(pub(crate) Identity);

impl Caller {
    pub(crate) fn scope(&self) -> Scope {
        Scope::of(&self.0)
    }

    pub(crate) fn require(&self, role: Role) -> Result<(), Problem> {
        if self.0.role() >= role {
            return Ok(());
        }
        Err(Problem::forbidden(format!(
            "It needs the role {}; this key has the role {}.",
            role.as_str(),
            self.0.role().as_str()
        )))
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Self::Rejection> {
        let key = bearer(&parts.headers).ok_or_else(Problem::unauthenticated)?;
        match state.store.authenticate(key).await {
            Ok(identity) => {
                if let Some(act) = parts.extensions.get::<Act>() {
                    act.by(&identity);
                }
                if let Some(slot) = parts.extensions.get::<RequestSlot>() {
                    slot.count_for(state, key)?;
                    slot.count_for_tenant(state, identity.tenant())?;
                    state.quotas.admit(&state.store, &identity, None).await?;
                }
                Ok(Self(identity))
            }
            Err(KeyError::Invalid) => Err(Problem::unauthenticated()),
            Err(KeyError::Store(error)) => Err(error.into()),
        }
    }
}

/// What the header `Authorization` bears. Of two a proxy may have looked at the one and we at the other: neither counts.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).into_iter();
    let (Some(header), None) = (given.next(), given.next()) else { return None };
    let (scheme, token) = header.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// A caller who may curate: known before anything of the body is read.
#[derive(Clone, Debug)]
pub(crate) struct Curator(pub(crate) Identity);

impl FromRequestParts<AppState> for Curator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Self::Rejection> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.require(Role::Curator)?;
        Ok(Self(caller.0))
    }
}
