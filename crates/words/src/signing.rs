//! The installation's signature on a receipt: Ed25519 (RFC 8032) over the receipt's digest.
//!
//! What is signed is the text `ibidem receipt` and the digest in hexadecimal, on two lines, so that the signature is good
//! for nothing else. Keys are published as a JSON Web Key Set (RFC 7517 and 8037), which any library reads, with when each
//! signed (`iat`, `exp`) and whether it was revoked, in the form of OpenID Federation's historical keys.

use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use super::Sha256Hash;

/// A key's name is as much of its digest as nobody meets twice by chance.
const LENGTH_OF_NAME: usize = 16;
/// A receipt says when its question was asked: clocks differ, and a question may be under way while a key is replaced.
const LEEWAY: TimeDelta = TimeDelta::minutes(5);

/// A signature says which key signed a receipt, and holds the proof.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptSignature {
    /// The key's id in the installation's key set.
    pub key: String,
    /// Holds the Ed25519 signature in base64url without padding.
    pub ed25519: String,
}

/// Holds the private half of a key pair. It is never written anywhere but where the installation keeps it.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not an Ed25519 key of 32 bytes")]
pub struct InvalidKey;

impl SigningKey {
    /// Makes a key of the 32 random bytes that an Ed25519 key is.
    pub fn from_seed(seed: &[u8]) -> Result<Self, InvalidKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| InvalidKey)?;
        let public = PublicKey::from_bytes(pair.public_key().as_ref())?;
        Ok(Self { pair, public })
    }

    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    pub fn sign(&self, receipt_sha256: Sha256Hash) -> ReceiptSignature {
        let signature = self.pair.sign(&signed_text(receipt_sha256));
        ReceiptSignature { key: self.public.id(), ed25519: URL_SAFE_NO_PAD.encode(signature) }
    }
}

/// Without the secret.
impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SigningKey").field("id", &self.public.id()).finish_non_exhaustive()
    }
}

/// The key that signs now, if any does. Clones share it: another one that is put in its place signs from the next receipt
/// on.
#[derive(Clone, Default, Debug)]
pub struct KeyInForce(Arc<RwLock<Option<Arc<SigningKey>>>>);

impl KeyInForce {
    pub fn of(key: SigningKey) -> Self {
        Self(Arc::new(RwLock::new(Some(Arc::new(key)))))
    }

    pub fn now(&self) -> Option<Arc<SigningKey>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn replace(&self, key: SigningKey) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(key));
    }

    /// Nobody else has it any more.
    pub fn is_alone(&self) -> bool {
        Arc::strong_count(&self.0) == 1
    }
}

/// The half that everybody may have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidKey> {
        bytes.try_into().map(Self).map_err(|_| InvalidKey)
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub fn id(&self) -> String {
        Sha256Hash::of(&self.0).short(LENGTH_OF_NAME)
    }

    fn has_signed(&self, receipt_sha256: Sha256Hash, signature: &ReceiptSignature) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(&signature.ed25519) else { return false };
        UnparsedPublicKey::new(&ED25519, self.0).verify(&signed_text(receipt_sha256), &bytes).is_ok()
    }
}

fn signed_text(receipt_sha256: Sha256Hash) -> Vec<u8> {
    format!("ibidem receipt\n{receipt_sha256}").into_bytes()
}

/// A public key and the time in which it signed, as far as that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KnownKey {
    pub key: PublicKey,
    pub signs_from: Option<DateTime<Utc>>,
    /// None where it signs still.
    pub signed_until: Option<DateTime<Utc>>,
    /// Since when nothing that it signed counts, whatever its date says: whoever took the key writes any date.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl KnownKey {
    fn was_in_force(&self, at: DateTime<Utc>) -> bool {
        self.signs_from.is_none_or(|from| at >= from - LEEWAY)
            && self.signed_until.is_none_or(|until| at <= until + LEEWAY)
    }

    fn to_web_key(&self) -> WebKey {
        WebKey {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            alg: Some("EdDSA".to_owned()),
            key_use: Some("sig".to_owned()),
            kid: Some(self.key.id()),
            x: URL_SAFE_NO_PAD.encode(self.key.0),
            iat: self.signs_from.map(|at| at.timestamp()),
            exp: self.signed_until.map(|at| at.timestamp()),
            revoked: self.revoked_at.map(|at| Revocation { revoked_at: at.timestamp() }),
        }
    }

    fn from_web_key(key: &WebKey) -> Result<Self, InvalidKey> {
        let time = |seconds: i64| DateTime::from_timestamp(seconds, 0).ok_or(InvalidKey);
        Ok(Self {
            key: PublicKey::from_bytes(&URL_SAFE_NO_PAD.decode(&key.x).map_err(|_| InvalidKey)?)?,
            signs_from: key.iat.map(time).transpose()?,
            signed_until: key.exp.map(time).transpose()?,
            revoked_at: key.revoked.map(|revoked| time(revoked.revoked_at)).transpose()?,
        })
    }
}

/// Of a key of which nothing else is known.
impl From<PublicKey> for KnownKey {
    fn from(key: PublicKey) -> Self {
        Self { key, signs_from: None, signed_until: None, revoked_at: None }
    }
}

/// The keys of an installation, those included that sign no more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PublicKeys(Vec<KnownKey>);

/// What a signature is worth.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum SignatureOutcome {
    Valid {
        key: String,
    },
    Unsigned,
    /// None of the keys at hand.
    UnknownKey {
        key: String,
    },
    /// The key is known, and has not signed this.
    Forged {
        key: String,
    },
    /// The key has signed this, with a date at which it did not sign receipts.
    OutOfTime {
        key: String,
    },
    /// The key has signed this and was revoked: anybody may have signed with it.
    Revoked {
        key: String,
        at: DateTime<Utc>,
    },
}

