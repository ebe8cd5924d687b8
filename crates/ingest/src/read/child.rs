//! Reading in a process of its own: what a file does to its reader ends with that process.
//!
//! The process gets the original on its standard input and nothing else of ours: no environment, no files, no folder.
//! What it may use is bounded from within (`confined`); from here its time on the clock and its output are.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use async_trait::async_trait;
use ibidem_ports::intake::Format;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, Command};

use super::reader::{Reader, ReadingError, checked};
use super::{ReadDocument, ReadError};

/// The command of our own program that reads one original.
pub const COMMAND: &str = "read-original";

/// On a busy machine time on the clock passes faster than a process's own: this many times as much is waited for, and a
/// minute at least.
const CLOCK_FOR_PROCESSOR: u32 = 4;
const LEAST_ON_THE_CLOCK: Duration = Duration::from_secs(60);

/// The most that is kept of what a process complains of.
const MOST_COMPLAINT: u64 = 16 * 1024;

/// What reading one original may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadingLimits {
    /// Address space, the program itself included.
    pub memory_bytes: u64,
    /// Processor time.
    pub processor_time: Duration,
    /// What comes out: the text, its sections and pages, as JSON.
    pub output_bytes: u64,
}

/// What the process answers, as JSON on its standard output.
#[derive(Serialize, Deserialize)]
pub(super) enum Reply {
    Read(Box<ReadDocument>),
    Failed(ReadError),
}

/// Reads each original in a process of its own.
#[derive(Clone, Debug)]
pub struct ChildReader {
    program: PathBuf,
    limits: ReadingLimits,
}

/// How a process ended, and what it left.
struct Ended {
    status: ExitStatus,
    output: Vec<u8>,
    complaint: String,
}

impl ChildReader {
    /// `program` has our [`COMMAND`]; none is the program that runs now.
    pub fn new(program: Option<PathBuf>, limits: ReadingLimits) -> std::io::Result<Self> {
        // The image that runs, even when another version has been put in its place on disk.
        let running = || match PathBuf::from("/proc/self/exe") {
            image if image.exists() => Ok(image),
            _ => std::env::current_exe(),
        };
        Ok(Self { program: program.map_or_else(running, Ok)?, limits })
    }

    pub fn limits(&self) -> ReadingLimits {
        self.limits
    }

    fn arguments(&self) -> Vec<OsString> {
        let limits = self.limits;
        let seconds = limits.processor_time.as_secs().max(1);
        let written =
            [COMMAND.to_owned(), format!("--memory-bytes={}", limits.memory_bytes), format!("--seconds={seconds}")];
        written.into_iter().map(OsString::from).collect()
    }

    fn start(&self, with: &[&str]) -> Result<Child, ReadingError> {
        let started = Command::new(&self.program)
            .args(self.arguments())
            .args(with)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn();
        started.map_err(|error| ReadingError::NoReader(format!("{}: {error}", self.program.display())))
    }

    /// What the process was still able to do that it should not be: empty when it is confined.
    pub async fn probe(&self) -> Result<Vec<String>, ReadingError> {
        let ended = self.run(self.start(&["--probe"])?, Vec::new()).await?;
        match serde_json::from_slice(&ended.output) {
            Ok(able) if ended.status.success() => Ok(able),
            _ => Err(self.fault(&ended)),
        }
    }

