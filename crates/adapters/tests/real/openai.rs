//! The model server: a real one, and ones that refuse, hang, fail, babble and break off.

use std::time::{Duration, Instant};

use futures::StreamExt as _;
use ibidem_adapters::openai::{OpenAiModel, OpenAiSettings};
use ibidem_words::Speaker;
use ibidem_words::ports::language_model::{LanguageModel, ModelError, ModelFault, Piece, Prompt, PromptMessage};
use ibidem_words::suites::language_model::check;

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
            Ok(Piece::Done { usage }) => {
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

#[tokio::test]
async fn a_server_that_is_not_there_is_a_connection_error() {
    let url = format!("{}/v1", nobody().await);
    let (_, ended) = written(&model(settings(url, Duration::from_secs(2))), prompt("x")).await;
    assert!(matches!(ended, Err(ModelError::Unavailable(_))), "{ended:?}");
}
