//! Requests read whole, and what is said in place of a part that fails.

use std::io;

use rand::RngExt as _;
use rand::rngs::StdRng;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::proxy::Protocol;

pub(crate) const HTTP_500: &[u8] =
    b"HTTP/1.1 500 Internal Server Error\r\ncontent-type: text/plain\r\ncontent-length: 4\r\nconnection: close\r\n\r\nOops";

/// A request by HTTP to the end of its body.
pub(crate) async fn read_request(connection: &mut TcpStream) -> Option<Vec<u8>> {
    let mut request = Vec::new();
    let mut piece = vec![0; 16 * 1024];
    while !is_whole(&request) {
        match connection.read(&mut piece).await {
            Ok(read @ 1..) => request.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
    Some(request)
}

fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    request.len() >= end + 4 + length.unwrap_or(0)
}

/// The reply of the part itself, whole. Each request is made on a connection of its own.
pub(crate) async fn asked(part: &str, request: &[u8]) -> io::Result<Vec<u8>> {
    let end = request.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or(0);
    let mut far = TcpStream::connect(part).await?;
    far.write_all(&request[..end]).await?;
    far.write_all(b"\r\nconnection: close").await?;
    far.write_all(&request[end..]).await?;
    let mut reply = Vec::new();
    far.read_to_end(&mut reply).await?;
    Ok(reply)
}

/// Whether a model is asked how likely its first word is, as a verifier asks, and not to write.
pub(crate) fn wants_likelihoods(request: &[u8]) -> bool {
    String::from_utf8_lossy(request).contains("\"logprobs\":true")
}

pub(crate) fn bytes(random: &mut StdRng) -> Vec<u8> {
    let length = random.random_range(20..2_000);
    (0..length).map(|_| random.random()).collect()
}

/// No HTTP at all, or a reply in good form with nothing in it that makes sense.
pub(crate) fn http_garbage(random: &mut StdRng) -> Vec<u8> {
    let garbage = bytes(random);
    let kind = ["application/json", "text/event-stream", "text/html"][random.random_range(0..3)];
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", garbage.len());
    if random.random_bool(0.5) { garbage } else { [head.into_bytes(), garbage].concat() }
}

/// A server of this protocol that fails at everything.
pub(crate) async fn fail(connection: TcpStream, protocol: Protocol) {
    let _ = match protocol {
        Protocol::Grpc => fail_over_http2(connection).await,
        Protocol::Postgres => fail_as_postgres(connection).await,
        Protocol::Http => Ok(()),
    };
}

/// Bytes in place of a reply.
pub(crate) async fn babble(mut connection: TcpStream, garbage: Vec<u8>) {
    let mut piece = [0; 4096];
    if matches!(connection.read(&mut piece).await, Ok(1..)) {
        let _ = connection.write_all(&garbage).await;
        let _ = connection.shutdown().await;
    }
}

/// Status 500 to every request, in frames of RFC 9113. A client that only calls needs no more of it than this.
async fn fail_over_http2(mut connection: TcpStream) -> io::Result<()> {
    const PREFACE: usize = 24;
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const PING: u8 = 6;
    const ACKNOWLEDGED: u8 = 1;
    const END_OF_STREAM_AND_HEADERS: u8 = 1 | 4;
    /// `:status: 500` of the table that every client has.
    const STATUS_500: u8 = 0x80 | 14;
    connection.read_exact(&mut [0; PREFACE]).await?;
    connection.write_all(&frame(SETTINGS, 0, [0; 4], &[])).await?;
    loop {
        let mut head = [0; 9];
        connection.read_exact(&mut head).await?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let mut content = vec![0; usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c)];
        connection.read_exact(&mut content).await?;
        let reply = match kind {
            HEADERS => frame(HEADERS, END_OF_STREAM_AND_HEADERS, stream, &[STATUS_500]),
            SETTINGS if flags & ACKNOWLEDGED == 0 => frame(SETTINGS, ACKNOWLEDGED, [0; 4], &[]),
            PING if flags & ACKNOWLEDGED == 0 => frame(PING, ACKNOWLEDGED, [0; 4], &content),
            _ => continue,
        };
        connection.write_all(&reply).await?;
    }
}

fn frame(kind: u8, flags: u8, stream: [u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream, content].concat()
}

/// What PostgreSQL says while it cannot serve anybody.
async fn fail_as_postgres(mut connection: TcpStream) -> io::Result<()> {
    const NO_ENCRYPTION: &[u8] = b"N";
    const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
    let mut first = vec![0; 4096];
    let mut read = connection.read(&mut first).await?;
    if first[..read] == SSL_REQUEST {
        connection.write_all(NO_ENCRYPTION).await?;
        read = connection.read(&mut first).await?;
    }
    if read > 0 {
        let fields = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0";
        let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
        connection.write_all(&[b"E", &length[..], fields].concat()).await?;
    }
    connection.shutdown().await
}
