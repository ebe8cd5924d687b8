use super::super::State;
use super::*;

fn settings(flags: &[&str]) -> Settings {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    crate::settings::load(None, std::iter::empty(), &flags).unwrap()
}

fn assert_broken(finding: &Finding, said: &str, mend: &str) {
    assert!(finding.state == State::Broken && finding.found.contains(said), "{}", finding.found);
    assert!(finding.mend.as_ref().is_some_and(|named| named.contains(mend)), "{:?}", finding.mend);
}

/// Nothing listens at the discard port of loopback.
const NO_MODEL: [&str; 2] = ["language_model.url=http://127.0.0.1:9/v1", "language_model.name=m"];

#[tokio::test]
async fn a_reranker_that_does_not_judge_is_broken_and_its_mend_is_named() {
    let none = reranker(&settings(&[])).await;
    assert!(none.state == State::Ok && none.mend.is_none(), "{}", none.found);
    let model = [NO_MODEL[0], NO_MODEL[1], "reranker.use=model"];
    let cases: [(&[&str], &str, &str); 3] = [
        (&["reranker.use=onnx", "reranker.folder=no/such"], "no/such/config.json", "`reranker.folder`"),
        (
            &["reranker.use=http", "reranker.form=tei", "reranker.url=http://127.0.0.1:9/rerank"],
            "unavailable",
            "`reranker.url`",
        ),
        (&model, "cannot be reached", "language model"),
    ];
    for (flags, said, mend) in cases {
        assert_broken(&reranker(&settings(flags)).await, said, mend);
    }
}

#[tokio::test]
async fn an_entailment_model_that_does_not_judge_is_broken_and_its_mend_is_named() {
    let model = [NO_MODEL[0], NO_MODEL[1], "entailment.use=model"];
    let cases: [(&[&str], &str, &str); 2] = [
        (&["entailment.use=onnx", "entailment.folder=no/such"], "no/such/config.json", "`entailment.folder`"),
        (&model, "cannot be reached", "language model"),
    ];
    for (flags, said, mend) in cases {
        assert_broken(&entailment(&settings(flags), None).await, said, mend);
    }
}
