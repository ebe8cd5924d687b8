//! The installation's signature on a receipt: Ed25519 (RFC 8032) over the receipt's digest.
//!
//! What is signed is the text `ibidem receipt` and the digest in hexadecimal, on two lines, so that the signature is good
//! for nothing else. Keys are published as a JSON Web Key Set (RFC 7517 and 8037), which any library reads.

use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use super::Sha256Hash;

/// A key's name is as much of its digest as nobody meets twice by chance.
const LENGTH_OF_NAME: usize = 16;

/// Who signed, and the signature.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ReceiptSignature {
    /// The key's id in the installation's key set.
    pub key: String,
    /// Ed25519, base64url without padding.
    pub ed25519: String,
}

/// The private half. It is never written anywhere but where the installation keeps it.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not an Ed25519 key of 32 bytes")]
pub struct InvalidKey;

impl SigningKey {
    /// From the 32 random bytes that an Ed25519 key is.
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

/// The keys of an installation, those included that sign no more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PublicKeys(Vec<PublicKey>);

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
}

impl PublicKeys {
    pub fn of(keys: impl IntoIterator<Item = PublicKey>) -> Self {
        Self(keys.into_iter().collect())
    }

    pub fn check(&self, receipt_sha256: Sha256Hash, signature: Option<&ReceiptSignature>) -> SignatureOutcome {
        let Some(signature) = signature else { return SignatureOutcome::Unsigned };
        let key = signature.key.clone();
        match self.0.iter().find(|known| known.id() == key) {
            None => SignatureOutcome::UnknownKey { key },
            Some(known) if known.has_signed(receipt_sha256, signature) => SignatureOutcome::Valid { key },
            Some(_) => SignatureOutcome::Forged { key },
        }
    }

    /// As a JSON Web Key Set.
    pub fn to_set(&self) -> KeySet {
        let keys = self.0.iter().map(|key| WebKey {
            kty: "OKP".to_owned(),
            crv: "Ed25519".to_owned(),
            alg: Some("EdDSA".to_owned()),
            key_use: Some("sig".to_owned()),
            kid: Some(key.id()),
            x: URL_SAFE_NO_PAD.encode(key.0),
        });
        KeySet { keys: keys.collect() }
    }

    /// The Ed25519 keys of a set; others in it are somebody else's.
    pub fn from_set(set: &KeySet) -> Result<Self, InvalidKey> {
        let ours = set.keys.iter().filter(|key| key.kty == "OKP" && key.crv == "Ed25519");
        let read = |key: &WebKey| PublicKey::from_bytes(&URL_SAFE_NO_PAD.decode(&key.x).map_err(|_| InvalidKey)?);
        ours.map(read).collect::<Result<_, _>>().map(Self)
    }
}

/// A JSON Web Key Set (RFC 7517).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct KeySet {
    pub keys: Vec<WebKey>,
}

/// A public key of an Edwards curve (RFC 8037).
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_that_signed_is_believed_and_only_for_what_it_signed() {
        let key = SigningKey::from_seed(&[7; 32]).unwrap();
        let other = SigningKey::from_seed(&[8; 32]).unwrap();
        let (signed, another) = (Sha256Hash::of(b"receipt"), Sha256Hash::of(b"another"));
        let signature = key.sign(signed);
        let id = key.public().id();
        let set = serde_json::to_string(&PublicKeys::of([key.public().clone()]).to_set()).unwrap();
        let known = PublicKeys::from_set(&serde_json::from_str(&set).unwrap()).unwrap();
        let valid = SignatureOutcome::Valid { key: id.clone() };
        assert_eq!(known.check(signed, Some(&signature)), valid);
        assert_eq!(known.check(another, Some(&signature)), SignatureOutcome::Forged { key: id.clone() });
        assert_eq!(known.check(signed, None), SignatureOutcome::Unsigned);
        let strangers = PublicKeys::of([other.public().clone()]);
        assert_eq!(strangers.check(signed, Some(&signature)), SignatureOutcome::UnknownKey { key: id.clone() });
        // Another's signature under this key's name.
        let borrowed = ReceiptSignature { key: id.clone(), ..other.sign(signed) };
        assert_eq!(known.check(signed, Some(&borrowed)), SignatureOutcome::Forged { key: id });
        assert!(SigningKey::from_seed(b"short").is_err());
        assert!(!format!("{key:?}").contains("7, 7"), "the secret is not shown");
    }
}
