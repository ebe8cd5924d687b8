//! Closed-loop load: so many clients, each sending its next request when the last was answered.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use qdrant_client::Qdrant;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{QueryBatchPoints, QueryBatchResponse, ScoredPoint};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;
use tokio::task::JoinSet;

use super::LIMIT;
use crate::bench::percentile;

/// One of the things compared, ready to be asked.
#[derive(Clone)]
pub(super) struct Arm {
    name: &'static str,
    asked: Asked,
    /// Whose turn it is among the queries.
    turn: Arc<AtomicUsize>,
}

#[derive(Clone)]
enum Asked {
    Served { client: reqwest::Client, url: String, bodies: Arc<[String]> },
    Bare { client: Qdrant, requests: Arc<[QueryBatchPoints]> },
}

/// What one round of an arm measured.
pub(super) struct Round {
    /// Of each request, in milliseconds.
    latencies: Vec<f64>,
    seconds: f64,
}

impl Arm {
    /// `POST /v1/search` with a key, over HTTP.
    pub(super) fn served(url: String, key: &str, queries: &[String]) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {key}"))?);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let client = reqwest::Client::builder().default_headers(headers).no_proxy().build()?;
        let body = |query: &String| serde_json::json!({ "query": query, "limit": LIMIT }).to_string();
        let bodies = queries.iter().map(body).collect();
        Ok(Self { name: "Ibidem, POST /v1/search", asked: Asked::Served { client, url, bodies }, turn: Arc::default() })
    }

    pub(super) fn bare(name: &'static str, requests: Arc<[QueryBatchPoints]>, client: Qdrant) -> Self {
        Self { name, asked: Asked::Bare { client, requests }, turn: Arc::default() }
    }

    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Keeps so many clients busy for a while.
    pub(super) async fn run(&self, clients: usize, length: Duration) -> anyhow::Result<Round> {
        let began = Instant::now();
        let mut tasks = JoinSet::new();
        for _ in 0..clients {
            let arm = self.clone();
            tasks.spawn(async move {
                let mut latencies = Vec::new();
                while began.elapsed() < length {
                    let asked = Instant::now();
                    arm.ask(arm.turn.fetch_add(1, Ordering::Relaxed)).await?;
                    latencies.push(asked.elapsed().as_secs_f64() * 1_000.0);
                }
                anyhow::Ok(latencies)
            });
        }
        let mut latencies = Vec::new();
        while let Some(task) = tasks.join_next().await {
            latencies.extend(task??);
        }
        Ok(Round { latencies, seconds: began.elapsed().as_secs_f64() })
    }

    /// One request, its answer read to the end.
    async fn ask(&self, turn: usize) -> anyhow::Result<Answer> {
        match &self.asked {
            Asked::Served { client, url, bodies } => {
                let body = bodies[turn % bodies.len()].clone();
                let reply = client.post(url).body(body).send().await?.error_for_status()?;
                Ok(Answer::Served(reply.bytes().await?.to_vec()))
            }
            Asked::Bare { client, requests } => {
                let request = requests[turn % requests.len()].clone();
                Ok(Answer::Bare(client.query_batch(request).await?))
            }
        }
    }
}

enum Answer {
    Served(Vec<u8>),
    Bare(QueryBatchResponse),
}

#[derive(Deserialize)]
struct ServedAnswer {
    hits: Vec<ServedHit>,
}

#[derive(Deserialize)]
struct ServedHit {
    document_id: String,
    chunk_index: i64,
}

impl Answer {
    /// The passages of an answer, by document and chunk.
    fn passages(&self) -> anyhow::Result<HashSet<(String, i64)>> {
        match self {
            Self::Served(body) => {
                let answer: ServedAnswer = serde_json::from_slice(body)?;
                Ok(answer.hits.into_iter().map(|hit| (hit.document_id, hit.chunk_index)).collect())
            }
            Self::Bare(reply) => {
                let points = reply.result.iter().flat_map(|lane| &lane.result);
                Ok(points.filter_map(passage).collect())
            }
        }
    }
}

fn passage(point: &ScoredPoint) -> Option<(String, i64)> {
    match (point.payload.get("document")?.kind.as_ref()?, point.payload.get("chunk")?.kind.as_ref()?) {
        (Kind::StringValue(document), Kind::IntegerValue(chunk)) => Some((document.clone(), *chunk)),
        _ => None,
    }
}

/// Makes sure that both arms do the same work: whatever the server answers, the bare request has found.
pub(super) async fn compare(served: &Arm, bare: &Arm, queries: usize) -> anyhow::Result<()> {
    for turn in 0..queries {
        let served = served.ask(turn).await.context("the server")?.passages()?;
        let bare = bare.ask(turn).await.context("the search engine")?.passages()?;
        anyhow::ensure!(served.len() == LIMIT, "query {turn}: {} passages instead of {LIMIT}", served.len());
        let missing = served.difference(&bare).count();
        anyhow::ensure!(missing == 0, "query {turn}: {missing} passages that the bare request does not find");
    }
    Ok(())
}

/// An arm's rounds with one number of clients.
pub(super) struct Figures {
    pub(super) name: &'static str,
    pub(super) clients: usize,
    /// In order.
    latencies: Vec<f64>,
    seconds: f64,
}

impl Figures {
    pub(super) fn new(name: &'static str, clients: usize) -> Self {
        Self { name, clients, latencies: Vec::new(), seconds: 0.0 }
    }

    pub(super) fn add(&mut self, round: Round) {
        self.latencies.extend(round.latencies);
        self.latencies.sort_by(f64::total_cmp);
        self.seconds += round.seconds;
    }

    #[expect(clippy::cast_precision_loss, reason = "requests of a bench are far below 2^53")]
    pub(super) fn per_second(&self) -> f64 {
        self.latencies.len() as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// The latency that this share of the requests does not exceed, in milliseconds.
    pub(super) fn percentile(&self, share: f64) -> f64 {
        percentile(self.latencies.clone(), share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_latency_that_so_many_requests_do_not_exceed() {
        let mut figures = Figures::new("arm", 1);
        figures.add(Round { latencies: (1..=50).rev().map(f64::from).collect(), seconds: 1.0 });
        figures.add(Round { latencies: (51..=100).map(f64::from).collect(), seconds: 1.0 });
        for (share, expected) in [(0.0, 1.0), (0.5, 50.0), (0.99, 99.0), (1.0, 100.0)] {
            assert!((figures.percentile(share) - expected).abs() < 1e-9, "{share}");
        }
        assert!((figures.per_second() - 50.0).abs() < 1e-9);
    }
}
