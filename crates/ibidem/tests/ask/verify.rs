//! `ibidem verify` on real answers, after the corpus has changed and after the receipt has.

use std::path::Path;

use ibidem_words::{Action, Receipt, Sha256Hash, Stretch};
use serde_json::Value;
use tempfile::TempDir;

use crate::asking::QUESTION;
use crate::installation::{Installation, with_installation};

const LEAVE: &str =
    "# Leave\n\nFive days of leave may be carried over into the next year. They lapse at the end of March.";

/// An answer in the sources' own words, as a file.
async fn answered(installation: &Installation, folder: &Path) -> Value {
    let answer = installation
        .succeed(&["ask", QUESTION, "--json", "--set", "language_model.url=http://127.0.0.1:1/v1"])
        .await
        .json();
    assert_eq!((&answer["action"], &answer["model_used"]), (&"cite".into(), &"extractive".into()), "{answer}");
    write(folder, &answer);
    answer
}

fn write(folder: &Path, answer: &Value) {
    std::fs::write(folder.join("answer.json"), answer.to_string()).unwrap();
}

/// How it ended, and what became of the first sentence.
async fn verified(installation: &Installation, folder: &Path) -> (Option<i32>, Value) {
    let file = folder.join("answer.json");
    // Neither is needed: there is none at these addresses.
    let nowhere = ["--set", "index.url=http://127.0.0.1:1", "--set", "language_model.url=http://127.0.0.1:1/v1"];
    let arguments = [&["verify", file.to_str().unwrap(), "--json"][..], &nowhere].concat();
    let output = installation.run(&arguments).await;
    assert!(output.err.is_empty(), "{output:?}");
    (output.code, output.json())
}

async fn take_in(installation: &Installation, folder: &TempDir, text: &str) {
    std::fs::write(folder.path().join("leave.md"), text).unwrap();
    installation.ingest(folder.path()).await;
}

