//! Entailment models on the real ONNX Runtime, with models whose classification is known.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ibidem_adapters::onnx::{ClaimInput, OnnxEntailment, PairModelSettings};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, EntailmentFault, Pair, Support};
use ibidem_testing::suites::entailment::{entailment_suite, plain_cases};
use serde_json::json;
use tempfile::TempDir;

use crate::setting;
use crate::tiny_model::{self, BIAS, Kind, LENGTH, WEIGHT};

const WORDS: [&str; 8] = ["passwords", "are", "changed", "every", "ninety", "days", "lunch", "word"];

/// A tiny model with these labels, which stand for its logits in their order.
fn folder(kind: Kind, labels: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    tiny_model::write(folder.path(), kind, &WORDS);
    let labels: serde_json::Map<_, _> =
        labels.iter().enumerate().map(|(number, label)| (number.to_string(), json!(label))).collect();
    tiny_model::write_config(folder.path(), &json!({"model_type": "bert", "id2label": labels}));
    folder
}

/// In the order of the tiny model's logits.
fn three() -> TempDir {
    folder(Kind::ThreeLogits, &["entailment", "contradiction", "neutral"])
}

fn settings(folder: &Path) -> PairModelSettings {
    let settings = PairModelSettings::of(folder, setting("IBIDEM__EMBEDDING__RUNTIME"));
    PairModelSettings { name: "tiny".to_owned(), ..settings }
}

fn load(folder: &TempDir) -> OnnxEntailment {
    OnnxEntailment::load(&settings(folder.path()), ClaimInput::Pair).unwrap()
}

fn refused(settings: &PairModelSettings) -> String {
    OnnxEntailment::load(settings, ClaimInput::Pair).err().unwrap().to_string()
}

fn pair(premise: &str, claim: &str) -> Pair {
    Pair { premise: premise.to_owned(), claim: claim.to_owned() }
}

async fn classify(entailment: &dyn Entailment, pairs: &[Pair]) -> Vec<Classification> {
    entailment.classify(pairs.to_vec()).await.unwrap()
}

/// The tiny model's logits of a pair with so many tokens shared, tokens at all, and tokens in its first half.
fn logits(shared: f32, tokens: f32, first_half: f32) -> [f32; 3] {
    [WEIGHT * shared - LENGTH * tokens - BIAS, LENGTH * first_half, BIAS]
}

/// The share of the first.
fn softmax(logits: &[f32]) -> f32 {
    logits[0].exp() / logits.iter().map(|logit| logit.exp()).sum::<f32>()
}

fn assert_classified(classifications: &[Classification], expected: &[(Support, f32)]) {
    assert_eq!(classifications.len(), expected.len());
    for (classification, (support, score)) in classifications.iter().zip(expected) {
        assert_eq!(classification.support, *support, "{classifications:?}");
        assert!((classification.score - score).abs() < 1e-6, "{classifications:?}, not {score}");
    }
}

#[tokio::test]
async fn a_model_with_named_labels_behaves_as_an_entailment_model() {
    entailment_suite(&load(&three()), 1e-6).await;
}

#[tokio::test]
async fn several_sessions_and_tiny_batches_behave_the_same() {
    let folder = three();
    let settings = PairModelSettings { sessions: 3, threads: 1, batch_tokens: 1, queue: 2, ..settings(folder.path()) };
    entailment_suite(&OnnxEntailment::load(&settings, ClaimInput::Pair).unwrap(), 1e-6).await;
}

#[tokio::test]
async fn every_pair_has_the_score_that_was_worked_out_by_hand() {
    let long = ["lunch"; 18].join(" ");
    let pairs = [
        // [CLS] passwords are changed [SEP] are changed [SEP]: two words and the separator in both halves.
        pair("passwords are changed", "are changed"),
        // [CLS] lunch [SEP] are changed [SEP]: only the separator.
        pair("lunch", "are changed"),
        // Twenty tokens of the premise and three behind it: long enough for the opposite.
        pair(&long, "are changed"),
        pair("", ""),
    ];
    let worked_out = [logits(3.0, 8.0, 5.0), logits(1.0, 6.0, 3.0), logits(1.0, 23.0, 20.0), logits(1.0, 3.0, 2.0)];
    let supports = [Support::Unknown, Support::Unknown, Support::Contradicted, Support::Unknown];
    let expected: Vec<_> = supports.into_iter().zip(worked_out.map(|logits| softmax(&logits))).collect();
    assert_classified(&classify(&load(&three()), &pairs).await, &expected);

    // More words in common, and it is supported: six words, all of them in the claim.
    let said = "passwords are changed every ninety days";
    let supported = softmax(&logits(7.0, 15.0, 8.0));
    assert!(supported > 0.9);
    assert_classified(&classify(&load(&three()), &[pair(said, said)]).await, &[(Support::Supported, supported)]);
}

