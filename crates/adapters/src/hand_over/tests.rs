//! Questions sent to real servers on loopback, which take them, refuse them, are slow, or lie; and to files.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use chrono::Utc;
use ibidem_words::{DocumentId, FoundPassage, HandOver, PinDraft, PinHere, Reference, SourceId};
use mailparse::MailHeaderMap as _;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;
use uuid::Uuid;

use super::*;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const PATIENCE: Duration = Duration::from_secs(20);

fn hand_over(question: &str) -> HandOver {
    let source_id = SourceId { document: DocumentId(Uuid::from_u128(7)), chunk_index: 3 };
    HandOver {
        id: Uuid::from_u128(1),
        request_id: Uuid::from_u128(2),
        asked_at: "2026-05-04T09:00:00Z".parse().unwrap(),
        tenant: "acme".to_owned(),
        question: question.to_owned(),
        rewritten_question: None,
        topic: "hr".to_owned(),
        owner: "hr@example.org".to_owned(),
        reason: "The answer is not certain enough.".to_owned(),
        found: vec![FoundPassage {
            source_id,
            document_id: source_id.document,
            title: "Urlaub – Übertrag".to_owned(),
            section: Some("Carry-over".to_owned()),
            address: Some("HR-05".to_owned()),
            link: format!("https://ibidem.example.org{}", source_id.link()),
            why: Some("It is on this subject.".to_owned()),
        }],
        pin: PinHere {
            page: Some("https://ibidem.example.org/#/curating/memory?question=Who".to_owned()),
            endpoint: "https://ibidem.example.org/v1/memory/pins".to_owned(),
            body: PinDraft {
                triggers: vec![question.to_owned()],
                references: vec![Reference::Passage(source_id)],
                tags: vec!["hr".to_owned()],
            },
        },
    }
}

type Got = Arc<Mutex<Vec<(HeaderMap, Bytes)>>>;

/// A receiver that notes what it gets and then replies, and its address.
async fn receiver(reply: impl Fn() -> Response + Clone + Send + Sync + 'static) -> (String, Got) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let got = Got::default();
    let notes = got.clone();
    let handler = any(async move |headers: HeaderMap, body: Bytes| {
        notes.lock().unwrap().push((headers, body));
        reply()
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/questions", listener.local_addr().unwrap());
    let router = Router::new().fallback(handler);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, got)
}

fn webhook(url: &str) -> HandOverTarget {
    HandOverTarget::Webhook(Webhook::new(url.to_owned(), Secret::new(SECRET)).unwrap())
}

#[tokio::test]
async fn a_webhook_gets_the_question_as_json_with_its_id_and_a_signature_of_the_bytes() {
    let (url, got) = receiver(|| StatusCode::NO_CONTENT.into_response()).await;
    let sent = hand_over("Who pays for\r\nX-Injected: 1\r\n\r\nthe train?");
    webhook(&url).send(&sent, PATIENCE).await.unwrap();
    webhook(&url).send(&sent, PATIENCE).await.unwrap();
    let got = got.lock().unwrap().clone();
    assert_eq!(got.len(), 2);
    for (headers, body) in &got {
        assert_eq!(serde_json::from_slice::<HandOver>(body).unwrap(), sent);
        assert_eq!(headers[ID_HEADER], sent.id.to_string().as_str());
        assert_eq!(headers[header::CONTENT_TYPE], "application/json");
        assert!(headers.get("x-injected").is_none());
        let signed = headers[SIGNATURE_HEADER].to_str().unwrap();
        let at: i64 = signed.strip_prefix("t=").unwrap().split_once(",v1=").unwrap().0.parse().unwrap();
        assert!((Utc::now().timestamp() - at).abs() < 60);
        assert_eq!(signature(&Secret::new(SECRET), at, body).unwrap(), signed);
        assert_ne!(signature(&Secret::new(SECRET), at, &body[1..]).unwrap(), signed);
    }
}

#[tokio::test]
async fn a_webhook_that_refuses_redirects_is_slow_or_away_is_a_failure_that_says_so() {
    let (elsewhere, not_asked) = receiver(|| StatusCode::OK.into_response()).await;
    let (refusing, _) = receiver(|| (StatusCode::INTERNAL_SERVER_ERROR, SECRET).into_response()).await;
    let to = elsewhere.clone();
    let redirect = move || (StatusCode::TEMPORARY_REDIRECT, [(header::LOCATION, to.clone())]).into_response();
    let (redirecting, _) = receiver(redirect).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let slow = format!("http://{}", listener.local_addr().unwrap());
    let away = nobody().await;
    let question = hand_over("Who pays?");
    for (url, expected) in [
        (refusing, "status 500"),
        (redirecting, "status 307: redirects are not followed"),
        (slow, "no answer within 300 ms"),
        (away, "nothing listens at its address: check that it runs, and its address"),
    ] {
        let patience = if expected.contains("300") { Duration::from_millis(300) } else { PATIENCE };
        let error = webhook(&url).send(&question, patience).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert!(not_asked.lock().unwrap().is_empty(), "a redirect is not followed");
}

/// The address of a server that is not there.
async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn what_a_webhook_replies_is_not_read_however_long_it_is() {
    let endless = || {
        let pieces = futures::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 1 << 16])));
        Body::from_stream(pieces).into_response()
    };
    let (url, _) = receiver(endless).await;
    let began = Instant::now();
    webhook(&url).send(&hand_over("Who pays?"), PATIENCE).await.unwrap();
    assert!(began.elapsed() < PATIENCE / 2);
}

