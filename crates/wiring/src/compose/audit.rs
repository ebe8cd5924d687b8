//! Where turns are recorded, and how.

use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use chrono::TimeDelta;
use ibidem_server::AuditSettings as ServerAudit;
use ibidem_store::{ActionRecord, AuditLog, HashKey, Store, Texts};

use crate::console;
use crate::settings::{AuditSettings, RecordedTexts, SecretSource, Settings};

/// None when nothing is recorded.
pub fn log(settings: &AuditSettings, store: &Store) -> anyhow::Result<Option<AuditLog>> {
    if !settings.records() {
        return Ok(None);
    }
    let texts = match settings.texts() {
        RecordedTexts::Plain => Texts::Plain,
        RecordedTexts::Hashed(SecretSource::Given(key)) => Texts::Hashed(HashKey::of(key.as_str().as_bytes())),
        RecordedTexts::Hashed(SecretSource::File(path)) => Texts::Hashed(HashKey::of(&key_in(&path)?)),
    };
    Ok(Some(AuditLog { store: store.clone(), texts }))
}

/// Puts on record what the operator did, where anything is recorded. What has failed is recorded if the database answers
/// at once: it may be what failed.
pub async fn record(settings: &Settings, act: ActionRecord) {
    const PATIENCE: Duration = Duration::from_secs(2);
    let is_done = act.outcome == ActionRecord::DONE;
    let kept = async {
        let Some(log) = log(&settings.audit, &super::store(settings)?)? else { return anyhow::Ok(()) };
        if !is_done && !matches!(tokio::time::timeout(PATIENCE, log.store.ping()).await, Ok(Ok(_))) {
            return Ok(());
        }
        Ok(log.keep_action(act).await?)
    };
    if let Err(error) = kept.await {
        console::note(&format!("this action was not recorded: {error:#}"));
    }
}

pub fn for_server(settings: &AuditSettings, store: &Store) -> anyhow::Result<ServerAudit> {
    Ok(ServerAudit { log: log(settings, store)?, retention: retention(settings) })
}

pub fn retention(settings: &AuditSettings) -> Option<TimeDelta> {
    settings.retention_days().map(|days| TimeDelta::days(days.into()))
}

/// Without the line break that editors end a file with.
fn key_in(path: &Path) -> anyhow::Result<Vec<u8>> {
    let said = || format!("`audit.hash_key_file` ({}) cannot be read", path.display());
    let key = std::fs::read(path).with_context(said)?.trim_ascii().to_vec();
    let shown = path.display();
    anyhow::ensure!(
        key.len() >= SecretSource::SHORTEST,
        "`audit.hash_key_file` ({shown}) must hold at least {} characters",
        SecretSource::SHORTEST
    );
    Ok(key)
}
