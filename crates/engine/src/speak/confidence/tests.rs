use ibidem_language::sentences::Sentence;
use ibidem_words::fakes::passage;
use ibidem_words::ports::catalogue::CataloguePassage;
use ibidem_words::{SentenceCheck, SentenceVerdict};
use proptest::prelude::*;

use super::*;

const HANDBOOK: &str = include_str!("../../../../../policies/handbook.yaml");

fn candidate(number: u128, similarity: f32, text: &str) -> Candidate {
    let passage = CataloguePassage { title: "Leave".to_owned(), ..passage(number, &"Handbook".parse().unwrap(), text) };
    Candidate { cosine: Some(similarity), ..Candidate::unscored(passage) }
}

fn said(text: &str, support: f64) -> Said {
    let verdict = if support >= 0.5 { SentenceVerdict::Supported } else { SentenceVerdict::Unsupported };
    let check = SentenceCheck { verdict, support, ..SentenceCheck::verbatim() };
    Said { sentence: Sentence::claim(text.to_owned(), vec![1]), check }
}

#[test]
fn test_calculate_confidence_hybrid() {
    for (retrieval, coverage, judge, overall) in [
        (1.0, 1.0, 100.0, 100.0),
        (0.0, 0.0, 0.0, 0.0),
        (1.0, 0.0, 0.0, 30.0),
        (0.0, 1.0, 0.0, 40.0),
        (0.0, 0.0, 100.0, 30.0),
        (0.8, 0.75, 90.0, 81.0),
        (0.5, 0.5, 50.0, 50.0),
    ] {
        let confidence = weighed(retrieval, coverage, judge);
        assert!((confidence.overall - overall).abs() < 1e-9, "{retrieval} {coverage} {judge}: {confidence:?}");
    }
}

#[test]
fn at_or_above_60_is_cited_and_below_is_not() {
    let policy = Policy::parse(HANDBOOK).unwrap();
    let weighing = Weighing::of(&policy, &[], &[]);
    for (judge, enough) in [(99.96, false), (99.99, true), (100.0, true)] {
        // 0.75 × 40 + 30 = 60
        let confidence = weighed(0.0, 0.75, judge);
        assert_eq!(weighing.is_enough(confidence), enough, "{confidence:?}");
        let record = weighing.record(confidence).unwrap();
        assert_eq!((record.verdict == Verdict::Pass, record.threshold), (enough, 60.0));
    }
}

#[test]
fn a_fallback_costs_a_fifth_of_what_the_search_counts() {
    let policy = Policy::parse(HANDBOOK).unwrap();
    let evidence = [candidate(1, 0.8, "Leave of five days.")];
    let whole = Weighing::of(&policy, &[], &evidence).retrieval_score;
    let degraded = Weighing::of(&policy, &[Fallback::KeywordsOnly, Fallback::NoRerank], &evidence).retrieval_score;
    assert!((degraded - whole * 0.8).abs() < 1e-3, "{degraded} of {whole}");
}

proptest! {
    /// Whatever is taken away: less evidence never makes the same answer surer.
    #[test]
    fn removing_evidence_never_raises_confidence(
        evidence in prop::collection::vec((0_u8..=100, "([a-e]{1,5} ){0,12}"), 0..9),
        gone in prop::collection::vec(any::<bool>(), 9),
        answer in "([a-e]{1,5} ){0,12}",
        support in 0.0..=1.0_f64,
        best_passages in 1..7_usize,
    ) {
        let mut policy = Policy::parse(HANDBOOK).unwrap();
        if let Some(rules) = &mut policy.rules.speak.confidence {
            rules.best_passages = best_passages;
        }
        let evidence: Vec<Candidate> = (1..).zip(&evidence)
            .map(|(number, (similarity, text))| candidate(number, f32::from(*similarity) / 100.0, text))
            .collect();
        let left: Vec<Candidate> =
            evidence.iter().zip(&gone).filter(|(_, gone)| !**gone).map(|(candidate, _)| candidate.clone()).collect();
        let said = [said(&answer, support)];
        let confidence = |evidence: &[Candidate]| Weighing::of(&policy, &[], evidence).verified(&said);
        let (whole, less) = (confidence(&evidence), confidence(&left));
        prop_assert!(less.overall <= whole.overall, "{less:?} with less, {whole:?} with all");
        prop_assert!(less.coverage_score <= whole.coverage_score && less.retrieval_score <= whole.retrieval_score);
    }
}
