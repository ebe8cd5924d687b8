//! Model servers: a real one of the test's own, and ones that always say the same.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::setting;

const PATIENCE: Duration = Duration::from_secs(120);
pub(crate) const NAME: &str = "small";

/// llama.cpp's server, for one test to ask, to stop and to kill.
pub(crate) struct LlamaServer {
    child: Child,
    pub(crate) url: String,
}

impl LlamaServer {
    pub(crate) async fn start() -> Self {
        Self::with(&setting("IBIDEM_STACK_SMALL_MODEL")).await
    }

    pub(crate) async fn with(model: &str) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port().to_string();
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../stack/model_server.py");
        let mut child = Command::new(setting("IBIDEM_STACK_PYTHON"))
            .args([script, "--model", model, "--name", NAME])
            .args(["--port", &port, "--threads", "2"])
            .env("OMP_WAIT_POLICY", "PASSIVE")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let serving = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.starts_with("serving ") {
                    return;
                }
            }
            panic!("the model server ended before it served");
        };
        tokio::time::timeout(PATIENCE, serving).await.expect("the model server starts");
        // Nobody may be left writing into a closed pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { child, url: format!("http://127.0.0.1:{port}/v1") }
    }

    pub(crate) async fn signal(&self, name: &str) {
        let pid = self.child.id().expect("it runs").to_string();
        assert!(Command::new("kill").args([name, &pid]).status().await.unwrap().success());
    }

    /// Waits until it has done with what it was asked before.
    pub(crate) async fn is_free(&self) {
        let models = reqwest::Client::new().get(format!("{}/models", self.url)).timeout(PATIENCE);
        models.send().await.expect("the model server answers");
    }
}

/// Stands between the asker and a model server, and holds the second word back: so that whatever is to happen while the
/// model writes does happen then, on a fast machine and on a busy one.
pub(crate) struct Relay {
    task: JoinHandle<()>,
    pub(crate) url: String,
    wrote: Arc<Notify>,
    goes_on: Arc<Notify>,
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Relay {
    pub(crate) async fn before(server: &LlamaServer) -> Self {
        let behind = server.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (wrote, goes_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (first, then) = (wrote.clone(), goes_on.clone());
        let task = tokio::spawn(async move {
            while let Ok((asker, _)) = listener.accept().await {
                let (behind, first, then) = (behind.clone(), first.clone(), then.clone());
                tokio::spawn(async move {
                    let Ok(server) = TcpStream::connect(behind).await else { return };
                    let (mut from_asker, mut to_asker) = asker.into_split();
                    let (mut from_server, mut to_server) = server.into_split();
                    let up = tokio::spawn(async move { tokio::io::copy(&mut from_asker, &mut to_server).await });
                    let mut is_written = false;
                    let mut bytes = vec![0; 16 * 1024];
                    while let Ok(count @ 1..) = from_server.read(&mut bytes).await {
                        if to_asker.write_all(&bytes[..count]).await.is_err() {
                            break;
                        }
                        let writes = bytes[..count].windows(6).any(|window| window == b"data: ");
                        if writes && !std::mem::replace(&mut is_written, true) {
                            first.notify_one();
                            then.notified().await;
                        }
                    }
                    up.abort();
                });
            }
        });
        Self { task, url, wrote, goes_on }
    }

    /// Does something once the model has written its first word, before anybody gets the second. Says whether it wrote
    /// one in this time.
    pub(crate) async fn while_it_writes(&self, within: Duration, something: impl Future<Output = ()>) -> bool {
        let wrote = tokio::time::timeout(within, self.wrote.notified()).await.is_ok();
        if wrote {
            something.await;
            self.goes_on.notify_one();
        }
        wrote
    }
}

/// A server that answers every request with the same bytes; then it hangs up, or hangs.
pub(crate) struct FixedServer {
    task: JoinHandle<()>,
    pub(crate) url: String,
}

impl Drop for FixedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FixedServer {
    pub(crate) async fn replying(reply: String, hangs: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(reply_once(connection, reply.clone(), hangs));
            }
        });
        Self { task, url }
    }

    /// A model that writes these pieces at once.
    pub(crate) async fn saying(pieces: &[&str]) -> Self {
        let events = pieces.iter().map(|piece| {
            let event = json!({ "choices": [{ "index": 0, "delta": { "content": piece } }] });
            format!("data: {event}\n\n")
        });
        let events: String = events.collect();
        Self::replying(format!("{EVENTS}{events}data: [DONE]\n\n"), false).await
    }
}

/// A model that writes at a steady pace, and remembers when it had written a piece.
pub(crate) struct PacedServer {
    task: JoinHandle<()>,
    pub(crate) url: String,
    /// When it was asked, and when each piece was sent, for each request.
    pub(crate) sent: Arc<Mutex<Vec<Vec<Instant>>>>,
}

impl Drop for PacedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl PacedServer {
    pub(crate) async fn writing(pieces: Vec<String>, every: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let sent = Arc::new(Mutex::new(Vec::new()));
        let times = sent.clone();
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(write_paced(connection, pieces.clone(), every, times.clone()));
            }
        });
        Self { task, url, sent }
    }
}

/// Writes to whoever asks for an answer, and has nothing else.
async fn write_paced(
    mut connection: TcpStream,
    pieces: Vec<String>,
    every: Duration,
    times: Arc<Mutex<Vec<Vec<Instant>>>>,
) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    let request = read_request(&mut connection).await;
    if !request.starts_with(b"POST /v1/chat/completions") {
        let nothing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        return connection.write_all(nothing.as_bytes()).await;
    }
    let mut at = vec![Instant::now()];
    connection.write_all(EVENTS.as_bytes()).await?;
    let mut ticks = tokio::time::interval(every);
    ticks.tick().await;
    for piece in &pieces {
        ticks.tick().await;
        let event = json!({ "choices": [{ "index": 0, "delta": { "content": piece } }] });
        connection.write_all(format!("data: {event}\n\n").as_bytes()).await?;
        at.push(Instant::now());
    }
    times.lock().unwrap().push(at);
    connection.write_all(b"data: [DONE]\n\n").await?;
    connection.shutdown().await
}

pub(crate) const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// Reads a request to its end, so that closing the connection does not reset it.
pub(crate) async fn read_request(connection: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    let mut piece = [0_u8; 8192];
    loop {
        let Ok(read) = connection.read(&mut piece).await else { return request };
        request.extend_from_slice(&piece[..read]);
        if read == 0 || is_whole(&request) {
            return request;
        }
    }
}

async fn reply_once(mut connection: TcpStream, reply: String, hangs: bool) {
    read_request(&mut connection).await;
    let _ = connection.write_all(reply.as_bytes()).await;
    if hangs {
        std::future::pending::<()>().await;
    }
    let _ = connection.shutdown().await;
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    request.len() >= head.len() + 4 + length.unwrap_or(0)
}
