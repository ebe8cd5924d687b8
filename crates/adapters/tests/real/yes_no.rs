//! Judging by yes and no, on the real language model.

use std::sync::Arc;
use std::time::Duration;

use ibidem_adapters::openai::{Connection, OpenAiModel, OpenAiSettings};
use ibidem_engine::yes_no::{YesNoPrompt, YesNoReranker, YesNoSettings};
use ibidem_ports::reranker::Reranker as _;
use ibidem_testing::suites::reranker::reranker_suite;

use crate::setting;

const PROMPT: &str = "Question: {question}\n\nPassage: {passage}\n\nDoes the passage answer the question? Answer with one word, yes or no.";

/// The server puts what waits at the same time through the model in one go, and keeps what prompts share, so sums are
/// made in another order, of weights of four bits: the same pair was seen to move by 0.075. Asked one at a time and
/// with nothing kept, it does not move at all.
pub(crate) const TOLERANCE: f32 = 0.12;

pub(crate) fn model() -> OpenAiModel {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let model = OpenAiModel::new(OpenAiSettings {
        connection: Connection::to(setting("IBIDEM__LANGUAGE_MODEL__URL")),
        model: setting("IBIDEM__LANGUAGE_MODEL__NAME"),
        also_allowed: Vec::new(),
        timeout: Duration::from_secs(120),
    });
    model.unwrap()
}

fn reranker() -> YesNoReranker {
    let prompt = YesNoPrompt::about_passages(PROMPT).unwrap();
    let settings = YesNoSettings { prompt, model: None, at_once: 2, max_characters: 1_000 };
    YesNoReranker::new(Arc::new(model()), settings)
}

#[tokio::test]
async fn a_real_model_behaves_as_a_reranker() {
    reranker_suite(&reranker(), TOLERANCE).await;
}

#[tokio::test]
#[ignore = "needs a model that can judge: `stack/up --model usable`; about half a minute"]
async fn a_model_that_can_judge_puts_what_answers_first() {
    let reranker = reranker();
    for (question, answer, others) in [
        (
            "How often must passwords be changed?",
            "A new passphrase is due every ninety days.",
            ["Passwords must be at least twelve characters long.", "How often one must change trains is on the map."],
        ),
        (
            "Who approves expenses over 500 euros?",
            "Anything dearer than five hundred needs the signature of the head of finance.",
            ["Expenses are paid in euros at the end of the month.", "Over 500 people work here."],
        ),
    ] {
        let texts = std::iter::once(answer).chain(others).map(str::to_owned).collect();
        let scores = reranker.score(question, texts).await.unwrap();
        assert!(scores[1..].iter().all(|score| *score < scores[0]), "{question}: {scores:?}");
    }
}
