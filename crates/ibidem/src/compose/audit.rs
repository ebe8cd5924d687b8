//! Where turns are recorded, and how.

use std::path::Path;

use anyhow::Context as _;
use chrono::TimeDelta;
use ibidem_server::AuditSettings as ServerAudit;
use ibidem_store::{AuditLog, HashKey, Store, Texts};

use crate::settings::{AuditSettings, HashKeySource, RecordedTexts};

/// None when nothing is recorded.
pub(crate) fn log(settings: &AuditSettings, store: &Store) -> anyhow::Result<Option<AuditLog>> {
    if !settings.records {
        return Ok(None);
    }
    let texts = match &settings.texts {
        RecordedTexts::Plain => Texts::Plain,
        RecordedTexts::Hashed(HashKeySource::Given(key)) => Texts::Hashed(HashKey::of(key.as_bytes())),
        RecordedTexts::Hashed(HashKeySource::File(path)) => Texts::Hashed(HashKey::of(&key_in(path)?)),
    };
    Ok(Some(AuditLog { store: store.clone(), texts }))
}

pub(crate) fn for_server(settings: &AuditSettings, store: &Store) -> anyhow::Result<ServerAudit> {
    Ok(ServerAudit { log: log(settings, store)?, retention: retention(settings) })
}

pub(crate) fn retention(settings: &AuditSettings) -> Option<TimeDelta> {
    settings.retention_days.map(|days| TimeDelta::days(days.into()))
}

/// Without the line break that editors end a file with.
fn key_in(path: &Path) -> anyhow::Result<Vec<u8>> {
    const SHORTEST: usize = 32;
    let said = || format!("`audit.hash_key_file` ({}) cannot be read", path.display());
    let key = std::fs::read(path).with_context(said)?.trim_ascii().to_vec();
    let shown = path.display();
    anyhow::ensure!(key.len() >= SHORTEST, "`audit.hash_key_file` ({shown}) must hold at least {SHORTEST} characters");
    Ok(key)
}
