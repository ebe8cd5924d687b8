//! The key that signs receipts: the operator's file, or the one in the database.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_store::Store;
use ibidem_words::SigningKey;

use crate::settings::Settings;

pub async fn signing_key(settings: &Settings, store: &Store) -> anyhow::Result<Arc<SigningKey>> {
    let Some(path) = &settings.signing_key_file else { return Ok(Arc::new(store.signing_key().await?)) };
    let key = key_in(path)?;
    store.know_signing_key(&key).await?;
    Ok(Arc::new(key))
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
    use super::*;

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
