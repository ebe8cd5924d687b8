//! The folder of a trial: what it keeps from one run to the next.

use std::fs::{self, File, TryLockError};
use std::io::Write as _;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::parts::FoundParts;

/// Where root's trial is: PostgreSQL does not run as root, and nobody else walks through root's home.
const FOLDER_OF_ROOT: &str = "/var/lib/ibidem-try";
const USUAL: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8080);
/// Everything that a run makes in the folder, and what beginning anew deletes.
const OURS: [&str; 9] = [
    "postgresql",
    "postgresql-programs",
    "qdrant",
    "originals",
    "demo",
    "trial.json",
    "ibidem.yaml",
    "postgresql.log",
    "qdrant.log",
];

/// What is the same at the next start.
#[derive(Serialize, Deserialize)]
struct Kept {
    postgres_port: u16,
    postgres_password: String,
    qdrant_port: u16,
    qdrant_http_port: u16,
    qdrant_key: String,
    listen: SocketAddr,
    has_documents: bool,
}

pub(super) struct Installation {
    pub(super) folder: PathBuf,
    pub(super) postgres_port: u16,
    pub(super) postgres_password: String,
    pub(super) qdrant_port: u16,
    pub(super) qdrant_http_port: u16,
    pub(super) qdrant_key: String,
    pub(super) listen: SocketAddr,
    /// The demo documents were loaded, once.
    pub(super) has_documents: bool,
    /// Held to the end: two runs never have one folder.
    _lock: File,
}

impl Installation {
    pub(super) fn open(folder: Option<PathBuf>, fresh: bool, listen: Option<SocketAddr>) -> anyhow::Result<Self> {
        let folder = folder.map_or_else(usual_folder, |folder| Ok(std::path::absolute(folder)?))?;
        let unusable = || format!("the folder {} cannot be used; --data names another one", folder.display());
        // PostgreSQL walks through root's under another name; all that is in it is for its owner alone.
        let mode = if rustix::process::geteuid().is_root() { 0o711 } else { 0o700 };
        fs::DirBuilder::new().recursive(true).mode(mode).create(&folder).with_context(unusable)?;
        let lock = File::create(folder.join("lock")).with_context(unusable)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => anyhow::bail!(
                "`ibidem try` already runs on {}; end it first, or name another folder with --data",
                folder.display()
            ),
            Err(TryLockError::Error(error)) => return Err(error).with_context(unusable),
        }
        if fresh {
            delete_ours(&folder)?;
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder.join("originals")).with_context(unusable)?;
        let kept: Option<Kept> = match fs::read_to_string(folder.join("trial.json")) {
            Ok(text) => Some(serde_json::from_str(&text).with_context(|| {
                format!("{}/trial.json is not what a trial keeps; --fresh begins anew", folder.display())
            })?),
            Err(_) => None,
        };
        let secret = || Uuid::new_v4().simple().to_string();
        let installation = Self {
            postgres_port: free_port(kept.as_ref().map(|kept| kept.postgres_port))?,
            qdrant_port: free_port(kept.as_ref().map(|kept| kept.qdrant_port))?,
            qdrant_http_port: free_port(kept.as_ref().map(|kept| kept.qdrant_http_port))?,
            postgres_password: kept.as_ref().map_or_else(secret, |kept| kept.postgres_password.clone()),
            qdrant_key: kept.as_ref().map_or_else(secret, |kept| kept.qdrant_key.clone()),
            listen: match listen {
                Some(listen) => listen,
                None => free_address(kept.as_ref().map_or(USUAL, |kept| kept.listen))?,
            },
            has_documents: kept.is_some_and(|kept| kept.has_documents),
            folder,
            _lock: lock,
        };
        installation.keep()?;
        Ok(installation)
    }

    pub(super) fn keep(&self) -> anyhow::Result<()> {
        let kept = Kept {
            postgres_port: self.postgres_port,
            postgres_password: self.postgres_password.clone(),
            qdrant_port: self.qdrant_port,
            qdrant_http_port: self.qdrant_http_port,
            qdrant_key: self.qdrant_key.clone(),
            listen: self.listen,
            has_documents: self.has_documents,
        };
        write_private(&self.folder.join("trial.json"), &serde_json::to_string_pretty(&kept)?)
    }

    pub(super) fn settings_file(&self) -> PathBuf {
        self.folder.join("ibidem.yaml")
    }

    /// The settings that make this trial what it is, over whatever else is set.
    pub(super) fn settings(&self) -> Vec<String> {
        let Self { postgres_port, postgres_password, qdrant_port, qdrant_key, listen, folder, .. } = self;
        vec![
            format!("database.url=postgres://ibidem:{postgres_password}@127.0.0.1:{postgres_port}/postgres"),
            format!("index.url=http://127.0.0.1:{qdrant_port}"),
            format!("index.api_key={qdrant_key}"),
            format!("originals.location={}", folder.join("originals").display()),
            format!("server.listen={listen}"),
        ]
    }

    /// Writes the settings with which other commands work on this trial.
    pub(super) fn write_settings(&self, found: &FoundParts) -> anyhow::Result<PathBuf> {
        let FoundParts { model, tokenizer, runtime, .. } = found;
        let quoted = |path: &Path| serde_json::to_string(&path.display().to_string());
        // A machine that is busy with other things is late, and nothing on it is broken.
        let text = format!(
            "# Written by `ibidem try` at each start. Other commands work on this trial with --config and this file.\n\
             database:\n  url: postgres://ibidem:{}@127.0.0.1:{}/postgres\n  acquire_timeout_ms: 30000\n  timeout_ms: 30000\n\
             index:\n  timeout_ms: 30000\n  url: http://127.0.0.1:{}\n  api_key: \"{}\"\n\
             originals:\n  location: originals\n\
             embedding:\n  model: {}\n  tokenizer: {}\n  runtime: {}\n\
             server:\n  listen: {}\n\
             log:\n  level: warn,sqlx=error\n",
            self.postgres_password,
            self.postgres_port,
            self.qdrant_port,
            self.qdrant_key,
            quoted(model)?,
            quoted(tokenizer)?,
            quoted(runtime)?,
            self.listen,
        );
        let file = self.settings_file();
        write_private(&file, &text)?;
        Ok(file)
    }
}

