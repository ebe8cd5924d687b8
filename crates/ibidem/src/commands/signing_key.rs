//! `ibidem signing-key`: the keys that sign receipts.

use ibidem_store::{ActionRecord, AuditedAction};

use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Subcommand)]
pub(crate) enum SigningKeyCommand {
    /// Lists the current and former keys that sign receipts, without the private keys.
    List,
    /// Prints the public keys as a JSON Web Key Set, as the server does at /.well-known/ibidem-receipt-keys.json.
    Public,
    /// Creates a new key. Running servers sign with it within a second. Receipts signed with the old key can still be
    /// checked.
    Rotate,
}

impl SigningKeyCommand {
    /// Reading public keys touches nobody's data.
    pub(crate) fn act(&self) -> Option<ActionRecord> {
        matches!(self, Self::Rotate).then(|| ActionRecord::by_operator(AuditedAction::RotateSigningKey, None))
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        match self {
            Self::List => {
                let mut table = console::table(&["id", "made", "kept in", "state"]);
                for key in store.list_signing_keys().await? {
                    let kept = if key.is_kept_here { "the database" } else { "a file" };
                    let state = match key.retired_at {
                        Some(at) => format!("signs no more since {}", at.format("%F")),
                        None => "signs".to_owned(),
                    };
                    table.add_row([key.id, key.created_at.format("%F").to_string(), kept.to_owned(), state]);
                }
                console::say(&table.to_string());
            }
            Self::Public => console::say_json(&store.public_keys().await?.to_set())?,
            Self::Rotate => {
                anyhow::ensure!(
                    settings.signing_key_file.is_none(),
                    "the key that signs is in a file (`receipts.signing_key_file`): put another one there, and running servers \
                     sign with it within a second"
                );
                let key = store.rotate_signing_key().await?;
                console::say(&format!(
                    "key {} signs from now on, in running servers within a second",
                    key.public().id()
                ));
            }
        }
        Ok(())
    }
}
