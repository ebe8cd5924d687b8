//! `ibidem replay` on questions that were really asked: the same under the policy in force, and flips under another.

use serde_json::Value;

use crate::asking::{Asker, QUESTION, ingest_handbook};
use crate::installation::with_installation;

/// Neither the index nor a model is there: replaying needs the database alone.
const NOWHERE: [&str; 4] =
    ["--set", "index.url=http://127.0.0.1:1", "--set", "language_model.url=http://127.0.0.1:1/v1"];

#[tokio::test]
async fn what_was_decided_is_decided_again_and_a_stricter_policy_flips_it_with_its_numbers() {
    with_installation(async |installation| {
        ingest_handbook(installation).await;
        let settings = [("IBIDEM__LANGUAGE_MODEL__URL", "http://127.0.0.1:1/v1"), ("IBIDEM__RERANKER__USE", "none")];
        let served = installation.serve(&settings).await;
        let asker = Asker::before(installation, &served).await;
        let answer = asker.ask(QUESTION).await;
        assert_eq!(answer["action"], "cite", "{answer}");
        asker.ask("Who painted the ceiling of the chapel?").await;
        asker.ask("<script>alert(1)</script> How many days of leave may be carried over?").await;
        // In an orderly stop nothing that was asked is lost.
        served.stop().await;

        let replay = async |arguments: &[&str]| {
            installation.succeed(&[&["replay", "--json"], arguments, &NOWHERE].concat()).await.json()
        };
        let same = replay(&[]).await;
        assert_eq!((&same["decisions"], &same["same"]), (&3.into(), &3.into()), "{same}");
        assert_eq!((&same["compared"], &same["policy_unknown"]), (&Value::Null, &0.into()));

        let folder = tempfile::tempdir().unwrap();
        let (policy, page) = (folder.path().join("strict.yaml"), folder.path().join("replay.html"));
        let text =
            include_str!("../../../../policies/book.yaml").replace("top1_similarity: 0.7", "top1_similarity: 0.99");
        assert!(text.contains("0.99"), "the book's threshold is where it was");
        std::fs::write(&policy, text).unwrap();
        let (policy, page) = (policy.to_str().unwrap(), page.to_str().unwrap());
        let strict = replay(&["--policy", policy, "--since", "2020-01-01", "--html", page]).await;
        assert_eq!(strict["same"], 3, "under their own policy they are what they were: {strict}");
        let flips = strict["compared"]["flips"].as_array().unwrap();
        let flip = flips.iter().find(|flip| flip["request_id"] == answer["request_id"]).expect("the answer flips");
        assert_eq!((&flip["from"], &flip["to"]), (&"cite".into(), &"refuse low_similarity".into()), "{flip}");
        assert_eq!((&flip["gate"], &flip["would_be"]["threshold"]), (&"top1_similarity".into(), &0.99.into()));
        let html = std::fs::read_to_string(page).unwrap();
        assert!(html.contains("flips</h2>") && !html.contains("<script"));

        let nothing = replay(&["--since", "2999-01-01"]).await;
        assert_eq!(nothing["decisions"], 0);
        let table = installation.succeed(&["replay", "--policy", policy]).await;
        assert!(table.out.contains("3 the same, 0 different") && table.out.contains("against 0.99"), "{table:?}");
        let wrong = installation.run(&["replay", "--since", "yesterday"]).await;
        assert!(wrong.err.contains("neither a day (2026-11-01) nor a moment"), "{wrong:?}");
    })
    .await;
}
