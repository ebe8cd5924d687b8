//! Rerank servers in both forms: ones that judge, and ones that refuse, hang, fail and babble.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::{Json, Router};
use ibidem_adapters::http_reranker::{HttpReranker, HttpRerankerSettings, RerankForm};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::reranker::{RerankError, RerankFault, Reranker};
use ibidem_testing::suites::reranker::reranker_suite;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::loopback::{fixed_bytes, nobody};

const KEY: &str = "key-of-the-test";

/// Scores come as JSON numbers with more digits than they need.
const TOLERANCE: f32 = 1e-6;

fn settings(url: String, form: RerankForm) -> HttpRerankerSettings {
    HttpRerankerSettings {
        url,
        form,
        model: "m".to_owned(),
        api_key: Some(KEY.to_owned()),
        raw_scores: false,
        batch_size: 3,
        at_once: 2,
    }
}

fn client(settings: HttpRerankerSettings) -> HttpReranker {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    HttpReranker::new(settings).unwrap()
}

/// What a server was asked: the path, the bearer's key, and how many texts.
type Asked = Arc<Mutex<Vec<(String, String, usize)>>>;

/// A server that judges by shared words, best first, and refuses what real ones refuse.
async fn judge() -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    let router = Router::new().fallback(move |uri: axum::http::Uri, headers: HeaderMap, Json(body): Json<Value>| {
        let is_cohere = uri.path() == "/v1/rerank";
        let texts = body[if is_cohere { "documents" } else { "texts" }].as_array().unwrap().clone();
        assert!(texts.iter().all(|text| !text.as_str().unwrap().trim().is_empty()), "an empty text is refused");
        assert!(!is_cohere || (body["top_n"] == texts.len() && body["model"] == "m"), "{body}");
        assert!(is_cohere || (body["raw_scores"] == false && body["truncate"] == true), "{body}");
        let bearer = headers["authorization"].to_str().unwrap().to_owned();
        log.lock().unwrap().push((uri.path().to_owned(), bearer, texts.len()));
        let mut scored: Vec<(usize, f64)> = texts
            .iter()
            .map(|text| overlap(body["query"].as_str().unwrap(), text.as_str().unwrap()))
            .enumerate()
            .collect();
        scored.sort_by(|one, other| other.1.total_cmp(&one.1));
        let name = if is_cohere { "relevance_score" } else { "score" };
        let results: Vec<Value> = scored.iter().map(|(index, score)| json!({"index": index, name: score})).collect();
        async move { Json(if is_cohere { json!({"id": "x", "results": results}) } else { json!(results) }) }
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

fn overlap(question: &str, text: &str) -> f64 {
    let words = |text: &str| -> HashSet<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let (question, text) = (words(question), words(text));
    question.intersection(&text).count() as f64 / question.len() as f64
}

#[tokio::test]
async fn both_forms_behave_as_rerankers() {
    for (form, path) in [(RerankForm::Cohere, "/v1/rerank"), (RerankForm::Tei, "/rerank")] {
        let (url, asked) = judge().await;
        let reranker = client(settings(format!("{url}{path}"), form));
        reranker_suite(&reranker, TOLERANCE).await;
        let asked = asked.lock().unwrap();
        assert!(asked.iter().all(|(asked, key, _)| asked == path && *key == format!("Bearer {KEY}")), "{asked:?}");
        let largest = asked.iter().map(|(_, _, texts)| *texts).max();
        assert_eq!(largest, Some(3), "no request has more texts than a batch");
    }
}

#[tokio::test]
async fn nothing_worth_asking_about_is_not_asked_about() {
    let reranker = client(settings(nobody().await, RerankForm::Tei));
    assert_eq!(reranker.score("?", vec![String::new(), " \n".to_owned()]).await, Ok(vec![0.0, 0.0]));
}

fn reply(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn every_failure_has_its_own_error_and_none_tells_the_key() {
    let echo = format!(r#"{{"message":"no such key: {KEY}"}}"#);
    let cases: [(&str, String, &str, &str); 9] = [
        ("fails", reply("500 X", "Oops"), "Unavailable", "status 500: Oops"),
        ("refuses the key", reply("401 X", &echo), "Unavailable", "no such key: …"),
        ("is busy", reply("429 X", ""), "Unavailable", "status 429"),
        ("sends elsewhere", reply("302 X\r\nlocation: http://127.0.0.1:9/", ""), "Unavailable", "status 302"),
        ("babbles", reply("200 OK", "<html>"), "Own(Failed", "`reranker.form`"),
        ("leaves one out", reply("200 OK", r#"[{"index":0,"score":0.5}]"#), "Own(Failed", "did not score text 1"),
        ("gives logits", reply("200 OK", r#"[{"index":0,"score":5.5}]"#), "Own(Failed", "`reranker.raw_scores`"),
        ("breaks off", reply("200 OK", "[]").replace("length: 2", "length: 9"), "Unavailable", ""),
        ("is no HTTP server", "SSH-2.0-x\r\n".to_owned(), "Unavailable", ""),
    ];
    for (what, bytes, kind, said) in cases {
        let url = fixed_bytes(bytes.leak(), false).await;
        let reranker = client(settings(url, RerankForm::Tei));
        let error = reranker.score("?", ["one", "two"].map(str::to_owned).to_vec()).await.unwrap_err();
        let shown = format!("{error:?} {error} {reranker:?}");
        assert!(shown.starts_with(kind) && shown.contains(said), "{what}: {shown}");
        assert!(!shown.contains(KEY), "{what}: {shown}");
    }
    let gone = client(settings(nobody().await, RerankForm::Cohere)).score("?", vec!["text".to_owned()]).await;
    assert!(matches!(gone, Err(RerankError::Unavailable(_))), "{gone:?}");
}

#[tokio::test]
async fn a_server_that_hangs_is_late() {
    for bytes in ["", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n["] {
        let url = fixed_bytes(bytes, true).await;
        let reranker = client(settings(url, RerankForm::Tei));
        let timed: Part<dyn Reranker> = Part::patient(Arc::new(reranker), Duration::from_millis(300));
        let late = timed.call(Deadline::NONE, |reranker| reranker.score("?", vec!["text".to_owned()])).await;
        assert_eq!(late, Err(RerankError::Timeout(300)));
    }
}

#[tokio::test]
async fn one_failed_batch_fails_them_all() {
    // Good for the texts of a first batch of three, not for the two that follow.
    let body = r#"[{"index":0,"score":0.5},{"index":1,"score":0.5},{"index":2,"score":0.5}]"#;
    let url = fixed_bytes(reply("200 OK", body).leak(), false).await;
    let reranker = client(settings(url, RerankForm::Tei));
    assert_eq!(reranker.score("?", vec!["text".to_owned(); 3]).await, Ok(vec![0.5; 3]));
    let answered = reranker.score("?", vec!["text".to_owned(); 5]).await;
    assert!(matches!(answered, Err(RerankError::Own(RerankFault::Failed(_)))), "{answered:?}");
}
