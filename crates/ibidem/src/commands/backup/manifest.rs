//! What a backup says of itself: written last, so that one without it is not complete.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use chrono::{DateTime, Utc};
use ibidem_store::TableShape;
use ibidem_words::Sha256Hash;
use serde::{Deserialize, Serialize};

/// The form of backups that this version writes and reads.
pub(in crate::commands) const FORMAT: u32 = 1;
pub(in crate::commands) const TABLES: &str = "tables";
pub(in crate::commands) const ORIGINALS: &str = "originals";
const NAME: &str = "backup.json";

#[derive(Serialize, Deserialize)]
pub(in crate::commands) struct Manifest {
    pub(in crate::commands) format: u32,
    pub(in crate::commands) made_at: DateTime<Utc>,
    /// The version of Ibidem.
    pub(in crate::commands) made_by: String,
    pub(in crate::commands) schema_version: i64,
    pub(in crate::commands) tables: Vec<KeptTable>,
    /// None when they were left out.
    pub(in crate::commands) originals: Option<KeptOriginals>,
}

#[derive(Serialize, Deserialize)]
pub(in crate::commands) struct KeptTable {
    #[serde(flatten)]
    pub(in crate::commands) shape: TableShape,
    /// Below the folder.
    pub(in crate::commands) file: PathBuf,
    pub(in crate::commands) rows: u64,
    /// Of the file.
    pub(in crate::commands) sha256: Sha256Hash,
}

#[derive(Default, Serialize, Deserialize)]
pub(in crate::commands) struct KeptOriginals {
    pub(in crate::commands) count: u64,
    pub(in crate::commands) bytes: u64,
    /// Those that documents name and that are not where originals are kept.
    pub(in crate::commands) lost: Vec<Sha256Hash>,
}

pub(in crate::commands) fn table_file(shape: &TableShape) -> PathBuf {
    Path::new(TABLES).join(format!("{}.copy.gz", shape.name))
}

impl Manifest {
    pub(in crate::commands) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let (path, unfinished) = (folder.join(NAME), folder.join(format!("{NAME}.part")));
        fs::write(&unfinished, serde_json::to_vec_pretty(self)?)
            .and_then(|()| File::open(&unfinished)?.sync_all())
            .and_then(|()| fs::rename(&unfinished, &path))
            .with_context(|| path.display().to_string())
    }

    /// Reads it, and checks that every file is there as it was written.
    pub(in crate::commands) fn load(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join(NAME);
        let text = fs::read(&path)
            .with_context(|| format!("{} is not a complete backup: it has no {NAME}", folder.display()))?;
        let manifest: Self = serde_json::from_slice(&text).with_context(|| path.display().to_string())?;
        if manifest.format != FORMAT {
            bail!("{}: a backup of form {}; this version reads form {FORMAT}", path.display(), manifest.format);
        }
        for table in &manifest.tables {
            if table.file != table_file(&table.shape) {
                bail!("{}: {} is not where table {} is kept", path.display(), table.file.display(), table.shape.name);
            }
            let file = folder.join(&table.file);
            let named = || file.display().to_string();
            let found = Sha256Hash::of_reader(&mut File::open(&file).with_context(named)?).with_context(named)?;
            if found != table.sha256 {
                bail!("{} was changed or is damaged: its SHA-256 is not the one in {NAME}", file.display());
            }
        }
        Ok(manifest)
    }

    pub(in crate::commands) fn summary(&self) -> String {
        let rows: u64 = self.tables.iter().map(|table| table.rows).sum();
        let originals = match &self.originals {
            None => "no originals".to_owned(),
            Some(kept) => format!("{} originals ({} MB)", kept.count, kept.bytes / 1_000_000),
        };
        format!("{rows} rows of {} tables and {originals}", self.tables.len())
    }
}