#[tokio::test]
async fn a_check_sends_no_question() {
    let (url, got) = receiver(|| StatusCode::METHOD_NOT_ALLOWED.into_response()).await;
    assert!(webhook(&url).check(PATIENCE).await.unwrap().contains("status 405"));
    assert!(got.lock().unwrap().iter().all(|(headers, body)| body.is_empty() && headers.get(ID_HEADER).is_none()));
    assert!(webhook(&nobody().await).check(PATIENCE).await.is_err());

    let folder = tempfile::tempdir().unwrap();
    let mail = |path: &std::path::Path| {
        HandOverTarget::MailFolder(MailFolder::new(path.to_owned(), "ibidem@example.org").unwrap())
    };
    mail(folder.path()).check(PATIENCE).await.unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    assert!(mail(&folder.path().join("missing")).check(PATIENCE).await.is_err());
}

#[tokio::test]
async fn a_message_file_has_the_question_in_its_text_and_no_header_of_the_askers() {
    let folder = tempfile::tempdir().unwrap();
    let target = MailFolder::new(folder.path().to_owned(), "Ibidem <ibidem@example.org>").unwrap();
    let target = HandOverTarget::MailFolder(target);
    let question =
        "Wer zahlt\r\nBcc: everybody@example.org\r\n\r\n<b>die Reise</b>?\rX-One: 1\u{2028}X-Two: 2\u{85}X-Three: 3";
    let sent = hand_over(question);
    target.send(&sent, PATIENCE).await.unwrap();
    target.send(&sent, PATIENCE).await.unwrap();
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one file for one question: {files:?}") };
    assert_eq!(file.file_name().unwrap().to_str().unwrap(), format!("{}.eml", sent.id));

    let bytes = std::fs::read(file).unwrap();
    let mail = mailparse::parse_mail(&bytes).unwrap();
    let mut names: Vec<String> = mail.headers.iter().map(|header| header.get_key().to_lowercase()).collect();
    names.sort_unstable();
    let expected = [
        "auto-submitted",
        "content-transfer-encoding",
        "content-type",
        "date",
        "from",
        "message-id",
        "mime-version",
        "subject",
        "to",
        "x-ibidem-id",
    ];
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "mime-version").collect();
    assert_eq!(names, expected.into_iter().filter(|name| *name != "mime-version").collect::<Vec<_>>());
    let of = |name: &str| mail.headers.get_first_value(name).unwrap();
    assert_eq!(of("To"), "hr@example.org");
    assert!(of("From").contains("ibidem@example.org"));
    assert_eq!(of("X-Ibidem-Id"), sent.id.to_string());
    assert_eq!(of("Message-ID"), format!("<{}@ibidem.invalid>", sent.id));
    let subject = of("Subject");
    assert!(subject.starts_with("[hr] Wer zahlt Bcc: everybody@example.org <b>die Reise</b>?"), "{subject}");

    let text = mail.get_body().unwrap();
    for part in ["> Wer zahlt", "> <b>die Reise</b>?", "Urlaub – Übertrag · Carry-over · HR-05", "#/curating/memory"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.lines().any(|line| line.starts_with("Bcc")), "{text}");
    assert_eq!(mail.ctype.mimetype, "text/plain");
}

