//! What version 0.2.0 made still holds: its receipts verify by their own rules, its records are read as they were written,
//! and its decisions are made again.
//!
//! `made_by_0_2_0` was written by that version: seven questions asked of three documents of `demo/handbook` on its command
//! line, their records, the policy file that was in force and the public key that signed.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use ibidem_engine::policy::Policy;
use ibidem_engine::receipts::{Presented, Report, Witnesses, verify};
use ibidem_engine::replay::Replay;
use ibidem_ports::corpus::{Corpus, KeptDocument, KeptVersion};
use ibidem_ports::records::DecisionRecord;
use ibidem_words::{Answer, DocumentId, KeySet, PublicKeys};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

const ANSWERS: &str = include_str!("made_by_0_2_0/answers.jsonl");
const RECORDS: &str = include_str!("made_by_0_2_0/records.jsonl");
const DOCUMENTS: &str = include_str!("made_by_0_2_0/documents.json");
const POLICY: &str = include_str!("made_by_0_2_0/policy.yaml");
const KEYS: &str = include_str!("made_by_0_2_0/keys.json");

#[derive(Deserialize)]
struct Document {
    title: String,
    address: Option<String>,
    version: u32,
    updated_at: DateTime<Utc>,
    text: String,
}

fn corpus() -> Corpus {
    let documents: BTreeMap<Uuid, Document> = serde_json::from_str(DOCUMENTS).unwrap();
    let kept = documents.into_iter().map(|(id, document)| {
        let Document { title, address, version, updated_at, text } = document;
        let versions = [(version, KeptVersion { title, text, updated_at })].into();
        (DocumentId(id), KeptDocument { current_version: version, address, is_removed: false, versions })
    });
    kept.collect()
}

fn keys() -> PublicKeys {
    PublicKeys::from_set(&serde_json::from_str::<KeySet>(KEYS).unwrap()).unwrap()
}

async fn verified(answer: &str) -> Report {
    let (keys, corpus) = (keys(), corpus());
    let witnesses = Witnesses { keys: &keys, corpus: &corpus, entailment: None, vocabulary: None };
    verify(&Presented::parse(answer).unwrap(), &witnesses).await
}

/// As it goes into a record.
fn written(value: &impl Serialize) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[tokio::test]
async fn its_receipts_hold_and_say_by_which_version_they_were_made() {
    let mut cited = 0;
    for line in ANSWERS.lines() {
        let report = verified(line).await;
        assert!(report.holds, "{report:#?}");
        assert_eq!(report.proof.receipt_version, 1);
        assert!(
            report.proof.proves.contains("version 1, which covers the words and their sources, and not: the question")
        );
        cited += report.stretches.iter().flat_map(|stretch| &stretch.sources).count();
        // As strict as it was.
        let changed = line.replacen(r#""text":""#, r#""text":"Nobody: "#, 1);
        assert_ne!(changed, line);
        assert!(!verified(&changed).await.holds, "{changed}");
    }
    assert!(ANSWERS.lines().count() == 7 && cited > 8, "{cited}");
}

#[tokio::test]
async fn its_records_are_written_as_they_were_and_its_decisions_made_again() {
    let policy = Policy::parse(POLICY).unwrap();
    let replay = Replay::under(&policy).unwrap();
    for (line, given) in RECORDS.lines().zip(ANSWERS.lines()) {
        let record: Value = serde_json::from_str(line).unwrap();
        let answer: Answer = serde_json::from_value(record["answer"].clone()).unwrap();
        assert_eq!(written(&answer), record["answer"], "field by field");
        assert_eq!(record["answer"], serde_json::from_str::<Value>(given).unwrap(), "the record is what was given");
        assert_eq!(answer.receipt.as_ref().unwrap().policy_sha256, policy.hash);
        assert!(verified(&record["answer"].to_string()).await.holds);

        let decision: DecisionRecord = serde_json::from_value(record["decision"].clone()).unwrap();
        assert_eq!(written(&decision), record["decision"], "field by field");
        let again = replay.again(&decision);
        assert!(again.is_as_recorded(&decision), "{again:#?}\n{:#?}", decision.trace);
    }
}
