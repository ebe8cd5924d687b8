//! Cross-encoders on the real ONNX Runtime, with a model whose judgement is known.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ibidem_adapters::onnx::{OnnxReranker, PairModelSettings};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::reranker::{RerankError, RerankFault, Reranker};
use ibidem_testing::suites::reranker::reranker_suite;
use serde_json::json;
use tempfile::TempDir;

use crate::setting;
use crate::tiny_model::{self, BIAS, Kind, LENGTH, WEIGHT};

const WORDS: [&str; 8] = ["how", "often", "are", "passwords", "changed", "backups", "lunch", "word"];

fn folder(kind: Kind) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    tiny_model::write(folder.path(), kind, &WORDS);
    folder
}

fn settings(folder: &Path) -> PairModelSettings {
    let settings = PairModelSettings::of(folder, setting("IBIDEM__EMBEDDING__RUNTIME"));
    PairModelSettings { name: "tiny".to_owned(), ..settings }
}

fn load(settings: &PairModelSettings) -> OnnxReranker {
    OnnxReranker::load(settings).unwrap()
}

/// What the tiny model must say of a pair with so many tokens and so many of them shared.
fn expected(shared: f32, tokens: f32) -> f32 {
    let logit = WEIGHT * shared - LENGTH * tokens - BIAS;
    1.0 / (1.0 + (-logit).exp())
}

async fn score(reranker: &dyn Reranker, question: &str, texts: &[&str]) -> Vec<f32> {
    reranker.score(question, texts.iter().map(|text| (*text).to_owned()).collect()).await.unwrap()
}

fn assert_scores(scores: &[f32], expected: &[f32]) {
    assert_eq!(scores.len(), expected.len());
    for (score, expected) in scores.iter().zip(expected) {
        assert!((score - expected).abs() < 1e-6, "{scores:?}, not {expected}");
    }
}

#[tokio::test]
async fn a_cross_encoder_behaves_as_a_reranker() {
    let folder = folder(Kind::TwoHalves);
    reranker_suite(&load(&settings(folder.path())), 1e-6).await;
}

#[tokio::test]
async fn several_sessions_and_tiny_batches_behave_the_same() {
    let folder = folder(Kind::TwoHalves);
    let settings = PairModelSettings { sessions: 3, threads: 1, batch_tokens: 1, queue: 2, ..settings(folder.path()) };
    reranker_suite(&load(&settings), 1e-6).await;
}

#[tokio::test]
async fn each_pair_reaches_the_model_as_it_should() {
    // With the question: [CLS] how often [SEP] before each, and [SEP] behind, which the question has too.
    let texts = ["how often", "lunch", "", "How, how? HOW! lunch lunch lunch"];
    let halves = [expected(3.0, 7.0), expected(1.0, 6.0), expected(1.0, 5.0), expected(4.0, 14.0)];
    for kind in [Kind::TwoHalves, Kind::Flat] {
        let folder = folder(kind);
        assert_scores(&score(&load(&settings(folder.path())), "how often", &texts).await, &halves);
    }
    // A model that knows no halves finds each token beside itself: as many squared as there are of it. The three
    // kinds of punctuation are one unknown token.
    let whole = [
        expected(13.0, 7.0),
        expected(8.0, 6.0),
        expected(7.0, 5.0),
        expected(1.0 + 16.0 + 1.0 + 4.0 + 9.0 + 9.0, 14.0),
    ];
    let folder = folder(Kind::OneHalf);
    assert_scores(&score(&load(&settings(folder.path())), "how often", &texts).await, &whole);
}

#[tokio::test]
async fn a_long_passage_is_judged_by_its_beginning_and_the_question_is_never_cut() {
    let folder = folder(Kind::TwoHalves);
    let many = "word ".repeat(100);
    let texts = [format!("{many} often"), format!("often {many}")];
    let texts = [texts[0].as_str(), texts[1].as_str()];
    let cut = [expected(1.0, 16.0), expected(2.0, 16.0)];
    let small = PairModelSettings { max_tokens: 16, ..settings(folder.path()) };
    assert_scores(&score(&load(&small), "how often", &texts).await, &cut);
    // The model's own window, counted from behind the padding in one family.
    for config in [
        json!({"model_type": "bert", "max_position_embeddings": 16}),
        json!({"model_type": "xlm-roberta", "max_position_embeddings": 18, "pad_token_id": 1}),
    ] {
        tiny_model::write_config(folder.path(), &config);
        assert_scores(&score(&load(&settings(folder.path())), "how often", &texts).await, &cut);
    }
    // Half a window is the most a question may take: six words, seven of the passage and three special tokens.
    let half = ["word"; 6].join(" ");
    assert_scores(&score(&load(&small), &half, &[&many]).await, &[expected(6.0 * 7.0 + 1.0, 16.0)]);
    let long = load(&small).score(&format!("{half} word"), vec!["word".to_owned(); 3]).await;
    let said = "the question has 9 tokens, and 8 leave room for passages";
    assert_eq!(long, Err(RerankError::Own(RerankFault::TooLong(said.to_owned()))));
}