#[tokio::test]
async fn a_receipt_is_told_what_became_of_its_sources() {
    with_installation(async |installation| {
        let (documents, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        take_in(installation, &documents, LEAVE).await;
        let answer = answered(installation, folder.path()).await;
        let first = |report: &Value| report["stretches"][0]["outcome"].as_str().unwrap().to_owned();

        let (code, report) = verified(installation, folder.path()).await;
        assert_eq!((code, first(&report).as_str(), &report["holds"]), (Some(0), "holds", &true.into()), "{report}");
        let table = installation.succeed(&["verify", folder.path().join("answer.json").to_str().unwrap()]).await;
        assert!(table.out.contains("the receipt is whole"), "{table:?}");
        let proves = format!("It proves that this installation, asked “{QUESTION}”, said these words at ");
        assert!(
            table.out.contains(&proves) && table.out.contains("It does not prove that they are true."),
            "{table:?}"
        );
        assert_eq!((&report["receipt_version"], &report["not_covered"]), (&2.into(), &Value::Array(Vec::new())));

        // A newer version around the same passage, then one in which it is gone.
        take_in(installation, &documents, &format!("{LEAVE}\n\n# More\n\nNothing else changed.")).await;
        let (code, report) = verified(installation, folder.path()).await;
        assert_eq!((code, first(&report).as_str()), (Some(0), "still_says"), "{report}");
        assert_eq!(report["stretches"][0]["sources"][0]["current_version"], 2);
        take_in(installation, &documents, "# Leave\n\nTen days of leave may be carried over into the next year.").await;
        let (code, report) = verified(installation, folder.path()).await;
        assert_eq!((code, first(&report).as_str()), (Some(1), "changed"), "{report}");

        // Withdrawn; and for somebody of another tenant it never was.
        let id = answer["citations"][0]["document_id"].as_str().unwrap();
        installation.succeed(&["document", "remove", id]).await;
        let (code, report) = verified(installation, folder.path()).await;
        assert_eq!((code, first(&report).as_str()), (Some(1), "withdrawn"), "{report}");
        let file = folder.path().join("answer.json");
        let other = installation.run(&["verify", file.to_str().unwrap(), "--json", "--tenant", "other"]).await;
        assert_eq!((other.code, first(&other.json()).as_str()), (Some(1), "not_visible"), "{other:?}");
    })
    .await;
}

#[tokio::test]
async fn a_receipt_that_was_changed_is_found_out_and_a_refusal_has_one_too() {
    with_installation(async |installation| {
        let (documents, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        take_in(installation, &documents, LEAVE).await;
        let answer = answered(installation, folder.path()).await;
        for (place, value) in [
            ("/answer", "Ten days of leave may be carried over into the next year.[1]"),
            ("/receipt/stretches/0/text", "Ten days of leave may be carried over into the next year.[1]"),
            ("/receipt/stretches/0/check/by", "somebody"),
            ("/receipt/model", "another"),
            ("/receipt/question", "How many days of leave may not be carried over?"),
            ("/citations/0/document_name", "Another document"),
            ("/citations/0/link", "https://another.example.org"),
            ("/warnings/0", "All is well."),
        ] {
            let mut changed = answer.clone();
            *changed.pointer_mut(place).unwrap() = value.into();
            write(folder.path(), &changed);
            let (code, report) = verified(installation, folder.path()).await;
            assert_eq!((code, &report["holds"]), (Some(1), &false.into()), "{place}: {report}");
            assert!(!report["tampered"].as_array().unwrap().is_empty(), "{place}: {report}");
        }
        // Which of two values a program takes is not for a receipt to guess.
        let twice = answer.to_string().replacen(r#""action":"cite""#, r#""action":"refuse","action":"cite""#, 1);
        std::fs::write(folder.path().join("answer.json"), twice).unwrap();
        let output = installation.run(&["verify", folder.path().join("answer.json").to_str().unwrap()]).await;
        assert!(output.code == Some(1) && output.err.contains("\"action\" stands twice"), "{output:?}");

        let unknown = "What does the mission to Jupiter cost in roubles?";
        let refusal = installation.succeed(&["ask", unknown, "--json", "--policy", "book"]).await.json();
        assert_eq!(refusal["refused"], true, "{refusal}");
        write(folder.path(), &refusal);
        let (code, report) = verified(installation, folder.path()).await;
        assert_eq!((code, &report["holds"]), (Some(0), &true.into()), "{report}");
        // What is no receipt is said to be none, and how to get one.
        std::fs::write(folder.path().join("answer.json"), "{}").unwrap();
        let output = installation.run(&["verify", folder.path().join("answer.json").to_str().unwrap()]).await;
        assert!(output.code == Some(1) && output.err.contains("this is not a receipt"), "{output:?}");
    })
    .await;
}

#[tokio::test]
async fn a_forged_receipt_with_fresh_digests_is_found_out_and_a_stranger_can_check_a_true_one() {
    with_installation(async |installation| {
        let (documents, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        take_in(installation, &documents, LEAVE).await;
        let answer = answered(installation, folder.path()).await;

        // Whoever has the public keys needs neither the documents nor a database.
        let keys = folder.path().join("keys.json");
        std::fs::write(&keys, installation.succeed(&["signing-key", "public"]).await.out).unwrap();
        let file = folder.path().join("answer.json");
        let nowhere = ["--set", "database.url=postgres://nobody@127.0.0.1:1/none"];
        let by_keys = ["verify", file.to_str().unwrap(), "--keys", keys.to_str().unwrap()];
        let output = installation.run(&[&by_keys[..], &nowhere].concat()).await;
        assert!(output.code == Some(0) && output.out.contains("signed by this installation"), "{output:?}");
        assert!(output.out.contains("It does not prove that they are true."), "{output:?}");

        // A lie with no claims at all, and every digest made anew.
        let mut forged = answer.clone();
        let lie = "All leave may be carried over for ever.";
        forged["answer"] = lie.into();
        forged["receipt"]["stretches"] = Vec::<Value>::new().into();
        forged["receipt"]["answer_sha256"] = Sha256Hash::of(lie.as_bytes()).to_string().into();
        write(folder.path(), &forged);
        let (code, report) = verified(installation, folder.path()).await;
        assert_eq!((code, &report["holds"]), (Some(1), &false.into()), "{report}");

        // The lie as the policy's own words, sealed as we seal: only the signature tells.
        let mut receipt: Receipt = serde_json::from_value(answer["receipt"].clone()).unwrap();
        receipt.action = Action::Refuse;
        receipt.stretches = vec![Stretch::policy(lie.to_owned())];
        receipt.answer_sha256 = Sha256Hash::of(lie.as_bytes());
        let signature = receipt.signature.clone();
        for signature in [None, signature] {
            let sealed = Receipt { signature, ..receipt.clone().sealed() };
            write(folder.path(), &serde_json::to_value(&sealed).unwrap());
            let (code, report) = verified(installation, folder.path()).await;
            assert_eq!((code, &report["tampered"]), (Some(1), &Value::Array(Vec::new())), "{report}");
            assert_ne!(report["signature"]["outcome"], "valid", "{report}");
            let output = installation.run(&by_keys).await;
            assert!(output.code == Some(1) && output.out.contains("not signed"), "{output:?}");
        }

        // A new key signs, and what the old one signed still holds.
        installation.succeed(&["signing-key", "rotate"]).await;
        write(folder.path(), &answer);
        assert_eq!(verified(installation, folder.path()).await.0, Some(0));
        let again = answered(installation, folder.path()).await;
        assert_ne!(again["receipt"]["signature"]["key"], answer["receipt"]["signature"]["key"]);
        assert_eq!(verified(installation, folder.path()).await.0, Some(0));
    })
    .await;
}
