//! The model server: a real one, and ones that refuse, hang, fail, babble and break off.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use ibidem_adapters::openai::{OpenAiModel, OpenAiSettings};
use ibidem_ports::language_model::{LanguageModel, ModelError, ModelFault, Piece, Prompt, PromptMessage};
use ibidem_testing::suites::language_model::check;
use ibidem_words::Speaker;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::loopback::{fixed_bytes, nobody};
use crate::setting;

fn settings(url: String, timeout: Duration) -> OpenAiSettings {
    OpenAiSettings { url, api_key: None, model: "m".to_owned(), also_allowed: Vec::new(), timeout }
}

fn model(settings: OpenAiSettings) -> OpenAiModel {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    OpenAiModel::new(settings).unwrap()
}

fn prompt(content: &str) -> Prompt {
    let message = PromptMessage { role: Speaker::User, content: content.to_owned() };
    Prompt { model: None, messages: vec![message], temperature: 0.0, max_tokens: 24 }
}

/// The text that arrived, and how it ended.
async fn written(model: &OpenAiModel, prompt: Prompt) -> (String, Result<Option<u32>, ModelError>) {
    let mut pieces = match model.write(prompt).await {
        Ok(pieces) => pieces,
        Err(error) => return (String::new(), Err(error)),
    };
    let mut text = Vec::new();
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(Piece::Text(piece)) => text.extend(piece),
            Ok(Piece::Done { usage, .. }) => {
                assert!(pieces.next().await.is_none(), "nothing comes after the end");
                let completion = usage.map(|usage| usage.completion_tokens);
                return (String::from_utf8_lossy(&text).into_owned(), Ok(completion));
            }
            Err(error) => return (String::from_utf8_lossy(&text).into_owned(), Err(error)),
        }
    }
    panic!("the stream ended without an end");
}

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

#[tokio::test]
async fn a_real_model_writes_piece_by_piece_and_finishes_with_a_count() {
    let name = setting("IBIDEM__LANGUAGE_MODEL__NAME");
    let url = setting("IBIDEM__LANGUAGE_MODEL__URL");
    let model = model(OpenAiSettings { model: name.clone(), ..settings(url, Duration::from_secs(60)) });
    assert!(model.served().await.unwrap().contains(&name));
    let (text, ended) = written(&model, prompt("Say hello.")).await;
    assert!(!text.trim().is_empty());
    assert!(ended.unwrap().is_some_and(|tokens| (1..=24).contains(&tokens)));
    // At temperature 0 the same prompt gets the same words.
    assert_eq!(written(&model, prompt("Say hello.")).await.0, text);
}

#[tokio::test]
async fn a_real_model_behaves_as_a_language_model() {
    let name = setting("IBIDEM__LANGUAGE_MODEL__NAME");
    let url = setting("IBIDEM__LANGUAGE_MODEL__URL");
    check(&model(OpenAiSettings { model: name, ..settings(url, Duration::from_secs(60)) })).await;
}

