//! Entailment servers in both forms: ones that judge, and ones that refuse, hang, fail and babble.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::HeaderMap;
use axum::{Json, Router};
use ibidem_adapters::http_entailment::{EntailmentForm, HttpEntailment, HttpEntailmentSettings};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, EntailmentFault, Pair, Support};
use ibidem_testing::suites::entailment::{entailment_suite, plain_cases};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::loopback::{fixed_bytes, nobody};

const KEY: &str = "key-of-the-test";

/// Scores come as JSON numbers with more digits than they need.
const TOLERANCE: f32 = 1e-6;

fn settings(url: String, form: EntailmentForm) -> HttpEntailmentSettings {
    HttpEntailmentSettings {
        url,
        form,
        model: "m".to_owned(),
        api_key: Some(KEY.to_owned()),
        batch_size: 3,
        at_once: 2,
    }
}

fn client(settings: HttpEntailmentSettings) -> HttpEntailment {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    HttpEntailment::new(settings).unwrap()
}

fn pair(premise: &str, claim: &str) -> Pair {
    Pair { premise: premise.to_owned(), claim: claim.to_owned() }
}

/// What a server was asked: the path, the bearer's key, and how many pairs.
type Asked = Arc<Mutex<Vec<(String, String, usize)>>>;

/// A server that judges by shared words, and refuses what real ones refuse.
async fn judge() -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let log = Arc::clone(&asked);
    let judge = move |uri: axum::http::Uri, headers: HeaderMap, Json(body): Json<Value>| {
        let is_tei = uri.path() == "/predict";
        let given = body[if is_tei { "inputs" } else { "pairs" }].as_array().unwrap().clone();
        assert!(!is_tei || (body["raw_scores"] == false && body["truncate"] == true), "{body}");
        assert!(is_tei || body["model"] == "m", "{body}");
        let bearer = headers["authorization"].to_str().unwrap().to_owned();
        log.lock().unwrap().push((uri.path().to_owned(), bearer, given.len()));
        let shares: Vec<f64> = given
            .iter()
            .map(|pair| {
                let text = |place: usize, name: &str| {
                    let text = if is_tei { &pair[place] } else { &pair[name] };
                    text.as_str().unwrap().to_owned()
                };
                let (premise, claim) = (text(0, "premise"), text(1, "claim"));
                assert!(!premise.trim().is_empty() && !claim.trim().is_empty(), "an empty text is refused");
                overlap(&claim, &premise)
            })
            .collect();
        let reply = if is_tei {
            // The likeliest label first, as that server sorts them.
            let labels = shares.iter().map(|share| {
                let mut labels = [("ENTAILMENT", *share), ("NEUTRAL", 1.0 - share), ("CONTRADICTION", 0.0)];
                labels.sort_by(|one, other| other.1.total_cmp(&one.1));
                labels.map(|(label, score)| json!({"label": label, "score": score}))
            });
            json!(labels.collect::<Vec<_>>())
        } else {
            let judged = shares.iter().enumerate().rev();
            let judged = judged.map(|(index, share)| json!({"index": index, "supported": share, "contradicted": 0.0}));
            json!({"results": judged.collect::<Vec<_>>()})
        };
        async move { Json(reply) }
    };
    let router = Router::new().fallback(judge);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, asked)
}

/// The share of the claim's words that the premise has.
fn overlap(claim: &str, premise: &str) -> f64 {
    let words = |text: &str| -> HashSet<String> { text.split_whitespace().map(str::to_lowercase).collect() };
    let (claim, premise) = (words(claim), words(premise));
    claim.intersection(&premise).count() as f64 / claim.len() as f64
}

#[tokio::test]
async fn both_forms_behave_as_entailment_models() {
    for (form, path) in [(EntailmentForm::Tei, "/predict"), (EntailmentForm::Pairs, "/entailment")] {
        let (url, asked) = judge().await;
        let entailment = client(settings(format!("{url}{path}"), form));
        entailment_suite(&entailment, TOLERANCE).await;
        plain_cases(&entailment).await;
        let asked = asked.lock().unwrap();
        assert!(asked.iter().all(|(asked, key, _)| asked == path && *key == format!("Bearer {KEY}")), "{asked:?}");
        let largest = asked.iter().map(|(_, _, pairs)| *pairs).max();
        assert_eq!(largest, Some(3), "no request has more pairs than a batch");
    }
}

