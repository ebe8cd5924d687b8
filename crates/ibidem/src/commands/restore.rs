//! `ibidem restore`: a backup, back into an empty installation.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::read::GzDecoder;
use ibidem_adapters::object_store::StoredOriginals;
use ibidem_ports::originals::Originals as _;
use ibidem_store::{BackupError, TableShape};
use ibidem_words::{Sha256Hash, TenantId};

use super::backup::manifest::{Manifest, ORIGINALS};
use super::migrate;
use super::reconcile::Reconcile;
use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Args)]
pub(crate) struct Restore {
    /// The folder that `ibidem backup` wrote.
    folder: PathBuf,
    /// Checks that the backup is whole, and changes nothing.
    #[arg(long)]
    check: bool,
}

impl Restore {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let manifest = Manifest::load(&self.folder)?;
        let made_at = manifest.made_at.format("%Y-%m-%d %H:%M:%S UTC");
        console::say(&format!("backup of {made_at} by Ibidem {}: {}", manifest.made_by, manifest.summary()));
        if self.check {
            return check_originals(&self.folder, &manifest).await;
        }
        let store = compose::store(settings)?;
        store.ping().await.context("check `database.url`")?;
        let shapes: Vec<TableShape> = manifest.tables.iter().map(|table| table.shape.clone()).collect();
        let mut restore = store.begin_restore(manifest.schema_version, &shapes).await?;
        for shape in restore.tables() {
            let Some(table) = manifest.tables.iter().find(|table| table.shape == shape) else { continue };
            let path = self.folder.join(&table.file);
            let file = File::open(&path).with_context(|| path.display().to_string())?;
            let found = restore.fill(&shape, &mut GzDecoder::new(BufReader::new(file))).await?;
            if found != table.rows {
                return Err(BackupError::OtherRows { table: shape.name, expected: table.rows, found }.into());
            }
            console::note(&format!("{}: {found} rows", shape.name));
        }
        if manifest.originals.is_some() {
            let copied = bring_originals(&self.folder, &compose::originals(settings)?).await?;
            console::note(&format!("{copied} originals"));
        }
        restore.finish().await?;
        migrate::run(settings).await?;
        console::note("filling the index from the database");
        Reconcile::default().run(settings).await?;
        console::say("restored; `ibidem doctor` checks every part. API keys and rights are those of the backup.");
        Ok(())
    }
}

/// Every original of the backup: a folder for each tenant has its own.
async fn originals_in(folder: &Path) -> anyhow::Result<(StoredOriginals, Vec<(TenantId, Sha256Hash)>)> {
    let folder = folder.join(ORIGINALS);
    let kept = StoredOriginals::in_folder(&folder)?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let name = entry?.file_name();
        let tenant = name.to_str().and_then(|name| name.parse().ok());
        let tenant = TenantId(tenant.with_context(|| format!("{} is no tenant's", name.display()))?);
        found.extend(kept.list(tenant).await?.into_iter().map(|original| (tenant, original.digest)));
    }
    Ok((kept, found))
}

/// Before the database: a document is never there without its original. Originals without a document do no harm.
async fn bring_originals(folder: &Path, originals: &StoredOriginals) -> anyhow::Result<usize> {
    let (kept, found) = originals_in(folder).await?;
    for (tenant, digest) in &found {
        originals.keep(*tenant, kept.fetch(*tenant, *digest).await?).await?;
    }
    Ok(found.len())
}

async fn check_originals(folder: &Path, manifest: &Manifest) -> anyhow::Result<()> {
    let Some(expected) = &manifest.originals else {
        console::say("every table is as it was written");
        return Ok(());
    };
    let (kept, found) = originals_in(folder).await?;
    for (tenant, digest) in &found {
        kept.fetch(*tenant, *digest).await?;
    }
    let count = found.len() as u64;
    anyhow::ensure!(count == expected.count, "{count} originals are there, and should be {}", expected.count);
    console::say("every table and every original is as it was written");
    Ok(())
}
