//! A webhook: JSON by POST, signed, to the address that the operator wrote and to no other.

use std::time::Duration;

use chrono::Utc;
use hmac::{Hmac, KeyInit as _, Mac as _};
use ibidem_words::HandOver;
use sha2::Sha256;

use super::{HandOverError, Secret};
use crate::openai::reason;

/// Carries the id of the question, by which a receiver drops what it has already.
pub const ID_HEADER: &str = "X-Ibidem-Id";
/// Carries when it was signed, and the signature.
pub const SIGNATURE_HEADER: &str = "X-Ibidem-Signature";

pub struct Webhook {
    url: String,
    secret: Secret,
    client: reqwest::Client,
}

impl Webhook {
    pub fn new(url: String, secret: Secret) -> Result<Self, HandOverError> {
        let client = reqwest::Client::builder()
            .connect_timeout(Duration::from_secs(5))
            // Never to another host than the one that was configured.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| HandOverError::because(reason(&error)))?;
        Ok(Self { url, secret, client })
    }

    pub(super) async fn send(&self, hand_over: &HandOver) -> Result<(), HandOverError> {
        let body = serde_json::to_vec(hand_over).map_err(HandOverError::because)?;
        let signature = signature(&self.secret, Utc::now().timestamp(), &body)?;
        let post = self
            .client
            .post(&self.url)
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .header(ID_HEADER, hand_over.id.to_string())
            .header(SIGNATURE_HEADER, signature)
            .body(body);
        // What else it says is not read.
        let status = post.send().await.map_err(|error| HandOverError::because(unreached(error)))?.status();
        match status.is_success() {
            true => Ok(()),
            false if status.is_redirection() => {
                Err(HandOverError::because(format!("status {}: redirects are not followed", status.as_u16())))
            }
            false => Err(HandOverError::because(format!("status {}", status.as_u16()))),
        }
    }

    /// Any reply shows that somebody is there.
    pub(super) async fn check(&self) -> Result<String, HandOverError> {
        let reply = self.client.head(&self.url).send().await;
        let status = reply.map_err(|error| HandOverError::because(unreached(error)))?.status();
        Ok(format!("its server answers (status {} to HEAD)", status.as_u16()))
    }
}

/// Without the address: it may hold a word that only its owner should know.
fn unreached(error: reqwest::Error) -> String {
    reason(&error.without_url())
}

/// `t=UNIX,v1=HEX`, where HEX is the HMAC-SHA256 of the time, a full stop and the body.
pub fn signature(secret: &Secret, unix: i64, body: &[u8]) -> Result<String, HandOverError> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_str().as_bytes()).map_err(HandOverError::because)?;
    mac.update(format!("{unix}.").as_bytes());
    mac.update(body);
    Ok(format!("t={unix},v1={}", hex::encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By `printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef`.
    #[test]
    fn the_signature_is_what_openssl_makes() {
        let secret = Secret::new("0123456789abcdef0123456789abcdef");
        let signed = signature(&secret, 1_700_000_000, br#"{"a":1}"#).unwrap();
        assert_eq!(signed, "t=1700000000,v1=f05f2539e3ae1c49aec5f8cfdad75ef6b06480b133973ffbb7ec9e18827af177");
        assert_ne!(signed, signature(&Secret::new("another"), 1_700_000_000, br#"{"a":1}"#).unwrap());
        assert_ne!(signed, signature(&secret, 1_700_000_001, br#"{"a":1}"#).unwrap());
        assert!(!format!("{secret:?}").contains("0123"));
    }
}
