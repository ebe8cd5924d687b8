//! Traces for an OpenTelemetry collector, as OTLP over HTTP in JSON.
//!
//! Spans wait in a bounded queue and go out in batches. A collector that is slow or gone loses spans, which is counted
//! and said; nobody who asks ever waits for one.

mod spans;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ibidem_words::ports::records::TurnRecord;
use ibidem_words::ports::traces::Traces;
use tokio::sync::mpsc;

use spans::{Span, body, spans};

/// Turns that may wait.
const QUEUE: usize = 1_024;
/// Turns that go out together, at most.
const BATCH: usize = 128;
/// How long a batch waits for more.
const LINGER: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Otlp {
    queue: mpsc::Sender<Vec<Span>>,
    lost: Arc<AtomicU64>,
}

impl Otlp {
    /// `url` is the collector's, without `/v1/traces`. Starts the task that sends: it needs a runtime, and ends when the
    /// last holder of this is gone and what waited has been sent.
    pub fn start(url: &str) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder().timeout(PATIENCE).build()?;
        let (queue, waiting) = mpsc::channel(QUEUE);
        let lost = Arc::new(AtomicU64::new(0));
        tokio::spawn(send(client, address(url), waiting, lost.clone()));
        Ok(Self { queue, lost })
    }
}

/// Whether a collector takes traces at this address: it is sent none, which it must accept. What is wrong, if anything.
pub async fn refused_by(url: &str) -> Option<String> {
    let client = reqwest::Client::builder().timeout(PATIENCE).build();
    let asked = async { client?.post(address(url)).json(&body(&[])).send().await?.error_for_status() };
    asked.await.err().map(|error| error.to_string())
}

/// Where a collector takes traces.
fn address(url: &str) -> String {
    format!("{}/v1/traces", url.trim_end_matches('/'))
}

impl Traces for Otlp {
    fn turn(&self, record: &TurnRecord) {
        if self.queue.try_send(spans(record)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}

async fn send(client: reqwest::Client, address: String, mut waiting: mpsc::Receiver<Vec<Span>>, lost: Arc<AtomicU64>) {
    let mut is_failing = false;
    loop {
        let mut turns = Vec::new();
        if waiting.recv_many(&mut turns, BATCH).await == 0 {
            return;
        }
        if turns.len() < BATCH && !waiting.is_closed() {
            tokio::time::sleep(LINGER).await;
            while turns.len() < BATCH
                && let Ok(more) = waiting.try_recv()
            {
                turns.push(more);
            }
        }
        let count = turns.len() as u64;
        let spans: Vec<Span> = turns.into_iter().flatten().collect();
        let reply = client.post(&address).json(&body(&spans)).send().await;
        let outcome = reply.and_then(reqwest::Response::error_for_status);
        if let Err(error) = &outcome {
            lost.fetch_add(count, Ordering::Relaxed);
            // Once: a collector that is gone for a day is one piece of news.
            if !is_failing {
                let error = error.to_string();
                tracing::warn!(error, turns = count, "the collector does not take traces; they are lost until it does");
            }
        } else if is_failing {
            tracing::info!(turns_lost = lost.load(Ordering::Relaxed), "the collector takes traces again");
        }
        is_failing = outcome.is_err();
    }
}
