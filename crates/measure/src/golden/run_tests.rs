//! What a run measures, on answers made by hand.

use std::collections::BTreeMap;

use chrono::DateTime;
use ibidem_words::{Action, GateRecord, Reason, Sha256Hash, Verdict};

use super::actual::Actual;
use super::compare::{Difference, Tolerance, losses};
use super::compliance::CitedSentences;
use super::halves::{Half, halves};
use super::judged::{Judged, judge};
use super::results::{Config, Results, Run};
use super::run::Measured;
use super::score::Metrics;
use super::{Category, Expected, GoldenQuery, GoldenRoute};

pub(super) fn of_run() -> Run {
    let nothing = Sha256Hash::of(b"");
    Run {
        timestamp: DateTime::UNIX_EPOCH,
        golden_set_blob: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".to_owned(),
        config: Config {
            policy: "demo".to_owned(),
            policy_sha256: nothing,
            embedding_model: "model".to_owned(),
            embedding_sha256: nothing,
            answering_model: None,
            reranker: None,
            verifier: "lexical".to_owned(),
            max_context_chunks: 5,
            documents: 3,
        },
    }
}

fn expected(abstain: bool, doc_types: &[&str], doc_ids: &[&str]) -> Expected {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Expected {
        route: if doc_types.len() == 1 { GoldenRoute::Adr } else { GoldenRoute::Tree },
        abstain,
        reason: abstain.then_some(Reason::LowConfidence),
        doc_types: owned(doc_types),
        doc_ids: owned(doc_ids),
        source: None,
    }
}

fn query(id: &str, category: Category, expected: Expected) -> GoldenQuery {
    GoldenQuery { id: id.to_owned(), query: format!("{id}?"), category, expected, tags: vec!["made".to_owned()] }
}

fn answered(doc_types: &[&str], doc_ids: &[&str]) -> Actual {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Actual {
        action: Action::Cite,
        route: None,
        reason: None,
        refusal: None,
        doc_types: owned(doc_types),
        doc_ids: owned(doc_ids),
    }
}

fn refused(reason: Reason) -> Actual {
    let refusal = Some("Distance (0.6) above threshold (0.5) of ADR".to_owned());
    Actual { action: Action::Refuse, reason: Some(reason), refusal, ..answered(&[], &[]) }
}

/// A question to ADR-0001 that is answered rightly or not at all; from elsewhere where `wrong`.
pub(super) fn measured(id: &str, wrong: bool, is_answered: bool) -> Measured {
    let query = query(id, Category::AdrRetrieval, expected(false, &["ADR"], &["ADR-0001"]));
    let cited = if wrong { "ADR-0002" } else { "ADR-0001" };
    let actual = if is_answered { answered(&["ADR"], &[cited]) } else { refused(Reason::LowSimilarity) };
    let (judged, reason) = judge(&query, &actual);
    Measured {
        id: query.id,
        query: query.query,
        category: query.category,
        half: Half::Calibration,
        expected: query.expected,
        actual,
        judged,
        reason,
        confidence: is_answered.then_some(80.0),
        sentences: CitedSentences { all: usize::from(is_answered), cited: usize::from(is_answered) },
        vocabularys_own: None,
        trace: vec![GateRecord { gate: "evidence".to_owned(), verdict: Verdict::Pass, observed: 1.0, threshold: 1.0 }],
        latency_ms: 2.0,
    }
}

#[test]
fn an_answer_is_right_when_it_cites_what_it_must_from_every_collection() {
    let adr = || expected(false, &["ADR"], &["ADR-0001", "ADR-0002"]);
    let both = || expected(false, &["ADR", "Policy"], &["ADR-0001", "ADR-0002", "POLICY-01"]);
    let none = || expected(true, &[], &[]);
    let cases = [
        (Category::AdrRetrieval, adr(), answered(&["ADR"], &["adr 2"]), Judged::Answered),
        (Category::AdrRetrieval, adr(), answered(&["ADR", "Policy"], &["ADR-0001", "POLICY-09"]), Judged::Answered),
        (Category::AdrRetrieval, adr(), answered(&["ADR"], &["ADR-0003"]), Judged::WrongSource),
        (Category::AdrRetrieval, adr(), answered(&["Vocabulary"], &["http://v/1"]), Judged::WrongSource),
        (Category::AdrRetrieval, adr(), refused(Reason::LowSimilarity), Judged::FalseRefusal),
        (Category::NonTerminologyList, adr(), answered(&["ADR"], &["ADR-0001"]), Judged::WrongSource),
        (Category::NonTerminologyList, adr(), answered(&["ADR"], &["ADR-0001", "ADR-0002"]), Judged::Answered),
        (Category::CrossCollection, both(), answered(&["ADR", "Policy"], &["ADR-0002", "POLICY-01"]), Judged::Answered),
        (Category::CrossCollection, both(), answered(&["ADR"], &["ADR-0001", "ADR-0002"]), Judged::WrongSource),
        (
            Category::CrossCollection,
            both(),
            answered(&["ADR", "Policy"], &["ADR-0001", "POLICY-02"]),
            Judged::WrongSource,
        ),
        (Category::Unanswerable, none(), refused(Reason::NoThesis), Judged::Abstained),
        (Category::Unanswerable, none(), refused(Reason::RetrievalUnavailable), Judged::WrongReason),
        (Category::Unanswerable, none(), answered(&["ADR"], &["ADR-0001"]), Judged::FalseAnswer),
    ];
    for (category, expected, actual, judged) in cases {
        let (found, why) = judge(&query("GS-A-01", category, expected), &actual);
        assert_eq!(found, judged, "{category} {actual:?}: {why:?}");
        assert_eq!(why.is_none(), judged.is_right(), "whatever is wrong is said");
    }
}

