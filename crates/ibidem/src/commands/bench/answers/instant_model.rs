//! A model server that answers at once, always the same.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

const ANSWER: [&str; 4] = ["It is as the notes ", "say.[^1] And it is ", "as they say [", "^2] elsewhere."];

/// It ends when this is dropped.
pub(super) struct InstantModel {
    pub(super) url: String,
    task: JoinHandle<()>,
}

impl Drop for InstantModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl InstantModel {
    pub(super) async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let reply: std::sync::Arc<[u8]> = reply().into_bytes().into();
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, std::sync::Arc::clone(&reply)));
            }
        });
        Ok(Self { url, task })
    }
}

fn reply() -> String {
    let event = |text: &&str| {
        let event = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
        format!("data: {event}\n\n")
    };
    let body: String = ANSWER.iter().map(event).chain(["data: [DONE]\n\n".to_owned()]).collect();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// One request after the other on one connection, as clients keep them open.
async fn serve(mut connection: TcpStream, reply: std::sync::Arc<[u8]>) {
    let mut received = Vec::new();
    let mut piece = [0_u8; 16 * 1024];
    loop {
        while let Some(length) = request_length(&received) {
            received.drain(..length);
            if connection.write_all(&reply).await.is_err() {
                return;
            }
        }
        match connection.read(&mut piece).await {
            Ok(read) if read > 0 => received.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
}

/// The length of the first request, once all of it is there.
fn request_length(received: &[u8]) -> Option<usize> {
    let head = received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(received.get(..head)?).ok()?;
    let body = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let length = head + body.unwrap_or(0);
    (received.len() >= length).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_whole_when_its_body_is() {
        let request = b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(request_length(request), Some(request.len()));
        assert_eq!(request_length(&request[..request.len() - 1]), None);
        assert_eq!(request_length(b"GET / HTTP/1.1\r\n\r\nrest"), Some(18));
        assert_eq!(request_length(b"GET"), None);
    }
}
