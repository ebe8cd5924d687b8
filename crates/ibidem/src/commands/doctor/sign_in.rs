//! Whether people can sign in.

use ibidem_adapters::oidc::OidcSettings;

use super::Finding;
use crate::compose;
use crate::settings::Settings;

const PART: &str = "sign-in";

pub(super) async fn sign_in(settings: &Settings) -> Finding {
    let Some(sign_in) = settings.sign_in() else {
        return Finding::ok(PART, "nobody signs in: `sign_in.issuer` is empty");
    };
    let OidcSettings { issuer, audiences, .. } = sign_in.oidc();
    let checked = match compose::sign_in::provider(sign_in) {
        Ok(provider) => provider.check().await.map_err(|error| error.to_string()),
        Err(error) => Err(format!("{error:#}")),
    };
    match checked {
        Ok(0) => Finding::broken(
            PART,
            format!("{issuer} has no key that could check a signature"),
            "give the provider a signing key of type RSA, EC or Ed25519",
        ),
        Ok(keys) if audiences.is_empty() => {
            Finding::ok(PART, format!("at {issuer}, {keys} keys; bearer tokens are not accepted (`sign_in.audiences`)"))
        }
        Ok(keys) => Finding::ok(PART, format!("at {issuer}, {keys} keys")),
        Err(error) => Finding::broken(
            PART,
            format!("{issuer}: {error}"),
            "correct `sign_in.issuer`, or start the provider; API keys go on to work without it",
        ),
    }
}
