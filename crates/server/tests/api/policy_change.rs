//! A policy file that changes while people ask: every answer is one policy's from its beginning to its end.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use ibidem_engine::policy::Policy;
use ibidem_server::policy_file::{PolicyFile, PolicySource, PolicyText};
use ibidem_words::Sha256Hash;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::world::{POLICY, World};

const ASKERS: usize = 16;
const CHANGES: usize = 24;
/// Nothing here takes longer, unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

const ANSWERED: &str = "How many days of leave may be carried over?";
const REFUSED: &str = "Quarks, gluons and penguins?";

/// A policy, and what gives it away at every stage of a question.
struct Version {
    text: String,
    hash: String,
    duplicates: f64,
    top1_similarity: f64,
    temperature: f64,
    refusal: String,
}

impl Version {
    fn new(number: u8) -> Self {
        let [duplicates, top1_similarity, temperature] = [0.9, 0.3, 0.1].map(|base| base + f64::from(number) / 100.0);
        let refusal = format!("Policy {number} does not answer this.");
        let text = POLICY
            .replace("duplicates: 0.9", &format!("duplicates: {duplicates}"))
            .replace("top1_similarity: 0.7", &format!("top1_similarity: {top1_similarity}"))
            .replace("temperature: 0.1", &format!("temperature: {temperature}"))
            .replace("You answer readers' questions", &format!("Under policy {number}, you answer questions"))
            .replace("This information cannot be verified from the book content.", &refusal);
        let hash = Sha256Hash::of(text.as_bytes()).to_string();
        Self { text, hash, duplicates, top1_similarity, temperature, refusal }
    }

    /// Whether every trace that a policy leaves in an answer is this one's.
    fn decided(&self, answer: &Value) -> bool {
        let threshold = |gate: &str| {
            let trace = answer["trace"].as_array().unwrap();
            trace.iter().find(|record| record["gate"] == gate).map(|record| record["threshold"].clone())
        };
        let gates = threshold("duplicates") == Some(json!(self.duplicates))
            && threshold("top1_similarity") == Some(json!(self.top1_similarity));
        match answer["action"].as_str().unwrap() {
            "cite" => gates && answer["receipt"]["policy_sha256"] == self.hash,
            _ => gates && answer["answer"] == self.refusal,
        }
    }
}

/// Somebody who asks until it is enough, now whole and now as a stream, what is answered and what is refused.
async fn keep_asking(world: Arc<World>, versions: Arc<[Version; 2]>, enough: Arc<AtomicBool>, given: Arc<AtomicUsize>) {
    let key = world.key("asker", &[]).await;
    for round in 0.. {
        if enough.load(Ordering::Relaxed) {
            return;
        }
        let (query, action) = if round % 3 == 0 { (REFUSED, "refuse") } else { (ANSWERED, "cite") };
        let streams = round % 2 == 0;
        let body = json!({ "query": query, "stream": streams }).to_string();
        let reply = world.call("POST", "/v1/answers", Some(&key), &body).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let answer = if streams { last_event(&reply.text) } else { reply.body };
        assert_eq!(answer["action"], action, "{answer}");
        let deciding = versions.iter().filter(|version| version.decided(&answer)).count();
        assert_eq!(deciding, 1, "not one policy's: {answer}");
        given.fetch_add(1, Ordering::Relaxed);
    }
}

fn last_event(stream: &str) -> Value {
    let (_, answer) = stream.split_once("event: answer").unwrap_or_else(|| panic!("no answer in {stream}"));
    let data = answer.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    serde_json::from_str(data).unwrap()
}

/// Writes the file, and waits until its policy is in force.
async fn put_in_force(path: &Path, version: &Version, in_force: &mut watch::Receiver<Arc<Policy>>) {
    std::fs::write(path, &version.text).unwrap();
    let arrived = in_force.wait_for(|policy| policy.hash.to_string() == version.hash);
    tokio::time::timeout(PATIENCE, arrived).await.unwrap().unwrap();
}

/// Waits until everybody has been answered about once more, or somebody has not.
async fn some_more(given: &AtomicUsize, askers: &[JoinHandle<()>]) {
    let goal = given.load(Ordering::Relaxed) + ASKERS;
    let reached = async {
        while given.load(Ordering::Relaxed) < goal && !askers.iter().any(JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(PATIENCE, reached).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_a_policy_file_changes_every_answer_is_one_policys_and_none_fails() {
    let versions = Arc::new([Version::new(1), Version::new(2)]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy.yaml");
    std::fs::write(&path, &versions[0].text).unwrap();
    let (file, mut in_force) =
        PolicyFile::open(PolicySource { policy: PolicyText::File(path.clone()), thresholds: None }).unwrap();
    let world = Arc::new(World::create_under(in_force.clone()).await);
    let following = tokio::spawn(file.follow(Duration::from_millis(1)));

    let (enough, given) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let askers: Vec<_> = (0..ASKERS)
        .map(|_| tokio::spawn(keep_asking(world.clone(), versions.clone(), enough.clone(), given.clone())))
        .collect();
    for change in 1..=CHANGES {
        put_in_force(&path, &versions[change % 2], &mut in_force).await;
        some_more(&given, &askers).await;
        if change == CHANGES / 2 {
            // Half a policy, and then none: nobody notices.
            let half = &versions[0].text[..versions[0].text.len() / 2];
            std::fs::write(&path, half).unwrap();
            some_more(&given, &askers).await;
            std::fs::remove_file(&path).unwrap();
            some_more(&given, &askers).await;
            assert_eq!(in_force.borrow().hash.to_string(), versions[change % 2].hash);
        }
    }
    enough.store(true, Ordering::Relaxed);
    for asker in askers {
        tokio::time::timeout(PATIENCE, asker).await.expect("askers end").unwrap();
    }

    let prompts = world.model.prompts();
    assert!(!prompts.is_empty());
    for prompt in &prompts {
        let one = |number: usize| {
            prompt.messages[0].content.starts_with(&format!("Under policy {}", number + 1))
                && prompt.temperature.to_bits() == versions[number].temperature.to_bits()
        };
        assert!(one(0) != one(1), "the model was told by two policies: {prompt:?}");
    }
    for version in versions.iter() {
        let number = version.refusal.split(' ').nth(1).unwrap();
        let told = format!("Under policy {number}");
        assert!(prompts.iter().any(|prompt| prompt.messages[0].content.starts_with(&told)), "{told} was never asked");
    }
    following.abort();
    let _ = following.await;
    let Ok(world) = Arc::try_unwrap(world) else { panic!("somebody still asks") };
    world.end().await;
}
