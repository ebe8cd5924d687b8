//! A question as an e-mail: in a file of its own, or given to a mail server.

use std::path::PathBuf;
use std::time::SystemTime;

use ibidem_words::HandOver;
use lettre::message::Mailbox;
use lettre::message::header::{ContentType, Header, HeaderName, HeaderValue};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use uuid::Uuid;

use super::{HandOverError, Secret};

/// How much of a question stands in the subject of its message.
const LONGEST_SUBJECT: usize = 100;

/// A folder in which each question becomes a file, `{id}.eml`. Whatever sends mail on the machine takes it from there.
pub struct MailFolder {
    folder: PathBuf,
    from: Mailbox,
}

impl MailFolder {
    pub fn new(folder: PathBuf, from: &str) -> Result<Self, HandOverError> {
        Ok(Self { folder, from: mailbox(from)? })
    }

    /// A file is there as a whole or not at all; sent again it takes the place of the former one.
    pub(super) async fn send(&self, hand_over: &HandOver) -> Result<(), HandOverError> {
        let message = message(&self.from, hand_over)?.formatted();
        self.put(&hand_over.id.to_string(), "eml", &message).await.map(drop)
    }

    pub(super) async fn check(&self) -> Result<String, HandOverError> {
        let written = self.put(&format!("check-{}", Uuid::now_v7()), "tmp", b"").await?;
        tokio::fs::remove_file(&written).await.map_err(|error| self.unwritable(&error))?;
        Ok(format!("files can be written in {}", self.folder.display()))
    }

    async fn put(&self, name: &str, ending: &str, bytes: &[u8]) -> Result<PathBuf, HandOverError> {
        // Two workers may write the same question at once: each its own file first.
        let unfinished = self.folder.join(format!(".{name}.{}.unfinished", Uuid::now_v7()));
        let finished = self.folder.join(format!("{name}.{ending}"));
        let put = async {
            tokio::fs::write(&unfinished, bytes).await?;
            tokio::fs::rename(&unfinished, &finished).await
        };
        let outcome = put.await;
        if outcome.is_err() {
            let _ = tokio::fs::remove_file(&unfinished).await;
        }
        outcome.map(|()| finished).map_err(|error| self.unwritable(&error))
    }

    fn unwritable(&self, error: &std::io::Error) -> HandOverError {
        HandOverError::because(format!("{} cannot be written: {error}", self.folder.display()))
    }
}

/// How a mail server is reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmtpSettings {
    /// `smtps://host:port`, `smtp://host:port?tls=required`, or `smtp://host:port` without encryption.
    pub url: String,
    /// Who signs in, where the server asks for it.
    pub user: Option<(String, Secret)>,
    /// Whom messages are from.
    pub from: String,
}

/// A mail server.
pub struct Smtp {
    from: Mailbox,
    server: AsyncSmtpTransport<Tokio1Executor>,
}

impl Smtp {
    pub fn new(settings: &SmtpSettings) -> Result<Self, HandOverError> {
        let mut server =
            AsyncSmtpTransport::<Tokio1Executor>::from_url(&settings.url).map_err(|error| failed(&error))?;
        if let Some((user, password)) = &settings.user {
            server = server.credentials(Credentials::new(user.clone(), password.as_str().to_owned()));
        }
        Ok(Self { from: mailbox(&settings.from)?, server: server.build() })
    }

    pub(super) async fn send(&self, hand_over: &HandOver) -> Result<(), HandOverError> {
        let message = message(&self.from, hand_over)?;
        self.server.send(message).await.map(drop).map_err(|error| failed(&error))
    }

