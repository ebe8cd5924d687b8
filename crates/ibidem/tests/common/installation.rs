//! An Ibidem of its own for each test: its own database, index and originals, and the binary that runs on them.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use ibidem_adapters::onnx::{OnnxEmbedder, OnnxSettings};
use ibidem_adapters::qdrant::{IndexState, QdrantIndex, QdrantSettings};
use ibidem_ports::embedder::Embedder as _;
use ibidem_store::Store;
use ibidem_testing::database::TestDatabase;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use uuid::Uuid;

use super::setting;

/// No command of these tests takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(600);
/// However busy the machine is, a part that is well is not late. Tests of what is late set their own limits.
const UNHURRIED: [(&str, &str); 3] = [
    ("IBIDEM__DATABASE__TIMEOUT_MS", "60000"),
    ("IBIDEM__INDEX__TIMEOUT_MS", "60000"),
    ("IBIDEM__EMBEDDING__TIMEOUT_MS", "60000"),
];

/// No language model, whatever the environment names: the sources speak for themselves, the same every time.
pub(crate) const NO_MODEL: [(&str, &str); 4] = [
    ("IBIDEM__LANGUAGE_MODEL__URL", ""),
    ("IBIDEM__LANGUAGE_MODEL__NAME", ""),
    ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", ""),
    ("IBIDEM__LANGUAGE_MODEL__WINDOW", ""),
];

pub(crate) struct Installation {
    database: TestDatabase,
    pub(crate) index: QdrantIndex,
    pub(crate) index_url: String,
    index_name: String,
    originals: TempDir,
}

/// What a command printed, and how it ended.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A server that runs until this is dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) url: String,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Served {
    /// The lines that it wrote since it listens, so far.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }

    /// Waits until it has said this so many times.
    pub(crate) async fn says(&self, what: &str, times: usize) {
        let is_printed = async {
            while self.lines().iter().filter(|line| line.contains(what)).count() < times {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let is_said = tokio::time::timeout(PATIENCE, is_printed).await.is_ok();
        assert!(is_said, "it does not say {what:?} {times} times: {:?}", self.lines());
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().expect("it still runs")
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(mut self) {
        let pid = self.child.id().expect("it still runs").to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().await.unwrap().success());
        let ended = tokio::time::timeout(PATIENCE, self.child.wait()).await.expect("it stops").unwrap();
        assert!(ended.success(), "{ended:?}");
    }
}

/// The numbers of the line that `ibidem ingest --wait` ends with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    pub(crate) read: u64,
    pub(crate) retagged: u64,
    pub(crate) unchanged: u64,
    pub(crate) failed: u64,
    pub(crate) passages: u64,
    pub(crate) embedded: u64,
}

