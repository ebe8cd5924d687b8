//! `GET /v1/terms` and `GET /v1/concepts`: vocabularies in files are listed, searched and followed.

use std::sync::Arc;

use axum::http::StatusCode;
use ibidem_ports::thesaurus::{Entry, Label, Statement, Thesaurus, Value as Stated, WordList};
use ibidem_ports::vocabulary::{Definition, LabelKind, VocabularyError};
use ibidem_testing::fakes::FakeVocabulary;
use ibidem_testing::suites::vocabulary::gridterms;
use serde_json::Value;

use crate::world::{Extras, POLICY, World, policy};

struct Shelf(Vec<WordList>);

impl Thesaurus for Shelf {
    fn word_lists(&self) -> &[WordList] {
        &self.0
    }
}

fn concept(name: &str, labels: &[(&str, &str)], deprecated: bool) -> Entry {
    Entry {
        uri: format!("urn:{name}"),
        types: Vec::new(),
        labels: labels
            .iter()
            .enumerate()
            .map(|(at, (text, language))| Label {
                kind: if *language == "-" {
                    LabelKind::Hidden
                } else if at == 0 || *language == "de" {
                    LabelKind::Preferred
                } else {
                    LabelKind::Alternative
                },
                text: (*text).to_owned(),
                language: (*language != "-").then(|| (*language).to_owned()),
            })
            .collect(),
        notations: Vec::new(),
        definitions: vec![Definition { text: format!("What {name} means."), language: Some("en".to_owned()) }],
        deprecated,
    }
}

fn points(from: &str, property: &str, to: &str) -> (String, Vec<Statement>) {
    let property = format!("http://www.w3.org/2004/02/skos/core#{property}");
    (format!("urn:{from}"), vec![Statement { property, value: Stated::Node(format!("urn:{to}")) }])
}

fn shelf() -> Shelf {
    let entries = [
        concept("leave", &[("Leave", "en"), ("Urlaub", "de"), ("Holiday", "en"), ("Leve", "-")], false),
        concept("parental", &[("Parental leave", "en"), ("Elternzeit", "de")], false),
        concept("unpaid", &[("Unpaid leave", "en")], false),
        concept("old", &[("Leave of old", "en")], true),
    ];
    // One says what is broader, the other what is narrower.
    let statements = [points("parental", "broader", "leave"), points("leave", "narrower", "unpaid")];
    Shelf(vec![WordList {
        id: "hr".to_owned(),
        titles: vec![("Words of HR".to_owned(), Some("en".to_owned()))],
        entries: entries.into_iter().map(|entry| (entry.uri.clone(), entry)).collect(),
        statements: statements.into_iter().collect(),
    }])
}

async fn with_shelf() -> (World, String) {
    let extras = Extras { thesaurus: Some(Arc::new(shelf())), ..Extras::default() };
    let world = World::create_with(policy(POLICY), extras).await;
    let asker = world.key("asker", &[]).await;
    (world, asker)
}

fn all(body: &Value, list: &str, field: &str) -> Vec<String> {
    body[list].as_array().unwrap().iter().map(|one| one[field].as_str().unwrap_or("-").to_owned()).collect()
}

