use super::*;
use crate::fakes::{self, FakeEntailment};
use crate::ports::catalogue::CataloguePassage;
use crate::ports::entailment::EntailmentError;
use crate::words::Candidate;

const OIL: &str = "The gearbox holds 1.8 litres of oil. It must not be overfilled.";
const WIPERS: &str = "The wipers are fitted with two clips each.";

fn evidence() -> Vec<Candidate> {
    let passage = |number: u128, text: &str| CataloguePassage {
        title: "Manual".to_owned(),
        ..fakes::passage(number, &"Manual".parse().unwrap(), text)
    };
    vec![Candidate::unscored(passage(1, OIL)), Candidate::unscored(passage(2, WIPERS))]
}

async fn checked(text: &str, citations: &[u32], mode: VerificationMode) -> Said {
    let evidence = evidence();
    let rules = VerificationRules { mode, least_support: 0.5 };
    let words = LexicalEntailment::by_words();
    let sentence = Sentence::claim(text.to_owned(), citations.to_vec());
    let (said, failure) = Verifier { rules, entailment: &words }.check(sentence, &Footnotes::mint(&evidence)).await;
    assert_eq!(failure, None);
    said
}

#[tokio::test]
async fn a_sentence_is_held_against_the_passages_it_cites_and_no_others() {
    use SentenceVerdict::{Contradicted, Supported, Unsupported};
    for (text, citations, verdict, by) in [
        ("The gearbox holds 1.8 litres of oil.[1] ", &[1][..], Supported, "verbatim"),
        ("The gearbox holds oil, 1.8 litres of it.[1]", &[1], Supported, "lexical"),
        ("The gearbox holds 2.8 litres of oil.[1]", &[1], Unsupported, "figures"),
        ("The gearbox holds 1.8 litres of oil.[2]", &[2], Unsupported, "figures"),
        ("It must be overfilled.[1]", &[1], Contradicted, "figures"),
        ("The wipers are fitted with two clips each.[1][2]", &[1, 2], Supported, "verbatim"),
    ] {
        let check = checked(text, citations, VerificationMode::Strict).await.check;
        assert_eq!(check.verdict, verdict, "{text}: {check:?}");
        assert!(check.by.starts_with(by), "{text}: {check:?}");
        assert_eq!(check.why.is_some(), verdict != Supported, "{text}: {check:?}");
    }
}

#[tokio::test]
async fn an_uncited_claim_is_given_the_passage_that_supports_it_or_none() {
    let said = checked("The wipers are fitted with two clips each. ", &[], VerificationMode::Strict).await;
    assert_eq!(
        (said.sentence.text.as_str(), &said.sentence.citations[..]),
        ("The wipers are fitted with two clips each.[2] ", &[2][..])
    );
    assert!(said.check.attributed && said.check.verdict == SentenceVerdict::Supported);
    for text in ["The moon is made of green cheese.", "Trust me.", "The gearbox holds 9 litres of oil."] {
        let said = checked(text, &[], VerificationMode::Strict).await;
        assert_eq!((said.check.verdict, said.sentence.citations.len()), (SentenceVerdict::Unsupported, 0), "{text}");
        assert!(said.check.why.is_some());
    }
}

#[tokio::test]
async fn what_the_notes_do_not_say_is_no_claim_unless_it_has_figures_of_its_own() {
    let said = checked("The notes do not mention the price.", &[], VerificationMode::Strict).await;
    assert_eq!(said.sentence.kind, Kind::Layout);
    let said = checked("The notes do not mention the price of 300 euros.", &[], VerificationMode::Strict).await;
    assert_eq!(said.sentence.kind, Kind::Claim);
}

#[tokio::test]
async fn off_checks_nothing() {
    let said = checked("The gearbox holds 9 litres.[1]", &[1], VerificationMode::Off).await;
    assert_eq!((said.check.verdict, said.check.by.as_str()), (SentenceVerdict::Unchecked, "none"));
}

#[tokio::test]
async fn when_the_entailment_model_fails_words_judge_and_that_is_said() {
    let evidence = evidence();
    let away = FakeEntailment::default();
    away.set_trouble(Some(EntailmentError::Timeout(7)));
    let rules = VerificationRules::default();
    let verifier = Verifier { rules, entailment: &away };
    let sentence = Sentence::claim("The gearbox holds oil, 1.8 litres of it.[1]".to_owned(), vec![1]);
    let (said, failure) = verifier.check(sentence, &Footnotes::mint(&evidence)).await;
    assert_eq!(said.check.verdict, SentenceVerdict::Supported);
    assert_eq!(failure, Some(EntailmentError::Timeout(7)));
    assert!(said.check.by.starts_with("lexical"), "{:?}", said.check);
}
