//! Judging by yes and no, on the real language model.

use std::sync::Arc;
use std::time::Duration;

use ibidem_adapters::openai::{OpenAiModel, OpenAiSettings};
use ibidem_engine::suites::reranker::reranker_suite;
use ibidem_engine::yes_no::{YesNoPrompt, YesNoReranker, YesNoSettings};

use crate::setting;

const PROMPT: &str = "Passage: {passage}\n\nQuestion: {question}\n\nDoes the passage answer the question? Answer with one word, yes or no.";

/// The server puts what waits at the same time through the model in one go, and keeps what prompts share: sums are
/// made in another order.
const TOLERANCE: f32 = 0.02;

fn reranker() -> YesNoReranker {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let model = OpenAiModel::new(OpenAiSettings {
        url: setting("IBIDEM__LANGUAGE_MODEL__URL"),
        api_key: None,
        model: setting("IBIDEM__LANGUAGE_MODEL__NAME"),
        also_allowed: Vec::new(),
        timeout: Duration::from_secs(120),
    });
    let prompt = YesNoPrompt::parse(PROMPT).unwrap();
    let settings = YesNoSettings { prompt, model: None, at_once: 2, max_characters: 1_000 };
    YesNoReranker::new(Arc::new(model.unwrap()), settings)
}

#[tokio::test]
async fn a_real_model_behaves_as_a_reranker() {
    reranker_suite(&reranker(), TOLERANCE).await;
}
