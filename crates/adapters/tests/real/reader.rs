//! The reader that comes with the product, on the real ONNX Runtime.

use std::path::Path;
use std::time::Duration;

use ibidem_adapters::onnx::{OnDemandReranker, OnnxReranker, PairModelSettings};
use ibidem_ports::reranker::Reranker;
use ibidem_testing::suites::reranker::reranker_suite;

use crate::setting;

fn reader() -> OnnxReranker {
    reader_of("reader")
}

fn reader_of(name: &str) -> OnnxReranker {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    OnnxReranker::load(&PairModelSettings::of(folder, setting("IBIDEM__EMBEDDING__RUNTIME"))).unwrap()
}

#[tokio::test]
async fn the_reader_behaves_as_a_reranker() {
    reranker_suite(&reader(), 1e-6).await;
}

#[tokio::test]
async fn the_reader_says_what_answers_and_where() {
    let question = "How many days of leave can be carried over?";
    let answers = "Leave Policy: Carrying leave over\nUp to seven days that were not taken may be carried into the next \
        year. They lapse on 31 March.";
    let beside = "Leave Policy: Requesting leave\nLeave is requested from the head of department, in writing, two weeks \
        before it begins.";
    let other = "Kitchen\nThe dishwasher is emptied by whoever comes first.";
    let read = reader().read(question, [answers, beside, other].map(str::to_owned).to_vec()).await.unwrap();
    let scores: Vec<f32> = read.iter().map(|relevance| relevance.score).collect();
    assert!(scores[0] > 0.5 && scores[0] > scores[1] && scores[1] >= scores[2] && scores[2] < 0.5, "{scores:?}");
    let span = read[0].answer.unwrap();
    let said: String = answers.chars().skip(span.start as usize).take((span.end - span.start) as usize).collect();
    assert!(said.to_lowercase().contains("seven"), "{said}");
}

#[tokio::test]
async fn the_multilingual_reader_reads_german_questions_on_english_passages() {
    let reader = reader_of("reader_multilingual");
    reranker_suite(&reader, 1e-4).await;
    let answers = "Leave Policy: Carrying leave over\nUp to seven days that were not taken may be carried into the next \
        year. They lapse on 31 March.";
    let beside = "Leave Policy: Requesting leave\nLeave is requested from the head of department, in writing, two weeks \
        before it begins.";
    let read = reader.read("Wann verfällt alter Urlaub?", [answers, beside].map(str::to_owned).to_vec()).await.unwrap();
    let scores: Vec<f32> = read.iter().map(|relevance| relevance.score).collect();
    assert!((scores[0] - 0.8845).abs() < 0.002 && (scores[1] - 0.0698).abs() < 0.002, "{scores:?}");
    let span = read[0].answer.unwrap();
    let said: String = answers.chars().skip(span.start as usize).take((span.end - span.start) as usize).collect();
    assert!(said.contains("31 March"), "{said}");
}

fn on_demand(name: &str) -> OnDemandReranker {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    OnDemandReranker::of(PairModelSettings::of(folder, setting("IBIDEM__EMBEDDING__RUNTIME"))).unwrap()
}

#[tokio::test]
async fn a_reader_on_demand_is_the_same_reader_and_is_loaded_when_it_is_asked() {
    let (question, passage) = ("Wann verfällt alter Urlaub?", "Alter Urlaub verfällt am 31. März.");
    let (loaded, reader) = (reader_of("reader_multilingual"), on_demand("reader_multilingual"));
    assert_eq!(reader.name(), loaded.name());
    assert!(!reader.is_loaded(), "nobody has asked it");
    reader.prepare(question, &[passage.to_owned()]).await;
    assert!(reader.is_loaded());
    let both =
        [reader.read(question, vec![passage.to_owned()]).await, loaded.read(question, vec![passage.to_owned()]).await];
    assert_eq!(both[0], both[1]);
    reranker_suite(&reader, 1e-4).await;
    assert!(OnDemandReranker::of(PairModelSettings::of("no/such", "no/such")).is_err(), "its weights are read at once");
}

#[tokio::test]
async fn a_caller_who_gives_up_leaves_the_loading_to_the_next() {
    let reader = on_demand("reader");
    let passages = vec!["The office opens at nine.".to_owned()];
    let late = tokio::time::timeout(Duration::ZERO, reader.score("When does the office open?", passages.clone())).await;
    assert!(late.is_err() && !reader.is_loaded());
    assert!(reader.score("When does the office open?", passages).await.is_ok());
}

/// 8-bit products are added exactly on every CPU: without that, one without VNNI gives these pairs other scores.
#[tokio::test]
async fn the_reader_scores_alike_on_every_cpu() {
    let question = "Who approves travel requests?";
    let cases = [
        ("Travel requests go to the planning desk, which forwards them.", 0.7124),
        ("The travel budget is set once a year by the finance office.", 0.2534),
        ("Travel requests are made in the staff portal. Trips abroad also need the consent of the director.", 0.5396),
    ];
    let texts = cases.map(|(text, _)| text.to_owned()).to_vec();
    let scores = reader().score(question, texts).await.unwrap();
    for ((text, expected), score) in cases.iter().zip(&scores) {
        assert!((score - expected).abs() < 0.001, "{text}: {score}, not {expected}; all: {scores:?}");
    }
}
