//! `ibidem try`, as somebody new runs it: one command, a link, a cited answer, and nothing left running.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

#[path = "../common/mod.rs"]
mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::setting;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

/// On a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(400);
const QUESTION: &str = "What is the daily limit for meals on a business trip?";

/// A running trial.
struct Trial {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    url: String,
    token: String,
}

/// Where the stack keeps what it fetched.
fn parts() -> PathBuf {
    PathBuf::from(setting("IBIDEM_STACK_QDRANT_BIN")).ancestors().nth(2).unwrap().into()
}

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// A folder through which PostgreSQL's user can walk when root starts it.
fn folder() -> TempDir {
    tempfile::Builder::new().permissions(std::fs::Permissions::from_mode(0o755)).tempdir().unwrap()
}

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ibidem"));
    command.arg("try").arg("--data").arg(data).arg("--parts").arg(parts()).args(arguments).env_clear();
    command.envs(["PATH", "HOME"].map(|name| (name, std::env::var(name).unwrap())));
    // The readers are slow on a machine that has much else to do.
    command.args(["--set", "reranker.timeout_ms=60000", "--set", "server.request_timeout_ms=300000"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
    command
}

impl Trial {
    async fn start(data: &Path, arguments: &[&str]) -> Self {
        let mut child = command(data, arguments).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (mut url, mut printed) = (None, Vec::new());
        let said = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if let Some(at) = line.find("http://127.0.0.1:") {
                    let address = line[at..].split([' ', '/', '#']).nth(2).unwrap();
                    url = Some(format!("http://{}", address.trim_end_matches('.')));
                }
                for before in ["#link=", "takes this token: "] {
                    if let (Some((_, token)), Some(url)) = (line.split_once(before), url.clone()) {
                        return Some((url, token.trim().to_owned()));
                    }
                }
                printed.push(line);
            }
            None
        };
        let said = tokio::time::timeout(PATIENCE, said).await.expect("it is up in time");
        let (url, token) = said.unwrap_or_else(|| panic!("it ended without an address: {printed:#?}"));
        Self { child, lines, url, token }
    }

    fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// The programs that it started and that still run, by their ids.
    fn children(&self) -> Vec<u32> {
        let ids = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = ids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        ids.filter(|id| parent_of(*id) == Some(self.pid())).collect()
    }

    async fn post(&self, path: &str, key: Option<&str>, body: Value) -> (StatusCode, Value) {
        let mut request = client().post(format!("{}{path}", self.url)).json(&body);
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        let reply = request.timeout(PATIENCE).send().await.unwrap();
        (reply.status(), reply.json().await.unwrap())
    }

    async fn sign_in(&self) -> String {
        let (status, body) = self.post("/auth/link", None, json!({ "token": self.token })).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body["secret"].as_str().unwrap().to_owned()
    }

    async fn kill(&self, signal: &str) {
        assert!(Command::new("kill").args([signal, &self.pid().to_string()]).status().await.unwrap().success());
    }
}

/// The parent of a process that has not ended.
fn parent_of(id: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = status.rsplit_once(") ")?.1.split(' ');
    let is_over = matches!(fields.next()?, "Z" | "X");
    fields.next()?.parse().ok().filter(|_| !is_over)
}

async fn all_end(children: &[u32]) {
    let began = Instant::now();
    while children.iter().any(|id| parent_of(*id).is_some()) {
        assert!(began.elapsed() < PATIENCE, "still there: {children:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn one_command_leads_to_a_cited_answer_and_leaves_nothing_running() {
    let folder = folder();
    let data = folder.path().join("data");
    let began = Instant::now();
    let mut trial = Trial::start(&data, &["--listen", "127.0.0.1:0"]).await;

    // The link works once, and makes an admin.
    let wrong = trial.post("/auth/link", None, json!({ "token": "guessed" })).await;
    assert_eq!((wrong.0, &wrong.1["type"]), (StatusCode::NOT_FOUND, &json!("no_such_link")));
    let key = trial.sign_in().await;
    let again = trial.post("/auth/link", None, json!({ "token": trial.token })).await;
    assert_eq!(again.0, StatusCode::NOT_FOUND, "{}", again.1);
    let keys = client().get(format!("{}/v1/keys", trial.url)).bearer_auth(&key).send().await.unwrap();
    assert_eq!(keys.status(), StatusCode::OK, "an admin reads the keys");

    let (status, answer) = trial.post("/v1/answers", Some(&key), json!({ "query": QUESTION })).await;
    assert_eq!((status, &answer["action"]), (StatusCode::OK, &json!("cite")), "{answer}");
    assert!(!answer["citations"].as_array().unwrap().is_empty(), "{answer}");
    println!("first cited answer after {:.1} s", began.elapsed().as_secs_f64());

    // Other commands work on it by the file that it wrote; nobody else gets into its servers.
    let settings = data.join("ibidem.yaml");
    let mut list = Command::new(env!("CARGO_BIN_EXE_ibidem"));
    list.arg("--config").arg(&settings).args(["key", "list"]).env_clear();
    let listed = list.output().await.unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains("sign-in link") && !listed.contains("revoked"), "{listed}");
    let second = command(&data, &[]).stderr(Stdio::piped()).output().await.unwrap();
    assert!(!second.status.success() && String::from_utf8_lossy(&second.stderr).contains("already runs"));

    let children = trial.children();
    assert!(children.len() >= 2, "PostgreSQL and Qdrant: {children:?}");
    trial.kill("-TERM").await;
    let ended = tokio::time::timeout(PATIENCE, trial.child.wait()).await.expect("it ends").unwrap();
    assert!(ended.success(), "{ended:?}");
    while trial.lines.next_line().await.unwrap().is_some() {}
    assert!(children.iter().all(|id| parent_of(*id).is_none()), "it waited for them: {children:?}");

    // The data is there again; the old key is not good any more. A crash leaves nothing running either.
    let trial = Trial::start(&data, &["--listen", "127.0.0.1:0"]).await;
    let body = json!({ "query": "parental leave", "limit": 1 });
    assert_eq!(trial.post("/v1/search", Some(&key), body.clone()).await.0, StatusCode::UNAUTHORIZED);
    let key = trial.sign_in().await;
    let (status, found) = trial.post("/v1/search", Some(&key), body).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(found["hits"].as_array().map(Vec::len), Some(1), "{found}");
    let children = trial.children();
    trial.kill("-KILL").await;
    all_end(&children).await;
}

#[tokio::test]
async fn what_is_missing_is_said_and_other_addresses_are_refused() {
    let (folder, empty) = (folder(), folder());
    let mut without = Command::new(env!("CARGO_BIN_EXE_ibidem"));
    without.arg("try").arg("--data").arg(folder.path()).arg("--parts").arg(empty.path()).env_clear();
    let output = without.output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("Qdrant") && said.contains("--parts"), "{said}");

    let output = command(folder.path(), &["--listen", "0.0.0.0:0"]).stderr(Stdio::piped()).output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("--listen must be an address of this machine"), "{said}");
}
