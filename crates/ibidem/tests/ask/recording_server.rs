//! A model server that names its models, always writes the same, and keeps what it was asked.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use crate::model_server::{EVENTS, read_request};

/// It ends when this is dropped.
pub(crate) struct RecordingServer {
    task: JoinHandle<()>,
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Value>>>,
}

impl Drop for RecordingServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl RecordingServer {
    pub(crate) async fn with(models: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let models: Vec<_> = models.iter().map(|name| json!({ "id": name })).collect();
        let models = json!({ "data": models }).to_string();
        let asked = Arc::new(Mutex::default());
        let kept = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(reply(connection, models.clone(), Arc::clone(&kept)));
            }
        });
        Self { task, url, asked }
    }

    /// Every prompt since the last time this was called.
    pub(crate) fn asked(&self) -> Vec<Value> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

async fn reply(mut connection: TcpStream, models: String, asked: Arc<Mutex<Vec<Value>>>) {
    let request = read_request(&mut connection).await;
    let request = String::from_utf8_lossy(&request);
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return };
    let reply = if head.starts_with("GET /v1/models ") {
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{models}", models.len())
    } else if head.starts_with("POST /v1/chat/completions ") {
        asked.lock().unwrap().push(serde_json::from_str(body).unwrap());
        let event =
            json!({ "choices": [{ "index": 0, "delta": { "content": "Five days may be carried over.[^1]" } }] });
        format!("{EVENTS}data: {event}\n\ndata: [DONE]\n\n")
    } else {
        "HTTP/1.1 404 X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned()
    };
    let _ = connection.write_all(reply.as_bytes()).await;
    let _ = connection.shutdown().await;
}
