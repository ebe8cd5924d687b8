//! Passes messages on to a running server, and its replies back. What a reply says is the server's alone.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::message::{Message, Received, not_done};
use crate::settings::SecretSource;

const CONNECT_WITHIN: Duration = Duration::from_secs(10);

/// The way to one server, for one caller.
pub(super) struct Bridge {
    client: reqwest::Client,
    address: String,
    credential: SecretSource,
    timeout: Duration,
    /// The revision of the protocol that was agreed on at the beginning, where it was.
    agreed: Mutex<Option<String>>,
}

impl Bridge {
    pub(super) fn new(server: &str, credential: SecretSource, timeout: Duration) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .no_proxy()
            // The key is for this server and for no other.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT_WITHIN)
            .timeout(timeout)
            .build()?;
        let address = format!("{}/mcp", server.trim_end_matches('/'));
        reqwest::Url::parse(&address).with_context(|| format!("{server:?} is not the address of a server"))?;
        Ok(Self { client, address, credential, timeout, agreed: Mutex::new(None) })
    }

    /// Passes on what is heard until nothing more comes, and then waits for the replies that are missing.
    pub(super) async fn run(self, mut lines: mpsc::Receiver<String>, say: impl Fn(&str) + Clone + Send + 'static) {
        let bridge = Arc::new(self);
        let mut under_way = JoinSet::new();
        let mut by_id: HashMap<String, AbortHandle> = HashMap::new();
        while let Some(line) = lines.recv().await {
            while under_way.try_join_next().is_some() {}
            by_id.retain(|_, call| !call.is_finished());
            match Received::of(line) {
                Received::Nothing => {}
                Received::Wrong(error) => say(&error),
                // Whoever hangs up on the server ends what it does for them.
                Received::Cancelled(id) => by_id.remove(&id.to_string()).into_iter().for_each(|call| call.abort()),
                Received::Message(message) => {
                    let id = message.id.as_ref().map(Value::to_string);
                    let (bridge, say) = (bridge.clone(), say.clone());
                    let call = under_way.spawn(async move {
                        if let Some(reply) = bridge.reply(&message).await {
                            say(&reply);
                        }
                    });
                    by_id.extend(id.map(|id| (id, call)));
                }
            }
        }
        while under_way.join_next().await.is_some() {}
    }

    /// The line that answers a message; none for what is not answered.
    async fn reply(&self, message: &Message) -> Option<String> {
        match (self.passed_on(message).await, &message.id) {
            (Ok(reply), _) => reply,
            (Err(reason), Some(id)) => Some(not_done(id, &reason)),
            (Err(reason), None) => {
                tracing::warn!(method = message.method, said = reason, "a notification was not passed on");
                None
            }
        }
    }

    async fn passed_on(&self, message: &Message) -> Result<Option<String>, String> {
        let mut request = self
            .client
            .post(&self.address)
            .bearer_auth(self.key().await?)
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(message.line.clone());
        for (name, value) in self.headers(message) {
            request = request.header(name, value);
        }
        let reply = request.send().await.map_err(|error| self.no_reply(&error))?;
        let status = reply.status();
        let text = reply.text().await.map_err(|error| self.no_reply(&error))?;
        let body: Value = serde_json::from_str(&text).unwrap_or_default();
        if body.get("jsonrpc").is_some() {
            if message.method == "initialize" {
                let agreed = body.pointer("/result/protocolVersion").and_then(Value::as_str).map(str::to_owned);
                *self.agreed.lock().unwrap_or_else(PoisonError::into_inner) = agreed;
            }
            // A line break outside of a text is nothing but space; within one it is written otherwise.
            return Ok(Some(text.replace(['\n', '\r'], " ")));
        }
        if status.is_success() && message.id.is_none() {
            return Ok(None);
        }
        Err(refused(status, &body))
    }

    async fn key(&self) -> Result<String, String> {
        match &self.credential {
            SecretSource::Given(key) => Ok(key.as_str().to_owned()),
            SecretSource::File(path) => {
                let read = tokio::fs::read_to_string(path).await;
                let key =
                    read.map_err(|error| format!("the file of the key {} cannot be read: {error}", path.display()))?;
                match key.trim() {
                    "" => Err(format!("the file of the key {} is empty", path.display())),
                    key => Ok(key.to_owned()),
                }
            }
        }
    }

    /// What the protocol wants beside the message, so that proxies need not read it.
    fn headers(&self, message: &Message) -> Vec<(&'static str, HeaderValue)> {
        let agreed = || self.agreed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let version = match &message.version {
            Some(version) => Some(version.clone()),
            None if message.method == "initialize" => None,
            None => agreed(),
        };
        let mut headers = vec![("mcp-protocol-version", version)];
        if message.version.is_some() {
            headers.extend([("mcp-method", Some(message.method.clone())), ("mcp-name", message.name.clone())]);
        }
        // What cannot stand in a header is left out, and the server says what is missing.
        let fits = |value: Option<String>| HeaderValue::from_str(&value?).ok();
        headers.into_iter().filter_map(|(name, value)| Some((name, fits(value)?))).collect()
    }

    fn no_reply(&self, error: &reqwest::Error) -> String {
        if error.is_timeout() && !error.is_connect() {
            return format!("the server at {} did not answer within {} s", self.address, self.timeout.as_secs_f32());
        }
        format!(
            "no server answers at {}; start one with `ibidem serve`, or name another with --url or `agents.server`",
            self.address
        )
    }
}