#[tokio::test]
async fn a_server_that_does_not_say_how_likely_its_tokens_are_is_no_judge() {
    let replies = [
        ("silent", r#"{"choices":[{"message":{"content":"Yes"},"logprobs":null}]}"#, "top_logprobs"),
        ("sparing", r#"{"choices":[{"logprobs":{"content":[{"token":"Yes","logprob":-0.1}]}}]}"#, "top_logprobs"),
        ("empty", "{}", "top_logprobs"),
        ("babbling", "<html>", "expected value"),
    ];
    for (what, body, said) in replies {
        let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        let url = format!("{}/v1", fixed_bytes(reply.leak(), false).await);
        let answered = model(settings(url, Duration::from_secs(10))).first_tokens(prompt("x")).await;
        let Err(ModelError::Own(ModelFault::Failed(reason))) = answered else { panic!("{what}: {answered:?}") };
        assert!(reason.contains(said), "{what}: {reason}");
    }
    let url = format!("{}/v1", fixed_bytes("", true).await);
    let late = model(settings(url, Duration::from_millis(100))).first_tokens(prompt("x")).await;
    assert_eq!(late, Err(ModelError::Timeout(100)));
}

#[tokio::test]
async fn a_prompt_that_no_window_holds_is_too_long() {
    let name = setting("IBIDEM__LANGUAGE_MODEL__NAME");
    let url = setting("IBIDEM__LANGUAGE_MODEL__URL");
    let model = model(OpenAiSettings { model: name, ..settings(url, Duration::from_secs(60)) });
    let (_, ended) = written(&model, prompt(&"word ".repeat(20_000))).await;
    assert!(matches!(ended, Err(ModelError::Own(ModelFault::TooLong(_)))), "{ended:?}");
}

#[tokio::test]
async fn a_model_that_is_not_allowed_is_not_even_asked_for() {
    let model = model(settings("http://127.0.0.1:9/v1".to_owned(), Duration::from_secs(1)));
    let (_, ended) = written(&model, Prompt { model: Some("other".to_owned()), ..prompt("x") }).await;
    assert_eq!(
        ended,
        Err(ModelError::Own(ModelFault::NotAllowed { model: "other".to_owned(), allowed: vec!["m".to_owned()] }))
    );
}

#[tokio::test]
async fn every_failure_ends_in_time_in_its_own_error_and_keeps_what_arrived() {
    let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n";
    let cases: [(&str, String, bool, &str, &str); 7] = [
        ("hangs at once", String::new(), true, "", "Timeout"),
        ("hangs in the middle", format!("{EVENTS}{piece}"), true, "Hel", "Timeout"),
        ("breaks off", format!("{EVENTS}{piece}"), false, "Hel", "Own(Failed"),
        ("fails", "HTTP/1.1 500 X\r\ncontent-length: 4\r\n\r\nOops".to_owned(), false, "", "Own(Failed"),
        ("babbles", format!("{EVENTS}data: <html>\n\n"), false, "", "Own(Failed"),
        ("is no HTTP server", "SSH-2.0-x\r\n".to_owned(), false, "", "Unavailable"),
        (
            "says the model is not there",
            "HTTP/1.1 404 X\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}".to_owned(),
            false,
            "",
            "Own(NotServed",
        ),
    ];
    let limit = Duration::from_millis(700);
    for (what, reply, hangs, text, error) in cases {
        let url = format!("{}/v1", fixed_bytes(reply.leak(), hangs).await);
        let started = Instant::now();
        let (arrived, ended) = written(&model(settings(url, limit)), prompt("x")).await;
        assert!(started.elapsed() < Duration::from_secs(60), "{what} took {:?}", started.elapsed());
        assert_eq!(arrived, text, "{what}");
        let ended = format!("{:?}", ended.unwrap_err());
        assert!(ended.starts_with(error), "{what}: {ended}");
    }
}

/// The address of a server that sends the first, and then the second again and again, up to a gigabyte, and how many
/// bytes it could send before the other side had enough.
async fn endless_bytes(first: &'static str, again: &'static str) -> (String, Arc<AtomicUsize>) {
    const GIGABYTE: usize = 1 << 30;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    tokio::spawn(async move {
        let Ok((mut connection, _)) = listener.accept().await else { return };
        let mut request = [0_u8; 4096];
        let _ = connection.read(&mut request).await;
        let _ = connection.write_all(first.as_bytes()).await;
        let piece = again.repeat((64 * 1024 / again.len()).max(1));
        while counted.load(Ordering::Relaxed) < GIGABYTE && connection.write_all(piece.as_bytes()).await.is_ok() {
            counted.fetch_add(piece.len(), Ordering::Relaxed);
        }
    });
    (url, sent)
}

/// What the kernel keeps of a connection that nobody reads from, on both sides.
const IN_FLIGHT: usize = 24 << 20;

#[tokio::test]
async fn of_a_gigabyte_that_a_server_would_stream_a_few_megabytes_are_read() {
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n";
    let thought = "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"word \"}}]}\n\n";
    let letter = "data: {\"choices\":[{\"delta\":{\"content\":\"";
    let cases: [(&str, &'static str, &'static str, &str); 6] = [
        ("goes on writing", EVENTS, event, "far more than the 24 tokens"),
        ("thinks for ever", EVENTS, thought, "is longer than"),
        ("writes one word without an end", EVENTS, "x", "a line of more than"),
        ("writes one event without an end", EVENTS, letter, "a line of more than"),
        ("keeps the connection", EVENTS, ": ping\n", "is longer than"),
        ("sends headers without an end", "HTTP/1.1 200 OK\r\n", "x-more: and more\r\n", ""),
    ];
    for (what, first, again, said) in cases {
        let (url, sent) = endless_bytes(first, again).await;
        let started = Instant::now();
        let model = model(settings(format!("{url}/v1"), Duration::from_secs(120)));
        let (text, ended) = written(&model, prompt("x")).await;
        let ended = ended.unwrap_err();
        assert!(ended.to_string().contains(said) && ended != ModelError::Timeout(120_000), "{what}: {ended}");
        assert!(text.len() <= 24 * 128, "{what}: {} bytes of text", text.len());
        let sent = sent.load(Ordering::Relaxed);
        assert!(sent <= (2 << 20) + IN_FLIGHT, "{what}: it could send {sent} bytes in {:?}", started.elapsed());
    }
}

#[tokio::test]
async fn a_reply_in_one_piece_is_read_as_far_as_a_megabyte() {
    let length = "content-type: application/json\r\ncontent-length: 1073741824\r\n\r\n";
    for status in ["200 OK", "500 X", "404 X"] {
        let first: &'static str = format!("HTTP/1.1 {status}\r\n{length}").leak();
        let (url, sent) = endless_bytes(first, "[[[[[[[[[").await;
        let model = model(settings(format!("{url}/v1"), Duration::from_secs(120)));
        let answered = model.first_tokens(prompt("x")).await.unwrap_err();
        assert!(matches!(answered, ModelError::Own(_)), "{status}: {answered:?}");
        let sent = sent.load(Ordering::Relaxed);
        assert!(sent <= (2 << 20) + IN_FLIGHT, "{status}: it could send {sent} bytes");

        let (url, _) = endless_bytes(first, "[[[[[[[[[").await;
        let listed = self::model(settings(format!("{url}/v1"), Duration::from_secs(120))).listed().await;
        assert!(listed.is_err(), "{status}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_connection_error() {
    let url = format!("{}/v1", nobody().await);
    let (_, ended) = written(&model(settings(url, Duration::from_secs(2))), prompt("x")).await;
    assert!(matches!(ended, Err(ModelError::Unavailable(_))), "{ended:?}");
}