#[tokio::test]
async fn labels_count_by_name_wherever_the_model_has_them() {
    let pairs = [pair("passwords are changed every ninety days", "passwords are changed every ninety days")];
    let [first, second, third] = logits(7.0, 15.0, 8.0);
    for (labels, support, reordered) in [
        (["ENTAILMENT", "CONTRADICTION", "NEUTRAL"], Support::Supported, [first, second, third]),
        (["contradiction", "entailment", "neutral"], Support::Contradicted, [second, first, third]),
        (["not_enough_info", "refutes", "supports"], Support::Unknown, [third, first, second]),
    ] {
        let folder = folder(Kind::ThreeLogits, &labels);
        assert_classified(&classify(&load(&folder), &pairs).await, &[(support, softmax(&reordered))]);
    }
}

#[tokio::test]
async fn two_labels_and_one_consistency_score_do_as_well() {
    let said = "passwords are changed every ninety days";
    let pairs = [pair(said, said), pair("lunch", said)];
    let [sure, _, neither] = logits(7.0, 15.0, 8.0);
    let [unsure, _, _] = logits(1.0, 10.0, 3.0);
    let expected = [(Support::Supported, softmax(&[sure, neither])), (Support::Unknown, softmax(&[unsure, neither]))];
    for labels in [["entailment", "not_entailment"], ["consistent", "hallucinated"]] {
        assert_classified(&classify(&load(&folder(Kind::TwoLogits, &labels)), &pairs).await, &expected);
    }
    // One logit is weighed against nothing.
    let expected = [(Support::Supported, softmax(&[sure, 0.0])), (Support::Unknown, softmax(&[unsure, 0.0]))];
    for (kind, labels) in [(Kind::TwoHalves, &[][..]), (Kind::Flat, &["LABEL_0"]), (Kind::TwoHalves, &["consistent"])] {
        assert_classified(&classify(&load(&folder(kind, labels)), &pairs).await, &expected);
    }
}

#[tokio::test]
async fn a_premise_is_cut_to_fit_beside_its_claim_and_a_claim_never() {
    let folder = three();
    let small = PairModelSettings { max_tokens: 16, ..settings(folder.path()) };
    let small = OnnxEntailment::load(&small, ClaimInput::Pair).unwrap();
    let many = ["word"; 100].join(" ");
    let pairs = [pair(&format!("days {many}"), "ninety days"), pair(&format!("{many} days"), "ninety days")];
    // Two words of the claim, eleven of the premise and three special tokens; what stands at the end is not read.
    let expected = [softmax(&logits(2.0, 16.0, 13.0)), softmax(&logits(1.0, 16.0, 13.0))];
    assert_classified(&classify(&small, &pairs).await, &expected.map(|score| (Support::Unknown, score)));
    // Half a window is the most a claim may take: six words, seven of the premise and three special tokens.
    let half = ["word"; 6].join(" ");
    let expected = softmax(&logits(6.0 * 7.0 + 1.0, 16.0, 9.0));
    assert_classified(&classify(&small, &[pair(&many, &half)]).await, &[(Support::Supported, expected)]);
    let long = small.classify(vec![pair("word", "word"), pair("word", &format!("{half} word"))]).await;
    let said = "the claim has 9 tokens, and 8 leave room for what should support it";
    assert_eq!(long, Err(EntailmentError::Own(EntailmentFault::TooLong(said.to_owned()))));
}

#[tokio::test]
async fn a_batch_that_is_late_is_given_up_and_the_next_is_classified() {
    let entailment = Arc::new(load(&three()));
    let timed: Part<dyn Entailment> = Part::patient(entailment.clone(), Duration::from_millis(1));
    let much = vec![pair(&"word ".repeat(600), "word"); 200];
    assert_eq!(
        timed.call(Deadline::NONE, |entailment| entailment.classify(much)).await,
        Err(EntailmentError::Timeout(1))
    );
    let expected = softmax(&logits(1.0, 6.0, 3.0));
    let classifications = classify(entailment.as_ref(), &[pair("lunch", "are changed")]).await;
    assert_classified(&classifications, &[(Support::Unknown, expected)]);
}

