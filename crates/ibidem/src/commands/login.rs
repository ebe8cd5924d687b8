//! `ibidem login`: an access token for a person, by device code.

use anyhow::Context as _;

use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Args)]
pub(crate) struct Login;

impl Login {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let sign_in = settings.sign_in();
        let sign_in = sign_in.context("nobody signs in here: `sign_in.issuer` is empty (docs/sign_in.md)")?;
        let provider = compose::sign_in::device_provider(sign_in)?;
        let begun = provider.begin_on_device().await?;
        let address = begun.address_with_code.as_ref().unwrap_or(&begun.address);
        console::note(&format!("open {address} in a browser, and confirm the code {}", begun.user_code));
        let token = provider.await_confirmation(&begun).await?;
        console::note("signed in; send it as `Authorization: Bearer <token>`:");
        console::say(&token);
        Ok(())
    }
}