    pub(super) async fn check(&self) -> Result<String, HandOverError> {
        match self.server.test_connection().await {
            Ok(true) => Ok("the mail server takes messages".to_owned()),
            Ok(false) => Err(HandOverError::because("the mail server closes the connection")),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// What kind of failure, with the status; not what the server said, which may repeat what it was sent.
fn failed(error: &lettre::transport::smtp::Error) -> HandOverError {
    if let Some(status) = error.status() {
        return HandOverError::because(format!("the mail server refuses (status {status})"));
    }
    let kind = match error {
        error if error.is_timeout() => "the mail server does not answer in time",
        error if error.is_tls() => "no encrypted connection to the mail server: check its name, port and certificate",
        error if error.is_response() => "what answers is no mail server",
        error if error.is_client() => "the mail server does not offer what is needed, or its address is wrong",
        _ => "the mail server cannot be reached: check that it runs, and its address",
    };
    HandOverError::because(kind)
}

fn mailbox(written: &str) -> Result<Mailbox, HandOverError> {
    written.parse().map_err(|error| HandOverError::because(format!("{written:?} is no e-mail address: {error}")))
}

/// The id of the question, in a header of its own.
#[derive(Clone)]
struct IbidemId(Uuid);

impl Header for IbidemId {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str(super::ID_HEADER)
    }

    fn parse(written: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self(written.parse()?))
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), self.0.to_string())
    }
}

/// Says that no person wrote it, so that no absence note answers it (RFC 3834).
#[derive(Clone)]
struct AutoSubmitted;

impl Header for AutoSubmitted {
    fn name() -> HeaderName {
        HeaderName::new_from_ascii_str("Auto-Submitted")
    }

    fn parse(_: &str) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        Ok(Self)
    }

    fn display(&self) -> HeaderValue {
        HeaderValue::new(Self::name(), "auto-generated".to_owned())
    }
}

fn message(from: &Mailbox, hand_over: &HandOver) -> Result<Message, HandOverError> {
    let subject = format!("[{}] {}", hand_over.topic, hand_over.question);
    Message::builder()
        .from(from.clone())
        .to(mailbox(&hand_over.owner)?)
        .subject(in_one_line(&subject))
        .date(SystemTime::from(hand_over.asked_at))
        .message_id(Some(format!("<{}@ibidem.invalid>", hand_over.id)))
        .header(IbidemId(hand_over.id))
        .header(AutoSubmitted)
        .header(ContentType::TEXT_PLAIN)
        .body(text(hand_over))
        .map_err(HandOverError::because)
}

/// A header ends where its line does: what stands in one has one line, and a bounded one.
fn in_one_line(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|it| !it.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST_SUBJECT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn text(hand_over: &HandOver) -> String {
    let mut lines = vec![
        "Somebody asked a question, and no answer was certain enough:".to_owned(),
        String::new(),
        quoted(&hand_over.question),
    ];
    if let Some(rewritten) = &hand_over.rewritten_question {
        lines.extend([String::new(), "It was searched for as:".to_owned(), String::new(), quoted(rewritten)]);
    }
    lines.extend([String::new(), format!("Why it was not answered: {}", in_full(&hand_over.reason)), String::new()]);
    if hand_over.found.is_empty() {
        lines.push("Nothing near it was found.".to_owned());
    } else {
        lines.push("What was found:".to_owned());
        for found in &hand_over.found {
            let named = [Some(&found.title), found.section.as_ref(), found.address.as_ref()];
            let named: Vec<String> = named.into_iter().flatten().map(|name| in_full(name)).collect();
            lines.push(format!("- {}", named.join(" · ")));
            lines.extend(found.why.iter().map(|why| format!("  {}", in_full(why))));
            lines.push(format!("  {}", found.link));
        }
    }
    lines.push(String::new());
    match &hand_over.pin.page {
        Some(page) => {
            lines.push("To answer it for everybody who asks again, pin its sources to it, or write a note:".to_owned());
            lines.push(page.clone());
        }
        None => lines.push(format!(
            "To answer it for everybody who asks again, pin its sources to it on the page Curating, or by POST {}.",
            hand_over.pin.endpoint
        )),
    }
    lines.extend([String::new(), "-- ".to_owned()]);
    lines.push(format!(
        "Tenant {}, topic {}, asked at {}, id {}",
        hand_over.tenant, hand_over.topic, hand_over.asked_at, hand_over.id
    ));
    lines.push("A reply to this message reaches nobody who asked.".to_owned());
    lines.join("\n") + "\n"
}

/// Each line under a mark: no line of what somebody typed can be taken for one of ours.
fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n")
}

fn in_full(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