#[tokio::test]
async fn terms_are_listed_and_searched_by_any_of_their_names() {
    let (world, asker) = with_shelf().await;
    let listed = world.call("GET", "/v1/terms", Some(&asker), "").await;
    assert_eq!((listed.status, &listed.body["source"]), (StatusCode::OK, &"files".into()), "{}", listed.text);
    assert_eq!(
        all(&listed.body, "terms", "label"),
        ["Leave", "Parental leave", "Unpaid leave"],
        "none that is withdrawn"
    );
    assert_eq!((&listed.body["total"], &listed.body["vocabularies"][0]["terms"]), (&3.into(), &3.into()));
    for (query, labels) in [
        ("?query=LEAVE", &["Leave", "Parental leave", "Unpaid leave"][..]),
        ("?query=holi", &["Leave"]),
        ("?query=leve", &[]),
        ("?query=elternzeit&language=de", &["Elternzeit"]),
        ("?query=elternzeit", &["Parental leave"]),
        ("?vocabulary=none", &[]),
        ("?limit=1&offset=1", &["Parental leave"]),
    ] {
        let found = world.call("GET", &format!("/v1/terms{query}"), Some(&asker), "").await;
        assert_eq!(all(&found.body, "terms", "label"), labels, "{query}: {}", found.text);
    }
    let found = world.call("GET", "/v1/terms?query=holi", Some(&asker), "").await;
    assert_eq!(all(&found.body, "terms", "matched"), ["Holiday"]);
    assert_eq!(all(&found.body, "terms", "definition"), ["What leave means."]);
    for wrong in ["?limit=0", "?limit=201", &format!("?query={}", "x".repeat(501))] {
        let reply = world.call("GET", &format!("/v1/terms{wrong}"), Some(&asker), "").await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}");
    }
    world.end().await;
}

#[tokio::test]
async fn a_concept_is_read_with_what_is_broader_and_narrower_whichever_of_both_says_so() {
    let (world, asker) = with_shelf().await;
    let read = async |uri: &str| world.call("GET", &format!("/v1/concepts?uri={uri}"), Some(&asker), "").await;
    let leave = read("urn:leave").await;
    assert_eq!(leave.status, StatusCode::OK, "{}", leave.text);
    assert_eq!(all(&leave.body, "narrower", "label"), ["Parental leave", "Unpaid leave"]);
    assert_eq!(all(&leave.body, "other_labels", "text"), ["Urlaub", "Holiday"], "and no hidden one");
    assert_eq!(all(&read("urn:unpaid").await.body, "broader", "label"), ["Leave"]);
    assert_eq!(all(&read("urn:parental").await.body, "broader", "uri"), ["urn:leave"]);
    assert_eq!(read("urn:none").await.status, StatusCode::NOT_FOUND);
    world.end().await;
}

#[tokio::test]
async fn a_concept_of_a_vocabulary_server_is_read_from_it() {
    let vocabulary = Arc::new(FakeVocabulary::of(gridterms()));
    let extras = Extras { vocabulary: Some(vocabulary.clone()), ..Extras::default() };
    let world = World::create_with(policy(POLICY), extras).await;
    let asker = world.key("asker", &[]).await;
    let read = async |name: &str| {
        let path = format!("/v1/concepts?uri=http://example.org/gridterms/{name}");
        world.call("GET", &path, Some(&asker), "").await
    };
    let tap = read("tap2").await;
    assert_eq!((tap.status, &tap.body["label"]), (StatusCode::OK, &"tap".into()), "{}", tap.text);
    assert_eq!(all(&tap.body, "definitions", "text"), ["Teed-off branch of a line."]);
    assert_eq!(all(&tap.body, "broader", "label"), ["line"]);
    assert_eq!(all(&read("multimatch").await.body, "narrower", "uri"), ["http://example.org/gridterms/tap2"]);
    assert_eq!(read("nobody").await.status, StatusCode::NOT_FOUND);
    vocabulary.fail(VocabularyError::Timeout(300));
    assert_eq!(read("tap2").await.status, StatusCode::SERVICE_UNAVAILABLE);
    world.end().await;
}

#[tokio::test]
async fn without_a_vocabulary_there_are_no_terms() {
    let world = World::create().await;
    let asker = world.key("asker", &[]).await;
    let listed = world.call("GET", "/v1/terms?query=leave", Some(&asker), "").await;
    assert_eq!((listed.status, &listed.body["source"]), (StatusCode::OK, &"none".into()));
    assert_eq!(world.call("GET", "/v1/concepts?uri=urn:x", Some(&asker), "").await.status, StatusCode::NOT_FOUND);
    world.end().await;
}
