use std::path::PathBuf;

use ibidem_engine::policy::Policy;
use ibidem_ports::vocabulary::LabelKind;
use ibidem_testing::fakes::{FakeConcept, FakeVocabulary};
use serde_json::{Value, json};

use super::corpus::Corpus;
use super::lint::lint;
use super::*;

fn repository(place: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(place)
}

fn shipped() -> Vec<NumberedQuery> {
    let (placed, problems) = parse(&text(&repository("demo/architecture/golden_queries.jsonl")).unwrap());
    assert_eq!(problems, []);
    placed
}

fn architecture() -> Policy {
    Policy::parse(&std::fs::read_to_string(repository("policies/architecture.yaml")).unwrap()).unwrap()
}

fn listed(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n")).collect()
}

#[test]
fn the_shipped_set_is_in_order() {
    let queries = shipped();
    let rules = architecture().rules.gather;
    assert_eq!(listed(&lint(&queries)), "");
    assert_eq!(listed(&by_rule::check(&queries, &rules)), "");
    let corpus = Corpus::load(&repository("demo/architecture")).unwrap();
    assert_eq!(listed(&corpus.check(&queries, rules.addresses.as_ref())), "");
}

#[test]
fn categories_are_written_as_they_are_read() {
    for (category, _) in Category::MINIMUMS {
        assert_eq!(json!(category), json!(category.to_string()));
    }
    assert_eq!(Category::MINIMUMS.iter().filter(|(category, _)| category.is_terminology()).count(), 4);
}

