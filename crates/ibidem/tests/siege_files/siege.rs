//! The siege itself: one worker, and one hostile file after another beside a good one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ibidem_ingest::read::child::COMMAND;
use sqlx::{Connection as _, PgConnection};
use tokio::process::Child;

use crate::files::{End, Hostile, all};
use crate::installation::{Installation, with_installation};

/// Processor time for one file: less than the default, so that the whole siege ends soon.
const TIMEOUT: &str = "reading.timeout_ms=20000";
/// The default.
const MEMORY_BYTES: u64 = 512 << 20;
/// Far longer than four times the processor time, which is what one file may take on the clock: then something hangs.
const PATIENCE: Duration = Duration::from_secs(240);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The most memory that the worker and any process that it started had, as the kernel counts it.
#[derive(Default)]
struct Peaks {
    worker: AtomicU64,
    reading: AtomicU64,
}

fn resident_peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? << 10)
}

fn reads(process: u32) -> bool {
    let command = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    command.split(|byte| *byte == 0).any(|argument| argument == COMMAND.as_bytes())
}

fn children(process: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

/// Looks at the worker and its children until the worker is gone.
fn watch(worker: u32) -> Arc<Peaks> {
    let peaks = Arc::new(Peaks::default());
    let kept = Arc::clone(&peaks);
    std::thread::spawn(move || {
        while let Some(peak) = resident_peak(worker) {
            kept.worker.fetch_max(peak, Ordering::Relaxed);
            // Only once it is the program that reads: until then it is the worker's image.
            for child in children(worker).into_iter().filter(|child| reads(*child)) {
                kept.reading.fetch_max(resident_peak(child).unwrap_or(0), Ordering::Relaxed);
            }
            std::thread::sleep(LOOK_EVERY);
        }
    });
    peaks
}

struct Siege<'a> {
    installation: &'a Installation,
    database: PgConnection,
    worker: Child,
    peaks: Arc<Peaks>,
}

/// What became of one file.
struct Outcome {
    what: String,
    as_expected: bool,
    took: Duration,
    reading_peak: u64,
}

impl<'a> Siege<'a> {
    async fn begin(installation: &'a Installation) -> Self {
        let worker = installation.start(&["worker", "--set", TIMEOUT]);
        let peaks = watch(worker.id().unwrap());
        Self {
            installation,
            database: PgConnection::connect(installation.database_url()).await.unwrap(),
            worker,
            peaks,
        }
    }

    async fn names(&mut self, query: &'static str) -> Vec<(String, String)> {
        sqlx::query_as(query).fetch_all(&mut self.database).await.unwrap()
    }

    /// Hands one hostile file in, beside a good one, and waits until both have ended.
    async fn withstand(&mut self, number: usize, hostile: &Hostile) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        (hostile.put)(&folder.path().join(&hostile.name));
        let good = format!("good-{number}.md");
        std::fs::write(folder.path().join(&good), format!("# Good {number}\n\nA good document, number {number}.\n"))
            .unwrap();
        self.peaks.reading.store(0, Ordering::Relaxed);
        let began = Instant::now();
        let path = folder.path().to_str().unwrap();
        let output = self.installation.run(&["ingest", path, "--collection", "Siege", "--tags", "public"]).await;
        loop {
            let waiting = self.names("SELECT source_location, '' FROM jobs WHERE failed_at IS NULL").await;
            if waiting.is_empty() {
                break;
            }
            assert_eq!(self.worker.try_wait().unwrap(), None, "{}: the worker died", hostile.about);
            assert!(began.elapsed() < PATIENCE, "{}: nothing more happens to {waiting:?}", hostile.about);
            tokio::time::sleep(LOOK_EVERY).await;
        }
        let failed = self.names("SELECT source_location, failure FROM jobs WHERE failed_at IS NOT NULL").await;
        let documents = self.names("SELECT source_location, '' FROM documents").await;
        let took = began.elapsed();
        let is_in = |name: &str| documents.iter().any(|(location, _)| location == name);
        assert!(is_in(&good), "{}: the good document was kept out: {output:?}", hostile.about);
        let reason = failed.into_iter().find(|(location, _)| *location == hostile.name).map(|(_, reason)| reason);
        let what = match (is_in(&hostile.name), &reason) {
            (true, None) => "read".to_owned(),
            (false, Some(reason)) => format!("failed: {reason}"),
            (false, None) => format!("outside: {}", output.err.trim()),
            (true, Some(_)) => panic!("{}: it is in, and failed", hostile.about),
        };
        let as_expected = match hostile.end {
            End::Read => what == "read",
            End::Failed(words) => what.starts_with("failed: ") && what.contains(words),
            End::Either => !what.starts_with("outside: "),
            End::Outside(words) => what.starts_with("outside: ") && what.contains(words),
        };
        // A later file may have the same name.
        for table in [
            "DELETE FROM jobs",
            "DELETE FROM outbox",
            "DELETE FROM chunks",
            "DELETE FROM document_versions",
            "DELETE FROM documents",
        ] {
            sqlx::query(table).execute(&mut self.database).await.unwrap();
        }
        Outcome { what, as_expected, took, reading_peak: self.peaks.reading.load(Ordering::Relaxed) }
    }

    async fn end(mut self) {
        self.worker.kill().await.unwrap();
    }
}

fn mib(bytes: u64) -> u64 {
    bytes >> 20
}

async fn besiege(files: Vec<Hostile>) {
    with_installation(async |installation| {
        let mut siege = Siege::begin(installation).await;
        let (mut longest, mut largest) = (Duration::ZERO, 0);
        let mut unexpected = Vec::new();
        for (number, hostile) in files.iter().enumerate() {
            let outcome = siege.withstand(number, hostile).await;
            let what: String = outcome.what.chars().take(150).collect();
            eprintln!("{:>6.1?} {:>4} MiB  {}: {what:?}", outcome.took, mib(outcome.reading_peak), hostile.about);
            if !outcome.as_expected {
                unexpected.push(format!("{}: {}, expected {:?}", hostile.about, outcome.what, hostile.end));
            }
            longest = longest.max(outcome.took);
            largest = largest.max(outcome.reading_peak);
        }
        let worker = mib(siege.peaks.worker.load(Ordering::Relaxed));
        eprintln!(
            "{} files; longest {longest:.1?}; reading took up to {} MiB, the worker {worker} MiB",
            files.len(),
            mib(largest)
        );
        assert!(unexpected.is_empty(), "{unexpected:#?}");
        assert!(largest <= MEMORY_BYTES);
        siege.end().await;
    })
    .await;
}

#[test]
fn there_are_sixty_hostile_files_and_more() {
    let files = all();
    assert!(files.len() >= 60, "{}", files.len());
    assert!(files.iter().all(|hostile| Path::new(&hostile.name).components().count() == 1));
}

/// About half a minute: every fourth file, and those that brought the worker down before it read apart.
#[tokio::test]
async fn a_slice_of_the_hostile_files_harms_nobody() {
    let slice = all().into_iter().enumerate().filter(|(number, _)| number % 4 == 1).map(|(_, hostile)| hostile);
    besiege(slice.collect()).await;
}

#[tokio::test]
#[ignore = "minutes: `just lab siege-files`"]
async fn the_whole_siege_of_files() {
    besiege(all()).await;
}
