//! Servers that end when this program does, however it ends.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use anyhow::Context as _;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getppid, getrlimit, kill_process, set_parent_process_death_signal, setrlimit,
};
use tokio::process::{Child, Command};

/// The command of our own program that becomes a server.
const COMMAND: &str = "run-child";
/// How long a server may take to end in order. Then it is killed.
const PATIENCE: Duration = Duration::from_secs(15);
/// How much of a log is shown when its server ended.
const LAST_LINES: usize = 8;

/// Becomes the program that is named, after asking for a signal at the end of whoever started it.
#[derive(clap::Args)]
pub(crate) struct RunChild {
    /// The process that starts it.
    #[arg(long)]
    parent: u32,
    /// The signal is an interrupt, in place of a request to terminate.
    #[arg(long)]
    interrupt: bool,
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

impl RunChild {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        set_parent_process_death_signal(Some(if self.interrupt { Signal::INT } else { Signal::TERM }))?;
        let parent = getppid().and_then(|parent| u32::try_from(parent.as_raw_nonzero().get()).ok());
        // It may have ended before it was asked for the signal.
        anyhow::ensure!(parent == Some(self.parent), "whoever started it has ended");
        // Qdrant keeps many files open.
        let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
        let (program, arguments) = self.command.split_first().context("no program is named")?;
        let error = std::process::Command::new(program).args(arguments).exec();
        Err(error).with_context(|| program.to_string_lossy().into_owned())
    }
}

/// Somebody without rights, for a program that refuses to run as root.
#[derive(Clone, Copy, Debug)]
pub(super) struct User {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

impl User {
    /// Whom root runs PostgreSQL as; none for everybody else, who runs it as themselves.
    pub(super) fn instead_of_root() -> anyhow::Result<Option<Self>> {
        if !rustix::process::geteuid().is_root() {
            return Ok(None);
        }
        let users = std::fs::read_to_string("/etc/passwd").context("/etc/passwd cannot be read")?;
        let found = ["postgres", "nobody"].iter().find_map(|name| Self::named(name, &users));
        let found = found.context("PostgreSQL refuses to run as root, and there is no user postgres or nobody");
        Ok(Some(found?))
    }

    fn named(name: &str, users: &str) -> Option<Self> {
        let mut lines = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
        let line = lines.find(|fields| fields.first() == Some(&name))?;
        Some(Self { uid: line.get(2)?.parse().ok()?, gid: line.get(3)?.parse().ok()? })
    }
}

/// What is to be started.
pub(super) struct Start<'a> {
    pub(super) name: &'static str,
    pub(super) program: &'a Path,
    pub(super) arguments: Vec<OsString>,
    pub(super) environment: Vec<(&'static str, String)>,
    pub(super) folder: &'a Path,
    pub(super) log: PathBuf,
    pub(super) user: Option<User>,
    /// Ends by an interrupt, in place of a request to terminate.
    pub(super) ends_by_interrupt: bool,
}

/// A program that was started.
pub(super) struct Server {
    pub(super) name: &'static str,
    child: Child,
    log: PathBuf,
    ends_by_interrupt: bool,
}

impl Start<'_> {
    pub(super) fn start(self) -> anyhow::Result<Server> {
        let unwritable = || format!("{} cannot be written", self.log.display());
        let log = File::options().write(true).create(true).truncate(true).mode(0o600).open(&self.log);
        let log = log.with_context(unwritable)?;
        // The image that runs: whoever the child is run as need not be able to walk to it.
        let mut command = Command::new("/proc/self/exe");
        command.args([COMMAND, "--parent", &std::process::id().to_string()]);
        if self.ends_by_interrupt {
            command.arg("--interrupt");
        }
        command.arg("--").arg(self.program).args(self.arguments);
        // Nothing of our settings and secrets. A group of its own: Ctrl-C at the terminal is for us, who end it in order.
        command.env_clear().envs(self.environment).current_dir(self.folder).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::null()).stdout(log.try_clone().with_context(unwritable)?).stderr(log);
        if let Some(User { uid, gid }) = self.user {
            command.uid(uid).gid(gid);
        }
        let child = command.spawn().with_context(|| format!("{} cannot be started", self.name))?;
        Ok(Server { name: self.name, child, log: self.log, ends_by_interrupt: self.ends_by_interrupt })
    }
}

impl Server {
    /// Waits for its end.
    pub(super) async fn ended(&mut self) -> anyhow::Result<std::process::ExitStatus> {
        Ok(self.child.wait().await?)
    }

    /// Why it is no longer there, from the end of its log.
    pub(super) fn why(&self) -> anyhow::Error {
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n  ");
        anyhow::anyhow!("{} ended; the end of {}:\n  {last}", self.name, self.log.display())
    }

    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Asks it to end, and waits until it has. One that does not is killed.
    pub(super) async fn end(mut self) {
        let signal = if self.ends_by_interrupt { Signal::INT } else { Signal::TERM };
        // Gone already, or still ours: a child that nobody waited for keeps its id.
        let pid = self.child.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
        if let Some(pid) = pid
            && kill_process(pid, signal).is_ok()
            && tokio::time::timeout(PATIENCE, self.child.wait()).await.is_err()
        {
            let _ = self.child.kill().await;
        }
    }
}

/// Waits until one of them has ended, and says why.
pub(super) async fn first_to_end(servers: &mut [Server]) -> anyhow::Error {
    if servers.is_empty() {
        return std::future::pending().await;
    }
    let ends = servers.iter_mut().map(|server| {
        Box::pin(async move {
            let _ = server.child.wait().await;
            server.why()
        })
    });
    futures::future::select_all(ends).await.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_name() {
        let users = "root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65533:nobody:/:/usr/sbin/nologin\nbroken:x:";
        let found = User::named("nobody", users).map(|user| (user.uid, user.gid));
        assert_eq!(found, Some((65534, 65533)));
        assert!(User::named("postgres", users).is_none() && User::named("broken", users).is_none());
    }
}