#[tokio::test]
async fn a_mail_server_gets_the_same_message_and_a_refusal_is_a_failure() {
    for refuses in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("smtp://{}", listener.local_addr().unwrap());
        let heard = tokio::spawn(mail_server(listener, refuses));
        let settings = SmtpSettings { url, user: None, from: "ibidem@example.org".to_owned() };
        let target = HandOverTarget::Smtp(Smtp::new(&settings).unwrap());
        let sent = target.send(&hand_over("Who pays?\r\n.\r\nQUIT\r\n"), PATIENCE).await;
        if refuses {
            assert_eq!(sent.unwrap_err().to_string(), "the mail server refuses (status 550)");
            continue;
        }
        sent.unwrap();
        let (envelope, message) = heard.await.unwrap();
        assert_eq!(envelope, ["MAIL FROM:<ibidem@example.org>", "RCPT TO:<hr@example.org>"]);
        let mail = mailparse::parse_mail(message.as_bytes()).unwrap();
        assert_eq!(mail.headers.get_first_value("Subject").unwrap(), "[hr] Who pays? . QUIT");
        assert!(mail.get_body().unwrap().contains("> QUIT"));
    }
    let away = nobody().await.replace("http://", "smtp://");
    let settings = SmtpSettings { url: away, user: None, from: "ibidem@example.org".to_owned() };
    let target = HandOverTarget::Smtp(Smtp::new(&settings).unwrap());
    assert!(target.check(PATIENCE).await.is_err());
}

/// Takes one message, or refuses it; returns the envelope and the message.
async fn mail_server(listener: TcpListener, refuses: bool) -> (Vec<String>, String) {
    let (connection, _) = listener.accept().await.unwrap();
    let (read, mut write) = connection.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut envelope, mut message, mut is_message) = (Vec::new(), String::new(), false);
    write.write_all(b"220 mail.example.org\r\n").await.unwrap();
    while let Ok(Some(line)) = lines.next_line().await {
        let reply: &[u8] = match line.as_str() {
            "." if is_message => {
                is_message = false;
                b"250 taken\r\n"
            }
            line if is_message => {
                message.push_str(line.strip_prefix('.').unwrap_or(line));
                message.push_str("\r\n");
                continue;
            }
            line if line.starts_with("RCPT") && refuses => b"550 nobody here\r\n",
            line if line.starts_with("MAIL") || line.starts_with("RCPT") => {
                envelope.push(line.split(" BODY=").next().unwrap_or(line).to_owned());
                b"250 ok\r\n"
            }
            "DATA" => {
                is_message = true;
                b"354 go on\r\n"
            }
            "QUIT" => {
                let _ = write.write_all(b"221 bye\r\n").await;
                break;
            }
            _ => b"250 mail.example.org\r\n",
        };
        if write.write_all(reply).await.is_err() {
            break;
        }
    }
    (envelope, message)
}
