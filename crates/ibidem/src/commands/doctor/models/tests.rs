use super::super::State;
use super::super::tests::{NO_MODEL, assert_broken, settings};
use super::*;

#[tokio::test]
async fn a_reranker_that_does_not_judge_is_broken_and_its_mend_is_named() {
    let none = reranker(&settings(&["reranker.use=none"])).await;
    assert!(none.state == State::Ok && none.mend.is_none(), "{}", none.found);
    let model = [NO_MODEL[0], NO_MODEL[1], "reranker.use=model"];
    let cases: [(&[&str], &str, &str); 4] = [
        (&[], "libonnxruntime", "`embedding.runtime`"),
        (&["reranker.use=onnx", "reranker.folder=no/such"], "no/such/config.json", "`reranker.folder`"),
        (
            &["reranker.use=http", "reranker.form=tei", "reranker.url=http://127.0.0.1:9/rerank"],
            "unavailable",
            "`reranker.url`",
        ),
        (&model, "cannot be reached", "language model"),
    ];
    for (flags, expected, mend) in cases {
        assert_broken(&reranker(&settings(flags)).await, expected, mend);
    }
}

#[tokio::test]
async fn a_second_reader_is_named_where_there_is_one() {
    assert!(second_reader(&settings(&[])).await.is_none());
    let missing = second_reader(&settings(&["reranker.second.folder=no/such"])).await.unwrap();
    assert_broken(&missing, "no/such/config.json", "`reranker.second.folder`");
}

#[tokio::test]
async fn an_entailment_model_that_does_not_judge_is_broken_and_its_mend_is_named() {
    let by_words = entailment(&settings(&[]), None).await;
    assert!(by_words.state == State::Ok && by_words.found.contains("verifies"), "{}", by_words.found);
    let model = [NO_MODEL[0], NO_MODEL[1], "entailment.use=model"];
    let cases: [(&[&str], &str, &str); 3] = [
        (&["entailment.use=onnx", "entailment.folder=no/such"], "no/such/config.json", "`entailment.folder`"),
        (&["entailment.use=http", "entailment.url=http://127.0.0.1:1/predict"], "unavailable", "`entailment.url`"),
        (&model, "cannot be reached", "language model"),
    ];
    for (flags, expected, mend) in cases {
        assert_broken(&entailment(&settings(flags), None).await, expected, mend);
    }
}

#[tokio::test]
async fn scores_on_another_scale_than_the_settings_say_are_noticed() {
    use ibidem_testing::fakes::FakeReranker;
    let (right, wrong) = ("Ibidem is Latin for: in the same place.", "The office is closed on the first of May.");
    for (scores, raw_scores, is_wrong) in [
        ([0.9, 0.1], false, false),
        ([0.99, 0.01], true, false),
        // What 0.98 and 0.01 come to that are taken for logits.
        ([0.727, 0.502], true, true),
        ([0.3, 0.3], false, true),
        ([0.1, 0.9], false, true),
    ] {
        let fake = FakeReranker::scoring(&[(right, scores[0]), (wrong, scores[1])]);
        let found = wrong_scale(&Part::bare(std::sync::Arc::new(fake) as _), raw_scores).await;
        assert_eq!(found.is_some(), is_wrong, "{scores:?}: {found:?}");
    }
}
