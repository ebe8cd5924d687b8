//! A handbook, a server on it, and somebody who asks.

use std::time::{Duration, Instant};

use ibidem_store::NewKey;
use ibidem_words::{HandIn, Role, TenantId};
use serde_json::{Value, json};

use crate::installation::{Installation, Served};

pub(crate) const QUESTION: &str = "How many days of leave may be carried over?";

pub(crate) const HANDBOOK: [(&str, &str); 4] = [
    (
        "leave.md",
        "# Leave\n\nFive days of leave may be carried over into the next year. They lapse at the end of March.",
    ),
    ("meals.md", "# Meals\n\nA meal on a journey is reimbursed up to 28 euros a day. Receipts are kept for ten years."),
    (
        "keys.md",
        "# Keys\n\nA lost key is reported to the front desk on the same day. The lock is changed within a week.",
    ),
    ("backup.md", "# Backups\n\nBackups are kept in two regions. Restoring them is tested every quarter."),
];

/// Somebody with a key, in front of a server.
pub(crate) struct Asker {
    client: reqwest::Client,
    url: String,
    key: String,
}

/// An event of a stream, and when it came.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) data: Value,
    pub(crate) after: Duration,
}

pub(crate) async fn ingest_handbook(installation: &Installation) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in HANDBOOK {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    assert_eq!(installation.ingest(folder.path()).await.read, HANDBOOK.len() as u64);
}

impl Asker {
    pub(crate) async fn before(installation: &Installation, served: &Served) -> Self {
        // As the binary does at its start.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let key = NewKey {
            tenant: TenantId::named("default"),
            name: "desk".to_owned(),
            role: Role::Asker,
            tags: Vec::new(),
            hand_in: HandIn::Everywhere,
            expires_at: None,
        };
        let key = installation.store().create_key(&key).await.unwrap().secret;
        Self { client: reqwest::Client::new(), url: format!("{}/v1/answers", served.url), key }
    }

    pub(crate) async fn ask(&self, query: &str) -> Value {
        let (status, answer) = self.put(&json!({ "query": query })).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// The status and the body of the reply.
    pub(crate) async fn put(&self, body: &Value) -> (u16, Value) {
        let reply = self.client.post(&self.url).bearer_auth(&self.key).json(body).send().await.unwrap();
        (reply.status().as_u16(), reply.json().await.unwrap())
    }

    /// An answer as the record has it, once it is there: nobody waits for the record.
    pub(crate) async fn read_again(&self, request_id: &str) -> Value {
        let url = format!("{}/{request_id}", self.url);
        for _ in 0..3_000 {
            let reply = self.client.get(&url).bearer_auth(&self.key).send().await.unwrap();
            if reply.status().is_success() {
                return reply.json().await.unwrap();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{request_id} was not recorded");
    }

    /// The events of a streamed answer, as they come.
    pub(crate) async fn listen(&self, query: &str) -> Vec<Event> {
        let began = Instant::now();
        let body = json!({ "query": query, "stream": true });
        let mut reply = self.client.post(&self.url).bearer_auth(&self.key).json(&body).send().await.unwrap();
        assert!(reply.status().is_success(), "{reply:?}");
        let mut events = Vec::new();
        let mut waiting = String::new();
        while let Some(bytes) = reply.chunk().await.unwrap() {
            waiting.push_str(std::str::from_utf8(&bytes).unwrap());
            while let Some((event, rest)) = waiting.split_once("\n\n") {
                let field = |name| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim_start);
                if let (Some(name), Some(data)) = (field("event:"), field("data:")) {
                    let data = serde_json::from_str(data).unwrap();
                    events.push(Event { name: name.to_owned(), data, after: began.elapsed() });
                }
                waiting = rest.to_owned();
            }
        }
        events
    }
}

/// What an answer decided: everything but when and how long.
pub(crate) fn decision(answer: &Value) -> Value {
    let mut decision = answer.clone();
    let fields = decision.as_object_mut().unwrap();
    fields.remove("request_id");
    fields.remove("generation_time_ms");
    let receipt = fields["receipt"].as_object_mut().unwrap();
    for of_this_request in ["request_id", "asked_at", "sha256", "shown_sha256", "signature"] {
        assert!(receipt.remove(of_this_request).is_some());
    }
    decision
}