    /// Feeds it, waits for its end, and ends it when it takes or says too much.
    async fn run(&self, mut child: Child, original: Vec<u8>) -> Result<Ended, ReadingError> {
        let clock = (self.limits.processor_time * CLOCK_FOR_PROCESSOR).max(LEAST_ON_THE_CLOCK);
        let most = self.limits.output_bytes;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let feeding = async move {
            if let Some(mut stdin) = stdin {
                // A process that has heard enough closes its ear; how it ended says more than that.
                let _ = stdin.write_all(&original).await;
            }
        };
        let talking = async {
            let ((), output, complaint) = tokio::join!(feeding, taken(stdout, most + 1), taken(stderr, MOST_COMPLAINT));
            (output, complaint)
        };
        let Ok((output, complaint)) = tokio::time::timeout(clock, talking).await else {
            end(&mut child).await;
            let waited = clock.as_secs();
            return Err(ReadingError::Interrupted(format!("reading it took more than {waited} s on the clock")));
        };
        if output.len() as u64 > most {
            end(&mut child).await;
            let limit = in_mib(most);
            return Err(ReadingError::Fatal(format!(
                "what was read of it came to more than {limit}; split it into parts, or raise `reading.output_bytes`"
            )));
        }
        // Its pipes are closed: it ends now, or is ended.
        let status = match tokio::time::timeout(clock, child.wait()).await {
            Ok(status) => status.map_err(|error| ReadingError::Interrupted(error.to_string()))?,
            Err(_) => {
                end(&mut child).await;
                return Err(ReadingError::Interrupted("the process that read it did not end".to_owned()));
            }
        };
        Ok(Ended { status, output, complaint: String::from_utf8_lossy(&complaint).into_owned() })
    }

    /// Why a process ended without an answer.
    fn fault(&self, ended: &Ended) -> ReadingError {
        const PANICKED: i32 = 101;
        const SIGKILL: i32 = 9;
        const SIGXCPU: i32 = 24;
        let complaint = &ended.complaint;
        let last_words = complaint.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
        match (ended.status.code(), ended.status.signal()) {
            _ if complaint.contains("memory allocation of") => ReadingError::Fatal(format!(
                "reading it needed more than {}; split it into parts, or raise `reading.memory_bytes`",
                in_mib(self.limits.memory_bytes)
            )),
            _ if complaint.contains("overflowed its stack") => {
                ReadingError::Fatal("its parts are nested too deep to be read".to_owned())
            }
            (_, Some(SIGXCPU)) => ReadingError::Fatal(format!(
                "reading it took more than {} s; split it into parts, or raise `reading.timeout_ms`",
                self.limits.processor_time.as_secs().max(1)
            )),
            (_, Some(SIGKILL)) => ReadingError::Interrupted("the process that read it was killed".to_owned()),
            (_, Some(signal)) => ReadingError::Fatal(format!("the process that read it died (signal {signal})")),
            (Some(PANICKED), _) => ReadingError::Fatal(format!("the reader failed on it: {last_words}")),
            (Some(0), _) => ReadingError::Fatal("what was read of it cannot be understood".to_owned()),
            (code, None) => ReadingError::NoReader(format!("it ended with code {}: {last_words}", code.unwrap_or(-1))),
        }
    }
}

#[async_trait]
impl Reader for ChildReader {
    async fn extract(&self, original: Vec<u8>, format: Format) -> Result<ReadDocument, ReadingError> {
        let child = self.start(&["--format", format.as_str()])?;
        let ended = self.run(child, original).await?;
        if !ended.status.success() {
            return Err(self.fault(&ended));
        }
        let reply = tokio::task::spawn_blocking(move || match serde_json::from_slice(&ended.output) {
            Ok(Reply::Read(document)) => checked(*document),
            Ok(Reply::Failed(error)) => Err(error.into()),
            Err(_) => Err(ReadingError::Fatal("what was read of it cannot be understood".to_owned())),
        });
        reply.await.map_err(|error| ReadingError::Interrupted(error.to_string()))?
    }
}

/// At most so many bytes; what follows is not waited for.
async fn taken(pipe: Option<impl AsyncRead + Unpin>, most: u64) -> Vec<u8> {
    let mut taken = Vec::new();
    if let Some(pipe) = pipe {
        // A pipe that breaks has given what it had.
        let _ = pipe.take(most).read_to_end(&mut taken).await;
    }
    taken
}

/// By its own handle, and gone when this returns.
async fn end(child: &mut Child) {
    if let Err(error) = child.kill().await {
        tracing::warn!(%error, "a process that read could not be ended");
    }
}

fn in_mib(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
