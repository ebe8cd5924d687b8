//! `ibidem backup`: everything that must not be lost, in a folder.

pub(super) mod manifest;

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use chrono::Utc;
use flate2::Compression;
use flate2::write::GzEncoder;
use ibidem_adapters::object_store::StoredOriginals;
use ibidem_ports::originals::{Originals as _, OriginalsError};
use ibidem_store::{Snapshot, TableShape};
use ibidem_words::{Sha256Hash, TenantId};

use self::manifest::{FORMAT, KeptOriginals, KeptTable, Manifest, ORIGINALS};
use crate::settings::Settings;
use crate::{compose, console};

#[derive(clap::Args)]
pub(crate) struct Backup {
    /// The folder to write, which must be new or empty. It holds every document: keep it as safe as the database.
    folder: PathBuf,
    /// Leaves the originals out, for storage that is backed up by itself.
    #[arg(long)]
    without_originals: bool,
    /// Prints what was copied as JSON.
    #[arg(long)]
    json: bool,
}

impl Backup {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let store = compose::ready_store(settings).await?;
        make_folder(&self.folder)?;
        let mut snapshot = store.snapshot().await?;
        let mut tables = Vec::new();
        for table in snapshot.tables().await? {
            let kept = keep_table(&mut snapshot, table, &self.folder).await?;
            console::note(&format!("{}: {} rows", kept.shape.name, kept.rows));
            tables.push(kept);
        }
        let needed = snapshot.originals().await?;
        let schema_version = snapshot.schema_version();
        // The originals that it names are never changed, so they need no snapshot.
        drop(snapshot);
        let originals = if self.without_originals {
            None
        } else {
            let kept = StoredOriginals::in_folder(&self.folder.join(ORIGINALS))?;
            Some(keep_originals(&compose::originals(settings)?, &kept, &needed).await?)
        };
        let manifest = Manifest {
            format: FORMAT,
            made_at: Utc::now(),
            made_by: env!("CARGO_PKG_VERSION").to_owned(),
            schema_version,
            tables,
            originals,
        };
        manifest.write(&self.folder)?;
        if self.json {
            return console::say_json(&manifest);
        }
        console::say(&format!("{} in {}", manifest.summary(), self.folder.display()));
        if let Some(lost) = manifest.originals.as_ref().map(|originals| originals.lost.len()).filter(|lost| *lost > 0) {
            console::note(&format!(
                "{lost} originals are missing or damaged where they are kept: their documents answer, and cannot be \
                 opened or read again. backup.json lists them."
            ));
        }
        if let Some(file) = &settings.receipts.signing_key_file {
            console::note(&format!("the key that signs receipts is not in it: copy {}", file.display()));
        }
        Ok(())
    }
}

/// Nobody else on the machine may read it.
fn make_folder(folder: &Path) -> anyhow::Result<()> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty; name a new folder", folder.display());
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).with_context(|| folder.display().to_string())?;
    }
    Ok(())
}

async fn keep_table(snapshot: &mut Snapshot, shape: TableShape, folder: &Path) -> anyhow::Result<KeptTable> {
    let file = manifest::table_file(&shape);
    let path = folder.join(&file);
    fs::create_dir_all(folder.join(manifest::TABLES))?;
    let in_file = || path.display().to_string();
    let mut written = GzEncoder::new(BufWriter::new(File::create(&path).with_context(in_file)?), Compression::fast());
    let rows = snapshot.export_rows(&shape, &mut |piece| written.write_all(piece)).await.with_context(in_file)?;
    let finished = written.finish().and_then(|mut file| file.flush().map(|()| file)).with_context(in_file)?;
    finished.get_ref().sync_all().with_context(in_file)?;
    let sha256 = Sha256Hash::of_reader(&mut File::open(&path).with_context(in_file)?).with_context(in_file)?;
    Ok(KeptTable { shape, file, rows, sha256 })
}

async fn keep_originals(
    originals: &StoredOriginals,
    kept: &StoredOriginals,
    needed: &[(TenantId, Sha256Hash)],
) -> anyhow::Result<KeptOriginals> {
    let mut counted = KeptOriginals::default();
    for (tenant, digest) in needed {
        match originals.fetch(*tenant, *digest).await {
            Ok(bytes) => {
                counted.bytes += bytes.len() as u64;
                kept.keep(*tenant, bytes).await?;
                counted.count += 1;
            }
            // Erased since, or lost long ago: a backup does not fail for it.
            Err(OriginalsError::Lost(_)) => counted.lost.push(*digest),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(counted)
}
