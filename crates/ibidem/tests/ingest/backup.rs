//! A backup, and the same installation out of it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::corpus::slice;
use crate::installation::{Installation, with_installation};
use crate::state::State;

const LEAVE: &str =
    "# Leave\n\nFive days of leave may be carried over into the next year. They lapse at the end of March.\n";
const QUESTIONS: [&str; 3] =
    ["How many days of leave may be carried over?", "When do carried over days lapse?", "Who was the first emperor?"];
/// There is no model server: the documents' own sentences answer.
const NO_MODEL: [&str; 2] = ["--set", "language_model.url=http://127.0.0.1:1/v1"];

async fn asked(installation: &Installation, question: &str) -> Value {
    installation.succeed(&[&["ask", question, "--json"][..], &NO_MODEL].concat()).await.json()
}

/// What was answered, without what is of this one time.
fn substance(answer: &Value) -> Value {
    let mut kept = answer.clone();
    for moment in ["request_id", "generation_time_ms", "receipt"] {
        kept.as_object_mut().unwrap().remove(moment);
    }
    kept
}

async fn write_backup(installation: &Installation, folder: &Path) -> Value {
    installation.succeed(&["backup", folder.to_str().unwrap(), "--json"]).await.json()
}

#[tokio::test]
async fn what_is_restored_is_the_same_installation_with_the_same_answers_and_receipts() {
    let (documents, made) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    slice(documents.path(), 3);
    fs::write(documents.path().join("leave.md"), LEAVE).unwrap();
    let backup = made.path().join("backup");
    with_installation(async |before| {
        before.ingest(documents.path()).await;
        let note = made.path().join("note.txt");
        fs::write(&note, "Leave is called holiday by many.").unwrap();
        before.succeed(&["memory", "note", note.to_str().unwrap(), "--trigger", "How much holiday is there?"]).await;
        before.succeed(&["key", "create", "--name", "desk", "--tags", "public"]).await;
        let mut answers = Vec::new();
        for question in QUESTIONS {
            answers.push(asked(before, question).await);
        }
        assert_eq!(answers[0]["action"], "cite", "{}", answers[0]);
        let manifest = write_backup(before, &backup).await;
        let documents_kept = State::of(before).await.count("documents") as u64;
        assert_eq!(manifest["originals"]["count"].as_u64(), Some(documents_kept), "{manifest}");
        let again = before.run(&["backup", backup.to_str().unwrap()]).await;
        assert!(again.code != Some(0) && again.err.contains("is not empty"), "{again:?}");
        let checked = before.succeed(&["restore", backup.to_str().unwrap(), "--check"]).await;
        assert!(checked.out.contains("every table and every original is as it was written"), "{checked:?}");
        // What comes later is not in it.
        fs::write(documents.path().join("later.md"), "# Later\n\nThis came later.\n").unwrap();
        let state = State::of(before).await;
        let keys = before.succeed(&["key", "list"]).await.out;
        before.ingest(documents.path()).await;
        let refused = before.run(&["restore", backup.to_str().unwrap()]).await;
        assert!(refused.code != Some(0) && refused.err.contains("already has data (documents)"), "{refused:?}");

        with_installation(async |after| {
            after.succeed(&["restore", backup.to_str().unwrap()]).await;
            assert_eq!(State::of(after).await, state);
            assert_eq!(after.succeed(&["key", "list"]).await.out, keys);
            for (question, answer) in QUESTIONS.iter().zip(&answers) {
                assert_eq!(substance(&asked(after, question).await), substance(answer), "{question}");
            }
            let receipt = made.path().join("answer.json");
            fs::write(&receipt, answers[0].to_string()).unwrap();
            let verified = after.succeed(&["verify", receipt.to_str().unwrap(), "--json"]).await.json();
            assert_eq!(verified["holds"], true, "{verified}");
            // It goes on: what is loaded now is a new version like any other.
            after.ingest(documents.path()).await;
            assert_eq!(after.search("This came later", "").await[0]["document_name"], "Later");
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn a_backup_that_is_damaged_or_not_complete_is_refused_and_leaves_nothing() {
    let (documents, made) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(documents.path().join("leave.md"), LEAVE).unwrap();
    let backup = made.path().join("backup");
    with_installation(async |before| {
        before.ingest(documents.path()).await;
        write_backup(before, &backup).await;
    })
    .await;
    let manifest: Value = serde_json::from_slice(&fs::read(backup.join("backup.json")).unwrap()).unwrap();
    let write = |changed: &Value| fs::write(backup.join("backup.json"), changed.to_string()).unwrap();
    with_installation(async |after| {
        let empty = State::of(after).await;
        let refused = async |reason: &str| {
            let output = after.run(&["restore", backup.to_str().unwrap()]).await;
            assert!(output.code != Some(0) && output.err.contains(reason), "{reason}: {output:?}");
            assert_eq!(State::of(after).await, empty, "{reason}");
        };
        let documents_at = manifest["tables"].as_array().unwrap().iter().position(|table| table["name"] == "documents");
        let changed = |change: &dyn Fn(&mut Value)| {
            let mut copy = manifest.clone();
            change(&mut copy);
            write(&copy);
        };
        changed(&|copy| copy["tables"][documents_at.unwrap()]["rows"] = 7.into());
        refused("table documents of the backup has 1 rows and should have 7").await;
        changed(&|copy| copy["schema_version"] = 999_999.into());
        refused("the backup is of a newer Ibidem").await;
        changed(&|copy| copy["tables"][documents_at.unwrap()]["file"] = "../elsewhere".into());
        refused("is not where table documents is kept").await;
        changed(&|copy| drop(copy["tables"].as_array_mut().unwrap().remove(documents_at.unwrap())));
        refused("does not have the tables of its version: documents").await;

        write(&manifest);
        let file = backup.join("tables/documents.copy.gz");
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 4]).unwrap();
        refused("was changed or is damaged").await;
        fs::write(&file, whole).unwrap();
        fs::remove_file(backup.join("backup.json")).unwrap();
        refused("is not a complete backup").await;
        write(&manifest);
        after.succeed(&["restore", backup.to_str().unwrap()]).await;
    })
    .await;
}
