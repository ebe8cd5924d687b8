//! The provider's public keys, fetched again when a token names one that is not known, but not at anybody's will.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use ibidem_ports::identity_provider::ProviderError;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::fetch;

/// In so long the keys are fetched at most so often: tokens with invented key ids cost the provider no more than that.
const WITHIN: Duration = Duration::from_secs(60);
const MOST_FETCHES: usize = 6;

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

#[derive(Clone)]
struct Held {
    id: Option<String>,
    /// The one algorithm that it is for, where the provider says.
    only_for: Option<String>,
    kind: Kind,
    key: DecodingKey,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rsa,
    EllipticCurve,
    Edwards,
}

impl Kind {
    fn of(algorithm: Algorithm) -> Option<Self> {
        match algorithm {
            Algorithm::RS256
            | Algorithm::RS384
            | Algorithm::RS512
            | Algorithm::PS256
            | Algorithm::PS384
            | Algorithm::PS512 => Some(Self::Rsa),
            Algorithm::ES256 | Algorithm::ES384 => Some(Self::EllipticCurve),
            Algorithm::EdDSA => Some(Self::Edwards),
            _ => None,
        }
    }
}

impl Held {
    /// None for a key that checks no signatures, or none of ours: a shared secret among them is never used.
    fn parse(written: Value) -> Option<Self> {
        let text = |name: &str| written.get(name).and_then(Value::as_str).map(str::to_owned);
        let kind = match text("kty")?.as_str() {
            "RSA" => Kind::Rsa,
            "EC" => Kind::EllipticCurve,
            "OKP" => Kind::Edwards,
            _ => return None,
        };
        if text("use").is_some_and(|usage| usage != "sig") {
            return None;
        }
        let (id, only_for) = (text("kid"), text("alg"));
        let key = DecodingKey::from_jwk(&serde_json::from_value::<Jwk>(written).ok()?).ok()?;
        Some(Self { id, only_for, kind, key })
    }

    fn suits(&self, id: Option<&str>, algorithm: Algorithm) -> bool {
        let is_named = id.is_none_or(|id| self.id.as_deref() == Some(id));
        let is_for = self.only_for.as_ref().is_none_or(|name| *name == format!("{algorithm:?}"));
        is_named && is_for && Kind::of(algorithm) == Some(self.kind)
    }
}

/// The keys as they were fetched last.
#[derive(Default)]
pub(super) struct KeyRing {
    held: RwLock<Arc<[Held]>>,
    /// When they were fetched, the last few times. Whoever holds it fetches.
    fetches: Mutex<VecDeque<Instant>>,
}

impl KeyRing {
    /// The key that a token names. One that is not known is looked for at the provider, which may have new keys.
    pub(super) async fn key(
        &self,
        client: &reqwest::Client,
        address: &str,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<DecodingKey, ProviderError> {
        let known = self.known();
        if let Some(key) = find(&known, id, algorithm) {
            return Ok(key);
        }
        let mut fetches = self.fetches.lock().await;
        let meanwhile = self.known();
        if !Arc::ptr_eq(&known, &meanwhile)
            && let Some(key) = find(&meanwhile, id, algorithm)
        {
            return Ok(key);
        }
        let now = Instant::now();
        fetches.retain(|at| now.duration_since(*at) < WITHIN);
        if fetches.len() >= MOST_FETCHES {
            return Err(ProviderError::Refused("it names a key that is not known".to_owned()));
        }
        fetches.push_back(now);
        self.fetch(client, address).await?;
        let found = find(&self.known(), id, algorithm);
        found.ok_or_else(|| ProviderError::Refused("it names a key that the provider does not have".to_owned()))
    }

    /// Fetches them now: how many can be used.
    pub(super) async fn refresh(&self, client: &reqwest::Client, address: &str) -> Result<usize, ProviderError> {
        let _fetching = self.fetches.lock().await;
        self.fetch(client, address).await?;
        Ok(self.known().len())
    }

    async fn fetch(&self, client: &reqwest::Client, address: &str) -> Result<(), ProviderError> {
        let set: KeySet = fetch::success(client.get(address)).await?;
        let keys: Arc<[Held]> = set.keys.into_iter().filter_map(Held::parse).collect();
        *self.held.write().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    fn known(&self) -> Arc<[Held]> {
        self.held.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Without an id only where there is one that suits: of several, none is tried.
fn find(held: &[Held], id: Option<&str>, algorithm: Algorithm) -> Option<DecodingKey> {
    let mut suiting = held.iter().filter(|key| key.suits(id, algorithm));
    let first = suiting.next()?;
    if id.is_none() && suiting.next().is_some() {
        return None;
    }
    Some(first.key.clone())
}
