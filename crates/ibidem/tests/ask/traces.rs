//! Traces of real questions, as a collector gets them.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::with_installation;

/// Takes what is posted, and says thank you.
async fn collector() -> (String, Arc<Mutex<Vec<(String, Value)>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let taken = Arc::new(Mutex::new(Vec::new()));
    let into = taken.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let into = into.clone();
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                let mut piece = [0; 8192];
                while let Ok(count @ 1..) = stream.read(&mut piece).await {
                    bytes.extend_from_slice(&piece[..count]);
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let Ok(body) = serde_json::from_str::<Value>(body) else { continue };
                    let path = head.split(' ').nth(1).unwrap().to_owned();
                    into.lock().unwrap().push((path, body));
                    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
                    bytes.clear();
                }
            });
        }
    });
    (url, taken)
}

#[tokio::test]
async fn a_question_is_a_trace_with_a_span_for_each_stage_and_without_a_word_of_it() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let (url, taken) = collector().await;
        let nowhere = "http://127.0.0.1:1/v1";
        let served =
            installation.serve(&[("IBIDEM__SERVER__OTLP_URL", &url), ("IBIDEM__LANGUAGE_MODEL__URL", nowhere)]).await;
        let answer = Asker::before(installation, &served).await.ask(QUESTION).await;
        for _ in 0..600 {
            if !taken.lock().unwrap().is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let (path, body) = taken.lock().unwrap().first().cloned().expect("the collector got something");
        assert_eq!(path, "/v1/traces");
        let spans = body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
        let trace_id = answer["request_id"].as_str().unwrap().replace('-', "");
        assert!(spans.iter().all(|span| span["traceId"] == trace_id.as_str()), "{body}");
        let root = &spans[0];
        assert_eq!((&root["name"], &root["parentSpanId"]), (&"turn".into(), &Value::Null), "{root}");
        let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
        for stage in ["route", "embed", "index", "catalogue", "sift", "speak"] {
            assert!(names.contains(&stage), "{stage} is missing in {names:?}");
        }
        let nanoseconds = |span: &Value, key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        for span in &spans[1..] {
            assert_eq!(span["parentSpanId"], root["spanId"]);
            assert!(nanoseconds(span, "startTimeUnixNano") >= nanoseconds(root, "startTimeUnixNano"));
            assert!(nanoseconds(span, "endTimeUnixNano") >= nanoseconds(span, "startTimeUnixNano"));
        }
        let text = body.to_string();
        assert!(text.contains("\"cite\"") && text.contains("extractive"), "{text}");
        assert!(!text.contains("leave") && !text.contains("carried"), "a word of the question is in it: {text}");
        served.stop().await;
        let doctor = installation.run(&["doctor", "--set", &format!("server.otlp_url={url}")]).await;
        assert!(doctor.out.contains(&format!("taken at {url}")), "{doctor:?}");
    })
    .await;
}

#[tokio::test]
async fn a_collector_that_is_gone_costs_no_answer() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let nowhere = ("IBIDEM__LANGUAGE_MODEL__URL", "http://127.0.0.1:1/v1");
        let served = installation.serve(&[("IBIDEM__SERVER__OTLP_URL", "http://127.0.0.1:1"), nowhere]).await;
        let asker = Asker::before(installation, &served).await;
        for _ in 0..3 {
            assert_eq!(asker.ask(QUESTION).await["action"], "cite");
        }
        served.stop().await;
        let doctor = installation.run(&["doctor", "--json", "--set", "server.otlp_url=http://127.0.0.1:1"]).await;
        let found = doctor.json();
        let traces = found.as_array().unwrap().iter().find(|finding| finding["part"] == "traces").unwrap();
        assert_eq!(traces["state"], "warning", "{traces}");
        assert!(traces["mend"].as_str().unwrap().contains("server.otlp_url"), "{traces}");
    })
    .await;
}
