use std::sync::Arc;

use ibidem_testing::fakes::FakeEmbedder;
use ibidem_testing::suites::entailment::{entailment_suite, plain_cases};

use super::*;

fn with_fake() -> LexicalEntailment {
    LexicalEntailment::with_embedder(Part::bare(Arc::new(FakeEmbedder::new(256, 256))))
}

async fn classify(entailment: &LexicalEntailment, premise: &str, claim: &str) -> Classification {
    let pair = Pair { premise: premise.to_owned(), claim: claim.to_owned() };
    entailment.classify(vec![pair]).await.unwrap()[0]
}

const PREMISE: &str = "Access is granted to all employees of the finance department. They may submit expenses of up to \
                       40 euros without a receipt.";

#[tokio::test]
async fn words_and_vectors_behave_as_an_entailment_model() {
    entailment_suite(&LexicalEntailment::by_words(), 0.0).await;
    plain_cases(&LexicalEntailment::by_words()).await;
    entailment_suite(&with_fake(), 1e-4).await;
    plain_cases(&with_fake()).await;
}

#[tokio::test]
async fn a_claim_is_judged_by_what_its_premise_says() {
    for entailment in [LexicalEntailment::by_words(), with_fake()] {
        for (claim, expected) in [
            ("All employees of the finance department are granted access.", Support::Supported),
            ("Employees in the finance department have access.", Support::Supported),
            (
                "Finance employees get access and may submit expenses up to 40 euros without receipts.",
                Support::Supported,
            ),
            ("The cafeteria closes on Fridays for cleaning.", Support::Unknown),
            ("Finance employees receive a company car, a fuel card and free lunch in the cafeteria.", Support::Unknown),
            ("Access is not granted to employees of the finance department.", Support::Contradicted),
        ] {
            let classification = classify(&entailment, PREMISE, claim).await;
            assert_eq!(classification.support, expected, "{claim}: {classification:?}");
        }
    }
}

#[tokio::test]
async fn an_embedding_model_that_fails_supports_nothing_that_it_might_not_have() {
    let fake = Arc::new(FakeEmbedder::new(256, 256));
    let entailment = LexicalEntailment::with_embedder(Part::bare(Arc::clone(&fake) as Arc<dyn Embedder>));
    let claims = [
        "Finance employees get access and may submit expenses up to 40 euros without receipts.",
        "Access is granted to all employees of the finance department.",
        "Employees of finance are let in, and their expenses are paid.",
        "Access is granted to all employees of the sales department.",
    ];
    for claim in claims {
        fake.set_down(false);
        let whole = classify(&with_fake(), PREMISE, claim).await;
        fake.set_down(true);
        let degraded = classify(&entailment, PREMISE, claim).await;
        assert!(degraded.score <= whole.score, "{claim}: {degraded:?} and with the model {whole:?}");
    }
    let covered = classify(&entailment, PREMISE, claims[1]).await;
    assert_eq!(covered.support, Support::Supported, "what has all its words there needs no model");
}

#[tokio::test]
async fn the_surest_window_is_found_without_looking_at_all_and_turned_ones_are_passed_over() {
    let passages = [
        PREMISE,
        "Access is not granted to guests. Visitors must not submit expenses. Access is granted to guests of the board.",
        "The limit is 40 euros. Above 40 euros a receipt is needed.\nNobody may submit more than 100 euros.",
    ];
    let claims = [
        "Access is granted to guests.",
        "Access is not granted to employees of the finance department.",
        "Visitors may submit expenses.",
        "Employees may submit up to 40 euros without a receipt.",
        "The limit is 400 euros.",
        "The cafeteria closes on Fridays.",
        "It is so.",
    ];
    for entailment in [LexicalEntailment::by_words(), with_fake()] {
        for claim in claims {
            let windows = |passages: &[&str]| crate::speak::verify::windows::windows_of(passages);
            let pair = |premise: String| Pair { premise, claim: claim.to_owned() };
            let groups: Vec<Vec<Pair>> = [&passages[..1], &passages[1..2], &passages[2..], &passages, &[]]
                .into_iter()
                .map(|passages| windows(passages).into_iter().map(pair).collect())
                .collect();
            let surest = entailment.surest_of_each(groups.clone()).await.unwrap();
            for (group, found) in groups.into_iter().zip(surest) {
                let all = entailment.classify(group).await.unwrap();
                assert_eq!(found, Classification::surest(all), "{claim}");
            }
        }
    }
}
