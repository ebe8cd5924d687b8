use ibidem_ports::entailment::EntailmentError;
use ibidem_testing::fakes::{FakeEmbedder, FakeEntailment, FakeModel, FakeReranker, Script};
use ibidem_wiring::models::{READER, READER_MULTILINGUAL};

use super::*;

fn settings(flags: &[&str]) -> Settings {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    crate::settings::load(None, std::iter::empty(), &flags).unwrap()
}

fn written(timed: anyhow::Result<Speed>) -> serde_json::Value {
    serde_json::to_value(State::of(timed)).unwrap()
}

#[tokio::test]
async fn every_model_is_timed_on_a_handful_and_says_on_what() {
    for (timed, done, unit) in [
        (timed::embedding(&FakeEmbedder::new(8, 256)).await, 8, "passages"),
        (timed::reranking(&Part::bare(Arc::new(FakeReranker::default())), Texts::English).await, 8, "passages"),
        (timed::reranking(&Part::bare(Arc::new(FakeReranker::default())), Texts::German).await, 8, "passages"),
        (timed::verifying(&Part::bare(Arc::new(FakeEntailment::default()))).await, 8, "pairs"),
        (timed::writing(&Part::bare(Arc::new(FakeModel::saying(&["one", " two", " three"])))).await, 3, "tokens"),
    ] {
        let speed = &written(timed)["speed"];
        assert_eq!((speed["done"].as_u64(), speed["unit"].as_str()), (Some(done), Some(unit)));
        assert!(speed["per_second"].as_f64().unwrap() > 0.0, "{speed}");
    }
}

#[tokio::test]
async fn a_model_that_does_not_work_has_a_problem_and_no_speed() {
    let late = FakeEntailment::default();
    late.set_trouble(Some(EntailmentError::Timeout(7)));
    let silent = FakeModel::saying(&[]);
    let broken = FakeModel::new(Script::BreaksOffAfter(vec!["one".to_owned()]));
    for (timed, expected) in [
        (timed::verifying(&Part::bare(Arc::new(late))).await, "did not answer within 7 ms"),
        (timed::writing(&Part::bare(Arc::new(silent))).await, "it wrote nothing"),
        (timed::writing(&Part::bare(Arc::new(broken))).await, "did not answer within 30000 ms"),
    ] {
        let state = written(timed);
        assert!(state["problem"].as_str().unwrap().contains(expected) && state.get("speed").is_none(), "{state}");
    }
}

#[tokio::test]
async fn a_file_is_named_with_its_digest_and_a_missing_one_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.onnx"), "abc").unwrap();
    let flag = format!("entailment.folder={}", folder.path().display());
    let row = entailment(&settings(&["entailment.use=onnx", &flag]), None).await;
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(row.sha256.unwrap().to_string(), abc);
    assert!(row.from.ends_with("model.onnx"), "{}", row.from);
    assert!(matches!(&row.state, State::Problem(problem) if problem.contains("config.json cannot be read")));

    let rows = rerankers(&settings(&["reranker.use=onnx", "reranker.folder=no/such"])).await;
    let [row] = &rows[..] else { panic!("one model is configured") };
    assert!(row.sha256.is_none() && matches!(&row.state, State::Problem(problem) if problem.contains("no/such")));
    assert!(rerankers(&settings(&["reranker.use=none"])).await.is_empty());
    let own = rerankers(&settings(&[])).await;
    let weights = [READER, READER_MULTILINGUAL].map(|model| Some(Sha256Hash::of(model.model)));
    let found =
        [(own[0].role, own[0].from.as_str(), own[0].sha256), (own[1].role, own[1].from.as_str(), own[1].sha256)];
    let expected = [
        ("reranker", "the built-in reader: model.onnx", weights[0]),
        ("reranker, other languages", "the built-in reader_multilingual: model.onnx", weights[1]),
    ];
    assert_eq!(found, expected);
}