/// What the server said where it did not answer the message.
fn refused(status: StatusCode, body: &Value) -> String {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let reason = match (text("title"), text("detail")) {
        (Some(title), Some(detail)) => format!("{title}. {detail}"),
        _ => format!("the server answered {status}; check that the address is that of an Ibidem server"),
    };
    match status {
        StatusCode::UNAUTHORIZED => format!(
            "{reason} `ibidem mcp` sends the key of IBIDEM__AGENTS__KEY or --key-file; an access token of `ibidem login` \
             expires, and is then to be written to that file anew."
        ),
        _ => reason,
    }
}

#[cfg(test)]
mod tests {
    use ibidem_adapters::hand_over::Secret;
    use tokio::net::TcpListener;

    use super::*;

    /// What is said to these lines.
    async fn replies(server: &str, credential: SecretSource, lines: &[&str]) -> Vec<Value> {
        // Without it no client can be made; a test runs without the program's beginning.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let bridge = Bridge::new(server, credential, Duration::from_secs(600)).unwrap();
        let (sender, receiver) = mpsc::channel(lines.len());
        for line in lines {
            sender.send((*line).to_owned()).await.unwrap();
        }
        drop(sender);
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = received.clone();
        bridge.run(receiver, move |line| kept.lock().unwrap().push(serde_json::from_str(line).unwrap())).await;
        Arc::into_inner(received).unwrap().into_inner().unwrap()
    }

    fn key() -> SecretSource {
        SecretSource::Given(Secret::new("ibk_key"))
    }

    #[tokio::test]
    async fn a_call_that_is_cancelled_is_not_waited_for() {
        // It takes connections, and never answers.
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = format!("http://{}", listener.local_addr().unwrap());
        let lines = [
            r#"{"jsonrpc":"2.0","id":"a","method":"tools/list"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"b"}}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}"#,
            "no JSON",
        ];
        let replies = replies(&server, key(), &lines).await;
        assert_eq!(replies.len(), 1, "{replies:?}");
        assert_eq!(replies[0]["error"]["code"], -32_700);
    }

    #[tokio::test]
    async fn without_a_server_or_a_key_each_request_is_told_what_to_do() {
        // Nobody listens at this port.
        let nowhere = "http://127.0.0.1:9/";
        let lines = [
            r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        ];
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("key");
        std::fs::write(&empty, "\n").unwrap();
        for (credential, says) in [
            (key(), "ibidem serve"),
            (SecretSource::File(folder.path().join("absent")), "cannot be read"),
            (SecretSource::File(empty), "is empty"),
        ] {
            let replies = replies(nowhere, credential, &lines).await;
            assert_eq!((replies.len(), &replies[0]["id"]), (1, &Value::from(1)), "{replies:?}");
            let message = replies[0]["error"]["message"].as_str().unwrap();
            assert!(message.contains(says), "{message}");
            assert!(!message.contains("ibk_key"), "{message}");
        }
    }
}
