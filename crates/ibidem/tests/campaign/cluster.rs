//! Three nodes of an index with two replicas of everything: one is killed under load, and nobody notices.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::handbook::Kind;
use crate::installation::{Installation, Served, with_installation};
use crate::load::{Asker, Seen, load};
use crate::servers::stack;
use crate::world::{asker, ingest_handbook};
use crate::{SEED, setting};

/// Ten questions a second: three nodes, a database and whoever asks share one machine.
const EVERY: Duration = Duration::from_millis(100);
const BEFORE: Duration = Duration::from_secs(5);
const DEAD: Duration = Duration::from_secs(10);
const AFTER: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(60);

/// Every node in turn, the one that is asked among them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs three nodes: `just lab cluster`"]
async fn a_node_that_is_killed_under_load_costs_no_question_and_comes_back_by_itself() {
    let nodes = setting("IBIDEM_STACK_QDRANT_NODES").split(',').count();
    assert_eq!(nodes, 3, "run `stack/up --cluster`");
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    with_installation(async |installation| {
        ingest_handbook(installation, &[]).await;
        all_replicas_are_active(installation).await;
        // The database is one that has much to do here, and not what is looked at.
        let settings = [("IBIDEM__DATABASE__ACQUIRE_TIMEOUT_MS", "20000"), ("IBIDEM__LOG__LEVEL", "error")];
        let served = installation.serve(&settings).await;
        for node in 0..nodes {
            without(installation, &served, node).await;
        }
        served.stop().await;
    })
    .await;
}

async fn without(installation: &Installation, served: &Served, node: usize) {
    let asker = asker(installation, served).await;
    let (stop, asking) = begin(&asker, SEED + node as u64);
    tokio::time::sleep(BEFORE).await;

    let killed = Instant::now();
    kill(node).await;
    // What is handed in while it is away reaches the others.
    let folder = TempDir::new().unwrap();
    let text = format!("# Lamps\n\nThe lamp of room {node} is changed by the caretaker.");
    std::fs::write(folder.path().join(format!("lamp-{node}.md")), text).unwrap();
    assert_eq!(installation.ingest(folder.path()).await.passages, 1);
    let query = format!("Who changes the lamp of room {node}?");
    let found = asker.ask(Kind::Search, query).await;
    assert!(found.body["hits"][0]["text"].as_str().unwrap().contains(&format!("room {node}")), "{found:?}");
    tokio::time::sleep(DEAD.saturating_sub(killed.elapsed())).await;

    let dead = killed.elapsed();
    let restarted = Instant::now();
    stack("up").await;
    all_replicas_are_active(installation).await;
    let back = restarted.elapsed();
    tokio::time::sleep(AFTER.saturating_sub(back)).await;
    stop.send_replace(true);
    let seen = asking.await.unwrap();

    let failed: Vec<&Seen> = seen.iter().filter(|seen| !is_right(seen)).collect();
    let during = |seen: &&Seen| seen.began >= killed && seen.began < killed + dead;
    let longest = |seen: &mut dyn Iterator<Item = &Seen>| seen.map(|seen| seen.took).max().unwrap_or_default();
    eprintln!(
        "node {} killed for {dead:.1?}: {} questions, {} of them while it was dead, {} failed; the longest took {:.2?} \
         then and {:.2?} otherwise; every replica active {back:.1?} after its start",
        node + 1,
        seen.len(),
        seen.iter().filter(during).count(),
        failed.len(),
        longest(&mut seen.iter().filter(during)),
        longest(&mut seen.iter().filter(|seen| !during(seen))),
    );
    for failed in &failed {
        let after = failed.began.saturating_duration_since(killed);
        eprintln!(
            "failed {after:.1?} after it was killed, in {:.1?}: {} {}",
            failed.took, failed.status, failed.body["refusal_reason"]
        );
    }
    assert!(failed.is_empty(), "{} failed, the first: {:?}", failed.len(), failed[0]);
}

fn begin(asker: &Asker, seed: u64) -> (watch::Sender<bool>, JoinHandle<Vec<Seen>>) {
    let (stop, stopped) = watch::channel(false);
    (stop, tokio::spawn(load(asker.clone(), seed, EVERY, stopped)))
}

/// Terms are looked up nowhere here: there is no vocabulary, and questions about them are questions like any other.
fn is_right(seen: &Seen) -> bool {
    match seen.kind {
        Kind::Handbook | Kind::Streamed => seen.status == 200 && seen.body["action"] == "cite",
        Kind::Search => seen.status == 200 && !seen.body["hits"].as_array().unwrap().is_empty(),
        Kind::Term | Kind::UnknownTerm | Kind::Unanswerable => {
            seen.status == 200
                && !["retrieval_unavailable", "deadline"].contains(&seen.body["reason"].as_str().unwrap_or(""))
        }
    }
}

async fn kill(node: usize) {
    // A node that came back has another number than at first.
    let pids = stack("env").await;
    let pids = pids.lines().find_map(|line| line.strip_prefix("export IBIDEM_STACK_QDRANT_PIDS=")).unwrap().to_owned();
    let pid = pids.trim_matches('\'').split(',').nth(node).unwrap().to_owned();
    assert!(Command::new("kill").args(["-KILL", &pid]).status().await.unwrap().success());
}

/// Waits until every node says of every shard that both of its replicas are there.
async fn all_replicas_are_active(installation: &Installation) {
    let (client, began) = (reqwest::Client::new(), Instant::now());
    let nodes: Arc<[String]> = setting("IBIDEM_STACK_QDRANT_HTTP_NODES").split(',').map(str::to_owned).collect();
    loop {
        let mut replicas = Vec::new();
        for node in nodes.iter() {
            replicas.push(states(&client, node, &installation.collection().await).await);
        }
        let are_active = |states: &Option<Vec<String>>| {
            states.as_ref().is_some_and(|states| states.len() == 6 && states.iter().all(|state| state == "Active"))
        };
        if replicas.iter().all(are_active) {
            return;
        }
        assert!(began.elapsed() < PATIENCE, "replicas are not active: {replicas:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// How the replicas of all shards are, as a node sees it.
async fn states(client: &reqwest::Client, node: &str, collection: &str) -> Option<Vec<String>> {
    let reply = client.get(format!("{node}/collections/{collection}/cluster")).send().await.ok()?;
    let body: Value = reply.json().await.ok()?;
    let shards = |field: &str| body["result"][field].as_array().cloned().unwrap_or_default();
    let replicas = [shards("local_shards"), shards("remote_shards")].concat();
    let peers: BTreeSet<u64> = replicas.iter().filter_map(|shard| shard["peer_id"].as_u64()).collect();
    let states = replicas.iter().filter_map(|shard| shard["state"].as_str().map(str::to_owned)).collect();
    (peers.len() <= 3).then_some(states)
}
