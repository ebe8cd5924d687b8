//! A model server that writes when it is told to.

use std::sync::Arc;

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;

use crate::wire::write_cut;

pub(crate) const NAME: &str = "siege";

/// It ends when this is dropped.
pub(crate) struct Model {
    task: JoinHandle<()>,
    pub(crate) url: String,
    asked: watch::Receiver<usize>,
    /// One for each answer that it may write.
    pub(crate) may_write: Arc<Semaphore>,
}

impl Drop for Model {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Model {
    pub(crate) async fn start() -> Self {
        Self::saying([
            "Up to five days of unused ",
            "leave may be carried over.[^1] ",
            "Leave may be carried over.[^1]",
        ])
        .await
    }

    /// One that writes these words. The network brings each byte of a character that has several by itself.
    pub(crate) async fn saying<const PIECES: usize>(words: [&'static str; PIECES]) -> Self {
        let words: Arc<[&'static str]> = Arc::new(words);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (count, asked) = watch::channel(0);
        let may_write = Arc::new(Semaphore::new(0));
        let (count, permits) = (Arc::new(count), may_write.clone());
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(reply(connection, count.clone(), permits.clone(), words.clone()));
            }
        });
        Self { task, url, asked, may_write }
    }

    /// Waits until it was asked for so many answers, since it began.
    pub(crate) async fn was_asked(&self, times: usize) {
        let mut asked = self.asked.clone();
        let was_asked = asked.wait_for(|asked| *asked >= times);
        tokio::time::timeout(super::wire::PATIENCE, was_asked).await.expect("the model is asked").unwrap();
    }

    pub(crate) fn times_asked(&self) -> usize {
        *self.asked.borrow()
    }

    /// What makes a server ask it, and wait for it as long as a test does.
    pub(crate) fn settings(&self) -> [(&'static str, String); 6] {
        [
            // Not the ones of a model server that happens to be up: this one counts what it is asked.
            ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", String::new()),
            ("IBIDEM__LANGUAGE_MODEL__WINDOW", String::new()),
            ("IBIDEM__LANGUAGE_MODEL__URL", self.url.clone()),
            ("IBIDEM__LANGUAGE_MODEL__NAME", NAME.to_owned()),
            ("IBIDEM__LANGUAGE_MODEL__TIMEOUT_MS", "280000".to_owned()),
            ("IBIDEM__SERVER__REQUEST_TIMEOUT_MS", "300000".to_owned()),
        ]
    }
}

async fn reply(
    mut connection: TcpStream,
    count: Arc<watch::Sender<usize>>,
    may_write: Arc<Semaphore>,
    words: Arc<[&'static str]>,
) {
    let mut request = Vec::new();
    let mut piece = [0_u8; 8192];
    while !is_whole(&request) {
        match connection.read(&mut piece).await {
            Ok(read) if read > 0 => request.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    if request.starts_with(b"GET /v1/models ") {
        let models = json!({ "data": [{ "id": NAME }] }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", models.len());
        let _ = connection.write_all(format!("{head}{models}").as_bytes()).await;
        return;
    }
    count.send_modify(|asked| *asked += 1);
    let Ok(permit) = may_write.acquire().await else { return };
    permit.forget();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let _ = connection.write_all(head.as_bytes()).await;
    for words in words.iter() {
        let event = json!({ "choices": [{ "index": 0, "delta": { "content": words } }] });
        let _ = write_cut(&mut connection, &format!("data: {event}\n\n")).await;
        tokio::task::yield_now().await;
    }
    let _ = connection.write_all(b"data: [DONE]\n\n").await;
    let _ = connection.shutdown().await;
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    body.len() >= length.unwrap_or(0)
}
