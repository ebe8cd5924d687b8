//! A policy file that changes under a running server, while people ask.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::{Served, with_installation};

const POLICY: &str = include_str!("../../../../policies/book.yaml");
const ASKERS: usize = 16;
const CHANGES: usize = 4;
/// A change is noticed within seconds; this is for a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// The book's policy with thresholds of its own, and no model.
fn policy(top1_similarity: f64, duplicates: f64) -> String {
    POLICY
        .replace("mode: model", "mode: extractive")
        .replace("top1_similarity: 0.7", &format!("top1_similarity: {top1_similarity}"))
        .replace("duplicates: 0.9", &format!("duplicates: {duplicates}"))
}

async fn hash_in_force(served: &Served) -> Value {
    let reply = reqwest::get(format!("{}/readyz", served.url)).await.unwrap();
    assert!(reply.status().is_success(), "{reply:?}");
    reply.json::<Value>().await.unwrap()["policy_sha256"].clone()
}

/// Writes the file, and waits until the server names another policy than before.
async fn change(path: &Path, text: &str, served: &Served) -> Value {
    let before = hash_in_force(served).await;
    std::fs::write(path, text).unwrap();
    let changed = async {
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let now = hash_in_force(served).await;
            if now != before {
                return now;
            }
        }
    };
    tokio::time::timeout(PATIENCE, changed).await.expect("a changed policy file is noticed")
}

#[tokio::test]
async fn a_running_server_takes_a_changed_policy_and_16_askers_get_answers_of_one_policy_each() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy.yaml");
        let thresholds = [(0.2, 0.91), (0.21, 0.92)];
        let texts = thresholds.map(|(top1_similarity, duplicates)| policy(top1_similarity, duplicates));
        std::fs::write(&path, &texts[0]).unwrap();
        // Without a reader, so that the gate decides whose number changes.
        let settings = [("IBIDEM__POLICY__USE", path.to_str().unwrap()), ("IBIDEM__RERANKER__USE", "none")];
        let served = installation.serve(&settings).await;
        let asker = Arc::new(Asker::before(installation, &served).await);

        let enough = Arc::new(AtomicBool::new(false));
        let mut askers = JoinSet::new();
        for _ in 0..ASKERS {
            let (asker, enough) = (asker.clone(), enough.clone());
            askers.spawn(async move {
                let mut answers = Vec::new();
                while !enough.load(Ordering::Relaxed) {
                    answers.push(asker.ask(QUESTION).await);
                }
                answers
            });
        }
        let mut hashes = [hash_in_force(&served).await, Value::Null];
        for number in 1..=CHANGES {
            hashes[number % 2] = change(&path, &texts[number % 2], &served).await;
        }
        std::fs::write(&path, "name: half").unwrap();
        served.says("the old policy is kept", 1).await;
        assert_eq!(hash_in_force(&served).await, hashes[0], "a bad file keeps the old policy");
        enough.store(true, Ordering::Relaxed);
        let answers = askers.join_all().await.concat();

        let mut seen = [0, 0];
        for answer in &answers {
            assert_eq!(answer["action"], "cite", "{answer}");
            let threshold = |gate: &str| {
                let mut trace = answer["trace"].as_array().unwrap().iter();
                trace.find(|record| record["gate"] == gate).unwrap()["threshold"].clone()
            };
            let number = hashes.iter().position(|hash| *hash == answer["receipt"]["policy_sha256"]);
            let number = number.unwrap_or_else(|| panic!("a policy that never was in force: {answer}"));
            let (top1_similarity, duplicates) = thresholds[number];
            assert_eq!(threshold("top1_similarity"), json!(top1_similarity), "{answer}");
            assert_eq!(threshold("duplicates"), json!(duplicates), "{answer}");
            seen[number] += 1;
        }
        assert!(seen.iter().all(|answers| *answers > 0), "{seen:?}");
        eprintln!("answers under each of two policies, by {ASKERS} askers: {seen:?}");
        served.stop().await;
        assert_eq!(installation.store().turn_count().await.unwrap(), answers.len() as u64);
    })
    .await;
}
