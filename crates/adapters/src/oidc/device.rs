//! Signing in on another device: for programs without a browser.

use std::time::Duration;

use ibidem_ports::identity_provider::ProviderError;
use serde::Deserialize;
use tokio::time::Instant;

use super::code::with_form;
use super::token::refused;
use super::{Oidc, fetch};

const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// How often to ask where the provider does not say, and by how much to slow down where it says so.
const PAUSE: Duration = Duration::from_secs(5);
/// Nobody is waited for any longer, whatever the provider says.
const LONGEST_WAIT: Duration = Duration::from_secs(1_800);

#[derive(Deserialize)]
struct DeviceReply {
    device_code: Option<String>,
    user_code: Option<String>,
    verification_uri: Option<String>,
    verification_uri_complete: Option<String>,
    expires_in: Option<u64>,
    interval: Option<u64>,
    error: Option<String>,
}

/// A sign-in that waits for somebody to confirm it.
#[derive(Clone, Debug)]
pub struct DeviceSignIn {
    /// What to type there.
    pub user_code: String,
    /// Where to confirm it.
    pub address: String,
    /// The same with the code in it, where the provider has such an address.
    pub address_with_code: Option<String>,
    device_code: String,
    expires_in: Duration,
    pause: Duration,
}

impl DeviceSignIn {
    /// Asks so often instead of as the provider says. For providers on this machine.
    #[must_use]
    pub fn asking_every(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }
}

impl Oidc {
    pub async fn begin_on_device(&self) -> Result<DeviceSignIn, ProviderError> {
        let metadata = self.metadata().await?;
        let address = metadata.device_authorization_endpoint.as_ref();
        let address = address.ok_or_else(|| refused("the provider has no sign-in by device code"))?;
        let scopes = self.settings.scopes.join(" ");
        let fields = [("client_id", self.settings.client_id.as_str()), ("scope", scopes.as_str())];
        let (_, reply) = fetch::document::<DeviceReply>(with_form(self.client.post(address), &fields)).await?;
        if let Some(error) = reply.error {
            return Err(refused(format!("the provider does not begin a sign-in: {error}")));
        }
        let (Some(device_code), Some(user_code), Some(address)) =
            (reply.device_code, reply.user_code, reply.verification_uri)
        else {
            return Err(refused("the provider's reply has no code, or no address to type it at"));
        };
        Ok(DeviceSignIn {
            device_code,
            user_code,
            address,
            address_with_code: reply.verification_uri_complete,
            expires_in: Duration::from_secs(reply.expires_in.unwrap_or(600)).min(LONGEST_WAIT),
            pause: reply.interval.map_or(PAUSE, Duration::from_secs),
        })
    }

    /// Waits until somebody has confirmed it: the access token.
    pub async fn await_confirmation(&self, begun: &DeviceSignIn) -> Result<String, ProviderError> {
        let deadline = Instant::now() + begun.expires_in;
        let mut pause = begun.pause;
        loop {
            tokio::time::sleep(pause).await;
            if Instant::now() >= deadline {
                return Err(refused("nobody confirmed the sign-in in time"));
            }
            let reply = self.tokens(&[("grant_type", DEVICE_GRANT), ("device_code", &begun.device_code)]).await?;
            match reply.error.as_deref() {
                None => return reply.access_token.ok_or_else(|| refused("the provider sent no access token")),
                Some("authorization_pending") => {}
                Some("slow_down") => pause += PAUSE,
                Some(error) => return Err(refused(format!("nobody signed in: {error}"))),
            }
        }
    }
}
