use std::collections::HashMap;

use chrono::DateTime;
use ibidem_engine::policy::{Policy, Top1Similarity};
use ibidem_engine::replay::{Again, Replay};
use ibidem_language::PresentTerms;
use ibidem_ports::records::{CandidateRecord, DecisionRecord, PoolRecord, Speech};
use ibidem_words::Fallback;
use ibidem_words::{Action, DocumentId, GateRecord, PassageKey, Reason, Verdict};
use uuid::Uuid;

use super::{RecordedTurn, Replayer, Report, Reviewed, page};

const BOOK: &str = include_str!("../../../../policies/book.yaml");

/// The book's policy with another threshold for its best passage.
fn book(threshold: f64) -> Policy {
    let mut policy = Policy::parse(BOOK).unwrap();
    for least in policy.rules.sift.rules_of_mut::<Top1Similarity>() {
        least.0 = threshold;
    }
    policy
}

/// One passage, so far from the question, under the book's policy: answered from .7.
fn turn(number: u128, cosine: f32, question: &str) -> RecordedTurn {
    let passage = PassageKey { document: DocumentId(Uuid::from_u128(number)), version: 1, chunk_index: 0 };
    let candidate = CandidateRecord {
        passage,
        collection: "Book".parse().unwrap(),
        kind: None,
        cosine: Some(cosine),
        scaled: None,
        bm25: None,
        fused: 0.1,
        rerank: None,
        read_first: None,
        curated: None,
        addressed: false,
        on_its_text: false,
        forced: false,
        promised: None,
        coverage: 1.0,
        present: PresentTerms::default(),
        alike: Vec::new(),
    };
    let pool = PoolRecord {
        round: 0,
        reranked: false,
        max_context_chunks: 5,
        terms: 0,
        fallback_reasons: Vec::new(),
        unread: false,
        by_words_alone: false,
        gates_look_alone: true,
        candidates: vec![candidate],
        kept: vec![0],
    };
    let is_answered = cosine >= 0.7;
    let observed = (f64::from(cosine) * 10_000.0).round() / 10_000.0;
    let gate =
        |gate: &str, verdict, observed, threshold| GateRecord { gate: gate.to_owned(), verdict, observed, threshold };
    let verdict = if is_answered { Verdict::Pass } else { Verdict::Stop };
    let mut decision = DecisionRecord {
        action: if is_answered { Action::Cite } else { Action::Refuse },
        reason: (!is_answered).then_some(Reason::LowSimilarity),
        class: None,
        trace: vec![
            gate("duplicates", Verdict::Pass, 0.0, 0.9),
            gate("evidence", Verdict::Pass, 1.0, 1.0),
            gate("top1_similarity", verdict, observed, 0.7),
        ],
        searched: None,
        rounds: vec![pool],
        speech: is_answered.then(|| Speech::Extractive {
            coverage: 1.0,
            judged: Some(100.0),
            fallback_reasons: vec![Fallback::Extractive],
            answering: None,
            model_failed: false,
            instead_of: None,
        }),
        is_general: false,
        tool_calls: Vec::new(),
    };
    let policy = Policy::parse(BOOK).unwrap();
    // What follows when the gates have let it through is the engine's matter, and tested there.
    if let (true, Again::Decided(decided)) = (is_answered, Replay::under(&policy).unwrap().again(&decision)) {
        decision.trace = decided.trace;
    }
    let policy_sha256 = policy.hash;
    let question = Some(question.to_owned());
    RecordedTurn {
        request_id: Uuid::from_u128(number),
        asked_at: DateTime::UNIX_EPOCH,
        policy_sha256,
        question,
        decision,
    }
}

fn turns() -> Vec<RecordedTurn> {
    vec![turn(1, 0.9, "sure"), turn(2, 0.72, "<script>alert(1)</script>"), turn(3, 0.65, "nearly"), turn(4, 0.2, "far")]
}

fn report(threshold: f64, reviews: &[Reviewed]) -> Report {
    let own = Policy::parse(BOOK).unwrap();
    let other = book(threshold);
    let mut replayer = Replayer::new(HashMap::from([(own.hash, own)]), Some(&other), reviews).unwrap();
    for turn in turns() {
        // As it comes back from a file.
        let line = serde_json::to_string(&turn).unwrap();
        replayer.take(&serde_json::from_str(&line).unwrap());
    }
    replayer.finish()
}

#[test]
fn the_same_policy_flips_nothing_and_every_decision_is_the_same() {
    let report = report(0.7, &[]);
    assert_eq!((report.decisions, report.same, report.policy_unknown), (4, 4, 0), "{report:?}");
    let compared = report.compared.unwrap();
    assert!(compared.flips.is_empty() && compared.reworded.is_empty());
    assert_eq!(compared.before, compared.after);
}

#[test]
fn a_stricter_policy_refuses_and_a_laxer_one_answers_each_with_its_numbers() {
    let stricter = report(0.75, &[]).compared.unwrap();
    let flip = &stricter.flips[0];
    assert_eq!((stricter.flips.len(), flip.from.as_str(), flip.to.as_str()), (1, "cite", "refuse low_similarity"));
    assert_eq!(flip.why(), "top1_similarity: 0.72 against 0.75, was 0.72 against 0.7");
    let laxer = report(0.6, &[]).compared.unwrap();
    let flip = &laxer.flips[0];
    assert_eq!((laxer.flips.len(), flip.from.as_str(), flip.to.as_str()), (1, "refuse low_similarity", "answers"));
    assert_eq!(flip.why(), "top1_similarity: was 0.65 against 0.7, and would not stop it");
    assert_eq!((laxer.before.answered, laxer.after.answered), (2, 3));
}

#[test]
fn reviews_bound_the_risk_of_both_policies() {
    let reviewed = |number, right| Reviewed { request_id: Uuid::from_u128(number), right };
    let compared = report(0.75, &[reviewed(1, true), reviewed(2, false), reviewed(4, true)]).compared.unwrap();
    assert_eq!((compared.before.reviewed, compared.before.wrong), (2, 1), "a refusal that was right is no answer");
    assert_eq!((compared.after.reviewed, compared.after.wrong), (1, 0));
    // One of one right: the chance of that is .05 where 95 % are wrong.
    assert!((compared.after.risk_below.unwrap() - 0.95).abs() < 1e-6, "{compared:?}");
}

#[test]
fn a_record_that_was_changed_is_found_and_one_of_an_unknown_policy_is_counted() {
    let own = Policy::parse(BOOK).unwrap();
    let mut replayer = Replayer::new(HashMap::from([(own.hash, own)]), None, &[]).unwrap();
    let mut changed = turn(5, 0.65, "changed");
    changed.decision.rounds[0].candidates[0].cosine = Some(0.71);
    replayer.take(&changed);
    let unknown = RecordedTurn { policy_sha256: ibidem_words::Sha256Hash::of(b"other"), ..turn(6, 0.9, "unknown") };
    replayer.take(&unknown);
    let report = replayer.finish();
    assert_eq!((report.different, report.policy_unknown), (vec![Uuid::from_u128(5)], 1));
}

#[test]
fn nothing_that_anybody_typed_becomes_markup() {
    let html = page(&report(0.75, &[]));
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;") && !html.contains("<script"));
    assert!(html.contains("1 flips") && html.contains("top1_similarity: 0.72 against 0.75"));
}
