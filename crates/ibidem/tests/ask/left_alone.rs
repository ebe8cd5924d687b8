//! The real binary, and servers that stop answering for a while: left alone after five times, tried, and asked again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::{Installation, Served, with_installation};
use crate::model_server::FixedServer;
use crate::setting;

/// Short, so that a test sees it closed again.
const OPEN_MS: &str = "1500";
const PATIENCE: Duration = Duration::from_secs(60);

/// What stands between the binary and a server, and can stop passing anything on.
struct Line {
    task: JoinHandle<()>,
    url: String,
    is_cut: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Line {
    async fn to(url: &str) -> Self {
        let server = url.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (is_cut, connections) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let (cut, counted) = (Arc::clone(&is_cut), Arc::clone(&connections));
        let task = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let Ok(far) = TcpStream::connect(&server).await else { continue };
                let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                tokio::spawn(pass_on(near_in, far_out, Arc::clone(&cut)));
                tokio::spawn(pass_on(far_in, near_out, Arc::clone(&cut)));
            }
        });
        Self { task, url, is_cut, connections }
    }

    fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, Ordering::SeqCst);
    }
}

/// Nothing is lost while the line is cut: it waits, as a server does that hangs.
async fn pass_on(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, is_cut: Arc<AtomicBool>) {
    let mut piece = [0_u8; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut piece).await {
        while is_cut.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        if to.write_all(&piece[..read]).await.is_err() {
            return;
        }
    }
}

fn flags(answer: &Value) -> Value {
    answer["retrieval_quality"]["fallback_reasons"].clone()
}

async fn serve(installation: &Installation, settings: &[(&str, &str)]) -> (Served, Asker) {
    let served = installation.serve(settings).await;
    let asker = Asker::before(installation, &served).await;
    (served, asker)
}

/// A model that is always there, and says at once what the handbook does.
async fn scribe() -> FixedServer {
    FixedServer::saying(&["Five days of leave may be carried over into the next year.[^1]"]).await
}

/// Asks until it is answered as if nothing had been.
async fn is_well_again(asker: &Asker) -> Value {
    let began = Instant::now();
    loop {
        let answer = asker.ask(QUESTION).await;
        if flags(&answer) == json!([]) && answer["action"] == "cite" {
            return answer;
        }
        assert!(began.elapsed() < PATIENCE, "still not: {answer}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn an_index_that_hangs_is_left_alone_after_five_times_and_asked_again_when_it_is_well() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let line = Line::to(&setting("IBIDEM__INDEX__URL")).await;
        let scribe = scribe().await;
        let settings = [
            ("IBIDEM__LANGUAGE_MODEL__URL", scribe.url.as_str()),
            ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", "estimate"),
            ("IBIDEM__INDEX__URL", line.url.as_str()),
            ("IBIDEM__INDEX__TIMEOUT_MS", "700"),
            ("IBIDEM__BREAKERS__OPEN_MS", OPEN_MS),
        ];
        let (served, asker) = serve(installation, &settings).await;
        is_well_again(&asker).await;

        line.cut(true);
        let mut seen = Vec::new();
        for _ in 0..6 {
            let answer = asker.ask(QUESTION).await;
            assert_eq!(answer["action"], "refuse", "{answer}");
            assert_eq!(answer["reason"], "retrieval_unavailable", "{answer}");
            seen.push(flags(&answer));
        }
        let attempted = vec![json!([]); 5];
        assert_eq!((&seen[..5], &seen[5]), (&attempted[..], &json!(["circuit_open"])));

        line.cut(false);
        let answer = is_well_again(&asker).await;
        assert!(answer["answer"].as_str().unwrap().contains("Five days of leave"), "{answer}");
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_request_whose_time_is_over_is_refused_with_that_reason_whole_and_as_a_stream() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let line = Line::to(&setting("IBIDEM__INDEX__URL")).await;
        let scribe = scribe().await;
        let settings = [
            ("IBIDEM__LANGUAGE_MODEL__URL", scribe.url.as_str()),
            ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", "estimate"),
            ("IBIDEM__LANGUAGE_MODEL__TIMEOUT_MS", "1000"),
            ("IBIDEM__INDEX__URL", line.url.as_str()),
            ("IBIDEM__INDEX__TIMEOUT_MS", "60000"),
            ("IBIDEM__ENTAILMENT__TIMEOUT_MS", "1000"),
            ("IBIDEM__RERANKER__USE", "none"),
            ("IBIDEM__SERVER__REQUEST_TIMEOUT_MS", "2500"),
        ];
        let (served, asker) = serve(installation, &settings).await;
        is_well_again(&asker).await;
        line.cut(true);
        let whole = asker.ask(QUESTION).await;
        assert_eq!((whole["action"].as_str(), whole["reason"].as_str()), (Some("refuse"), Some("deadline")), "{whole}");
        assert_eq!(whole["refusal_reason"], "The time of the request (2500 ms) was over");
        let events = asker.listen(QUESTION).await;
        assert_eq!(events.len(), 1, "{events:?}");
        assert_eq!((events[0].name.as_str(), &events[0].data["reason"]), ("answer", &json!("deadline")));
        line.cut(false);
        is_well_again(&asker).await;
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_model_server_that_hangs_is_left_alone_and_costs_no_time_then() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        // Nobody answers behind this one.
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let line = Line::to(&format!("http://{}", silent.local_addr().unwrap())).await;
        let url = format!("{}/v1", line.url);
        let settings = [
            ("IBIDEM__LANGUAGE_MODEL__URL", url.as_str()),
            ("IBIDEM__LANGUAGE_MODEL__NAME", "silent"),
            ("IBIDEM__LANGUAGE_MODEL__TIMEOUT_MS", "500"),
            ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", "server"),
        ];
        let (served, asker) = serve(installation, &settings).await;
        for _ in 0..5 {
            assert_eq!(flags(&asker.ask(QUESTION).await), json!(["extractive"]));
        }
        let connections = line.connections.load(Ordering::SeqCst);
        for _ in 0..5 {
            let answer = asker.ask(QUESTION).await;
            assert_eq!(flags(&answer), json!(["circuit_open", "extractive"]), "{answer}");
            assert_eq!(answer["action"], "cite", "{answer}");
        }
        assert_eq!(line.connections.load(Ordering::SeqCst), connections, "it was not asked");
        served.stop().await;
    })
    .await;
}
