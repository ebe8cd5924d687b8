//! PostgreSQL and Qdrant, each started for this trial alone.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;

use super::child::{Server, Start, User};
use super::installation::Installation;
use super::parts::FoundParts;
use crate::compose;
use crate::settings::Settings;

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(120);
/// Where PostgreSQL's programs are put when the user that runs them cannot reach them.
const COPY: &str = "postgresql-programs";
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How often PostgreSQL is started again while what an earlier run left behind still ends.
const ATTEMPTS: u32 = 15;
const NEXT_ATTEMPT: Duration = Duration::from_secs(1);

/// What every child has in place of our environment.
fn environment() -> Vec<(&'static str, String)> {
    ["PATH", "TZ"].into_iter().filter_map(|name| Some((name, std::env::var(name).ok()?))).collect()
}

fn private_folder(path: &Path) -> anyhow::Result<()> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.with_context(|| format!("{} cannot be made", path.display()))
}

pub(super) fn start_qdrant(trial: &Installation, found: &FoundParts) -> anyhow::Result<Server> {
    let folder = trial.folder.join("qdrant");
    private_folder(&folder)?;
    let inside = |name: &str| folder.join(name).display().to_string();
    let mut environment = environment();
    environment.extend([
        ("QDRANT__TELEMETRY_DISABLED", "true".to_owned()),
        ("QDRANT__LOG_LEVEL", "WARN".to_owned()),
        ("QDRANT__SERVICE__HOST", "127.0.0.1".to_owned()),
        ("QDRANT__SERVICE__HTTP_PORT", trial.qdrant_http_port.to_string()),
        ("QDRANT__SERVICE__GRPC_PORT", trial.qdrant_port.to_string()),
        // Whoever else works on this machine reaches the port, and nothing behind it.
        ("QDRANT__SERVICE__API_KEY", trial.qdrant_key.clone()),
        ("QDRANT__STORAGE__STORAGE_PATH", inside("storage")),
        ("QDRANT__STORAGE__SNAPSHOTS_PATH", inside("snapshots")),
    ]);
    let start = Start {
        name: "Qdrant",
        program: &found.qdrant,
        arguments: vec!["--disable-telemetry".into()],
        environment,
        folder: &folder,
        log: trial.folder.join("qdrant.log"),
        user: None,
        ends_by_interrupt: false,
    };
    start.start()
}

