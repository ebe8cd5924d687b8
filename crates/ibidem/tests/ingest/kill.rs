//! Killed in the middle of its work, again and again, everything ends as if nothing had happened.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use ibidem_store::Backlog;
use qdrant_client::Qdrant;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use sqlx::{Connection as _, PgConnection};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use uuid::Uuid;

use crate::corpus::Writer;
use crate::installation::{Installation, with_installation_at};
use crate::setting;
use crate::state::State;

/// Decides the documents and every moment; another one is another test.
const SEED: u64 = 20_261_115;

/// How often the worker is killed, unless `IBIDEM_TEST_KILLS` says otherwise.
const WORKER_KILLS: usize = 20;
const INDEX_KILLS: usize = 5;

const DOCUMENTS_A_PART: usize = 150;
/// More is handed in when fewer documents wait: no worker may run out of work before it is killed.
const FEWEST_WAITING: u64 = 200;

/// Documents that change while everything is being killed: their old versions must be gone in the end.
const CHANGED_DOCUMENTS: usize = 40;

const LOOK_EVERY: Duration = Duration::from_millis(5);
const PATIENCE: Duration = Duration::from_secs(60);
/// Killed workers leave their leases behind; nobody wants to wait a minute for each.
const SHORT_LEASE: &str = "jobs.lease_ms=1000";

/// What is handed in: first some documents, then new versions of them, and then part after part of others.
struct Corpus {
    folder: TempDir,
    parts: usize,
}

impl Corpus {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // The same file name, and so the same documents, with other texts.
        Writer::new(SEED).json_lines(&folder.path().join("before/changing.jsonl"), CHANGED_DOCUMENTS);
        Writer::new(SEED + 1).json_lines(&folder.path().join("after/changing.jsonl"), CHANGED_DOCUMENTS);
        Self { folder, parts: 0 }
    }

    fn part(&self, number: usize) -> PathBuf {
        self.folder.path().join(format!("part-{number:02}.jsonl"))
    }

    fn write_part(&mut self) -> PathBuf {
        let path = self.part(self.parts);
        Writer::new(SEED + 2 + self.parts as u64).json_lines(&path, DOCUMENTS_A_PART);
        self.parts += 1;
        path
    }

    fn documents(&self) -> usize {
        CHANGED_DOCUMENTS + self.parts * DOCUMENTS_A_PART
    }

    /// Takes in the first versions, and hands in the second ones.
    async fn begin(&self, installation: &Installation) {
        installation.ingest(&self.folder.path().join("before")).await;
        installation.hand_in(&self.folder.path().join("after")).await;
    }

    /// Sees to it that there is enough work waiting.
    async fn keep_busy(&mut self, installation: &Installation) {
        while backlog(installation).await.jobs < FEWEST_WAITING {
            let part = self.write_part();
            installation.hand_in(&part).await;
        }
    }

    /// What everything should end as.
    async fn undisturbed(&self, index_url: &str) -> State {
        with_installation_at(index_url, async |installation| {
            self.begin(installation).await;
            for number in 0..self.parts {
                installation.hand_in(&self.part(number)).await;
            }
            let started = Instant::now();
            installation.succeed(&["worker", "--until-idle"]).await;
            eprintln!("undisturbed: {} documents in {:.1?}", self.documents(), started.elapsed());
            State::of(installation).await
        })
        .await
    }
}

async fn backlog(installation: &Installation) -> Backlog {
    installation.store().backlog().await.unwrap()
}

fn is_empty(backlog: Backlog) -> bool {
    backlog.jobs == 0 && backlog.publications == 0
}

/// Who holds what. A lease that is new is a sign of life of whoever was started last.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Leases {
    jobs: BTreeSet<Uuid>,
    publications: BTreeSet<Uuid>,
}

struct Watcher(PgConnection);

impl Watcher {
    async fn of(installation: &Installation) -> Self {
        Self(PgConnection::connect(installation.database_url()).await.unwrap())
    }

    async fn leases(&mut self) -> Leases {
        let jobs =
            sqlx::query_scalar("SELECT DISTINCT lease FROM jobs WHERE lease IS NOT NULL AND leased_until > now()");
        let jobs: Vec<Uuid> = jobs.fetch_all(&mut self.0).await.unwrap();
        let publications =
            sqlx::query_scalar("SELECT DISTINCT lease FROM outbox WHERE lease IS NOT NULL AND leased_until > now()");
        let publications: Vec<Uuid> = publications.fetch_all(&mut self.0).await.unwrap();
        Leases { jobs: jobs.into_iter().collect(), publications: publications.into_iter().collect() }
    }

