//! HTTP by hand: what a well-behaved client would never send.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Nothing here takes longer, unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// What came back, as it came.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// None when the connection was closed without one.
    pub(crate) status: Option<u16>,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(bytes.len(), |end| end + 4);
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let status = head.strip_prefix("HTTP/1.").and_then(|rest| rest.get(2..5)?.parse().ok());
        Self { status, head: head.to_lowercase(), body: bytes[end..].to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')))?;
        Some(line[name.len() + 1..].trim())
    }

    /// The body, also where it came in chunks.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }
}

pub(crate) async fn connect(url: &str) -> TcpStream {
    let address = url.strip_prefix("http://").unwrap();
    TcpStream::connect(address).await.unwrap()
}

/// Everything until the server hangs up.
pub(crate) async fn rest_of(connection: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A connection that is cut is an end like any other.
    let read = tokio::time::timeout(PATIENCE, connection.read_to_end(&mut bytes)).await;
    let _ = read.expect("the server hangs up");
    bytes
}

/// Sends these bytes on a connection of their own, and reads until the server hangs up.
pub(crate) async fn send(url: &str, bytes: &[u8]) -> Reply {
    let mut connection = connect(url).await;
    // The server may hang up before it has read everything.
    let _ = connection.write_all(bytes).await;
    Reply::of(&rest_of(&mut connection).await)
}

/// Writes a text so that each byte of a character that has several arrives by itself.
pub(crate) async fn write_cut(connection: &mut TcpStream, text: &str) -> std::io::Result<()> {
    connection.set_nodelay(true)?;
    for piece in text.as_bytes().chunk_by(|one, next| one.is_ascii() && next.is_ascii()) {
        connection.write_all(piece).await?;
        if !piece[0].is_ascii() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
    Ok(())
}

/// A request as it should be, on a connection that ends with it.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: siege\r\nconnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}")
}

pub(crate) async fn call(url: &str, method: &str, path: &str, key: Option<&str>, body: &str) -> Reply {
    let authorization = key.map(|key| format!("Bearer {key}"));
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
    send(url, request(method, path, &headers, body).as_bytes()).await
}
