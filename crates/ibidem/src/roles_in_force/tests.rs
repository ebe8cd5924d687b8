//! Roles that change while a server runs, on a model server that names its models.

use std::path::{Path, PathBuf};

use ibidem_ports::degrade::BreakerSettings;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::*;
use crate::settings;

/// The address of a server that has these models.
async fn server_with(models: &[&str]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let models: Vec<_> = models.iter().map(|name| serde_json::json!({ "id": name })).collect();
    let body = serde_json::json!({ "data": models }).to_string();
    let reply = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
    tokio::spawn(async move {
        // Bounded: a test asks a handful of times.
        for _ in 0..50 {
            let Ok((mut connection, _)) = listener.accept().await else { return };
            let mut request = [0_u8; 4096];
            let _ = connection.read(&mut request).await;
            let _ = connection.write_all(reply.as_bytes()).await;
        }
    });
    url
}

struct World {
    _folder: tempfile::TempDir,
    file: PathBuf,
    roles: RolesInForce,
    taken_from: watch::Receiver<Arc<Roles>>,
}

fn section(url: &str, answer: &str, more: &str) -> String {
    format!("language_model:\n  url: {url}\n  roles:\n    answer: {answer}\n{more}")
}

fn settings_of(file: &Path) -> Settings {
    settings::load(Some(file), std::iter::empty(), &[]).unwrap()
}

impl World {
    async fn with(text: &str) -> Self {
        // As the binary does at its start.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ibidem.yaml");
        std::fs::write(&file, text).unwrap();
        let (roles, taken_from) =
            RolesInForce::open(&settings_of(&file), &Breakers::new(BreakerSettings::default())).await.unwrap();
        Self { _folder: folder, file, roles, taken_from }
    }

    fn answering(&self) -> String {
        self.taken_from.borrow().answer.as_ref().unwrap().name.clone()
    }

    /// Writes the file, looks at it twice, and says what came of it; nothing must come of the first look.
    async fn change(&mut self, text: &str) -> Outcome {
        std::fs::write(&self.file, text).unwrap();
        assert!(matches!(self.roles.look(), Look::Nothing), "somebody may be in the middle of writing it");
        let outcome = match self.roles.look() {
            Look::Nothing => panic!("the change was not seen"),
            Look::Changed(Err(error)) => Outcome::Kept(error),
            Look::Changed(Ok(settings)) => self.roles.take(&settings).await,
        };
        assert!(matches!(self.roles.look(), Look::Nothing), "a change is dealt with once");
        outcome
    }
}

#[tokio::test]
async fn a_changed_role_is_in_force_and_a_question_keeps_what_it_began_with() {
    let url = server_with(&["small:latest", "large:8b"]).await;
    let mut world = World::with(&section(&url, "small", "")).await;
    let begun_with = world.taken_from.borrow().clone();
    let planner = "    planner: small\n  models:\n    large:8b: {window: 5000}\n";
    let outcome = world.change(&section(&url, "large:8b", planner)).await;
    assert_eq!((outcome, world.answering().as_str()), (Outcome::Taken { unchecked: None }, "large:8b"));
    let roles = world.taken_from.borrow().clone();
    assert_eq!(roles.answer.as_ref().unwrap().limits.window, 5_000);
    assert_eq!(roles.planner.as_ref().unwrap().model().name, "small");
    assert_eq!(begun_with.answer.as_ref().unwrap().name, "small");
}

#[tokio::test]
async fn what_cannot_be_used_keeps_the_old_models_and_says_why() {
    let url = server_with(&["small"]).await;
    let mut world = World::with(&section(&url, "small", "")).await;
    let cases = [
        ("language_model: [".to_owned(), "is not valid YAML"),
        (section(&url, "small", "    wizard: x\n"), "unknown field `wizard`"),
        (section(&url, "small", "    fallback: small\n"), "`language_model.roles.fallback`"),
        (section(&url, "small", "  tokenizer: no/such.json\n"), "no/such.json"),
        (section(&url, "large", ""), "`ollama pull large`"),
        (section(&url, "small", "    judge: large\n"), "judge: the model \"large\" is not served"),
    ];
    for (text, expected) in cases {
        let outcome = world.change(&text).await;
        assert!(matches!(&outcome, Outcome::Kept(error) if error.contains(expected)), "{expected}: {outcome:?}");
        assert_eq!(world.answering(), "small", "{expected}");
    }
    std::fs::remove_file(&world.file).unwrap();
    assert!(matches!((world.roles.look(), world.roles.look()), (Look::Nothing, Look::Changed(Err(_)))));
    // Mended, it counts again.
    let outcome = world.change(&section(&url, "small", "  timeout_ms: 20000\n")).await;
    assert_eq!(outcome, Outcome::Taken { unchecked: None });
}

#[tokio::test]
async fn other_settings_take_a_restart_and_a_server_that_is_away_does_not_hold_a_change_up() {
    let url = server_with(&["small"]).await;
    let mut world = World::with(&section(&url, "small", "")).await;
    let outcome = world.change(&(section(&url, "small", "") + "log:\n  level: warn\n")).await;
    assert_eq!(outcome, Outcome::Same);
    // Nothing listens at the discard port of loopback.
    let outcome = world.change(&section("http://127.0.0.1:9/v1", "large", "")).await;
    assert!(matches!(outcome, Outcome::Taken { unchecked: Some(_) }), "{outcome:?}");
    assert_eq!(world.answering(), "large");
}
