//! A model server that answers at once, with the first sentence of the first two notes: as they stand there, which is
//! verified by looking for them, or in other words, which is verified word by word.

use ibidem_language::sentences::sentences_of;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What it writes of a note's sentence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writes {
    AsItStands,
    InOtherWords,
}

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
    pub(super) async fn start(writes: Writes) -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/v1", listener.local_addr()?);
        let task = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, writes));
            }
        });
        Ok(Self { url, task })
    }
}

/// The first sentence of a note as it stands in a prompt, without the line above it, with its marker.
fn quoted(prompt: &str, number: u32, writes: Writes) -> Option<String> {
    let marker = format!("[^{number}]");
    let note = prompt.lines().rev().find_map(|line| line.strip_prefix(&marker))?.trim();
    let text = note.split_once("; Date: ").and_then(|(_, rest)| rest.split_once(')')).map_or(note, |(_, text)| text);
    let sentence = sentences_of(text).into_iter().next()?.trim();
    let sentence = match writes {
        Writes::AsItStands => sentence.to_owned(),
        Writes::InOtherWords => format!("In short, {sentence}"),
    };
    // A paragraph of its own: not every note ends as a sentence does.
    Some(format!("{sentence}{marker}\n\n"))
}

fn reply(request: &[u8], writes: Writes) -> String {
    let body: serde_json::Value = serde_json::from_slice(request).unwrap_or_default();
    let prompt = body["messages"].as_array().and_then(|all| all.last()?["content"].as_str()).unwrap_or_default();
    let event = |text: String| {
        let event = serde_json::json!({ "choices": [{ "index": 0, "delta": { "content": text } }] });
        format!("data: {event}\n\n")
    };
    let quotations = [1, 2].into_iter().filter_map(|number| quoted(prompt, number, writes));
    let body: String = quotations.map(event).chain(["data: [DONE]\n\n".to_owned()]).collect();
    format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// One request after the other on one connection, as clients keep them open.
async fn serve(mut connection: TcpStream, writes: Writes) {
    let mut received = Vec::new();
    let mut piece = [0_u8; 16 * 1024];
    loop {
        while let Some((head, length)) = request_length(&received) {
            let reply = reply(&received[head..length], writes);
            received.drain(..length);
            if connection.write_all(reply.as_bytes()).await.is_err() {
                return;
            }
        }
        match connection.read(&mut piece).await {
            Ok(read) if read > 0 => received.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
}

/// The length of the first request's head and of all of it, once it is there.
fn request_length(received: &[u8]) -> Option<(usize, usize)> {
    let head = received.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let text = std::str::from_utf8(received.get(..head)?).ok()?;
    let body = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    let length = head + body.unwrap_or(0);
    (received.len() >= length).then_some((head, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_whole_when_its_body_is() {
        let request = b"POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
        assert_eq!(request_length(request), Some((request.len() - 3, request.len())));
        assert_eq!(request_length(&request[..request.len() - 1]), None);
        assert_eq!(request_length(b"GET / HTTP/1.1\r\n\r\nrest"), Some((18, 18)));
        assert_eq!(request_length(b"GET"), None);
    }

    #[test]
    fn the_last_prompts_notes_are_quoted_under_their_numbers() {
        let prompt = "Notes:\n[^1] (Title: Oil (all); Date: 2026-11-18) Oil is changed yearly. Ask first.\n\
                      [^2] The pump leaks.\n\nQuestion: Oil?";
        let as_it_stands = |number| quoted(prompt, number, Writes::AsItStands);
        assert_eq!(as_it_stands(1).as_deref(), Some("Oil is changed yearly.[^1]\n\n"));
        assert_eq!(as_it_stands(2).as_deref(), Some("The pump leaks.[^2]\n\n"));
        assert_eq!(as_it_stands(3), None);
        let in_other_words = quoted(prompt, 2, Writes::InOtherWords);
        assert_eq!(in_other_words.as_deref(), Some("In short, The pump leaks.[^2]\n\n"));
    }
}
