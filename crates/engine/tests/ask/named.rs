//! Documents that are called by name, and documents that are not in force.

use std::sync::Arc;

use ibidem_ports::catalogue::{Catalogue as _, CataloguePassage};
use ibidem_ports::degrade::Part;
use ibidem_ports::reranker::Reranker;
use ibidem_testing::fakes::{FakeEmbedder, FakeReranker, Script};
use ibidem_words::{Action, DocumentId, PassageKey, Question, Reason, Status, Validity};
use uuid::Uuid;

use crate::world::{Book, TAG, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");

/// A library of documents with addresses, and a reader that gives these probabilities.
async fn world(documents: &[(&str, &str, f32)]) -> World {
    let book = |(address, text, _): &(&str, &str, f32)| Book {
        collection: "ADR".to_owned(),
        address: Some((*address).to_owned()),
        ..Book::of(text)
    };
    let books = documents.iter().map(book).collect();
    let mut world = World::of(Script::CannotBeReached, books, Arc::new(FakeEmbedder::new(64, 256)), DEFAULT).await;
    // Under its name where it is named.
    let read: Vec<(String, f32)> = documents
        .iter()
        .flat_map(|(address, text, score)| {
            [format!("Manual: Oil\n{text}"), format!("{address} Manual: Oil\n{text}")].map(|text| (text, *score))
        })
        .collect();
    let read: Vec<(&str, f32)> = read.iter().map(|(text, score)| (text.as_str(), *score)).collect();
    let reader: Arc<dyn Reranker> = Arc::new(FakeReranker::scoring(&read));
    world.engine.parts.reranker = Some(Part::bare(reader));
    world
}

/// Changes what the catalogue has of one of them, counted from 1.
async fn change(world: &World, number: u128, change: impl FnOnce(&mut CataloguePassage)) {
    let document = DocumentId(Uuid::from_u128(number << 64));
    let key = PassageKey { document, version: 1, chunk_index: 0 };
    let scope = world.asked(Question::new("anything")).scope;
    let mut passage = world.catalogue.visible(&scope, &[key]).await.unwrap().remove(0);
    change(&mut passage);
    world.catalogue.put(world.tenant, vec![TAG.parse().unwrap()], passage);
}

#[tokio::test]
async fn a_named_document_that_does_not_answer_is_said_to_not_answer() {
    let lunch = "Lunch is served at noon in the canteen of the main building.";
    let backups = "Backups are restored every quarter to prove that they can be.";
    let world = world(&[("ADR-0077", lunch, 0.02), ("ADR-0016", backups, 0.97)]).await;
    let answer = world.ask("What does ADR-77 say about how often backups are restored?").await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::NotAnswered)), "{}", answer.answer);
    let answer = world.ask("What does ADR-16 say about how often backups are restored?").await.answer;
    assert_eq!(answer.action, Action::Cite);
    assert!(answer.answer.starts_with(backups) && !answer.answer.contains("Lunch"), "{}", answer.answer);
    assert_eq!(answer.citations[0].address.as_deref(), Some("ADR-0016"));
    let both = world.ask("How often are backups restored, by ADR-0016 and ADR-0077?").await.answer;
    assert!(both.answer.contains("every quarter") && !both.answer.contains("Lunch"), "{}", both.answer);
    assert!(
        both.warnings.iter().any(|warning| warning == "I found nothing on this in ADR-0077."),
        "{:?}",
        both.warnings
    );
}

#[tokio::test]
async fn what_was_replaced_stands_behind_what_replaced_it_and_is_marked() {
    let old = "Connections use TLS version 1.2 as the minimum for transport.";
    let new = "Connections use TLS version 1.3 as the minimum for transport.";
    let question = "Which TLS version is the minimum for connections?";
    let superseded = |passage: &mut CataloguePassage| {
        passage.validity = Validity {
            status: Some(Status::Superseded),
            replaced_by: vec!["ADR-0031".to_owned()],
            ..Validity::default()
        };
    };
    let both = world(&[("ADR-0003", old, 0.95), ("ADR-0031", new, 0.90)]).await;
    change(&both, 1, superseded).await;
    let answer = both.ask(question).await.answer;
    assert!(answer.answer.starts_with(new), "what is in force comes first: {}", answer.answer);

    let alone = world(&[("ADR-0003", old, 0.95), ("ADR-0031", "It is about something else.", 0.05)]).await;
    change(&alone, 1, superseded).await;
    let answer = alone.ask(question).await.answer;
    assert!(answer.answer.contains(old), "{}", answer.answer);
    assert!(answer.answer.ends_with("ADR-0003 is superseded. It was replaced by ADR-0031."), "{}", answer.answer);
    let cited = answer.citations.iter().find(|cited| cited.address.as_deref() == Some("ADR-0003")).unwrap();
    assert_eq!(
        (cited.status.as_deref(), cited.replaced_by.as_slice()),
        (Some("superseded"), &["ADR-0031".to_owned()][..])
    );
    assert_eq!(answer.receipt.unwrap().text(), answer.answer, "the mark is in the receipt");
}

#[tokio::test]
async fn a_question_for_what_was_decided_and_why_gets_these_parts_and_the_status() {
    let decided = "The proposal is rejected. Work orders are shown on company tablets only.";
    let world = world(&[("ADR-0025", decided, 0.1), ("ADR-0026", "Something else.", 0.9)]).await;
    change(&world, 1, |passage| {
        passage.section = Some("Decision".to_owned());
        passage.validity.status = Some(Status::Rejected);
    })
    .await;
    let answer = world.ask("What did ADR-0025 decide, and why?").await.answer;
    assert_eq!(answer.action, Action::Cite);
    assert!(answer.answer.contains(decided) && answer.answer.contains("ADR-0025 is rejected"), "{}", answer.answer);
    assert_eq!(answer.citations.len(), 1);
}

#[tokio::test]
async fn documents_of_every_series_are_named_and_ranges_miss_nothing_silently() {
    let documents =
        [("POLICY-03", "Keys are kept.", 0.1), ("POLICY-05", "Doors are shut.", 0.1), ("ODH-ADR-0003", "Data.", 0.1)];
    let world = world(&documents).await;
    for (query, quoted) in [
        ("POLICY-03", &["Keys are kept."][..]),
        ("What does ODH-ADR-0003 say?", &["Data."]),
        ("Show me POLICY-03 to POLICY-05", &["Keys are kept.", "Doors are shut."]),
        ("policy-03–05", &["Keys are kept.", "Doors are shut."]),
    ] {
        let answer = world.ask(query).await.answer;
        assert_eq!((answer.action, answer.citations.len()), (Action::Cite, quoted.len()), "{query}: {}", answer.answer);
        assert!(quoted.iter().all(|text| answer.answer.contains(text)), "{query}: {}", answer.answer);
        let is_range = quoted.len() > 1;
        let warned = answer.warnings.iter().any(|warning| warning == "There is no document called policy 4.");
        assert_eq!(warned, is_range, "{query}: {:?}", answer.warnings);
    }
    let long = world.ask("POLICY-03 to POLICY-99").await.answer;
    assert!(long.warnings.iter().any(|warning| warning.contains("only the first 20")), "{:?}", long.warnings);
    let missing = world.ask("What does POLICY-77 say about keys?").await.answer;
    assert_eq!(missing.reason, Some(Reason::EntityNotFound));
    let priority = world.ask("What does P1 mean for keys that are kept?").await.answer;
    assert_ne!(priority.reason, Some(Reason::EntityNotFound), "no document is of that series");
}