pub(super) async fn await_qdrant(trial: &Installation, servers: &mut [Server]) -> anyhow::Result<()> {
    let address = format!("http://127.0.0.1:{}/readyz", trial.qdrant_http_port);
    let client = reqwest::Client::builder().no_proxy().build()?;
    let qdrant = servers.iter_mut().find(|server| server.name == "Qdrant").context("Qdrant was not started")?;
    let answers = async {
        while !client.get(&address).send().await.is_ok_and(|reply| reply.status().is_success()) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    let outcome = tokio::select! {
        answered = tokio::time::timeout(PATIENCE, answers) => Some(answered),
        _ = qdrant.ended() => None,
    };
    match outcome {
        Some(Ok(())) => Ok(()),
        Some(Err(_)) => anyhow::bail!("Qdrant did not answer within {} s", PATIENCE.as_secs()),
        None => Err(qdrant.why()),
    }
}

/// Starts PostgreSQL, after making its data the first time, and waits until it answers: its version.
pub(super) async fn start_postgres(
    trial: &Installation,
    found: &FoundParts,
    settings: &Settings,
    servers: &mut Vec<Server>,
) -> anyhow::Result<String> {
    let postgres = Postgres::of(trial, found)?;
    postgres.make_data(&trial.postgres_password).await?;
    let store = compose::store(settings)?;
    let mut attempt = 1;
    loop {
        let port = trial.postgres_port.to_string();
        let mut arguments: Vec<OsString> = vec!["-D".into(), postgres.data().into(), "-p".into(), port.into()];
        // No socket: its path would have to stay under 108 characters.
        for setting in ["listen_addresses=127.0.0.1", "unix_socket_directories="] {
            arguments.extend(["-c".into(), setting.into()]);
        }
        let mut server = postgres.start("postgres", arguments)?;
        let answers = async {
            loop {
                match store.ping().await {
                    Ok(version) => break version,
                    Err(_) => tokio::time::sleep(LOOK_EVERY).await,
                }
            }
        };
        let outcome = tokio::select! {
            answered = tokio::time::timeout(PATIENCE, answers) => Some(answered),
            _ = server.ended() => None,
        };
        match outcome {
            Some(Ok(version)) => {
                servers.push(server);
                return Ok(version);
            }
            Some(Err(_)) => {
                server.end().await;
                anyhow::bail!("PostgreSQL did not answer within {} s", PATIENCE.as_secs());
            }
            // What an earlier run left behind when it was killed has not noticed yet.
            None if attempt < ATTEMPTS && is_still_in_use(&server.log()) => attempt += 1,
            None => return Err(server.why()),
        }
        tokio::time::sleep(NEXT_ATTEMPT).await;
    }
}

fn is_still_in_use(log: &str) -> bool {
    log.contains("lock file \"postmaster.pid\"") || log.contains("shared memory block")
}

struct Postgres {
    programs: PathBuf,
    /// Its own, with the data in it.
    folder: PathBuf,
    log: PathBuf,
    user: Option<User>,
}

impl Postgres {
    fn of(trial: &Installation, found: &FoundParts) -> anyhow::Result<Self> {
        let user = User::instead_of_root()?;
        let folder = trial.folder.join("postgresql");
        private_folder(&folder)?;
        give(&folder, user)?;
        let (mut programs, log) = (found.postgres.clone(), trial.folder.join("postgresql.log"));
        // Unpacked in root's home, for example, through which nobody else walks.
        if let (Some(_), Some(bundled)) = (user, programs.parent())
            && !is_reachable(&programs)
        {
            let copy = trial.folder.join(COPY);
            let _ = fs::remove_dir_all(&copy);
            copy_folder(bundled, &copy).with_context(|| format!("{} cannot be copied", bundled.display()))?;
            programs = copy.join("bin");
        }
        Ok(Self { programs, folder, log, user })
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn start(&self, program: &str, arguments: Vec<OsString>) -> anyhow::Result<Server> {
        let start = Start {
            name: "PostgreSQL",
            program: &self.programs.join(program),
            arguments,
            environment: environment(),
            folder: Path::new("/"),
            log: self.log.clone(),
            user: self.user,
            // Its fast shutdown; a request to terminate would wait for every client to leave.
            ends_by_interrupt: true,
        };
        start.start()
    }

    /// Data that is half made is never taken for whole.
    async fn make_data(&self, password: &str) -> anyhow::Result<()> {
        let (data, new, secret) = (self.data(), self.folder.join("data.new"), self.folder.join("password"));
        if data.is_dir() {
            return Ok(());
        }
        let _ = fs::remove_dir_all(&new);
        fs::write(&secret, password).with_context(|| format!("{} cannot be written", secret.display()))?;
        give(&secret, self.user)?;
        let mut arguments: Vec<OsString> =
            vec!["-D".into(), new.clone().into(), "--pwfile".into(), secret.clone().into()];
        // Whoever else works on this machine reaches the port, and needs the password.
        let fixed = ["-U", "ibidem", "--auth=scram-sha-256", "-E", "UTF8", "--locale=C.UTF-8"];
        arguments.extend(fixed.map(OsString::from));
        let mut making = self.start("initdb", arguments)?;
        let ended = making.ended().await;
        let _ = fs::remove_file(&secret);
        if !ended?.success() {
            let why = making.why();
            return Err(match self.user {
                Some(_) => why.context(format!(
                    "PostgreSQL runs as another user than root, who must be able to reach {} and {}",
                    self.programs.display(),
                    self.folder.display()
                )),
                None => why,
            });
        }
        fs::rename(&new, &data).with_context(|| format!("{} cannot be made", data.display()))
    }
}

/// Whether somebody without rights can walk to it.
fn is_reachable(path: &Path) -> bool {
    const FOR_ALL: u32 = 0o001;
    let is_open = |folder: &Path| fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & FOR_ALL != 0);
    path.ancestors().all(is_open)
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_folder(&entry.path(), &to)?,
            false => fs::copy(entry.path(), to).map(drop)?,
        }
    }
    Ok(())
}

/// Makes it the user's own.
fn give(path: &Path, user: Option<User>) -> anyhow::Result<()> {
    let Some(User { uid, gid }) = user else { return Ok(()) };
    chown(path, Some(uid), Some(gid)).with_context(|| format!("{} cannot be given to PostgreSQL", path.display()))
}