#[tokio::test]
async fn a_batch_that_is_late_is_given_up_and_the_next_is_judged() {
    let folder = folder(Kind::TwoHalves);
    let reranker = Arc::new(load(&settings(folder.path())));
    let timed: Part<dyn Reranker> = Part::patient(reranker.clone(), Duration::from_millis(1));
    let much = vec!["word ".repeat(600); 200];
    assert_eq!(
        timed.call(Deadline::NONE, |reranker| reranker.score("how often", much)).await,
        Err(RerankError::Timeout(1))
    );
    assert_scores(&score(reranker.as_ref(), "how often", &["lunch"]).await, &[expected(1.0, 6.0)]);
}

#[test]
fn a_model_that_is_no_reranker_is_refused_with_what_was_expected() {
    let cases = [
        (Kind::TwoLogits, "one logit for each pair; for 4 it gave the shape [4, 2]"),
        (Kind::Nameless, "its outputs are logit, length, and none of them is called logits"),
        (Kind::NotANumber, "a logit of NaN"),
        (Kind::Pixels, "pixel_values"),
    ];
    for (kind, said) in cases {
        let folder = folder(kind);
        let error = OnnxReranker::load(&settings(folder.path())).err().unwrap().to_string();
        assert!(error.contains(said) && error.contains("reranker.folder"), "{kind:?}: {error}");
    }
    let folder = folder(Kind::TwoHalves);
    let labels = json!({"id2label": {"0": "contradiction", "1": "entailment", "2": "neutral"}});
    tiny_model::write_config(folder.path(), &labels);
    let error = OnnxReranker::load(&settings(folder.path())).err().unwrap().to_string();
    assert!(error.contains("tells contradiction, entailment, neutral apart"), "{error}");
}

#[test]
fn what_cannot_be_loaded_is_named() {
    for (file, bytes) in [("model.onnx", "no model"), ("tokenizer.json", "{}"), ("config.json", "[")] {
        let folder = folder(Kind::TwoHalves);
        std::fs::write(folder.path().join(file), bytes).unwrap();
        let error = OnnxReranker::load(&settings(folder.path())).err().unwrap().to_string();
        assert!(error.contains(file) && error.contains("is not"), "{error}");
        std::fs::remove_file(folder.path().join(file)).unwrap();
        let error = OnnxReranker::load(&settings(folder.path())).err().unwrap().to_string();
        assert!(error.contains(file) && error.contains("cannot be read"), "{error}");
    }
    let folder = folder(Kind::TwoHalves);
    for (settings, said) in [
        (PairModelSettings { max_tokens: 15, ..settings(folder.path()) }, "a window of 15 tokens"),
        (PairModelSettings { sessions: 0, ..settings(folder.path()) }, "sessions"),
    ] {
        let error = OnnxReranker::load(&settings).err().unwrap().to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// A published cross-encoder, where there is one: the folder of `IBIDEM_RERANKER_FOLDER`.
fn published() -> PathBuf {
    let folder = std::env::var_os("IBIDEM_RERANKER_FOLDER").map(PathBuf::from).unwrap_or_default();
    assert!(
        folder.join("model.onnx").exists(),
        "did not run: there is no published reranker in {folder:?}; set IBIDEM_RERANKER_FOLDER to the folder of one",
    );
    folder
}

#[tokio::test]
#[ignore = "needs the weights of a published cross-encoder (docs/models.md), in IBIDEM_RERANKER_FOLDER"]
async fn a_published_cross_encoder_behaves_as_a_reranker_and_knows_what_was_asked_for() {
    let reranker = load(&settings(&published()));
    // Quantised weights are scaled by what is in the batch.
    reranker_suite(&reranker, 0.05).await;
    let passages = ["The cat sat on the mat.", "Interest rates rose by half a percent.", "Rain is expected tomorrow."];
    let questions = ["Where did the cat sit?", "What did interest rates do?", "What will the weather be tomorrow?"];
    for (number, question) in questions.iter().enumerate() {
        let scores = score(&reranker, question, &passages).await;
        let best = scores.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1)).unwrap().0;
        assert_eq!(best, number, "{question}: {scores:?}");
    }
}

/// What it gives the passages of its model card.
const MARCO: [f32; 3] = [0.99986, 0.0153, 0.00002];

/// As `reranker.use: onnx` loads it. Its tokenizer pads to 512 and would cut there, and its labels have no names.
#[tokio::test]
async fn ms_marco_minilm_behaves_as_a_reranker_and_scores_as_published() {
    let Some(folder) = crate::marco() else { return };
    let reranker = load(&PairModelSettings { name: "marco".to_owned(), ..settings(&folder) });
    assert_eq!(reranker.name(), "marco@1225ccd6afd0");
    reranker_suite(&reranker, 1e-6).await;
    let passages = [
        "Berlin had a population of 3,520,031 registered inhabitants in an area of 891.82 square kilometers.",
        "Berlin is well known for its museums.",
        "New York City is famous for the Metropolitan Museum of Art.",
    ];
    let scores = score(&reranker, "How many people live in Berlin?", &passages).await;
    // By the same file and transformers' tokenizer.
    for (score, expected) in scores.iter().zip(MARCO) {
        assert!((score - expected).abs() < 0.002, "{scores:?}, not {MARCO:?}");
    }
    let read = reranker.read("How many people live in Berlin?", passages.map(str::to_owned).to_vec()).await.unwrap();
    assert!(read.iter().all(|read| read.answer.is_none()), "it does not say where: {read:?}");
}
