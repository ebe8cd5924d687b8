//! `ibidem eval promote`: a recorded answer, reviewed, becomes a golden query, once.

use std::path::Path;

use serde_json::json;

use crate::WITHOUT_A_MODEL;
use crate::installation::with_installation;

const GOLDEN: &str = include_str!("../../../../demo/architecture/golden_queries.jsonl");

#[tokio::test]
async fn a_reviewed_answer_becomes_a_golden_query_once_and_nothing_is_made_up() {
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let (golden, reviews) = (place("golden.jsonl"), place("reviews.jsonl"));
        std::fs::write(&golden, GOLDEN).unwrap();
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../demo/architecture/adr");
        let tls = std::fs::read_dir(&demo).unwrap().map(|entry| entry.unwrap().path());
        let tls = tls.into_iter().find(|path| path.to_str().unwrap().contains("ADR-0031")).unwrap();
        let ingest = ["ingest", tls.to_str().unwrap(), "--collection", "ADR", "--tags", "public", "--wait"];
        installation.succeed(&ingest).await;

        let query = "Which version of TLS must a connection between two servers have?";
        let asked = [&["ask", query, "--policy", "default", "--json"][..], &WITHOUT_A_MODEL].concat();
        let answer = installation.succeed(&asked).await.json();
        assert_eq!(answer["action"], "cite", "{answer}");
        let review = |verdict: &str, category: &str| {
            json!({ "request_id": answer["request_id"], "verdict": verdict, "category": category, "query": query })
        };
        let promote = ["eval", "promote", &reviews, "--golden", &golden];
        std::fs::write(&reviews, review("right", "adr_retrieval").to_string()).unwrap();
        let output = installation.run(&promote).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        let text = std::fs::read_to_string(&golden).unwrap();
        let added: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        assert_eq!((&added["query"], &added["category"]), (&json!(query), &json!("adr_retrieval")));
        let expected = json!({ "route": "adr", "abstain": false, "doc_types": ["ADR"], "doc_ids": ["ADR-0031"] });
        assert_eq!(added["expected"], expected);
        assert!(text.starts_with(GOLDEN.trim_end()), "nothing else was touched");

        // The same question is never there twice.
        let output = installation.succeed(&promote).await;
        assert!(output.out.contains("has this question already") && output.out.contains("nothing was written"), "{output:?}");
        assert_eq!(std::fs::read_to_string(&golden).unwrap(), text);

        // What is wrong is named, and nothing is added.
        let unknown = json!({ "request_id": uuid::Uuid::nil(), "verdict": "right", "category": "unanswerable" });
        let turnip = "Which turnip was it?";
        let asked = [&["ask", turnip, "--policy", "default", "--json"][..], &WITHOUT_A_MODEL].concat();
        let other = installation.succeed(&asked).await.json();
        let in_the_wrong_category = json!({
            "request_id": other["request_id"], "verdict": "should_refuse", "category": "adr_retrieval", "query": turnip,
        });
        for (review, reason) in [
            (review("wrong", "adr_retrieval"), "add `expected` to the review"),
            (unknown, "there is no record of it"),
            (in_the_wrong_category, "adr_retrieval: it is answered"),
        ] {
            std::fs::write(&reviews, review.to_string()).unwrap();
            let output = installation.run(&promote).await;
            assert!(output.code == Some(1) && output.err.contains(reason), "{reason}: {output:?}");
            assert_eq!(std::fs::read_to_string(&golden).unwrap(), text);
        }
    })
    .await;
}
