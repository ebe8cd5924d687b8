//! The model server: a real one, and ones that refuse, hang, fail, babble and break off.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use ibidem_adapters::openai::{Connection, OpenAiModel, OpenAiSettings};
use ibidem_ports::language_model::{LanguageModel, ModelError, ModelFault, Piece, Prompt, PromptMessage, ReplyForm};
use ibidem_testing::suites::language_model::check;
use ibidem_words::Speaker;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::loopback::{fixed_bytes, nobody};
use crate::setting;

fn settings(url: String, timeout: Duration) -> OpenAiSettings {
    OpenAiSettings { connection: Connection::to(url), model: "m".to_owned(), also_allowed: Vec::new(), timeout }
}

fn model(settings: OpenAiSettings) -> OpenAiModel {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    OpenAiModel::new(settings).unwrap()
}

fn prompt(content: &str) -> Prompt {
    let message = PromptMessage { role: Speaker::User, content: content.to_owned() };
    Prompt { model: None, messages: vec![message], temperature: 0.0, max_tokens: 24, form: None }
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

/// One number and nothing else.
fn form() -> ReplyForm {
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "number": { "type": "integer", "enum": [3, 4] } },
        "required": ["number"],
        "additionalProperties": false,
    });
    ReplyForm { name: "one_number", schema }
}

#[tokio::test]
async fn a_real_model_is_bound_to_a_form_that_it_would_not_keep_by_itself() {
    let name = setting("IBIDEM__LANGUAGE_MODEL__NAME");
    let url = setting("IBIDEM__LANGUAGE_MODEL__URL");
    let model = model(OpenAiSettings { model: name, ..settings(url, Duration::from_secs(60)) });
    let asked = prompt("Tell me a story about a horse.");
    let (text, _) = written(&model, Prompt { form: Some(form()), ..asked }).await;
    let reply: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(reply["number"] == 3 || reply["number"] == 4, "{text}");
}

#[tokio::test]
async fn a_real_model_is_bound_by_a_grammar_where_no_schema_is_taken() {
    let name = setting("IBIDEM__LANGUAGE_MODEL__NAME");
    let url = setting("IBIDEM__LANGUAGE_MODEL__URL");
    // It refuses the schema, and passes on what comes then.
    let refusing = refusing_schemas(url.trim_end_matches("/v1").to_owned()).await;
    let model = model(OpenAiSettings { model: name, ..settings(format!("{refusing}/v1"), Duration::from_secs(60)) });
    let (text, _) = written(&model, Prompt { form: Some(form()), ..prompt("Tell me a story about a horse.") }).await;
    let reply: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(reply["number"] == 3 || reply["number"] == 4, "{text}");
}

/// The address of what passes requests on to a server, except those with a schema.
async fn refusing_schemas(to: String) -> String {
    use axum::body::{Body, Bytes};
    use axum::response::Response;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let pass_on = move |uri: axum::http::Uri, body: Bytes| {
        let to = format!("{to}{uri}");
        async move {
            if body.windows(11).any(|window| window == b"json_schema") {
                let why = r#"{"error":{"message":"response_format json_schema is not supported"}}"#;
                return Response::builder().status(400).body(Body::from(why)).unwrap();
            }
            let request = reqwest::Client::new().post(to).header("content-type", "application/json").body(body);
            let reply = request.send().await.unwrap();
            let kind = reply.headers()["content-type"].clone();
            let body = Body::from_stream(reply.bytes_stream());
            Response::builder().header("content-type", kind).body(body).unwrap()
        }
    };
    let router = axum::Router::new().fallback(pass_on);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
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
        // One that has no list says nothing that is read.
        assert!(listed.is_err() || (status == "404 X" && listed == Ok(None)), "{status}: {listed:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_connection_error() {
    let url = format!("{}/v1", nobody().await);
    let (_, ended) = written(&model(settings(url, Duration::from_secs(2))), prompt("x")).await;
    assert!(matches!(ended, Err(ModelError::Unavailable(_))), "{ended:?}");
}

/// The address of a server that sends one reply after the other, one for each request, and what it was asked.
async fn scripted(replies: Vec<String>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = asked.clone();
    tokio::spawn(async move {
        for reply in replies {
            let Ok((mut connection, _)) = listener.accept().await else { return };
            let mut request = Vec::new();
            let mut piece = [0_u8; 4096];
            while let Ok(read @ 1..) = connection.read(&mut piece).await {
                request.extend_from_slice(&piece[..read]);
                if is_whole(&request) {
                    break;
                }
            }
            heard.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
            let _ = connection.write_all(reply.as_bytes()).await;
        }
    });
    (url, asked)
}

/// Whether a request has the body that its head promises.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.trim().parse().ok());
    body.len() >= length.unwrap_or(0)
}

