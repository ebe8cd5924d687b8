//! Verifying by yes and no, on the real language model.

use std::sync::Arc;

use ibidem_engine::yes_no::{YesNoEntailment, YesNoPrompt, YesNoSettings};
use ibidem_ports::entailment::{Entailment as _, Pair};
use ibidem_testing::suites::entailment::{entailment_suite, plain_cases};

use crate::yes_no::{TOLERANCE, model};

const PROMPT: &str =
    "Passage: {premise}\n\nClaim: {claim}\n\nDoes the passage support the claim? Answer with one word, yes or no.";

fn entailment() -> YesNoEntailment {
    let prompt = YesNoPrompt::about_claims(PROMPT).unwrap();
    let settings = YesNoSettings { prompt, model: None, at_once: 2, max_characters: 1_000 };
    YesNoEntailment::new(Arc::new(model()), settings)
}

#[tokio::test]
async fn a_real_model_behaves_as_an_entailment_model() {
    entailment_suite(&entailment(), TOLERANCE).await;
}

#[tokio::test]
#[ignore = "needs a model that can judge: `stack/up --model usable`; about a minute"]
async fn a_model_that_can_judge_knows_what_follows() {
    let entailment = entailment();
    plain_cases(&entailment).await;
    for (premise, follows, others) in [
        (
            "A new passphrase is due every ninety days.",
            "Passphrases must be changed every ninety days.",
            ["Passphrases must be changed every year.", "Passphrases have at least twelve characters."],
        ),
        (
            "Anything dearer than five hundred euros needs the signature of the head of finance.",
            "The head of finance signs for what costs more than five hundred euros.",
            ["Nobody has to sign for what costs more than five hundred euros.", "The head of finance is on holiday."],
        ),
    ] {
        let claims = std::iter::once(follows).chain(others);
        let pairs = claims.map(|claim| Pair { premise: premise.to_owned(), claim: claim.to_owned() });
        let scores: Vec<f32> = entailment
            .classify(pairs.collect())
            .await
            .unwrap()
            .iter()
            .map(|classification| classification.score)
            .collect();
        assert!(scores[1..].iter().all(|score| *score < scores[0]), "{premise}: {scores:?}");
    }
}