#[test]
fn a_model_that_is_none_of_entailment_is_refused_with_what_was_expected() {
    let three = ["entailment", "contradiction", "neutral"];
    let cases: [(Kind, &[&str], &str); 7] = [
        (Kind::TwoLogits, &three, "it must give 3 logits for each pair; for 4 it gave the shape [4, 2]"),
        (Kind::ThreeLogits, &[], "it must give one logit for each pair; for 4 it gave the shape [4, 3]"),
        (Kind::Nameless, &["consistent"], "its outputs are logit, length, and none of them is called logits"),
        (Kind::NotANumber, &["consistent"], "a logit of NaN"),
        (Kind::Pixels, &["consistent"], "pixel_values"),
        (Kind::ThreeLogits, &["LABEL_0", "LABEL_1", "LABEL_2"], "name them in id2label"),
        (Kind::TwoLogits, &["positive", "negative"], "says nothing about support"),
    ];
    for (kind, labels, said) in cases {
        let error = refused(&settings(folder(kind, labels).path()));
        assert!(error.contains(said) && error.contains("entailment.folder"), "{kind:?}: {error}");
    }
    let folder = three_with(&json!({"id2label": {"0": "entailment", "2": "neutral"}}));
    let error = refused(&settings(folder.path()));
    assert!(error.contains("numbered 0, 2, and not from 0 on"), "{error}");
}

fn three_with(config: &serde_json::Value) -> TempDir {
    let folder = three();
    tiny_model::write_config(folder.path(), config);
    folder
}

#[test]
fn what_cannot_be_loaded_is_named() {
    for (file, bytes) in [("model.onnx", "no model"), ("tokenizer.json", "{}"), ("config.json", "[")] {
        let folder = three();
        std::fs::write(folder.path().join(file), bytes).unwrap();
        let error = refused(&settings(folder.path()));
        assert!(error.contains(file) && error.contains("is not"), "{error}");
        std::fs::remove_file(folder.path().join(file)).unwrap();
        let error = refused(&settings(folder.path()));
        assert!(error.contains(file) && error.contains("cannot be read"), "{error}");
        assert!(error.contains("entailment.folder"), "{error}");
    }
    let folder = three();
    for (settings, said) in [
        (PairModelSettings { max_tokens: 15, ..settings(folder.path()) }, "a window of 15 tokens"),
        (PairModelSettings { sessions: 0, ..settings(folder.path()) }, "sessions"),
    ] {
        let error = refused(&settings);
        assert!(error.contains(said), "{error}");
    }
}

/// A published entailment model, where there is one: the folder of `IBIDEM_ENTAILMENT_FOLDER`.
fn published() -> PathBuf {
    let folder = std::env::var_os("IBIDEM_ENTAILMENT_FOLDER").map(PathBuf::from).unwrap_or_default();
    assert!(
        folder.join("model.onnx").exists(),
        "did not run: there is no published entailment model in {folder:?}; set IBIDEM_ENTAILMENT_FOLDER to the folder of one",
    );
    folder
}

/// How it was taught to read: `IBIDEM_ENTAILMENT_INPUT`, as `entailment.input` has it.
fn published_input() -> ClaimInput {
    match std::env::var("IBIDEM_ENTAILMENT_INPUT").as_deref() {
        Ok("minicheck") => ClaimInput::MiniCheck,
        Ok("factcg") => ClaimInput::FactCg,
        Ok("lettucedetect") => ClaimInput::LettuceDetect,
        Ok("pair") | Err(_) => ClaimInput::Pair,
        Ok(other) => panic!("IBIDEM_ENTAILMENT_INPUT is {other:?}"),
    }
}

#[tokio::test]
#[ignore = "needs the weights of a published entailment model (docs/models.md), in IBIDEM_ENTAILMENT_FOLDER"]
async fn a_published_entailment_model_behaves_as_one_and_knows_what_follows() {
    let entailment = OnnxEntailment::load(&settings(&published()), published_input()).unwrap();
    // Quantised weights are scaled by what is in the batch.
    entailment_suite(&entailment, 0.05).await;
    plain_cases(&entailment).await;
    let premise = "The cat slept on the mat all afternoon while it rained outside.";
    let cases = [
        ("It rained in the afternoon.", true),
        ("The cat ran about all afternoon.", false),
        ("The cat is black.", false),
    ];
    let classifications = classify(&entailment, &cases.map(|(claim, _)| pair(premise, claim))).await;
    for ((claim, follows), classification) in cases.iter().zip(&classifications) {
        assert_eq!(classification.support == Support::Supported, *follows, "{claim}: {classification:?}");
    }
}
