//! Model servers that are killed, hang, fail and babble: each ends in time, and in the sources' own sentences.

use std::time::{Duration, Instant};

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::{Installation, with_installation};
use crate::model_server::{EVENTS, FixedServer, LlamaServer, NAME, Relay};

const MODEL_TIMEOUT: Duration = Duration::from_secs(3);
/// A real model must have begun to write by then: on a machine with nothing else to do, and otherwise.
const REAL_MODEL_TIMEOUTS: [Duration; 2] = [Duration::from_secs(12), Duration::from_secs(90)];
/// Beyond the model's own time: searching, and a busy machine.
const SLACK: Duration = Duration::from_secs(60);

/// Asks a server whose model is at this address, while `meanwhile` happens.
async fn ask_with_model_at<T>(
    installation: &Installation,
    url: &str,
    within: Duration,
    what: &str,
    meanwhile: impl Future<Output = T>,
) -> T {
    let timeout = within.as_millis().to_string();
    let served = installation
        .serve(&[
            ("IBIDEM__LANGUAGE_MODEL__URL", url),
            ("IBIDEM__LANGUAGE_MODEL__NAME", NAME),
            ("IBIDEM__LANGUAGE_MODEL__TIMEOUT_MS", &timeout),
        ])
        .await;
    let asker = Asker::before(installation, &served).await;
    let began = Instant::now();
    let (events, happened) = tokio::join!(asker.listen(QUESTION), meanwhile);
    let took = began.elapsed();
    let answer = &events.last().unwrap().data;
    eprintln!("{what}: {} after {took:.1?}", answer["model_used"]);
    assert!(took < within + SLACK, "{what} took {took:?}");
    assert_eq!(events.last().unwrap().name, "answer", "{what}");
    assert_eq!(answer["action"], "cite", "{what}: {answer}");
    let flags = &answer["retrieval_quality"]["fallback_reasons"];
    // Whole sentences that had already been checked stay; otherwise the sources speak.
    if answer["model_used"] == "extractive" {
        assert_eq!(flags, &serde_json::json!(["extractive"]), "{what}");
        assert!(answer["answer"].as_str().unwrap().contains("Five days of leave may be carried over"), "{answer}");
    } else {
        assert_eq!(flags, &serde_json::json!(["model_interrupted"]), "{what}");
    }
    let is_told = answer["transparency"]["show_to_user"] == true || answer["warnings"] != serde_json::json!([]);
    assert!(is_told, "{what}: the asker is told: {answer}");
    served.stop().await;
    happened
}

/// Asks a real model, and sends its server a signal while it writes.
async fn signal_while_it_writes(installation: &Installation, llama: &LlamaServer, what: &str, signal: &str) {
    for within in REAL_MODEL_TIMEOUTS {
        let relay = Relay::before(llama).await;
        let meanwhile = relay.while_it_writes(within + SLACK, llama.signal(signal));
        if ask_with_model_at(installation, &relay.url, within, what, meanwhile).await {
            return;
        }
        llama.is_free().await;
    }
    panic!("the model wrote nothing in {REAL_MODEL_TIMEOUTS:?}");
}

#[tokio::test]
async fn a_real_model_server_that_is_killed_or_stopped_while_it_writes_is_stood_in_for() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let llama = LlamaServer::start().await;
        for (what, signal) in [("stopped", "-STOP"), ("killed", "-KILL")] {
            signal_while_it_writes(installation, &llama, what, signal).await;
            if what == "stopped" {
                llama.signal("-CONT").await;
                llama.is_free().await;
            }
        }
        ask_with_model_at(installation, &llama.url, MODEL_TIMEOUT, "gone", async {}).await;
    })
    .await;
}

#[tokio::test]
async fn a_model_server_that_fails_or_babbles_is_stood_in_for() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
        let cases: [(&str, String, bool); 6] = [
            ("fails", "HTTP/1.1 500 X\r\ncontent-length: 4\r\nconnection: close\r\n\r\nOops".to_owned(), false),
            ("babbles", format!("{EVENTS}data: <html>\n\n"), false),
            ("sends a page", "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>".to_owned(), false),
            ("breaks off", format!("{EVENTS}{piece}"), false),
            ("hangs at once", String::new(), true),
            ("hangs in the middle", format!("{EVENTS}{piece}"), true),
        ];
        for (what, reply, hangs) in cases {
            let server = FixedServer::replying(reply, hangs).await;
            ask_with_model_at(installation, &server.url, MODEL_TIMEOUT, what, async {}).await;
        }
    })
    .await;
}