#[tokio::test]
async fn nothing_worth_asking_about_is_not_asked_about() {
    let entailment = client(settings(nobody().await, EntailmentForm::Tei));
    let pairs = vec![pair("", "It rains."), pair("It rains.", " \n"), pair("", "")];
    assert_eq!(entailment.classify(pairs).await, Ok(vec![Classification::of(0.0); 3]));
}

fn reply(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

#[tokio::test]
async fn every_failure_has_its_own_error_and_none_tells_the_key() {
    let echo = format!(r#"{{"message":"no such key: {KEY}"}}"#);
    let one = r#"[[{"label":"entailment","score":0.5}]]"#;
    let logit = r#"[[{"label":"LABEL_0","score":5.5}],[{"label":"LABEL_0","score":0.5}]]"#;
    let cases: [(&str, String, &str, &str); 9] = [
        ("fails", reply("500 X", "Oops"), "Unavailable", "status 500: Oops"),
        ("refuses the key", reply("401 X", &echo), "Unavailable", "no such key: …"),
        ("is busy", reply("429 X", ""), "Unavailable", "status 429"),
        ("sends elsewhere", reply("302 X\r\nlocation: http://127.0.0.1:9/", ""), "Unavailable", "status 302"),
        ("babbles", reply("200 OK", "<html>"), "Own(Failed", "`entailment.form`"),
        ("leaves one out", reply("200 OK", one), "Own(Failed", "judged 1 of 2 pairs"),
        ("gives logits", reply("200 OK", logit), "Own(Failed", "where a probability"),
        ("breaks off", reply("200 OK", "[]").replace("length: 2", "length: 9"), "Unavailable", ""),
        ("is no HTTP server", "SSH-2.0-x\r\n".to_owned(), "Unavailable", ""),
    ];
    for (what, bytes, kind, said) in cases {
        let url = fixed_bytes(bytes.leak(), false).await;
        let entailment = client(settings(url, EntailmentForm::Tei));
        let pairs = vec![pair("It rains.", "It is wet."), pair("It snows.", "It is cold.")];
        let error = entailment.classify(pairs).await.unwrap_err();
        let shown = format!("{error:?} {error} {entailment:?}");
        assert!(shown.starts_with(kind) && shown.contains(said), "{what}: {shown}");
        assert!(!shown.contains(KEY), "{what}: {shown}");
    }
    let gone = client(settings(nobody().await, EntailmentForm::Pairs)).classify(vec![pair("a", "b")]).await;
    assert!(matches!(gone, Err(EntailmentError::Unavailable(_))), "{gone:?}");
}

#[tokio::test]
async fn a_server_that_hangs_is_late() {
    for bytes in ["", "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n["] {
        let url = fixed_bytes(bytes, true).await;
        let entailment = client(settings(url, EntailmentForm::Tei));
        let timed: Part<dyn Entailment> = Part::patient(Arc::new(entailment), Duration::from_millis(300));
        let late = timed.call(Deadline::NONE, |entailment| entailment.classify(vec![pair("a", "b")])).await;
        assert_eq!(late, Err(EntailmentError::Timeout(300)));
    }
}

#[tokio::test]
async fn one_failed_batch_fails_them_all() {
    // Good for the pairs of a first batch of three, not for the two that follow.
    let judged = r#"[{"label":"contradiction","score":0.9},{"label":"entailment","score":0.1}]"#;
    let body = format!("[{judged},{judged},{judged}]");
    let url = fixed_bytes(reply("200 OK", &body).leak(), false).await;
    let entailment = client(settings(url, EntailmentForm::Tei));
    let expected = Classification { support: Support::Contradicted, score: 0.1 };
    assert_eq!(entailment.classify(vec![pair("a", "b"); 3]).await, Ok(vec![expected; 3]));
    let answered = entailment.classify(vec![pair("a", "b"); 5]).await;
    assert!(matches!(answered, Err(EntailmentError::Own(EntailmentFault::Failed(_)))), "{answered:?}");
}