#[test]
fn precision_is_of_the_answered_and_recall_of_those_to_be_answered() {
    let mut questions = vec![
        measured("GS-A-01", false, true),
        measured("GS-A-02", false, true),
        measured("GS-A-03", true, true),
        measured("GS-A-04", false, false),
    ];
    let mut false_answer = measured("GS-A-05", false, true);
    false_answer.expected = expected(true, &[], &[]);
    false_answer.judged = Judged::FalseAnswer;
    questions.push(false_answer);
    let metrics = Metrics::of(&questions);
    assert_eq!((metrics.overall.precision, metrics.overall.recall), (Some(0.5), Some(0.5)));
    assert_eq!((metrics.overall.count, metrics.overall.right), (5, 2));
    assert_eq!((metrics.false_refusals.count, metrics.false_refusals.of), (1, 4));
    assert_eq!((metrics.hallucinations.count, metrics.hallucinations.of), (1, 1));
    assert_eq!(metrics.abstention.by_reason, BTreeMap::from([("low_similarity".to_owned(), 1)]));
    assert_eq!(metrics.by_collection["ADR"].count, 5, "a false answer counts where it was answered from");
    let nothing = Metrics::of(&[]);
    assert_eq!((nothing.overall.precision, nothing.overall.recall), (None, None));
}

#[test]
fn thresh_03_a_drop_of_more_than_is_tolerated_is_a_loss_and_a_smaller_one_is_not() {
    let run = |right: usize, wrong: usize, refused: usize| {
        let kinds = [(right, false, true), (wrong, true, true), (refused, false, false)];
        let mut questions = Vec::new();
        for (count, wrong, is_answered) in kinds {
            for _ in 0..count {
                questions.push(measured(&format!("GS-A-{}", questions.len()), wrong, is_answered));
            }
        }
        Results::of(of_run(), questions)
    };
    let tolerance = Tolerance { precision: 0.05, recall: 0.05, abstention: 0.05 };
    let baseline = run(90, 10, 0);
    let lost = |current: &Results| losses(current, &baseline, tolerance).join("\n");
    assert_eq!(lost(&baseline), "");
    assert_eq!(lost(&run(85, 15, 0)), "", "0.05 is not more than 0.05");
    assert_eq!(lost(&run(95, 5, 0)), "", "better is no loss");
    assert!(lost(&run(84, 16, 0)).contains("precision went from 0.9000 to 0.8400"));
    assert!(lost(&run(84, 10, 6)).contains("recall went from 0.9000 to 0.8400"));
    assert!(lost(&run(84, 10, 6)).contains("without an answer"));
    assert!(lost(&run(0, 0, 100)).contains("precision went from 0.9000 to 0.0000"));
    assert!(lost(&run(80, 0, 0)).contains("20 questions of the baseline were not asked"));
    let mut uncited = run(90, 10, 0);
    uncited.metrics.citation_compliance.rate = 0.99;
    assert!(lost(&uncited).contains("citation compliance"));
    let mut invented = run(90, 10, 0);
    invented.metrics.terminology_hallucination.rate = 0.01;
    assert!(lost(&invented).contains("terminology hallucination"));
    let mut slow = run(90, 10, 0);
    slow.metrics.latency.p95 = 1e9;
    assert_eq!(lost(&slow), "", "speed is the machine's");
}

#[test]
fn a_difference_names_every_question_that_flipped() {
    let before = Results::of(of_run(), vec![measured("GS-A-01", false, true), measured("GS-A-02", false, true)]);
    let after = Results::of(of_run(), vec![measured("GS-A-01", false, false), measured("GS-A-03", false, true)]);
    let difference = Difference::between(&before, &after);
    assert!(difference.same_questions && difference.same_config);
    assert_eq!(difference.flipped.len(), 1);
    assert_eq!((difference.flipped[0].before, difference.flipped[0].after), (Judged::Answered, Judged::FalseRefusal));
    assert_eq!(difference.unpaired, ["GS-A-02", "GS-A-03"]);
    let recall = difference.figures.iter().find(|figure| figure.name == "recall").unwrap();
    assert!((recall.change().unwrap() + 0.5).abs() < 1e-9);
}

#[test]
fn what_is_written_reads_back_the_same() {
    let results = Results::of(of_run(), vec![measured("GS-A-01", true, true), measured("GS-A-02", false, false)]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.json");
    std::fs::write(&file, results.written().unwrap()).unwrap();
    assert_eq!(Results::load(&file).unwrap(), results);
    std::fs::write(&file, "{}").unwrap();
    assert!(Results::load(&file).unwrap_err().to_string().contains("eval run --output"));
    assert!(Results::load(&folder.path().join("none")).is_err());
}

#[test]
fn every_category_is_halved_alike_and_always_in_the_same_way() {
    let categories = [Category::AdrRetrieval, Category::Unanswerable, Category::TerminologyHit];
    let make = |(number, category): (usize, Category)| {
        query(&format!("GS-A-{number:02}"), category, expected(false, &["ADR"], &["ADR-0001"]))
    };
    let queries: Vec<GoldenQuery> =
        (0..33).map(|number| make((number, categories[number % categories.len()]))).collect();
    let found = halves(&queries);
    assert_eq!(found, halves(&queries));
    for category in categories {
        let count = queries
            .iter()
            .zip(&found)
            .filter(|(query, half)| query.category == category && **half == Half::Calibration);
        assert!((5..=6).contains(&count.count()), "{category}");
    }
    let mut backwards: Vec<GoldenQuery> = queries.into_iter().rev().collect();
    let other: Vec<Half> = halves(&backwards).into_iter().rev().collect();
    assert_eq!(other, found, "the order of the lines decides nothing");
    backwards.clear();
    assert!(halves(&backwards).is_empty());
}