#[test]
fn lines_that_are_no_questions_are_all_named_with_their_ids() {
    let question = |expected: &str| {
        format!(
            r#"{{"id": "GS-1", "query": "q", "category": "unanswerable", "expected": {expected}, "tags": ["negative"]}}"#
        )
    };
    let lines = [
        question(r#"{"route": "tree", "abstain": true, "reason": "no_results"}"#),
        question(r#"{"route": "tree", "abstain": true, "reason": "no_idea"}"#),
        question(r#"{"route": "tree", "abstain": true, "raeson": "no_results"}"#),
        question(r#"{"route": "street", "abstain": true}"#),
        question(r#"{"route": "tree"}"#),
        String::new(),
        "{".to_owned(),
        r#"{"id": "GS-2", "query": "q", "category": "odd"}"#.to_owned(),
    ];
    let (placed, problems) = parse(&lines.join("\n"));
    assert_eq!(placed.len(), 1);
    let listed = listed(&problems);
    for part in [
        "line 2, GS-1: unknown variant `no_idea`",
        "line 3, GS-1: unknown field `raeson`",
        "line 4, GS-1: unknown variant `street`",
        "line 5, GS-1: missing field `abstain`",
        "line 7: EOF",
        "line 8, GS-2: unknown variant `odd`",
    ] {
        assert!(listed.contains(part), "{part:?} is not in\n{listed}");
    }
    assert_eq!(problems.len(), 6);
}

/// The shipped question with this id, changed.
fn changed(id: &str, change: impl Fn(&mut Value)) -> Vec<NumberedQuery> {
    let mut queries = shipped();
    let placed = queries.iter_mut().find(|placed| placed.query.id == id).unwrap();
    let mut value = json!(placed.query);
    change(&mut value);
    placed.query = serde_json::from_value(value).unwrap();
    queries
}

#[test]
fn what_cannot_be_expected_together_is_named() {
    let cases: [(&str, &str, Value, &str); 16] = [
        ("GS-HIT-01", "/id", json!("hit one"), "capital letters"),
        ("GS-HIT-01", "/id", json!("GS-HIT-02"), "line 2, GS-HIT-02: the id is also that of line 1"),
        ("GS-HIT-01", "/query", json!(" "), "a query has 1 to"),
        ("GS-HIT-02", "/query", json!("what is a  Transformer?"), "the query is also that of line 1"),
        ("GS-HIT-01", "/tags", json!(["Positive"]), "a tag is made of"),
        ("GS-HIT-01", "/tags", json!([]), "there is no tag"),
        ("GS-HIT-01", "/expected/abstain", json!(true), "`reason` must say why"),
        ("GS-MISS-01", "/expected/reason", json!("no_results"), "terminology_miss: it abstains, for the reason of"),
        ("GS-HIT-01", "/expected/doc_ids", json!(["a", "a"]), "doc_ids has an entry twice"),
        ("GS-ADR-01", "/expected/doc_ids", json!([]), "`doc_types` and `doc_ids` must say from what"),
        ("GS-ADR-01", "/expected/doc_types", json!(["Poem"]), "\"Poem\" is no collection"),
        ("GS-ADR-01", "/expected/route", json!("policy"), "this route leads to Policy alone"),
        ("GS-ADR-01", "/expected/route", json!("skosmos"), "questions about terms, and no others"),
        ("GS-CROSS-01", "/expected/doc_types", json!(["ADR"]), "at least two of `doc_types`"),
        ("GS-NONE-01", "/expected/reason", json!("deadline"), "its reason is about the evidence"),
        ("GS-TIMEOUT-01", "/query", json!("Define late"), "and no others, are late"),
    ];
    for (id, place, value, expected) in cases {
        let queries = changed(id, |query| *query.pointer_mut(place).unwrap() = value.clone());
        let listed = listed(&lint(&queries));
        assert!(listed.contains(expected), "{id} with {place} {value}: {expected:?} is not in {listed:?}");
    }
    let answered = changed("GS-ADR-01", |query| query["expected"]["reason"] = json!("no_results"));
    assert!(listed(&lint(&answered)).contains("it is answered, so there is no `reason`"));
}

#[test]
fn every_minimum_is_checked() {
    for (category, minimum) in Category::MINIMUMS {
        let mut kept = 0;
        let mut queries = shipped();
        queries.retain(|placed| {
            kept += usize::from(placed.query.category == category);
            placed.query.category != category || kept < minimum
        });
        let expected = format!("{category} has {} questions of at least {minimum}\n", minimum - 1);
        assert_eq!(listed(&lint(&queries)), expected);
    }
    let none = listed(&lint(&[]));
    assert!(none.contains("there are 0 questions of at least 60"), "{none}");
    assert_eq!(none.matches("no question is answered from").count(), COLLECTIONS.len());
}

#[test]
fn documents_that_are_named_must_be_there_and_missing_ones_must_not() {
    let corpus = Corpus::load(&repository("demo/architecture")).unwrap();
    let rules = architecture().rules.gather;
    let check = |queries: &[NumberedQuery]| listed(&corpus.check(queries, rules.addresses.as_ref()));
    let with_ids = |ids: Value| changed("GS-ADR-01", |query| query["expected"]["doc_ids"] = ids.clone());
    assert!(check(&with_ids(json!(["ADR-0099"]))).contains("ADR-0099 is not in the corpus"));
    assert!(check(&with_ids(json!(["POLICY-01"]))).contains("POLICY-01 belongs to Policy"));
    assert_eq!(check(&with_ids(json!(["adr 12"]))), "", "an address may be written in any way");
    let both = changed("GS-ADR-01", |query| query["expected"]["doc_types"] = json!(["ADR", "Policy"]));
    assert!(check(&both).contains("none of `doc_ids` belongs to Policy"));
    let there = changed("GS-ENTITY-01", |query| query["query"] = json!("What does ADR-0012 decide?"));
    assert!(check(&there).contains("is in the corpus"));
    let no_address = changed("GS-ENTITY-01", |query| query["query"] = json!("What does the last one decide?"));
    assert!(check(&no_address).contains("sees no address"));
    let empty = tempfile::tempdir().unwrap();
    let nothing = Corpus::load(empty.path()).unwrap();
    assert!(listed(&nothing.check(&[], None)).contains("the corpus has no folder of Principle"));
    assert!(Corpus::load(&empty.path().join("none")).is_err());
}

#[test]
fn questions_in_the_wrong_category_are_found_by_the_rules() {
    let rules = architecture().rules.gather;
    for (id, query, expected) in [
        ("GS-ADR-01", "What is a busbar?", "a question about the term \"busbar\""),
        ("GS-HIT-01", "What should a transformer do?", "no question about a term"),
        ("GS-LIST-01", "Which records are about authentication?", "this does not ask for a list"),
        ("GS-SEM-01", "List all ADRs", "this asks for a list"),
    ] {
        let queries = changed(id, |question| question["query"] = json!(query));
        let listed = listed(&by_rule::check(&queries, &rules));
        assert!(listed.contains(expected), "{query}: {listed}");
    }
}

#[tokio::test]
async fn terms_are_compared_with_the_vocabulary() {
    let concept = |uri: &str, label: &str| {
        FakeConcept::new(uri, "v").label(LabelKind::Preferred, label, "en").definition("A thing.", "en")
    };
    let vocabulary = FakeVocabulary::of(vec![
        concept("http://v/1", "transformer"),
        concept("http://v/2", "tap"),
        concept("http://v/3", "tap"),
        FakeConcept::new("http://v/4", "v").label(LabelKind::Preferred, "foobarbaz", "en"),
    ]);
    let rules = architecture().rules.gather;
    let check = async |id: &str, ids: Value| {
        let mut queries = changed(id, |query| query["expected"]["doc_ids"] = ids.clone());
        queries.retain(|placed| placed.query.id == id);
        listed(&terms::check(&queries, &rules, &vocabulary).await.unwrap())
    };
    assert_eq!(check("GS-HIT-01", json!(["http://v/1"])).await, "");
    assert!(check("GS-HIT-01", json!(["http://v/2"])).await.contains("is [\"http://v/1\"]"));
    assert!(check("GS-HIT-02", json!(["http://v/1"])).await.contains("\"bidding zone\" is a terminology_miss"));
    assert_eq!(check("GS-AMB-01", json!(["http://v/3", "http://v/2"])).await, "");
    assert_eq!(check("GS-MISS-01", json!([])).await, "", "a concept without a definition answers nothing");
    assert_eq!(check("GS-TIMEOUT-01", json!([])).await, "");
}