impl CommandOutput {
    pub(crate) fn tally(&self) -> Tally {
        let words = ["documents read", "retagged", "unchanged", "failed", "passages", "of them embedded"];
        let pieces: Vec<(u64, &str)> = self.out.trim().split([',', ';']).filter_map(number_and_word).collect();
        let number = |word: &str| {
            let found = pieces.iter().find(|(_, found)| *found == word);
            found.unwrap_or_else(|| panic!("{:?} does not say how many {word}", self.out)).0
        };
        let [read, retagged, unchanged, failed, passages, embedded] = words.map(number);
        Tally { read, retagged, unchanged, failed, passages, embedded }
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

fn number_and_word(piece: &str) -> Option<(u64, &str)> {
    let (number, word) = piece.trim().split_once(' ')?;
    Some((number.parse().ok()?, word))
}

/// Runs a test on an installation of its own, and removes it whatever becomes of the test.
pub(crate) async fn with_installation(test: impl AsyncFnOnce(&Installation)) {
    with_installation_at(&setting("IBIDEM__INDEX__URL"), test).await;
}

/// The same on another Qdrant than the stack's.
pub(crate) async fn with_installation_at<T>(index_url: &str, test: impl AsyncFnOnce(&Installation) -> T) -> T {
    let installation = Installation::at(index_url).await;
    let outcome = AssertUnwindSafe(test(&installation)).catch_unwind().await;
    installation.remove().await;
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

impl Installation {
    async fn at(index_url: &str) -> Self {
        let database = TestDatabase::create().await;
        let index_name = format!("test-{}", Uuid::now_v7().simple());
        let also_at = std::env::var("IBIDEM__INDEX__ALSO_AT").unwrap_or_default();
        let also_at = also_at.split(',').filter(|url| !url.is_empty()).map(str::to_owned).collect();
        let settings = QdrantSettings { alias: index_name.clone(), also_at, ..QdrantSettings::at(index_url) };
        // Only to know which model the binary will name its collections after.
        let embedder = OnnxEmbedder::load(&OnnxSettings::of(
            setting("IBIDEM__EMBEDDING__MODEL"),
            setting("IBIDEM__EMBEDDING__TOKENIZER"),
            setting("IBIDEM__EMBEDDING__RUNTIME"),
        ))
        .unwrap();
        let index = QdrantIndex::new(settings, embedder.model().clone()).unwrap();
        let originals = tempfile::tempdir().unwrap();
        let installation = Self { database, index, index_url: index_url.to_owned(), index_name, originals };
        installation.succeed(&["migrate"]).await;
        assert!(matches!(installation.index.check().await.unwrap(), IndexState::Ready { points: 0, .. }));
        installation
    }

    async fn remove(self) {
        // Left behind on a server that a failed test took down, it goes with that server.
        let _ = self.index.drop_all().await;
        self.database.drop_database().await;
    }

    pub(crate) fn store(&self) -> &Store {
        &self.database.store
    }

    /// The index's collection, as the server calls it.
    pub(crate) async fn collection(&self) -> String {
        match self.index.check().await.unwrap() {
            IndexState::Ready { collection, .. } => collection,
            other => panic!("{other:?}"),
        }
    }

    /// The folder of the originals.
    pub(crate) fn originals(&self) -> &Path {
        self.originals.path()
    }

    /// The names of all columns, of any table, that hold these words.
    pub(crate) async fn columns_with(&self, words: &str) -> Vec<String> {
        self.database.columns_with(words).await
    }

    /// How many records of the audit there are for each request.
    pub(crate) async fn records(&self) -> HashMap<Uuid, i64> {
        let pool = sqlx::PgPool::connect(&self.database.url).await.unwrap();
        let rows: Vec<(Uuid, i64)> = sqlx::query_as("SELECT request_id, count(*) FROM audit GROUP BY request_id")
            .fetch_all(&pool)
            .await
            .unwrap();
        pool.close().await;
        rows.into_iter().collect()
    }

    /// How many rows these tables have.
    pub(crate) async fn rows_of(&self, tables: &[&str]) -> Vec<(String, i64)> {
        let pool = sqlx::PgPool::connect(&self.database.url).await.unwrap();
        let mut rows = Vec::new();
        for table in tables {
            let query = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
            let (count,): (i64,) = sqlx::query_as(query).fetch_one(&pool).await.unwrap();
            rows.push(((*table).to_owned(), count));
        }
        pool.close().await;
        rows
    }

    pub(crate) fn database_url(&self) -> &str {
        &self.database.url
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.configured(&product(), arguments)
    }

    /// A program whose environment names this installation.
    fn configured(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_remove("IBIDEM_CONFIG")
            .env("IBIDEM__DATABASE__URL", &self.database.url)
            .env("IBIDEM__INDEX__URL", &self.index_url)
            .env("IBIDEM__INDEX__NAME", &self.index_name)
            .env("IBIDEM__ORIGINALS__LOCATION", self.originals.path())
            .env("IBIDEM__LOG__LEVEL", "warn")
            .envs(UNHURRIED)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a command to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> CommandOutput {
        ended(self.command(arguments)).await
    }

    /// Runs a command to its end that reads this text from standard input, with these settings over the usual ones.
    pub(crate) async fn feed(&self, arguments: &[&str], settings: &[(&str, &str)], input: &str) -> CommandOutput {
        let file = self.originals.path().join(format!("input-{}", Uuid::now_v7()));
        std::fs::write(&file, input).unwrap();
        let mut command = self.command(arguments);
        command.envs(settings.iter().copied()).stdin(std::fs::File::open(&file).unwrap());
        let output = ended(command).await;
        std::fs::remove_file(file).unwrap();
        output
    }

    /// Runs another program on this installation to its end.
    pub(crate) async fn run_program(&self, program: &Path, arguments: &[&str]) -> CommandOutput {
        ended(self.configured(program, arguments)).await
    }

    /// Runs a script of the repository to its end, with the binary under test as `IBIDEM`.
    pub(crate) async fn script(&self, script: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> CommandOutput {
        let mut command = self.configured(script, arguments);
        command.env("IBIDEM", product()).envs(variables.iter().copied());
        ended(command).await
    }

    /// Runs a command that must succeed.
    pub(crate) async fn succeed(&self, arguments: &[&str]) -> CommandOutput {
        self.succeed_with(arguments, &[]).await
    }

    /// The same with these settings over the usual ones.
    pub(crate) async fn succeed_with(&self, arguments: &[&str], settings: &[(&str, &str)]) -> CommandOutput {
        let mut command = self.command(arguments);
        command.envs(settings.iter().copied());
        let output = ended(command).await;
        assert_eq!(output.code, Some(0), "`ibidem {}`: {output:#?}", arguments.join(" "));
        output
    }

    /// Starts a command and leaves it running. What it logs is shown with the test's own output.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::null()).spawn().unwrap()
    }

    /// Starts the server on a free port, with these settings over the usual ones, and waits until it listens.
    pub(crate) async fn serve(&self, settings: &[(&str, &str)]) -> Served {
        let mut command = self.command(&["serve", "--listen", "127.0.0.1:0"]);
        for (name, value) in settings {
            // Nothing in its place takes a setting away that the environment has.
            if value.is_empty() {
                command.env_remove(name)
            } else {
                command.env(name, value)
            };
        }
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let listening = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if let Some(url) = line.strip_prefix("listening on ") {
                    return url.to_owned();
                }
            }
            panic!("the server ended before it listened");
        };
        let url = tokio::time::timeout(PATIENCE, listening).await.expect("the server begins to listen");
        // What it logs later is shown with the test's own output.
        let lines_kept = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines_kept);
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                eprintln!("serve: {line}");
                kept.lock().unwrap().push(line);
            }
        });
        Served { child, url, lines: lines_kept }
    }

    /// Ingests a folder or file as public documents, waiting for it.
    pub(crate) async fn ingest(&self, path: &Path) -> Tally {
        self.ingest_with(path, &[]).await
    }

    /// The same with these settings over the usual ones.
    pub(crate) async fn ingest_with(&self, path: &Path, settings: &[(&str, &str)]) -> Tally {
        let path = path.to_str().unwrap();
        self.succeed_with(&["ingest", path, "--collection", "Handbook", "--tags", "public", "--wait"], settings)
            .await
            .tally()
    }

    /// Hands a folder or file in as public documents, for a worker to read.
    pub(crate) async fn hand_in(&self, path: &Path) {
        let path = path.to_str().unwrap();
        self.succeed(&["ingest", path, "--collection", "Handbook", "--tags", "public"]).await;
    }

    /// The hits of a search by somebody with these tags, of both lanes.
    pub(crate) async fn search(&self, query: &str, tags: &str) -> Vec<Value> {
        let mut arguments = vec!["search", query, "--json", "--limit", "100"];
        if !tags.is_empty() {
            arguments.extend(["--tags", tags]);
        }
        let answer = self.succeed(&arguments).await.json();
        assert_eq!(answer["fallback_reasons"], serde_json::json!([]));
        answer["hits"].as_array().unwrap().clone()
    }
}

/// The binary `ibidem`. Cargo names it for the tests of its own crate; those of the workbench find it beside their own
/// binary, where a build of the whole workspace puts both.
fn product() -> PathBuf {
    match (option_env!("CARGO_BIN_EXE_ibidem"), option_env!("CARGO_BIN_EXE_ibidem-workbench")) {
        (Some(product), _) => product.into(),
        (None, Some(workbench)) => Path::new(workbench).with_file_name("ibidem"),
        (None, None) => panic!("neither binary is built with these tests"),
    }
}

/// What a command printed, once it has ended.
async fn ended(mut command: Command) -> CommandOutput {
    let output = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = output.unwrap_or_else(|_| panic!("{command:?} hangs")).unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    CommandOutput { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
