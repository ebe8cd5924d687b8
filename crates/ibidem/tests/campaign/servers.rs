//! The parts themselves: real ones as processes of their own, and quick ones in place of models.
//!
//! A language model of the stack writes some twenty tokens a second in all; under twenty questions a second it would be
//! late without any fault. So a model that is quick and knows the handbook stands in for it, and one that counts common
//! words for a reranker and a verifier. The embedding model is the real one, in this process behind a server's protocol.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use ibidem_adapters::onnx::{OnnxEmbedder, OnnxSettings};
use ibidem_adapters::skos_files::{SkosFiles, SkosFilesSettings};
use ibidem_ports::embedder::Embedder as _;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::handbook::HANDBOOK;
use crate::setting;
use crate::{proxy, replies};

const PATIENCE: Duration = Duration::from_secs(60);

/// The port that the vocabulary's process listens on.
const VOCABULARY_PORT: &str = "IBIDEM_CAMPAIGN_VOCABULARY_PORT";

#[tokio::test]
#[ignore = "a process of the campaign, which starts it and ends it"]
async fn the_vocabulary_as_a_process() {
    let Some(port) = std::env::var_os(VOCABULARY_PORT) else { return };
    let port: u16 = port.to_str().unwrap().parse().unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapters/tests/data/vocabulary/gridterms.ttl");
    let settings =
        SkosFilesSettings { paths: vec![file.into()], language: "en".to_owned(), max_file_bytes: 10_000_000 };
    let vocabularies = Arc::new(SkosFiles::load(&settings).unwrap());
    let listener = TcpListener::bind(("127.0.0.1", port)).await.unwrap();
    ibidem_testing::skosmos::serve(listener, vocabularies, "en").await.unwrap();
}

/// A server in this process that answers at once. It ends when this is dropped.
pub(crate) struct QuickServer {
    pub(crate) address: String,
    task: JoinHandle<()>,
}

impl Drop for QuickServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl QuickServer {
    pub(crate) async fn answering(answer: fn(&Value) -> String) -> Self {
        Self::asking(Arc::new(move |request| Box::pin(async move { answer(&request) }))).await
    }

    /// The stack's embedding model, in the form of OpenAI's `/v1/embeddings`.
    pub(crate) async fn embedding() -> Self {
        let [model, tokenizer, runtime] =
            ["MODEL", "TOKENIZER", "RUNTIME"].map(|file| setting(&format!("IBIDEM__EMBEDDING__{file}")));
        let embedder = Arc::new(OnnxEmbedder::load(&OnnxSettings::of(model, tokenizer, runtime)).unwrap());
        Self::asking(Arc::new(move |request| Box::pin(embedded(Arc::clone(&embedder), request)))).await
    }

    async fn asking(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&answer)));
            }
        });
        Self { address, task }
    }
}

/// What is said to a request's body.
type Answer = Arc<dyn Fn(Value) -> BoxFuture<'static, String> + Send + Sync>;

async fn embedded(embedder: Arc<OnnxEmbedder>, request: Value) -> String {
    let texts = request["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect();
    // The default model has no prefixes: a question is embedded as a passage is.
    let vectors = embedder.embed_passages(texts).await.unwrap();
    let data = vectors.iter().enumerate().map(|(index, vector)| json!({ "index": index, "embedding": vector }));
    as_json(&json!({ "data": data.collect::<Vec<_>>() }))
}

async fn serve(mut connection: TcpStream, answer: Answer) {
    let Some(request) = replies::read_request(&mut connection).await else { return };
    let request = String::from_utf8_lossy(&request);
    let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let answer = match serde_json::from_str(body) {
        Ok(body) => answer(body).await,
        // It is asked which models it has.
        Err(_) => as_json(&json!({ "data": [{ "id": "scribe" }] })),
    };
    let _ = connection.write_all(answer.as_bytes()).await;
    let _ = connection.shutdown().await;
}

fn as_json(body: &Value) -> String {
    let body = body.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length:";
    format!("{head} {}\r\n\r\n{body}", body.len())
}

/// A model that retells the sentence that answers, with the number of its note; and judges claims by their words.
pub(crate) fn scribe(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap();
    let prompt = messages.last().and_then(|message| message["content"].as_str()).unwrap();
    if request["logprobs"] == true {
        return as_json(&judged(prompt));
    }
    let page = HANDBOOK.iter().find(|page| prompt.ends_with(page.question));
    let noted = page.and_then(|page| {
        let note = prompt.lines().find(|line| line.contains(page.fact))?;
        let (marker, _) = note.split_once(' ')?;
        Some(format!("{}{marker}", page.retold))
    });
    let reply = noted.unwrap_or_else(|| "I don't know.".to_owned());
    let event = json!({ "choices": [{ "index": 0, "delta": { "content": reply } }] });
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\ndata: {event}\n\ndata: [DONE]\n\n"
    )
}

