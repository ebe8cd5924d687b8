//! The key that signs receipts: the operator's file, or the one in the database.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use ibidem_store::Store;
use ibidem_words::{KeyInForce, SigningKey};

use crate::settings::Settings;

/// How often a running server looks whether another key signs now.
const LOOK_EVERY: Duration = Duration::from_secs(1);

pub async fn signing_key(settings: &Settings, store: &Store) -> anyhow::Result<KeyInForce> {
    let file = settings.receipts.signing_key_file.as_deref();
    let key = current(file, store).await?;
    store.know_signing_key(&key).await?;
    Ok(KeyInForce::of(key))
}

/// Puts another key in force as soon as it is there: another file, or the one that `ibidem signing-key rotate` made. What
/// cannot be read leaves the key that signs. Ends when nobody signs any more.
pub(super) async fn follow(in_force: KeyInForce, file: Option<PathBuf>, store: Store) {
    let mut trouble = None;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        if in_force.is_alone() {
            return;
        }
        let said = look(&in_force, file.as_deref(), &store).await.err().map(|error| format!("{error:#}"));
        if let Some(error) = said.as_ref().filter(|_| said != trouble) {
            tracing::warn!(error, "whether another key signs receipts cannot be found out; the one in force goes on");
        }
        trouble = said;
    }
}

async fn look(in_force: &KeyInForce, file: Option<&Path>, store: &Store) -> anyhow::Result<()> {
    let key = current(file, store).await?;
    let before = in_force.now();
    if before.as_ref().is_none_or(|before| before.public() != key.public()) {
        // Before anything is signed with it.
        store.know_signing_key(&key).await?;
        tracing::info!(key = key.public().id(), "another key signs receipts from now on");
        in_force.replace(key);
        if let Some(before) = before {
            store.retire_signing_key(before.public()).await?;
        }
    }
    Ok(())
}

async fn current(file: Option<&Path>, store: &Store) -> anyhow::Result<SigningKey> {
    match file {
        Some(path) => key_in(path),
        None => Ok(store.signing_key().await?),
    }
}

/// The file's content is never repeated: it is a secret.
pub fn key_in(path: &Path) -> anyhow::Result<SigningKey> {
    let said = || format!("`receipts.signing_key_file` ({}) cannot be read", path.display());
    let digits = std::fs::read_to_string(path).with_context(said)?;
    let wrong = "must hold 64 hexadecimal digits, for example from `openssl rand -hex 32`";
    let wrong = || format!("`receipts.signing_key_file` ({}) {wrong}", path.display());
    let seed = hex::decode(digits.trim()).ok().with_context(wrong)?;
    SigningKey::from_seed(&seed).ok().with_context(wrong)
}

#[cfg(test)]
mod tests {
    use ibidem_testing::database::TestDatabase;
    use ibidem_words::{PublicKey, Sha256Hash, SignatureOutcome};

    use super::*;

    #[tokio::test]
    async fn a_rotated_key_signs_at_once_and_a_file_that_cannot_be_read_leaves_the_key() {
        let database = TestDatabase::create().await;
        let store = &database.store;
        let in_force = KeyInForce::of(current(None, store).await.unwrap());
        let signs = || in_force.now().unwrap().public().clone();
        let first = signs();
        look(&in_force, None, store).await.unwrap();
        assert_eq!(signs(), first);
        let rotated = store.rotate_signing_key().await.unwrap();
        look(&in_force, None, store).await.unwrap();
        assert_eq!((&signs(), signs() == first), (rotated.public(), false));
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "0f".repeat(32)).unwrap();
        look(&in_force, Some(file.path()), store).await.unwrap();
        let of_file = SigningKey::from_seed(&[0x0f; 32]).unwrap();
        assert_eq!(&signs(), of_file.public());
        let published = store.public_keys().await.unwrap().to_set();
        assert!(published.keys.iter().any(|key| key.kid.as_ref() == Some(&of_file.public().id())));
        assert!(published.keys.iter().any(|key| key.kid.as_ref() == Some(&first.id()) && key.exp.is_some()));
        std::fs::write(file.path(), "half a f").unwrap();
        assert!(look(&in_force, Some(file.path()), store).await.is_err());
        assert_eq!(&signs(), of_file.public());
        // Back to the database's key: the file's is retired, and may come back unless it is revoked.
        look(&in_force, None, store).await.unwrap();
        let state = async |key: &PublicKey| {
            let listed = store.list_signing_keys().await.unwrap();
            let row = listed.into_iter().find(|row| row.id == key.id()).unwrap();
            (row.is_kept_here, row.retired_at.is_some(), row.revoked_at.is_some())
        };
        assert_eq!(state(of_file.public()).await, (false, true, false));
        std::fs::write(file.path(), "0f".repeat(32)).unwrap();
        look(&in_force, Some(file.path()), store).await.unwrap();
        assert_eq!(state(of_file.public()).await, (false, false, false));
        store.revoke_signing_key(&of_file.public().id()).await.unwrap();
        look(&in_force, None, store).await.unwrap();
        assert_eq!(&signs(), rotated.public());
        let error = look(&in_force, Some(file.path()), store).await.unwrap_err();
        assert!(error.to_string().contains("was revoked"), "{error}");
        assert_eq!(&signs(), rotated.public());
        // What the database keeps of a revoked key is the public half alone.
        store.rotate_signing_key().await.unwrap();
        store.revoke_signing_key(&rotated.public().id()).await.unwrap();
        assert_eq!(state(rotated.public()).await, (false, true, true));
        assert!(store.revoke_signing_key("0123456789abcdef").await.is_err());
        let (receipt, asked_at) = (Sha256Hash::of(b"receipt"), chrono::Utc::now());
        let keys = store.public_keys().await.unwrap();
        let outcome = keys.check(receipt, asked_at, Some(&rotated.sign(receipt)));
        assert!(matches!(outcome, SignatureOutcome::Revoked { .. }), "{outcome:?}");
        database.drop_database().await;
    }

    #[test]
    fn a_key_is_read_from_its_file_and_what_is_none_is_not_repeated() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("{}\n", "0f".repeat(32))).unwrap();
        let expected = SigningKey::from_seed(&[0x0f; 32]).unwrap();
        assert_eq!(key_in(file.path()).unwrap().public(), expected.public());
        for wrong in ["secretsecret", "0f", &"0f".repeat(33)] {
            std::fs::write(file.path(), wrong).unwrap();
            let error = format!("{:#}", key_in(file.path()).unwrap_err());
            assert!(error.contains("64 hexadecimal digits") && !error.contains("secretsecret"), "{error}");
        }
    }
}
