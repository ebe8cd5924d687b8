use ibidem_language::sentences::Sentence;
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_testing::fakes::passage;
use ibidem_words::{SentenceCheck, SentenceVerdict};
use proptest::prelude::*;

use super::super::checked_sentence::support as support_of;
use super::*;

const HANDBOOK: &str = include_str!("../../../../../policies/handbook.yaml");

fn candidate(number: u128, similarity: f32, text: &str) -> Candidate {
    let passage = CataloguePassage { title: "Leave".to_owned(), ..passage(number, &"Handbook".parse().unwrap(), text) };
    Candidate { cosine: Some(similarity), ..Candidate::unscored(passage) }
}

fn checked(text: &str, support: f64) -> CheckedSentence {
    let verdict = if support >= 0.5 { SentenceVerdict::Supported } else { SentenceVerdict::Unsupported };
    let check = SentenceCheck { verdict, support, by: "a verifier".to_owned(), ..SentenceCheck::verbatim() };
    CheckedSentence { sentence: Sentence::claim(text.to_owned(), vec![1]), check }
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
        let confidence = weighed(ConfidenceWeights::default(), retrieval, coverage, Some(judge));
        assert!((confidence.overall - overall).abs() < 1e-9, "{retrieval} {coverage} {judge}: {confidence:?}");
    }
}

#[test]
fn where_nobody_judged_the_coverage_counts_for_it() {
    let documented = ConfidenceWeights::default();
    let other = ConfidenceWeights { retrieval: 10.0, coverage: 30.0, judge: 60.0 };
    for (weights, retrieval, coverage, overall) in
        [(documented, 1.0, 1.0, 100.0), (documented, 0.5, 0.9, 78.0), (other, 1.0, 0.0, 10.0), (other, 0.0, 1.0, 90.0)]
    {
        let confidence = weighed(weights, retrieval, coverage, None);
        assert!((confidence.overall - overall).abs() < 1e-9, "{weights:?} {retrieval} {coverage}: {confidence:?}");
        assert_eq!(confidence.llm_score, None);
    }
    let sentences = [CheckedSentence::verbatim(Sentence::claim("Leave of five days.[1]".to_owned(), vec![1]))];
    assert_eq!(support_of(&sentences), None, "quotations are nobody's opinion");
    assert_eq!(support_of(&[sentences[0].clone(), self::checked("Leave.[1]", 0.5)]), Some(75.0));
}

#[test]
fn the_parts_count_what_the_policy_says() {
    let mut policy = Policy::parse(HANDBOOK).unwrap();
    let evidence = [candidate(1, 0.5, "Leave of five days.")];
    let overall = |policy: &Policy| {
        Weighing::of(policy, &Question::new("leave"), &[], &evidence).confidence(0.8, Some(40.0)).overall
    };
    assert!((overall(&policy) - (0.1 * 30.0 + 0.8 * 40.0 + 0.4 * 30.0)).abs() < 1e-9, "the documented weights");
    let rules = policy.rules.speak.confidence.as_mut().unwrap();
    rules.weights = ConfidenceWeights { retrieval: 0.0, coverage: 100.0, judge: 0.0 };
    assert!((overall(&policy) - 80.0).abs() < 1e-9);
}

#[test]
fn an_answer_that_passes_over_words_of_the_question_covers_less_of_it() {
    let policy = Policy::parse(HANDBOOK).unwrap();
    let evidence = [candidate(1, 0.8, "Full-time staff have 27 days. Taxis are paid.")];
    let coverage = |question: &str, text: &str, read: Option<f64>| {
        Weighing::of(&policy, &Question::new(question), &[], &evidence).coverage(&[checked(text, 1.0)], read)
    };
    for (question, text, share) in [
        ("How many days do staff have?", "Full-time staff have 27 days.[1]", 1.0),
        ("How many taxis do staff have?", "Full-time staff have 27 days.[1]", 0.75),
        // The title of what is cited is read with it.
        ("How many days of leave do staff have?", "Full-time staff have 27 days.[1]", 1.0),
        ("And then?", "Full-time staff have 27 days.[1]", 1.0),
        ("How many days do staff have?", "Elephants have 27 days.[1]", 0.45),
    ] {
        let found = coverage(question, text, None);
        assert!((found - share).abs() < 0.01, "{question} {text}: {found}");
    }
    let read = coverage("How many days do staff have?", "Full-time staff have 27 days.[1]", Some(0.4));
    assert!((read - 0.4).abs() < 1e-9, "what a reader found of it counts: {read}");
}