/// Yes where most words of the claim are in the passage.
fn judged(prompt: &str) -> Value {
    let (passage, claim) = prompt.split_once("\n\nClaim: ").unwrap();
    let claim = claim.split("\n\n").next().unwrap();
    let (yes, no) = if common_words(claim, passage) > 0.8 { (-0.02, -4.0) } else { (-4.0, -0.02) };
    let top = json!([{ "token": "yes", "logprob": yes }, { "token": "no", "logprob": no }]);
    json!({ "choices": [{ "logprobs": { "content": [{ "token": "yes", "logprob": yes, "top_logprobs": top }] } }] })
}

/// A reranker that counts the question's words in each passage.
pub(crate) fn rerank(request: &Value) -> String {
    let query = request["query"].as_str().unwrap();
    let documents = request["documents"].as_array().unwrap();
    let scored = documents.iter().enumerate().map(|(index, document)| {
        let score = common_words(query, document.as_str().unwrap());
        json!({ "index": index, "relevance_score": score })
    });
    as_json(&json!({ "results": scored.collect::<Vec<_>>() }))
}

/// The share of one text's words that the other has.
fn common_words(of: &str, within: &str) -> f64 {
    let words = |text: &str| -> std::collections::BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (of, within) = (words(of), words(within));
    of.intersection(&within).count() as f64 / of.len().max(1) as f64
}

/// A process that can be killed, and started again where it was.
pub(crate) struct Process {
    child: Option<Child>,
    start: Box<dyn Fn() -> Command + Send + Sync>,
    pub(crate) address: String,
}

impl Process {
    /// A Qdrant on data of its own.
    pub(crate) async fn qdrant(folder: &Path) -> Self {
        let (grpc, http) = (proxy::free_port().await, proxy::free_port().await);
        let folder = folder.to_owned();
        let start = move || {
            let mut command = Command::new(setting("IBIDEM_STACK_QDRANT_BIN"));
            command
                .arg("--disable-telemetry")
                // It writes a marker file into the folder it is started in.
                .current_dir(&folder)
                .env("QDRANT__TELEMETRY_DISABLED", "true")
                .env("QDRANT__LOG_LEVEL", "OFF")
                .env("QDRANT__SERVICE__HOST", "127.0.0.1")
                .env("QDRANT__SERVICE__HTTP_PORT", http.to_string())
                .env("QDRANT__SERVICE__GRPC_PORT", grpc.to_string())
                .env("QDRANT__STORAGE__STORAGE_PATH", folder.join("storage"))
                .env("QDRANT__STORAGE__SNAPSHOTS_PATH", folder.join("snapshots"))
                .stdout(Stdio::null());
            command
        };
        Self::started(Box::new(start), grpc).await
    }

    /// The vocabulary, in Skosmos' own form.
    pub(crate) async fn vocabulary() -> Self {
        let port = proxy::free_port().await;
        let start = move || {
            // These tests once more, as a process that can be killed.
            let mut command = Command::new(std::env::current_exe().unwrap());
            command
                .args(["--ignored", "--exact", "servers::the_vocabulary_as_a_process"])
                .env(VOCABULARY_PORT, port.to_string())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command
        };
        Self::started(Box::new(start), port).await
    }

    async fn started(start: Box<dyn Fn() -> Command + Send + Sync>, port: u16) -> Self {
        let mut process = Self { child: None, start, address: format!("127.0.0.1:{port}") };
        process.restart().await;
        process
    }

    pub(crate) async fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().await.unwrap();
        }
    }

    /// Returns when it listens.
    pub(crate) async fn restart(&mut self) {
        self.child = Some((self.start)().stdin(Stdio::null()).kill_on_drop(true).spawn().unwrap());
        listens(&self.address).await;
    }
}

/// The database of the stack, which is killed and brought back by the stack itself.
pub(crate) struct StackDatabase;

impl StackDatabase {
    /// Only where nobody else uses the stack: `just lab campaign` has one of its own.
    pub(crate) fn may_be_killed() -> bool {
        std::env::var_os("IBIDEM_STACK_MAY_BE_KILLED").is_some()
    }

    pub(crate) async fn kill() {
        assert!(Self::may_be_killed(), "this stack is not ours alone");
        let pid = stack("env").await;
        let pid = pid.lines().find_map(|line| line.strip_prefix("export IBIDEM_STACK_PG_PID=")).unwrap();
        let killed = Command::new("kill").args(["-KILL", pid.trim_matches('\'')]).status().await.unwrap();
        assert!(killed.success());
    }

    pub(crate) async fn restart() {
        stack("up").await;
    }
}

/// A command of the stack that this runs on, and what it printed.
pub(crate) async fn stack(command: &str) -> String {
    let script = format!("{}/../../stack/{command}", env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(script).stdin(Stdio::null()).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

async fn listens(address: &str) {
    let trying = async {
        while TcpStream::connect(address).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, trying).await.unwrap_or_else(|_| panic!("nobody listens on {address}"));
}