fn refusal(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
}

/// A stream of these events, each the JSON of what one choice adds.
fn streamed(events: &[&str]) -> String {
    let events = events.iter().map(|event| format!("data: {{\"choices\":[{event}]}}\n\n"));
    format!("{EVENTS}{}data: [DONE]\n\n", events.collect::<String>())
}

/// One event of text, with line breaks and quotes as JSON has them.
fn text(content: &str) -> String {
    format!("{{\"delta\":{{\"content\":{}}}}}", serde_json::to_string(content).unwrap())
}

/// The JSON of a request.
fn body_of(request: &str) -> serde_json::Value {
    serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn a_parameter_that_a_server_refuses_is_not_sent_again() {
    let unsupported = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let fixed = r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature","code":"unsupported_value"}}"#;
    let strict =
        r#"{"detail":[{"type":"extra_forbidden","loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}"#;
    let said = streamed(&[&text("Oil."), r#"{"delta":{},"finish_reason":"stop"}"#]);
    let replies = vec![
        refusal("400 Bad Request", unsupported),
        refusal("400 Bad Request", fixed),
        refusal("422 Unprocessable Entity", strict),
        said.clone(),
        said,
    ];
    let (url, asked) = scripted(replies).await;
    let model = model(settings(format!("{url}/v1"), Duration::from_secs(10)));
    for _ in 0..2 {
        assert_eq!(written(&model, prompt("x")).await, ("Oil.".to_owned(), Ok(None)));
    }
    let bodies: Vec<_> = asked.lock().unwrap().iter().map(|request| body_of(request)).collect();
    assert_eq!((&bodies[0]["max_tokens"], &bodies[0]["seed"]), (&24.into(), &0.into()));
    for body in &bodies[3..] {
        assert_eq!(body["max_completion_tokens"], 24, "{body}");
        for gone in ["max_tokens", "temperature", "seed"] {
            assert!(body.get(gone).is_none(), "{gone} in {body}");
        }
    }
}

#[tokio::test]
async fn of_a_server_without_a_list_each_model_is_there_as_far_as_anybody_can_tell() {
    let (url, _) = scripted(vec![refusal("404 Not Found", "{}"); 2]).await;
    let first = model(settings(format!("{url}/v1"), Duration::from_secs(10)));
    let second = first.other("n", Duration::from_secs(10));
    assert_eq!((first.served().await, second.served().await), (Ok(vec!["m".to_owned()]), Ok(vec!["n".to_owned()])));
}

#[tokio::test]
async fn a_server_that_knows_no_schema_gets_a_grammar_is_asked_for_json_and_then_for_nothing() {
    let no_schema =
        r#"{"error":{"message":"This response_format type is not supported now","type":"invalid_request_error"}}"#;
    let no_grammar = r#"{"error":{"message":"Unrecognized request argument supplied: grammar"}}"#;
    let no_json = r#"{"error":{"message":"'response_format' is an unsupported parameter"}}"#;
    let said = streamed(&[&text("{}"), r#"{"delta":{},"finish_reason":"stop"}"#]);
    let refused = [no_schema, no_grammar, no_json].map(|why| refusal("400 Bad Request", why));
    let replies = refused.into_iter().chain([said.clone(), said]).collect();
    let (url, asked) = scripted(replies).await;
    let model = model(settings(format!("{url}/v1"), Duration::from_secs(10)));
    for _ in 0..2 {
        assert_eq!(written(&model, Prompt { form: Some(form()), ..prompt("x") }).await.0, "{}");
    }
    let bodies: Vec<_> = asked.lock().unwrap().iter().map(|request| body_of(request)).collect();
    assert_eq!(bodies[0]["response_format"]["json_schema"]["schema"], form().schema);
    assert!(
        bodies[1]["grammar"].as_str().unwrap().starts_with("root ::= ") && bodies[1].get("response_format").is_none()
    );
    assert_eq!(bodies[2]["response_format"], serde_json::json!({ "type": "json_object" }));
    assert!(bodies[3..].iter().all(|body| body.get("response_format").is_none()), "{bodies:?}");
}

#[tokio::test]
async fn a_refusal_that_goes_on_is_no_endless_conversation() {
    let about_all =
        r#"{"error":{"message":"unsupported: max_tokens, temperature, seed, stream_options, reasoning_effort"}}"#;
    let (url, asked) = scripted(vec![refusal("400 Bad Request", about_all); 6]).await;
    let (_, ended) = written(&model(settings(format!("{url}/v1"), Duration::from_secs(10))), prompt("x")).await;
    assert!(matches!(ended, Err(ModelError::Own(ModelFault::Failed(_)))), "{ended:?}");
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn what_a_model_thinks_is_no_text_in_any_form() {
    let done = r#"{"delta":{},"finish_reason":"stop"}"#;
    for (what, events) in [
        ("in a field of its own", vec![r#"{"delta":{"reasoning_content":"Hm. 9 litres?"}}"#.to_owned(), text("Oil.")]),
        ("by another name", vec![r#"{"delta":{"reasoning":"Hm. 9 litres?","content":null}}"#.to_owned(), text("Oil.")]),
        ("between tags", vec![text("<thi"), text("nk>Hm. 9 lit"), text("res?</think>\n\nOi"), text("l.")]),
        (
            "in typed parts",
            vec![r#"{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Oil."}]}}"#.to_owned()],
        ),
    ] {
        let events: Vec<&str> = events.iter().map(String::as_str).chain([done]).collect();
        let (url, _) = scripted(vec![streamed(&events)]).await;
        let model = model(settings(format!("{url}/v1"), Duration::from_secs(10)));
        assert_eq!(written(&model, prompt("x")).await, ("Oil.".to_owned(), Ok(None)), "{what}");
    }
}

#[tokio::test]
async fn a_thought_that_the_prompt_opened_is_an_error_once_and_known_then() {
    let reply =
        streamed(&[&text("Perhaps 9 litres.\n"), &text("</think>\n\nOil."), r#"{"delta":{},"finish_reason":"stop"}"#]);
    let (url, _) = scripted(vec![reply.clone(), reply]).await;
    let model = model(settings(format!("{url}/v1"), Duration::from_secs(10)));
    let (_, ended) = written(&model, prompt("x")).await;
    assert!(ended.is_err_and(|error| error.to_string().contains("thoughts")));
    assert_eq!(written(&model, prompt("x")).await, ("Oil.".to_owned(), Ok(None)));
}

#[tokio::test]
async fn a_thought_that_takes_all_tokens_is_asked_for_once_more_without_thoughts() {
    let eaten = r#"{"delta":{},"finish_reason":"length"}"#;
    let said = streamed(&[&text("Oil."), r#"{"delta":{},"finish_reason":"stop"}"#]);
    for thought in [text("<think>Hm. 9 litres? Or"), r#"{"delta":{"reasoning_content":"Hm."}}"#.to_owned()] {
        let (url, asked) = scripted(vec![streamed(&[&thought, eaten]), said.clone()]).await;
        let model = model(settings(format!("{url}/v1"), Duration::from_secs(10)));
        assert_eq!(written(&model, prompt("x")).await, ("Oil.".to_owned(), Ok(None)));
        let second = body_of(&asked.lock().unwrap()[1]);
        assert_eq!(second["chat_template_kwargs"]["enable_thinking"], false);
        assert_eq!(second["reasoning_effort"], "low");
    }
}