fn usual_folder() -> anyhow::Result<PathBuf> {
    if rustix::process::geteuid().is_root() {
        return Ok(FOLDER_OF_ROOT.into());
    }
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")));
    Ok(data.context("there is no home to keep data in; name a folder with --data")?.join("ibidem/try"))
}

fn delete_ours(folder: &Path) -> anyhow::Result<()> {
    for name in OURS {
        let path = folder.join(name);
        let deleted = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        match deleted {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be deleted", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Replaced as a whole, and read by nobody else.
fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    let written = || -> std::io::Result<()> {
        let mut file = File::options().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(text.as_bytes())?;
        fs::rename(&new, path)
    };
    written().with_context(|| format!("{} cannot be written", path.display()))
}

fn is_free(address: SocketAddr) -> bool {
    TcpListener::bind(address).is_ok()
}

/// This address if it is free, and else the same with another port.
fn free_address(known: SocketAddr) -> anyhow::Result<SocketAddr> {
    if is_free(known) {
        return Ok(known);
    }
    Ok(SocketAddr::new(known.ip(), free_port(None)?))
}

/// The known port if it is free, and else one below those that the kernel gives to outgoing connections.
fn free_port(known: Option<u16>) -> anyhow::Result<u16> {
    let drawn =
        std::iter::repeat_with(|| 20_000 + u16::try_from(Uuid::new_v4().as_u128() % 12_000).unwrap_or_default());
    let mut ports = known.into_iter().chain(drawn.take(200));
    ports.find(|port| is_free((Ipv4Addr::LOCALHOST, *port).into())).context("no port from 20000 to 31999 is free")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path, fresh: bool) -> anyhow::Result<Installation> {
        Installation::open(Some(folder.into()), fresh, None)
    }

    #[test]
    fn a_trial_keeps_its_ports_and_secrets_until_it_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let secrets =
            |trial: &Installation| (trial.postgres_port, trial.postgres_password.clone(), trial.qdrant_key.clone());
        let first = open(folder.path(), false).unwrap();
        let kept = secrets(&first);
        let refused = open(folder.path(), true).err().unwrap().to_string();
        assert!(refused.contains("already runs"), "{refused}");
        drop(first);

        fs::write(folder.path().join("mine.txt"), "").unwrap();
        assert_eq!(secrets(&open(folder.path(), false).unwrap()), kept);
        assert_ne!(secrets(&open(folder.path(), true).unwrap()).1, kept.1);
        assert!(folder.path().join("mine.txt").is_file(), "what is not ours stays");
    }

    #[test]
    fn secrets_are_for_their_owner_alone_and_a_taken_port_is_not_given() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let trial = open(folder.path(), false).unwrap();
        let nowhere = || PathBuf::from("/nowhere");
        let found = FoundParts {
            qdrant: nowhere(),
            postgres: nowhere(),
            model: nowhere(),
            tokenizer: nowhere(),
            runtime: nowhere(),
        };
        let file = trial.write_settings(&found).unwrap();
        for file in [file.clone(), folder.path().join("trial.json")] {
            assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{}", file.display());
        }
        let settings = crate::settings::load(Some(&file), std::iter::empty(), &[]).unwrap();
        assert!(settings.database.url.contains(&trial.postgres_password));
        assert_eq!(settings.server.listen, trial.listen);
        crate::settings::load(Some(&file), std::iter::empty(), &trial.settings()).unwrap();

        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let taken = listener.local_addr().unwrap();
        assert_ne!(free_address(taken).unwrap(), taken);
        assert_ne!(free_port(Some(taken.port())).unwrap(), taken.port());
    }
}
