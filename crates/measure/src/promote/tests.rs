use std::sync::Arc;

use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::{Policy, SpeakMode};
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::Deadline;
use ibidem_words::{Question, TenantId};

use super::*;
use ibidem_testing::small_corpus::{scope, searcher};

/// A real answer, or a refusal, of a corpus of one passage.
async fn turn(query: &str) -> StoredTurn {
    let (searcher, _) = searcher(TenantId::named("lab"), &[("ADR-0031", &["TLS 1.3 is required everywhere."])]).await;
    let mut policy = Policy::parse(include_str!("../../../../policies/book.yaml")).unwrap();
    policy.rules.speak.mode = SpeakMode::Extractive;
    policy.rules.speak.confidence = None;
    let asked = Asked {
        request_id: Uuid::nil(),
        at: chrono::DateTime::UNIX_EPOCH,
        scope: scope(TenantId::named("lab")),
        question: Question::new(query),
        policy: Arc::new(policy),
        deadline: Deadline::NONE,
    };
    let answer = Engine::new(searcher).ask(asked, &mut Nobody).await.unwrap().answer;
    StoredTurn { is_hashed: false, query: Some(query.to_owned()), answer }
}

fn review(verdict: &str, category: &str) -> Review {
    let line = format!(
        r#"{{"request_id": "0191d8aa-0000-7000-8000-000000000001", "verdict": "{verdict}", "category": "{category}"}}"#
    );
    serde_json::from_str(&line).unwrap()
}

fn cited(collection: &str, address: Option<&str>) -> CitedDocument {
    CitedDocument { collection: collection.to_owned(), address: address.map(str::to_owned) }
}

#[tokio::test]
async fn what_was_right_must_become_of_it_again() {
    let answered = turn("TLS 1.3 is required everywhere").await;
    assert!(!answered.answer.refused, "{:?}", answered.answer);
    let right = review("right", "adr_retrieval");
    let query = promote(&right, &answered, &[cited("ADR", Some("ADR-0031"))]).unwrap();
    assert_eq!((query.id.as_str(), query.tags.as_slice()), ("FB-0191D8AA", &["feedback".to_owned()][..]));
    assert_eq!(
        (query.expected.route, query.expected.doc_ids.as_slice()),
        (GoldenRoute::Adr, &["ADR-0031".to_owned()][..])
    );
    let both = [cited("ADR", Some("ADR-0031")), cited("Policy", Some("POLICY-05"))];
    let query = promote(&right, &answered, &both).unwrap();
    assert_eq!((query.expected.route, query.expected.doc_types.len()), (GoldenRoute::Tree, 2));
    let gone = promote(&right, &answered, &[cited("ADR", None)]).unwrap_err();
    assert_eq!(gone, PromoteError::NoAddress);

    let refused = turn("who painted the ceiling").await;
    let query = promote(&review("right", "unanswerable"), &refused, &[]).unwrap();
    assert_eq!((query.expected.abstain, query.expected.reason), (true, refused.answer.reason));
}

#[tokio::test]
async fn what_was_wrong_needs_what_is_right_and_a_verdict_must_agree_with_it() {
    let answered = turn("TLS 1.3 is required everywhere").await;
    assert_eq!(promote(&review("wrong", "adr_retrieval"), &answered, &[]), Err(PromoteError::NoExpected));
    let query = promote(&review("should_refuse", "unanswerable"), &answered, &[]).unwrap();
    assert_eq!((query.expected.abstain, query.expected.reason), (true, Some(Reason::LowConfidence)));
    let answer = Expected { abstain: false, ..query.expected.clone() };
    let contradictory = Review { expected: Some(answer), ..review("should_refuse", "unanswerable") };
    assert_eq!(promote(&contradictory, &answered, &[]), Err(PromoteError::Contradictory("answered")));
    let contradictory = Review { expected: Some(query.expected), ..review("right", "unanswerable") };
    assert_eq!(promote(&contradictory, &answered, &[]), Err(PromoteError::Contradictory("refused")));
}

#[tokio::test]
async fn words_that_were_hashed_are_not_made_up_and_words_that_are_missing_are_asked_for() {
    let hashed = StoredTurn { is_hashed: true, ..turn("TLS 1.3 is required everywhere").await };
    let review_given = Review { query: Some("TLS?".to_owned()), ..review("should_refuse", "unanswerable") };
    assert_eq!(promote(&review_given, &hashed, &[]), Err(PromoteError::Hashed), "also where the reviewer knows them");
    let without = StoredTurn { is_hashed: false, query: None, ..hashed };
    assert_eq!(promote(&review("should_refuse", "unanswerable"), &without, &[]), Err(PromoteError::NoQuery));
    assert_eq!(promote(&review_given, &without, &[]).unwrap().query, "TLS?");
}

#[tokio::test]
async fn the_same_question_is_added_once_and_what_the_linter_finds_stops_all_of_it() {
    let shipped = include_str!("../../../../demo/architecture/golden_queries.jsonl");
    let asked = turn("How many turbines does the office have?").await;
    let query = promote(&review("should_refuse", "unanswerable"), &asked, &[]).unwrap();
    let addition = add(shipped, vec![query.clone(), GoldenQuery { id: "FB-2".to_owned(), ..query.clone() }]);
    let text = addition.text.unwrap();
    assert_eq!((addition.added.len(), addition.there_already), (1, vec!["FB-2".to_owned()]));
    assert!(text.starts_with(shipped.trim_end()) && text.lines().count() == shipped.lines().count() + 1);
    let again = add(&text, vec![query.clone()]);
    assert_eq!((again.added.len(), again.text.unwrap()), (0, text));
    let wrong = GoldenQuery { category: Category::AdrRetrieval, ..query };
    let problems = add(shipped, vec![wrong]).text.unwrap_err();
    assert!(problems.iter().any(|problem| problem.what.contains("it is answered")), "{problems:?}");
}
