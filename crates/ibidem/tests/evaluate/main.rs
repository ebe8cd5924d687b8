//! The golden set on the demo corpus, through the real binary: what is measured is what the server answers, a run can be
//! repeated, and the script of CI lets no worse one pass.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

#[path = "../common/mod.rs"]
mod common;
mod judging;
#[path = "../ask/model_server.rs"]
#[allow(dead_code, reason = "the servers are there for other tests too")]
mod model_server;
mod served;

use std::path::{Path, PathBuf};

use common::installation::{CommandOutput, Installation, with_installation};
use common::setting;
use serde_json::Value;
use tempfile::TempDir;

/// The tenant that `.ci/golden` takes the demo corpus in for.
const TENANT: &str = "golden";

fn repository(place: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place)
}

/// Runs the script of CI, and keeps what it measured.
async fn golden(installation: &Installation, results: &Path, options: &[&str]) -> CommandOutput {
    let variables = [("IBIDEM_GOLDEN_RESULTS", results.to_str().unwrap())];
    installation.script(&repository(".ci/golden"), options, &variables).await
}

fn load(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Everything but when it was, and how long it took.
fn lasting(mut results: Value) -> Value {
    results["meta"]["timestamp"].take();
    results["metrics"]["latency"].take();
    for question in results["questions"].as_array_mut().unwrap() {
        question["latency_ms"].take();
    }
    results
}

/// The demo's policy with its numbers changed.
fn changed_policy(folder: &TempDir, changes: &[(&str, &str)]) -> String {
    let mut policy = std::fs::read_to_string(repository("demo/architecture/policy.yaml")).unwrap();
    for (from, to) in changes {
        assert!(policy.contains(from), "{from}");
        policy = policy.replace(from, to);
    }
    let file = folder.path().join("policy.yaml");
    std::fs::write(&file, policy).unwrap();
    file.to_str().unwrap().to_owned()
}

#[tokio::test]
async fn thresh_01_to_03_a_run_is_captured_repeated_compared_and_guarded_and_is_what_the_server_answers() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);

        // THRESH-01: a run with the shipped numbers captures them, and is no worse than the baseline.
        let output = golden(installation, &file("first.json"), &["--html", file("page.html").to_str().unwrap()]).await;
        assert_eq!(output.code, Some(0), "{output:#?}");
        let first = load(&file("first.json"));
        captured(&first);
        assert!(std::fs::read_to_string(file("page.html")).unwrap().contains("Risk and coverage"));

        served::gives_the_same_outcomes(installation, &first).await;

        // The same questions, documents and settings give the same results.
        let output = golden(installation, &file("second.json"), &[]).await;
        assert_eq!(output.code, Some(0), "{output:#?}");
        assert_eq!(lasting(load(&file("second.json"))), lasting(first));

        // THRESH-02 and THRESH-03: other thresholds show as a difference; where precision drops, CI fails.
        // Either of the two gates of the reader would hold back what the other lets through.
        let loosened =
            [("answerability: 0.67", "answerability: 0.01"), ("least_answering: 0.5", "least_answering: 0.01")];
        let loose = changed_policy(&folder, &loosened);
        let output = golden(installation, &file("loose.json"), &["--policy", &loose]).await;
        assert_eq!(output.code, Some(1), "{output:#?}");
        assert!(output.err.contains("error: precision went from "), "{}", output.err);
        let strict = file("strict.yaml");
        std::fs::write(&strict, "default: {distance_threshold: 0.3, min_query_coverage: 0.2}").unwrap();
        // Thresholds of collections decide where the reader does not.
        let unread = ["--thresholds", strict.to_str().unwrap(), "--set", "reranker.use=none"];
        let output = golden(installation, &file("strict.json"), &unread).await;
        assert_eq!(output.code, Some(1), "{output:#?}");
        assert!(output.err.contains("error: recall went from "), "{}", output.err);
        let arguments = ["eval", "diff", file("first.json").to_str().unwrap(), file("strict.json").to_str().unwrap()]
            .map(str::to_owned);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let difference = installation.succeed(&arguments).await.out;
        assert!(difference.contains("recall") && difference.contains("answered → false refusal"), "{difference}");
    })
    .await;
}

/// What a run must leave behind, field by field.
fn captured(results: &Value) {
    let meta = &results["meta"];
    assert_eq!((meta["total"].as_u64(), meta["config"]["documents"].as_u64()), (Some(123), Some(76)));
    let blob = std::process::Command::new("git")
        .args(["hash-object", "demo/architecture/golden_queries.jsonl"])
        .current_dir(repository("."))
        .output()
        .unwrap();
    assert_eq!(meta["golden_set_blob"], String::from_utf8(blob.stdout).unwrap().trim());
    assert_eq!(meta["config_hash"].as_str().unwrap().len(), 64);
    for field in ["timestamp", "version", "passed", "failed", "pass"] {
        assert!(!meta[field].is_null(), "{field}");
    }
    let metrics = &results["metrics"];
    for collection in ["ADR", "Principle", "Policy", "Vocabulary"] {
        for figure in ["precision", "recall", "f1", "count"] {
            assert!(metrics["by_collection"][collection][figure].is_number(), "{collection} {figure}");
        }
    }
    for figure in ["p50", "p95", "p99", "max"] {
        assert!(metrics["latency"][figure].as_f64().unwrap() > 0.0, "{figure}");
    }
    let by_reason = metrics["abstention"]["by_reason"].as_object().unwrap();
    let abstained: u64 = by_reason.values().map(|count| count.as_u64().unwrap()).sum();
    let rate = metrics["abstention"]["rate"].as_f64().unwrap();
    assert!((rate - abstained as f64 / 123.0).abs() < 1e-3, "{rate}");
    for failure in results["failures"].as_array().unwrap() {
        for field in ["id", "query", "expected", "actual", "reason", "trace"] {
            assert!(!failure[field].is_null(), "{field}: {failure}");
        }
    }
    assert_eq!(metrics["terminology_hallucination"]["count"], 0);
    assert_eq!(metrics["terminology_hallucination"]["of"], 12);
    assert_eq!(metrics["citation_compliance"]["rate"], 1.0);
    assert!(metrics["citation_compliance"]["of"].as_u64().unwrap() > 100);
}
