//! A key that speaks for a person: the front end that holds it signs whom it speaks for.

use axum::http::request::Parts;
use chrono::Utc;
use ibidem_store::{PersonError, Store};
use ibidem_words::{Identity, SubjectId};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde::Deserialize;

use crate::audit::Act;
use crate::problem::Problem;

/// The header that Open WebUI sends; other front ends may send the same.
const HEADER: &str = "x-openwebui-user-jwt";
/// What a front end signs counts for a few minutes, and never longer than this.
const LONGEST_SECONDS: i64 = 600;
const LEEWAY_SECONDS: u64 = 30;
const LONGEST_TOKEN: usize = 8 * 1024;

/// What the front end says of its user. Their id there is not an id here, so it is the verified address that counts.
#[derive(Deserialize)]
struct UserClaims {
    email: String,
    iat: i64,
    exp: i64,
}

impl UserClaims {
    /// It was said already, and for no longer than such words count. What is said from a time to come would count longer:
    /// until its expiry, from now on.
    fn is_timely(&self, now: i64) -> bool {
        let is_short = self.exp.checked_sub(self.iat).is_some_and(|seconds| (0..=LONGEST_SECONDS).contains(&seconds));
        is_short && self.iat <= now.saturating_add_unsigned(LEEWAY_SECONDS)
    }
}

/// Whom a request with a key is for: the person whom the front end names, or the key itself where it names nobody.
///
/// The person's groups decide what is seen; role and collections to hand in to are never more than the key's.
pub(crate) async fn spoken_for(parts: &Parts, store: &Store, key: Identity) -> Result<Identity, Problem> {
    let mut given = parts.headers.get_all(HEADER).into_iter();
    let token = match (given.next(), given.next()) {
        (None, _) => return Ok(key),
        (Some(token), None) => token.to_str().ok().filter(|token| token.len() <= LONGEST_TOKEN),
        (Some(_), Some(_)) => None,
    };
    let token = token.ok_or_else(Problem::not_spoken_for)?;
    let SubjectId::Key(id) = key.subject().id() else { return Err(Problem::may_not_speak()) };
    let secret = store.speaking_secret(key.tenant(), id).await?.ok_or_else(Problem::may_not_speak)?;
    let mut validation = Validation::new(Algorithm::HS256);
    validation.leeway = LEEWAY_SECONDS;
    validation.validate_aud = false;
    let decoded = decode::<UserClaims>(token, &DecodingKey::from_secret(secret.as_bytes()), &validation);
    let decoded = decoded.map_err(|error| {
        tracing::info!(%error, "a key does not prove for whom it speaks");
        Problem::not_spoken_for()
    })?;
    let claims = decoded.claims;
    if !claims.is_timely(Utc::now().timestamp()) {
        tracing::info!(
            said.iat = claims.iat,
            said.exp = claims.exp,
            "a key speaks for somebody for too long, or from a time to come"
        );
        return Err(Problem::not_spoken_for());
    }
    match store.person_by_email(key.tenant(), &claims.email).await {
        Ok(person) => {
            Act::of(&parts.extensions).detail("spoken_by", key.subject().id().to_string());
            Ok(person.at_most(&key))
        }
        Err(PersonError::NotAdmitted) => Err(Problem::not_admitted()),
        Err(PersonError::Store(error)) => Err(error.into()),
    }
}
