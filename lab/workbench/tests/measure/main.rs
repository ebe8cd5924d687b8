//! Measuring commands, small: that they run on the real parts, and fail where their figures would mean nothing.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

#[path = "../../../../crates/ibidem/tests/common/mod.rs"]
mod common;
mod refusing;

use std::path::Path;

use common::installation;
use common::installation::{CommandOutput, Installation, with_installation};

/// Runs the workbench on an installation, to its end.
async fn measure(installation: &Installation, arguments: &[&str]) -> CommandOutput {
    installation.run_program(Path::new(env!("CARGO_BIN_EXE_ibidem-workbench")), arguments).await
}

/// The same, and it must succeed.
async fn measured(installation: &Installation, arguments: &[&str]) -> CommandOutput {
    let output = measure(installation, arguments).await;
    assert_eq!(output.code, Some(0), "`ibidem-workbench {}`: {output:#?}", arguments.join(" "));
    output
}

/// Sentences of their own number, enough for a bench.
fn write_sentences(file: &Path) {
    const WORDS: [&str; 12] = [
        "river", "engine", "window", "copper", "season", "valley", "letter", "harbour", "needle", "garden", "signal",
        "marble",
    ];
    let word = |number: usize| WORDS[number % WORDS.len()];
    let sentence =
        |n: usize| format!("The {} of number {n} has a {} and a {} beside it.", word(n), word(n / 7), word(n / 83 + 5));
    let lines: Vec<String> = (0..1_200).map(|n| serde_json::json!({ "text": sentence(n) }).to_string()).collect();
    std::fs::write(file, lines.join("\n")).unwrap();
}

#[tokio::test]
async fn gathering_asks_the_index_once_for_however_many_variants() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let texts = folder.path().join("texts.jsonl");
        write_sentences(&texts);
        let arguments = ["bench", "gather", "--passages", "1000", "--questions", "10", "--variants", "1,8", "--json"];
        let texts = ["--discard", "--texts", texts.to_str().unwrap()];
        let report = measured(installation, &[&arguments[..], &texts[..]].concat()).await.json();
        let rows = report["rows"].as_array().unwrap();
        let told = rows.iter().map(|row| (row["variants"].as_u64().unwrap(), row["reranker"].as_bool().unwrap()));
        assert_eq!(told.collect::<Vec<_>>(), [(1, false), (8, false), (1, true), (8, true)]);
        for row in rows {
            assert_eq!((row["questions"].as_u64(), row["index_calls_per_question"].as_u64()), (Some(10), Some(1)));
            assert!(row["mean_candidates"].as_f64().unwrap() >= 10.0, "{row}");
            let stage = |name: &str| {
                let stages = row["stages"].as_array().unwrap();
                stages.iter().find(|stage| stage["stage"] == name).unwrap()["p50_ms"].as_f64().unwrap()
            };
            assert!(stage("embed") > 0.0 && stage("index") > 0.0 && stage("catalogue") > 0.0, "{row}");
            assert!(stage("whole") >= stage("index"), "{row}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_search_finds_the_best_whatever_share_of_an_index_the_asker_sees() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let texts = folder.path().join("texts.jsonl");
        write_sentences(&texts);
        let bench = ["bench", "scale", "--passages", "1000,4000", "--discard", "--texts", texts.to_str().unwrap()];
        let briefly = ["--rounds", "1", "--seconds", "1", "--clients", "2", "--rate", "5", "--compared", "20"];
        let settings = ["--set", "index.quantization=int8", "--set", "index.on_disk=true"];
        // More than there can be: everything is told, and then it fails.
        let wanted = ["--least-recall", "1.1"];
        let output = measure(installation, &[&bench[..], &briefly, &settings, &wanted].concat()).await;
        assert_eq!(output.out.matches("1.0000").count(), 8, "{output:?}");
        assert!(output.out.contains("5 a second") && output.out.contains("2 clients"), "{output:?}");
        assert!(output.code == Some(1) && output.err.contains("and 1.1 was wanted"), "{output:?}");
    })
    .await;
}

/// Two documents with one answer each, and a query that only words find.
fn write_set(folder: &Path) {
    let corpus = [
        r#"{"_id": "a", "title": "Gearbox", "text": "The gearbox holds 1.8 litres of oil."}"#,
        r#"{"_id": "b", "title": "Wipers", "text": "The wipers are fitted with two clips, part QX-7731-B."}"#,
        r#"{"_id": "c", "title": "Office", "text": "The office opens at eight in the morning."}"#,
    ];
    let queries = [
        r#"{"_id": "1", "text": "How much oil does the gearbox take?"}"#,
        r#"{"_id": "2", "text": "QX-7731-B"}"#,
        r#"{"_id": "3", "text": "When does the office open?"}"#,
    ];
    std::fs::write(folder.join("corpus.jsonl"), corpus.join("\n")).unwrap();
    std::fs::write(folder.join("queries.jsonl"), queries.join("\n")).unwrap();
    std::fs::write(folder.join("qrels_test.tsv"), "query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t1\n3\tc\t1\n").unwrap();
}

#[tokio::test]
async fn each_way_of_gathering_is_scored_and_what_cannot_be_measured_is_refused() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        write_set(folder.path());
        let set = folder.path().to_str().unwrap();
        let evaluate = ["eval", "gather", set, "--collection", "Handbook", "--json", "--set", "reranker.use=none"];
        let nothing = measure(installation, &evaluate).await;
        assert!(nothing.code != Some(0) && nothing.err.contains("ingest its corpus first"), "{nothing:?}");

        installation.ingest(&folder.path().join("corpus.jsonl")).await;
        let report = measured(installation, &evaluate).await.json();
        let scores = report["scores"].as_array().unwrap();
        let ways: Vec<_> = scores.iter().map(|score| (&score["way"], &score["order"])).collect();
        let expected = [("dense", "dense"), ("lexical", "lexical"), ("both", "cosine"), ("both", "fused")];
        assert!(
            ways.iter().zip(expected).all(|(way, expected)| (*way.0 == expected.0) && *way.1 == expected.1),
            "{ways:?}"
        );
        assert_eq!(ways.len(), expected.len());
        for score in scores {
            assert_eq!(score["queries"], 3);
            // Three documents fit every pool; which of them comes first is the ways' own doing.
            let both = score["way"] == "both";
            assert!(!both || score["pool_recall"] == 1.0, "{score}");
            assert!(!both || score["ndcg_at_10"].as_f64().unwrap() > 0.8, "{score}");
        }
        let without = measure(installation, &[&evaluate[..], &["--rewrites"]].concat()).await;
        assert!(without.code != Some(0) && without.err.contains("language_model.roles.planner"), "{without:?}");
    })
    .await;
}