#[test]
fn a_reason_for_doubt_costs_the_policys_share_once() {
    let policy = Policy::parse(HANDBOOK).unwrap();
    let evidence = [candidate(1, 0.8, "Version 13 is used. It was replaced by ADR-0042.")];
    let coverage = |question: &Question, text: &str| {
        let sentences = [CheckedSentence::verbatim(Sentence::claim(text.to_owned(), vec![1]))];
        Weighing::of(&policy, question, &[], &evidence).coverage(&sentences, Some(0.9))
    };
    let plain = Question::new("Which version is used?");
    let apart = Question::new("Which version is used, and who decides?");
    let reworded = Question::new("And then?").reworded("Which version is used?");
    for (question, text, left) in [
        (&plain, "Version 13 is used.[1]", 0.9),
        (&apart, "Version 13 is used.[1]", 0.72),
        (&reworded, "Version 13 is used.[1]", 0.72),
        (&plain, "It was replaced by ADR-0042.[1]", 0.72),
        (&apart, "It was replaced by ADR-0042.[1]", 0.72),
        (&plain, "It was replaced by a better one.[1]", 0.9),
    ] {
        assert!((coverage(question, text) - left).abs() < 1e-9, "{} {text}", question.query);
    }
}

#[test]
fn at_or_above_60_is_cited_and_below_is_not() {
    let policy = Policy::parse(HANDBOOK).unwrap();
    let weighing = Weighing::of(&policy, &Question::new("leave"), &[], &[]);
    for (judge, enough) in [(99.96, false), (99.99, true), (100.0, true)] {
        // 0.75 × 40 + 30 = 60
        let confidence = weighing.confidence(0.75, Some(judge));
        assert_eq!(weighing.is_enough(confidence), enough, "{confidence:?}");
        let record = weighing.record(confidence).unwrap();
        assert_eq!((record.verdict == Verdict::Pass, record.threshold), (enough, 60.0));
    }
}

#[test]
fn a_fallback_costs_a_fifth_of_what_the_search_counts() {
    let policy = Policy::parse(HANDBOOK).unwrap();
    let evidence = [candidate(1, 0.8, "Leave of five days.")];
    let whole = Weighing::of(&policy, &Question::new("leave"), &[], &evidence).retrieval_score;
    let after =
        |fell_back: &[Fallback]| Weighing::of(&policy, &Question::new("leave"), fell_back, &evidence).retrieval_score;
    let degraded = after(&[Fallback::NoRewrites, Fallback::NoRerank]);
    assert!((degraded - whole * 0.8).abs() < 1e-3, "{degraded} of {whole}");
    // Words that are shared do not stand in for a similarity that nobody knows.
    assert!(after(&[Fallback::KeywordsOnly]).abs() < 1e-9);
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
        let sentences = [checked(&answer, support)];
        let confidence = |evidence: &[Candidate]| {
            let weighing = Weighing::of(&policy, &Question::new("leave"), &[], evidence);
            weighing.confidence(weighing.coverage(&sentences, None), support_of(&sentences))
        };
        let (whole, less) = (confidence(&evidence), confidence(&left));
        prop_assert!(less.overall <= whole.overall, "{less:?} with less, {whole:?} with all");
        prop_assert!(less.coverage_score <= whole.coverage_score && less.retrieval_score <= whole.retrieval_score);
    }
}
