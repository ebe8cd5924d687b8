//! A model server that replies what a scenario file says, and remembers what it was asked.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::response::Response;
use serde::Deserialize;
use serde_json::Value;

/// What a server replies to requests of one kind.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reply {
    /// `POST /v1/chat/completions`
    ask: String,
    /// Texts that the body must have.
    #[serde(default)]
    with: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    json: Option<Value>,
    /// Server-sent events, with the end behind them.
    #[serde(default)]
    events: Option<Vec<Value>>,
    /// Lines of JSON.
    #[serde(default)]
    lines: Option<Vec<Value>>,
}

impl Reply {
    fn fits(&self, asked: &str, body: &str) -> bool {
        let has = |text: &String| body.contains(text.as_str());
        self.ask == asked && self.with.iter().all(has) && !self.without.iter().any(has)
    }

    fn response(&self) -> Response {
        let (kind, body) = match (&self.json, &self.events, &self.lines) {
            (Some(json), ..) => ("application/json", json.to_string()),
            (_, Some(events), _) => {
                let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
                ("text/event-stream", events + "data: [DONE]\n\n")
            }
            (.., Some(lines)) => {
                ("application/x-ndjson", lines.iter().map(|line| format!("{line}\n")).collect::<String>())
            }
            _ => ("text/plain", String::new()),
        };
        let status = StatusCode::from_u16(self.status.unwrap_or(200)).unwrap();
        Response::builder().status(status).header("content-type", kind).body(Body::from(body)).unwrap()
    }
}

#[derive(Clone)]
struct Script {
    replies: Arc<Vec<Reply>>,
    asked: Arc<Mutex<Vec<(String, String)>>>,
}

/// The address of a server that replies by the first that fits, and what it was asked: method and path, and body.
pub(crate) async fn serve(replies: Vec<Reply>) -> (String, Arc<Mutex<Vec<(String, String)>>>) {
    let script = Script { replies: Arc::new(replies), asked: Arc::default() };
    let asked = Arc::clone(&script.asked);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(reply).with_state(script);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, asked)
}

async fn reply(State(script): State<Script>, method: Method, uri: Uri, body: Bytes) -> Response {
    let body = String::from_utf8_lossy(&body).into_owned();
    let asked = format!("{method} {uri}");
    let found = script.replies.iter().find(|reply| reply.fits(&asked, &body));
    script.asked.lock().unwrap().push((asked, body));
    match found {
        Some(reply) => reply.response(),
        None => Response::builder().status(404).body(Body::from(r#"{"detail":"Not Found"}"#)).unwrap(),
    }
}