impl PublicKeys {
    pub fn of(keys: impl IntoIterator<Item = impl Into<KnownKey>>) -> Self {
        Self(keys.into_iter().map(Into::into).collect())
    }

    /// `asked_at` is the receipt's own date, which the digest covers.
    pub fn check(
        &self,
        receipt_sha256: Sha256Hash,
        asked_at: DateTime<Utc>,
        signature: Option<&ReceiptSignature>,
    ) -> SignatureOutcome {
        let Some(signature) = signature else { return SignatureOutcome::Unsigned };
        let key = signature.key.clone();
        match self.0.iter().find(|known| known.key.id() == key) {
            None => SignatureOutcome::UnknownKey { key },
            Some(known) if !known.key.has_signed(receipt_sha256, signature) => SignatureOutcome::Forged { key },
            Some(known) => match known.revoked_at {
                Some(at) => SignatureOutcome::Revoked { key, at },
                None if known.was_in_force(asked_at) => SignatureOutcome::Valid { key },
                None => SignatureOutcome::OutOfTime { key },
            },
        }
    }

    /// Writes the keys as a JSON Web Key Set.
    pub fn to_set(&self) -> KeySet {
        KeySet { keys: self.0.iter().map(KnownKey::to_web_key).collect() }
    }

    /// The Ed25519 keys of a set; others in it are somebody else's.
    pub fn from_set(set: &KeySet) -> Result<Self, InvalidKey> {
        let ours = set.keys.iter().filter(|key| key.kty == "OKP" && key.crv == "Ed25519");
        ours.map(KnownKey::from_web_key).collect::<Result<_, _>>().map(Self)
    }
}

/// A JSON Web Key Set (RFC 7517).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeySet {
    pub keys: Vec<WebKey>,
}

/// Describes a public key of an Edwards curve as a JSON Web Key (RFC 8037).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct WebKey {
    pub kty: String,
    #[serde(default)]
    pub crv: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alg: Option<String>,
    #[serde(rename = "use", skip_serializing_if = "Option::is_none")]
    pub key_use: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kid: Option<String>,
    #[serde(default)]
    pub x: String,
    /// Since when it signs, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iat: Option<i64>,
    /// When the key stopped signing, in seconds since 1970. It is left out while the key still signs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exp: Option<i64>,
    /// Left out where it was not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Revocation>,
}

/// That nothing a key signed counts any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Revocation {
    /// When the key was revoked, in seconds since 1970.
    pub revoked_at: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(day: u32) -> DateTime<Utc> {
        format!("2027-03-{day:02}T12:00:00Z").parse().unwrap()
    }

    fn key() -> SigningKey {
        SigningKey::from_seed(&[7; 32]).unwrap()
    }

    /// As whoever has only the published set reads it.
    fn published(keys: &PublicKeys) -> PublicKeys {
        PublicKeys::from_set(&serde_json::from_str(&serde_json::to_string(&keys.to_set()).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn only_the_key_that_signed_is_believed_and_only_for_what_it_signed() {
        let key = key();
        let other = SigningKey::from_seed(&[8; 32]).unwrap();
        let (signed, another) = (Sha256Hash::of(b"receipt"), Sha256Hash::of(b"another"));
        let signature = key.sign(signed);
        let id = key.public().id();
        let known = published(&PublicKeys::of([key.public().clone()]));
        let valid = SignatureOutcome::Valid { key: id.clone() };
        assert_eq!(known.check(signed, at(1), Some(&signature)), valid);
        assert_eq!(known.check(another, at(1), Some(&signature)), SignatureOutcome::Forged { key: id.clone() });
        assert_eq!(known.check(signed, at(1), None), SignatureOutcome::Unsigned);
        let strangers = PublicKeys::of([other.public().clone()]);
        assert_eq!(strangers.check(signed, at(1), Some(&signature)), SignatureOutcome::UnknownKey { key: id.clone() });
        // Another's signature under this key's name.
        let borrowed = ReceiptSignature { key: id.clone(), ..other.sign(signed) };
        assert_eq!(known.check(signed, at(1), Some(&borrowed)), SignatureOutcome::Forged { key: id });
        assert!(SigningKey::from_seed(b"short").is_err());
        assert!(!format!("{key:?}").contains("7, 7"), "the secret is not shown");
    }

    #[test]
    fn a_key_vouches_for_the_time_in_which_it_signed_and_for_nothing_once_it_is_revoked() {
        let (key, signed) = (key(), Sha256Hash::of(b"receipt"));
        let signature = key.sign(signed);
        let id = key.public().id();
        let known =
            KnownKey { signs_from: Some(at(10)), signed_until: Some(at(20)), ..KnownKey::from(key.public().clone()) };
        let check = |known: &KnownKey, asked_at| {
            published(&PublicKeys::of([known.clone()])).check(signed, asked_at, Some(&signature))
        };
        let out_of_time = SignatureOutcome::OutOfTime { key: id.clone() };
        for (asked_at, expected) in [
            (at(9), &out_of_time),
            (at(10) - TimeDelta::minutes(1), &SignatureOutcome::Valid { key: id.clone() }),
            (at(15), &SignatureOutcome::Valid { key: id.clone() }),
            (at(20) + TimeDelta::minutes(1), &SignatureOutcome::Valid { key: id.clone() }),
            (at(21), &out_of_time),
        ] {
            assert_eq!(&check(&known, asked_at), expected, "{asked_at}");
        }
        let revoked = KnownKey { revoked_at: Some(at(18)), ..known };
        assert_eq!(check(&revoked, at(15)), SignatureOutcome::Revoked { key: id, at: at(18) });
    }
}