    /// Leases that were not there before.
    async fn new_leases(&mut self, before: &Leases) -> Leases {
        let now = self.leases().await;
        Leases { jobs: &now.jobs - &before.jobs, publications: &now.publications - &before.publications }
    }

    async fn wait_for(&mut self, before: &Leases, worker: &mut Child, seen: impl Fn(&Leases) -> bool) {
        let started = Instant::now();
        while !seen(&self.new_leases(before).await) {
            assert_eq!(worker.try_wait().unwrap(), None, "the worker ended by itself");
            assert!(started.elapsed() < PATIENCE, "the worker takes no work");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

/// When a worker is killed: some time after it took its first jobs, or while it publishes.
#[derive(Clone, Copy, Debug)]
enum Moment {
    AfterTakingJobs(Duration),
    WhilePublishing(Duration),
}

fn moment(random: &mut StdRng) -> Moment {
    if random.random_bool(0.6) {
        Moment::AfterTakingJobs(Duration::from_millis(random.random_range(0..1_200)))
    } else {
        Moment::WhilePublishing(Duration::from_millis(random.random_range(0..60)))
    }
}

#[tokio::test]
async fn a_worker_killed_at_random_moments_ends_in_the_state_of_an_undisturbed_run() {
    let kills = std::env::var("IBIDEM_TEST_KILLS").map_or(WORKER_KILLS, |kills| kills.parse().unwrap());
    let mut random = StdRng::seed_from_u64(SEED);
    let mut corpus = Corpus::new();
    let index_url = setting("IBIDEM__INDEX__URL");
    eprintln!("seed {SEED}, {kills} kills");

    let started = Instant::now();
    let disturbed = with_installation_at(&index_url, async |installation| {
        corpus.begin(installation).await;
        let mut watcher = Watcher::of(installation).await;
        let mut counted = 0;
        while counted < kills {
            corpus.keep_busy(installation).await;
            let moment = moment(&mut random);
            let (left, leases) = kill_worker_at(installation, &mut watcher, moment).await;
            let at_work = !is_empty(left) && leases != Leases::default();
            counted += usize::from(at_work);
            eprintln!(
                "{moment:?}: {left:?}, {} rounds, {} publications under way",
                leases.jobs.len(),
                leases.publications.len()
            );
        }
        installation.succeed(&["worker", "--until-idle", "--set", SHORT_LEASE]).await;
        State::of(installation).await
    })
    .await;
    eprintln!("disturbed: {} documents in {:.1?}", corpus.documents(), started.elapsed());

    let undisturbed = corpus.undisturbed(&index_url).await;
    compare(&corpus, &disturbed, &undisturbed);
}

/// Returns what was left to do, and what the worker had in hand, right before it was killed.
async fn kill_worker_at(installation: &Installation, watcher: &mut Watcher, moment: Moment) -> (Backlog, Leases) {
    let before = watcher.leases().await;
    let mut worker = installation.start(&["worker", "--until-idle", "--set", SHORT_LEASE]);
    match moment {
        Moment::AfterTakingJobs(delay) => {
            watcher.wait_for(&before, &mut worker, |leases| !leases.jobs.is_empty()).await;
            tokio::time::sleep(delay).await;
        }
        Moment::WhilePublishing(delay) => {
            watcher.wait_for(&before, &mut worker, |leases| !leases.publications.is_empty()).await;
            tokio::time::sleep(delay).await;
        }
    }
    let (left, leases) = (backlog(installation).await, watcher.new_leases(&before).await);
    // SIGKILL: it gets no chance to tidy up.
    worker.kill().await.unwrap();
    (left, leases)
}

#[tokio::test]
async fn a_worker_outlives_an_index_that_is_killed_and_the_index_ends_as_if_it_had_not_been() {
    let mut random = StdRng::seed_from_u64(SEED);
    let mut corpus = Corpus::new();
    let mut qdrant = OwnQdrant::new();
    qdrant.start().await;
    eprintln!("seed {SEED}, {INDEX_KILLS} kills");

    let url = qdrant.url();
    let started = Instant::now();
    let disturbed = with_installation_at(&url, async |installation| {
        corpus.begin(installation).await;
        corpus.keep_busy(installation).await;
        let mut watcher = Watcher::of(installation).await;
        let mut worker = installation.start(&["worker", "--set", SHORT_LEASE]);
        let mut counted = 0;
        while counted < INDEX_KILLS {
            corpus.keep_busy(installation).await;
            let before = watcher.leases().await;
            watcher.wait_for(&before, &mut worker, |leases| !leases.publications.is_empty()).await;
            let delay = Duration::from_millis(random.random_range(0..60));
            let away = Duration::from_millis(random.random_range(100..1_500));
            tokio::time::sleep(delay).await;
            let left = backlog(installation).await;
            if left.publications == 0 {
                // It was faster: there is nothing to disturb.
                continue;
            }
            counted += 1;
            qdrant.kill().await;
            eprintln!("{delay:?} after a publication began, away for {away:?}: {left:?}");
            tokio::time::sleep(away).await;
            qdrant.start().await;
            // Something reaches the index before it is killed again.
            let mut waiting = u64::MAX;
            wait_until(installation, |left| left.publications < std::mem::replace(&mut waiting, left.publications))
                .await;
        }
        wait_until(installation, is_empty).await;
        assert_eq!(worker.try_wait().unwrap(), None, "the worker ended by itself");
        stop(worker).await;
        State::of(installation).await
    })
    .await;
    eprintln!("disturbed: {} documents in {:.1?}", corpus.documents(), started.elapsed());

    let undisturbed = corpus.undisturbed(&url).await;
    qdrant.kill().await;
    compare(&corpus, &disturbed, &undisturbed);
}

async fn wait_until(installation: &Installation, mut reached: impl FnMut(Backlog) -> bool) {
    let started = Instant::now();
    loop {
        let left = backlog(installation).await;
        if reached(left) {
            return;
        }
        assert!(started.elapsed() < PATIENCE * 2, "the worker does not recover: {left:?}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Asks a worker to stop, as an operator does, and waits until it has.
async fn stop(mut worker: Child) {
    let id = worker.id().unwrap().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().await.unwrap().success());
    let ended = tokio::time::timeout(PATIENCE, worker.wait()).await.expect("the worker does not stop").unwrap();
    assert!(ended.success(), "{ended}");
}

fn compare(corpus: &Corpus, disturbed: &State, undisturbed: &State) {
    undisturbed.assert_settled();
    assert_eq!(undisturbed.count("documents"), corpus.documents());
    disturbed.assert_settled();
    disturbed.assert_same(undisturbed);
    eprintln!(
        "{} passages, {} vectors, {} points; state {}",
        undisturbed.count("chunks"),
        undisturbed.count("embeddings"),
        undisturbed.points.len(),
        undisturbed.digest(),
    );
}

/// A Qdrant that may be killed, since nobody else uses it.
struct OwnQdrant {
    folder: TempDir,
    http_port: u16,
    grpc_port: u16,
    process: Option<Child>,
}

impl OwnQdrant {
    fn new() -> Self {
        // Both held until both are known, so that they differ.
        let free = || std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let (http, grpc) = (free(), free());
        let port = |listener: &std::net::TcpListener| listener.local_addr().unwrap().port();
        Self { folder: tempfile::tempdir().unwrap(), http_port: port(&http), grpc_port: port(&grpc), process: None }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.grpc_port)
    }

    /// Starts it where it left off, and returns when it answers.
    async fn start(&mut self) {
        let started = Instant::now();
        let client = Qdrant::from_url(&self.url()).skip_compatibility_check().build().unwrap();
        self.process = Some(launch(self.folder.path(), self.http_port, self.grpc_port));
        while client.health_check().await.is_err() {
            let ended = self.process.as_mut().unwrap().try_wait().unwrap();
            assert_eq!(ended, None, "Qdrant did not start");
            assert!(started.elapsed() < PATIENCE, "Qdrant does not answer");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn kill(&mut self) {
        self.process.take().unwrap().kill().await.unwrap();
    }
}

/// The settings of `stack/up`.
fn launch(folder: &Path, http_port: u16, grpc_port: u16) -> Child {
    Command::new(setting("IBIDEM_STACK_QDRANT_BIN"))
        .arg("--disable-telemetry")
        // It writes a marker file into the folder it is started in.
        .current_dir(folder)
        .env("QDRANT__TELEMETRY_DISABLED", "true")
        .env("QDRANT__LOG_LEVEL", "WARN")
        .env("QDRANT__SERVICE__HOST", "127.0.0.1")
        .env("QDRANT__SERVICE__HTTP_PORT", http_port.to_string())
        .env("QDRANT__SERVICE__GRPC_PORT", grpc_port.to_string())
        .env("QDRANT__STORAGE__STORAGE_PATH", folder.join("storage"))
        .env("QDRANT__STORAGE__SNAPSHOTS_PATH", folder.join("snapshots"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap()
}
