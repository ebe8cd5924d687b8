//! The arms that are compared, and what their rounds came to.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use qdrant_client::Qdrant;
use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{QueryBatchPoints, QueryBatchResponse, ScoredPoint};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use serde::Deserialize;

use super::LIMIT;
use crate::bench::load::{Round, closed_loop, timed};

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
        let arm = self.clone();
        let ask = move || {
            let arm = arm.clone();
            timed(async move { arm.ask(arm.turn.fetch_add(1, Ordering::Relaxed)).await.map(drop) })
        };
        closed_loop(clients, length, ask).await
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

/// Which passage a point is, by document and chunk.
pub(in crate::bench) fn passage(point: &ScoredPoint) -> Option<(String, i64)> {
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
    pub(super) rounds: Vec<Round>,
}

impl Figures {
    pub(super) fn new(name: &'static str, clients: usize) -> Self {
        Self { name, clients, rounds: Vec::new() }
    }

    /// Something of each round.
    pub(super) fn each(&self, of: impl Fn(&Round) -> f64) -> Vec<f64> {
        self.rounds.iter().map(of).collect()
    }

    /// Something of each of this arm's rounds over the same of the other's: both ran in turns.
    pub(super) fn over(&self, other: &Self, of: impl Fn(&Round) -> f64) -> Vec<f64> {
        self.rounds.iter().zip(&other.rounds).map(|(own, other)| of(own) / of(other)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_compared_one_by_one() {
        let arm = |rounds: [u32; 2]| {
            let round = |requests: u32| Round { each: (1..=requests).map(f64::from).collect(), seconds: 1.0 };
            Figures { rounds: rounds.map(round).into(), ..Figures::new("arm", 1) }
        };
        let (one, other) = (arm([100, 50]), arm([50, 100]));
        assert_eq!(one.each(Round::per_second), [100.0, 50.0]);
        assert_eq!(one.each(|round| round.percentile(0.99)), [99.0, 50.0]);
        assert_eq!(one.over(&other, Round::per_second), [2.0, 0.5]);
    }
}
