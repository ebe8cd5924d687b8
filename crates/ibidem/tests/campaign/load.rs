//! Questions at a steady pace, whether the last were answered or not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::handbook::Kind;

/// Somebody with a key, in front of a server.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) client: reqwest::Client,
    pub(crate) url: String,
    pub(crate) key: Arc<str>,
    /// Whoever has no reply by then hangs.
    pub(crate) patience: Duration,
}

/// What was asked, and what came of it.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) kind: Kind,
    pub(crate) query: String,
    pub(crate) request_id: Uuid,
    pub(crate) began: Instant,
    pub(crate) took: Duration,
    /// 0 when there was none.
    pub(crate) status: u16,
    pub(crate) body: Value,
    /// What a stream said before its last event.
    pub(crate) sentences: Vec<Value>,
}

impl Asker {
    pub(crate) async fn ask(&self, kind: Kind, query: String) -> Seen {
        let (began, request_id) = (Instant::now(), Uuid::now_v7());
        let replied = tokio::time::timeout(self.patience, self.reply(kind, &query, request_id)).await;
        let (status, body, sentences) = match replied {
            Ok(Ok(reply)) => reply,
            Ok(Err(error)) => (0, json!({ "no_reply": format!("{error:?}") }), Vec::new()),
            Err(_) => (0, json!({ "no_reply": "it hangs" }), Vec::new()),
        };
        Seen { kind, query, request_id, began, took: began.elapsed(), status, body, sentences }
    }

    async fn reply(&self, kind: Kind, query: &str, id: Uuid) -> Result<(u16, Value, Vec<Value>), reqwest::Error> {
        let (path, body) = match kind {
            Kind::Search => ("search", json!({ "query": query, "limit": 5 })),
            Kind::Streamed => ("answers", json!({ "query": query, "stream": true })),
            _ => ("answers", json!({ "query": query })),
        };
        let request = self.client.post(format!("{}/v1/{path}", self.url)).bearer_auth(&self.key);
        let reply = request.header("x-request-id", id.to_string()).json(&body).send().await?;
        let status = reply.status().as_u16();
        let is_stream = kind == Kind::Streamed && status == 200;
        let text = reply.text().await?;
        if is_stream {
            let mut events: Vec<Value> =
                text.lines().filter_map(|line| line.strip_prefix("data:")).map(parse).collect();
            let last = events.pop().unwrap_or(Value::Null);
            return Ok((status, last, events));
        }
        Ok((status, parse(&text), Vec::new()))
    }
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| json!({ "unreadable": text }))
}

/// Asks until told to stop, and returns everything once all of it has ended.
pub(crate) async fn load(asker: Asker, seed: u64, every: Duration, mut stop: watch::Receiver<bool>) -> Vec<Seen> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut ticks = tokio::time::interval(every);
    let mut asked = JoinSet::new();
    while !*stop.borrow() {
        tokio::select! { _ = ticks.tick() => {}, _ = stop.changed() => break }
        let (kind, lot) = (Kind::drawn(random.random()), random.random_range(0..1_000));
        let asker = asker.clone();
        asked.spawn(async move { asker.ask(kind, kind.query(lot)).await });
    }
    asked.join_all().await
}
