//! A routed question reaches its owner: through the real server and worker to a receiver that is away, refuses, or keeps
//! its worker waiting until that is killed.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ibidem_adapters::hand_over::{Secret, signature};
use ibidem_words::HandOver;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::{Installation, NO_MODEL, with_installation};
use crate::model_server::read_request;

const SECRET: &str = "0123456789abcdef0123456789abcdef";
const PATIENCE: Duration = Duration::from_secs(120);

/// What a receiver does with what it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Manner {
    Takes,
    Refuses,
    /// It has it, and never says so.
    Keeps,
}

struct Receiver {
    url: String,
    manner: Arc<Mutex<Manner>>,
    /// Heads and bodies.
    got: Arc<Mutex<Vec<(String, String)>>>,
}

impl Receiver {
    async fn that(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/questions", listener.local_addr().unwrap());
        let (manner, got) = (Arc::new(Mutex::new(manner)), Arc::new(Mutex::default()));
        let (mannered, notes) = (Arc::clone(&manner), Arc::clone(&got));
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(receive(connection, Arc::clone(&mannered), Arc::clone(&notes)));
            }
        });
        Self { url, manner, got }
    }

    fn now(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    /// Waits for so many requests with a body, and returns the messages, each with a signature that holds.
    async fn messages(&self, count: usize) -> Vec<HandOver> {
        let there = async {
            while self.got.lock().unwrap().len() < count {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        assert!(tokio::time::timeout(PATIENCE, there).await.is_ok(), "{count} did not come");
        let got = self.got.lock().unwrap().clone();
        let message = |(head, body): (String, String)| {
            let header = |name: &str| {
                let line = head.lines().find(|line| line.to_lowercase().starts_with(&format!("{name}: ")));
                line.unwrap_or_else(|| panic!("no {name}: {head}")).split_once(": ").unwrap().1.to_owned()
            };
            let signed = header("x-ibidem-signature");
            let at = signed.strip_prefix("t=").unwrap().split_once(',').unwrap().0.parse().unwrap();
            assert_eq!(signature(&Secret::new(SECRET), at, body.as_bytes()).unwrap(), signed);
            let message: HandOver = serde_json::from_str(&body).unwrap();
            assert_eq!(header("x-ibidem-id"), message.id.to_string());
            message
        };
        got.into_iter().map(message).collect()
    }
}

async fn receive(mut connection: TcpStream, manner: Arc<Mutex<Manner>>, got: Arc<Mutex<Vec<(String, String)>>>) {
    let request = String::from_utf8(read_request(&mut connection).await).unwrap();
    let Some((head, body)) = request.split_once("\r\n\r\n") else { return };
    let manner = *manner.lock().unwrap();
    if head.starts_with("POST ") && manner != Manner::Refuses {
        got.lock().unwrap().push((head.to_owned(), body.to_owned()));
    }
    let status = match manner {
        Manner::Takes => "204 No Content",
        Manner::Refuses => "500 Internal Server Error",
        Manner::Keeps => return std::future::pending().await,
    };
    let _ = connection
        .write_all(format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").as_bytes())
        .await;
}

/// Settings under which no answer is certain enough, and the owner of what everybody sees has a receiver.
fn settings(folder: &Path, receiver: &Receiver) -> String {
    let policy = folder.join("unsure.yaml");
    let handbook = include_str!("../../../../policies/handbook.yaml");
    std::fs::write(&policy, handbook.replace("cite_from: 60", "cite_from: 100")).unwrap();
    std::fs::write(folder.join("secret"), format!("{SECRET}\n")).unwrap();
    let settings = json!({
        "policy": {"use": policy},
        "reranker": {"use": "none"},
        "jobs": {"lease_ms": 2000},
        "hand_over": {
            "targets": {"desk": {"owners": ["hr@example.org"], "webhook": receiver.url, "secret_file": folder.join("secret")}},
            "public_url": "https://ibidem.example.org",
            "timeout_ms": 1500, "attempts": 2, "retry_ms": 300,
        },
    });
    let file = folder.join("ibidem.yaml");
    std::fs::write(&file, settings.to_string()).unwrap();
    file.to_str().unwrap().to_owned()
}

async fn counts(installation: &Installation) -> Value {
    let listed = installation.succeed(&["hand-over", "--json"]).await.json();
    let it = &listed["targets"][0];
    json!([it["waiting"], it["sent"], it["failed"]])
}

async fn until(installation: &Installation, expected: Value) {
    let there = async {
        while counts(installation).await != expected {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, there).await.is_ok(), "{expected}: {}", counts(installation).await);
}

#[tokio::test]
async fn a_routed_question_reaches_its_owner_however_often_it_takes_under_one_id() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        installation.succeed(&["tag", "own", "public", "hr@example.org"]).await;
        let folder = tempfile::tempdir().unwrap();
        let receiver = Receiver::that(Manner::Refuses).await;
        let config = settings(folder.path(), &receiver);
        let served = installation.serve(&[NO_MODEL.as_slice(), &[("IBIDEM_CONFIG", config.as_str())]].concat()).await;
        let asker = Asker::before(installation, &served).await;
        let answer = asker.ask(QUESTION).await;
        assert_eq!(
            (&answer["action"], &answer["route_to"]["handed_over"]),
            (&json!("route"), &json!(true)),
            "{answer}"
        );
        asker.ask(QUESTION).await;
        assert_eq!(counts(installation).await, json!([1, 0, 0]), "the server itself sends nothing");

        // It refuses, and is given up after two attempts; somebody asks for it again.
        let mut worker = installation.start(&["worker", "--config", &config]);
        until(installation, json!([0, 0, 1])).await;
        let unsent = installation.succeed(&["hand-over", "--json"]).await.json()["unsent"][0].clone();
        assert_eq!((&unsent["attempts"], &unsent["failure"]), (&json!(2), &json!("status 500")), "{unsent}");
        receiver.now(Manner::Keeps);
        installation.succeed(&["hand-over", "--retry"]).await;

        // Its worker is killed after it was sent and before that was noted: another one sends it again.
        receiver.messages(1).await;
        worker.kill().await.unwrap();
        receiver.now(Manner::Takes);
        let worker = installation.start(&["worker", "--config", &config]);
        until(installation, json!([0, 1, 0])).await;
        let messages = receiver.messages(2).await;
        assert!(messages.iter().all(|message| *message == messages[0]), "{messages:?}");
        assert_eq!((messages[0].question.as_str(), messages[0].topic.as_str()), (QUESTION, "public"));
        assert!(messages[0].found.iter().any(|found| found.title == "Leave"), "{messages:?}");
        assert_eq!(
            installation.columns_with(&messages[0].id.to_string()).await,
            ["hand_overs.id"],
            "its words are gone"
        );

        let findings = installation.run(&["doctor", "--json", "--config", &config]).await.json();
        let findings: Vec<&Value> =
            findings.as_array().unwrap().iter().filter(|finding| finding["part"] == "hand-over").collect();
        assert!(findings.len() == 2 && findings.iter().all(|finding| finding["state"] == "ok"), "{findings:?}");
        assert_eq!(receiver.messages(2).await.len(), 2, "the doctor sends no question");
        drop(worker);
        served.stop().await;
    })
    .await;
}
