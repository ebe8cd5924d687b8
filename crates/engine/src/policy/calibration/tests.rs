use super::*;
use crate::policy::{Policy, PolicyError};

const BOOK: &str = include_str!("../../../../../policies/book.yaml");
const ARCHITECTURE: &str = include_str!("../../../../../policies/architecture.yaml");

fn mark(name: &str, bytes: Option<&[u8]>) -> ModelIdentity {
    ModelIdentity { name: name.to_owned(), sha256: bytes.map(Sha256Hash::of) }
}

fn models() -> CalibratedModels {
    CalibratedModels {
        embedding: mark("minilm", Some(b"weights")),
        reranker: None,
        verifier: Some(mark("lexical", None)),
    }
}

/// A policy's text with a calibration of this gate to this number.
fn calibrated(text: &str, gate: &str, threshold: f64) -> String {
    let hash = Sha256Hash::of(b"weights");
    format!(
        "{text}\ncalibration:\n  gate: {gate}\n  threshold: {threshold}\n  max_hallucination: 0.05\n  \
         confidence: 0.95\n  bound: clopper_pearson\n  labels: 400\n  answered: 200\n  wrong: 3\n  \
         observed_risk: 0.015\n  labels_sha256: {hash}\n  policy_sha256: {hash}\n  at: 2026-11-15T12:00:00Z\n  \
         models:\n    embedding: {{name: minilm, sha256: {hash}}}\n    verifier: {{name: lexical}}\n"
    )
}

#[test]
fn a_calibrated_policy_holds_with_its_own_models_only() {
    let policy = Policy::parse(&calibrated(BOOK, "top1_similarity", 0.7)).unwrap();
    assert_eq!(policy.rules.calibration.as_ref().unwrap().models, models());
    assert_eq!(policy.check_models(&models()), Ok(()));
    let renamed = CalibratedModels { embedding: mark("the same by another name", Some(b"weights")), ..models() };
    assert_eq!(policy.check_models(&renamed), Ok(()));
    let others = [
        (CalibratedModels { embedding: mark("minilm", Some(b"others")), ..models() }, "the embedding model was minilm"),
        (CalibratedModels { reranker: Some(mark("tiny", None)), ..models() }, "the reranker was none, and tiny"),
        (CalibratedModels { verifier: Some(mark("nli", Some(b"nli"))), ..models() }, "the verifier was lexical"),
        (CalibratedModels { verifier: None, ..models() }, "and none is in use"),
    ];
    for (in_use, expected) in others {
        let error = policy.check_models(&in_use).unwrap_err();
        assert!(matches!(error, PolicyError::OtherModels { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains(expected) && message.contains("run `ibidem calibrate` again"), "{message}");
    }
    assert_eq!(Policy::parse(BOOK).unwrap().check_models(&models()), Ok(()), "what promises nothing may run with any");
}

#[test]
fn a_policy_may_go_on_with_other_models_and_says_that_its_bound_does_not_hold() {
    let text = calibrated(BOOK, "top1_similarity", 0.7) + "  with_other_models: promise_nothing\n";
    let policy = Policy::parse(&text).unwrap();
    let in_use = CalibratedModels { reranker: Some(mark("tiny", None)), ..models() };
    assert_eq!(policy.check_models(&in_use), Ok(()));
    assert_eq!(policy.other_models(&in_use), ["the reranker was none, and tiny is in use"]);
    assert_eq!(policy.other_models(&models()), Vec::<String>::new());
}

#[test]
fn a_number_that_was_changed_after_calibrating_is_a_contradiction() {
    let edited = calibrated(&BOOK.replace("top1_similarity: 0.7", "top1_similarity: 0.6"), "top1_similarity", 0.7);
    let message = Policy::parse(&edited).unwrap_err().to_string();
    assert!(message.contains("sift.top1_similarity = 0.7, which is not what the gate has"), "{message}");
    let of_another_gate = calibrated(BOOK, "distance_threshold", 0.7);
    assert!(matches!(Policy::parse(&of_another_gate), Err(PolicyError::Contradictory(_))));
}

#[test]
fn a_calibrated_distance_is_that_of_every_collection_and_of_whatever_is_laid_over_it() {
    let some = calibrated(ARCHITECTURE, "distance_threshold", 0.5);
    assert!(Policy::parse(&some).unwrap_err().to_string().contains("distance_threshold = 0.5"), "ADR has another");
    let all = ["0.50", "0.45", "0.35"].iter().fold(ARCHITECTURE.to_owned(), |text, old| {
        text.replace(&format!("distance_threshold: {old}"), "distance_threshold: 0.4")
    });
    let policy = Policy::parse(&calibrated(&all, "distance_threshold", 0.4)).unwrap();
    let overlay = "collections: {ADR: {distance_threshold: 0.6, min_query_coverage: 0.2}}";
    assert!(matches!(policy.overlaid(overlay), Err(PolicyError::Contradictory(_))));
}
