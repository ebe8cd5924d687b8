//! `ibidem signing-key`: the keys that sign receipts.

use ibidem_store::{ActionRecord, AuditedAction, Store};

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
    /// Revokes a key that somebody else may have. From now on no receipt that it signed counts as signed, whatever its
    /// date says. If it is the key that signs, a new one is created first. This cannot be undone.
    Revoke {
        /// The key's id, as `ibidem signing-key list` shows it.
        id: String,
    },
}

impl SigningKeyCommand {
    /// Reading public keys touches nobody's data.
    pub(crate) fn act(&self) -> Option<ActionRecord> {
        match self {
            Self::List | Self::Public => None,
            Self::Rotate => Some(ActionRecord::by_operator(AuditedAction::RotateSigningKey, None)),
            Self::Revoke { .. } => Some(ActionRecord::by_operator(AuditedAction::RevokeSigningKey, None)),
        }
    }

    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        match self {
            Self::List => {
                let mut table = console::table(&["id", "made", "kept in", "state"]);
                for key in store.list_signing_keys().await? {
                    let kept = match (key.is_kept_here, key.revoked_at) {
                        (true, _) => "the database",
                        (false, None) => "a file",
                        (false, Some(_)) => "",
                    };
                    let state = match (key.revoked_at, key.retired_at) {
                        (Some(at), _) => format!("revoked on {}", at.format("%F")),
                        (None, Some(at)) => format!("signs no more since {}", at.format("%F")),
                        (None, None) => "signs".to_owned(),
                    };
                    table.add_row([key.id, key.created_at.format("%F").to_string(), kept.to_owned(), state]);
                }
                console::say(&table.to_string());
            }
            Self::Public => console::say_json(&store.public_keys().await?.to_set())?,
            Self::Rotate => {
                anyhow::ensure!(
                    settings.receipts.signing_key_file.is_none(),
                    "the key that signs is in a file (`receipts.signing_key_file`): put another one there, and running servers \
                     sign with it within a second"
                );
                rotate(&store).await?;
            }
            Self::Revoke { id } => {
                match &settings.receipts.signing_key_file {
                    Some(file) => anyhow::ensure!(
                        compose::signing::key_in(file)?.public().id() != id,
                        "this is the key that signs (`receipts.signing_key_file`): put another one there first"
                    ),
                    None if store.signing_key().await?.public().id() == id => rotate(&store).await?,
                    None => {}
                }
                store.revoke_signing_key(&id).await?;
                console::say(&format!("key {id} is revoked: no receipt that it signed counts as signed any more"));
            }
        }
        Ok(())
    }
}

async fn rotate(store: &Store) -> anyhow::Result<()> {
    let key = store.rotate_signing_key().await?;
    console::say(&format!("key {} signs from now on, in running servers within a second", key.public().id()));
    Ok(())
}
