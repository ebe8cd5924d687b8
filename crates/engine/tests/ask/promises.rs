//! What gathering promises a place reaches the model: the gates do not take it away again.

use std::sync::Arc;

use ibidem_engine::explain::{ExplainedCandidate, Explanation};
use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::{FakeReranker, Script};
use ibidem_words::{Action, Promise, Question, Reason};

use crate::says;
use crate::scenarios::PlacedEmbedder;
use crate::world::{Book, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const LECTURES: &str = include_str!("../../../../policies/lectures.yaml");

fn book(text: &str, similarity: f32) -> Book {
    Book { vector: Some(PlacedEmbedder::vector(similarity)), ..Book::of(text) }
}

async fn world(books: Vec<Book>, policy: &str) -> World {
    World::of(says(&["Duty comes first.[^1]"]), books, Arc::new(PlacedEmbedder::new()), policy).await
}

/// A reader that gives every text this probability, but for these.
fn read_by(world: &mut World, texts: &[(String, f32)]) {
    let texts: Vec<(String, f32)> =
        texts.iter().map(|(text, score)| (format!("Manual: Oil\n{text}"), *score)).collect();
    let texts: Vec<(&str, f32)> = texts.iter().map(|(text, score)| (text.as_str(), *score)).collect();
    world.engine.parts.reranker = Some(Part::bare(Arc::new(FakeReranker::scoring(&texts))));
}

fn notes(explanation: &Explanation) -> Vec<&ExplainedCandidate> {
    explanation.candidates.iter().filter(|candidate| candidate.note.is_some()).collect()
}

fn observed(explanation: &Explanation, gate: &str) -> Option<f64> {
    explanation.trace.iter().find(|record| record.gate == gate).map(|record| record.observed)
}

/// Twenty lectures that the reader prefers, two verses and two passages of the library that it does not.
async fn lectures() -> World {
    let lectures: Vec<String> =
        (0..20).map(|number| format!("Duty comes first in lecture {number} of {}.", number * 7)).collect();
    let kept = ["Verse of the river.", "Verse of the field.", "Shelf of the north.", "Shelf of the south."];
    let mut books: Vec<Book> = lectures.iter().map(|text| book(text, 0.9)).collect();
    for book in &mut books {
        book.kind = Some("lecture".parse().unwrap());
    }
    for (text, kind) in kept.iter().zip(["verse", "verse", "library", "library"]) {
        books.push(Book { kind: Some(kind.parse().unwrap()), ..book(text, 0.12) });
    }
    let mut world = world(books, LECTURES).await;
    let scores = lectures.into_iter().map(|text| (text, 0.95)).chain(kept.map(|text| (text.to_owned(), 0.01)));
    read_by(&mut world, &scores.collect::<Vec<_>>());
    world
}

#[tokio::test]
async fn the_kinds_that_places_are_reserved_for_reach_the_model() {
    let world = lectures().await;
    let explanation = world.explain("Does duty come first?").await;
    let of_kind = |kind: &str| notes(&explanation).iter().filter(|note| note.kind.as_deref() == Some(kind)).count();
    assert_eq!((of_kind("verse"), of_kind("library")), (2, 2), "{:?}", explanation.trace);
    assert_eq!(notes(&explanation).len(), 16, "as many as the reranker keeps");
    assert_eq!(observed(&explanation, "noise_floor_promised"), Some(4.0), "{:?}", explanation.trace);

    let answer = world.ask("Does duty come first?").await.answer;
    assert_eq!(answer.action, Action::Cite);
    let prompts = world.model.prompts();
    let asked = &prompts[0].messages.last().unwrap().content;
    for text in ["Verse of the river.", "Verse of the field.", "Shelf of the north.", "Shelf of the south."] {
        assert!(asked.contains(text), "{text} in {asked}");
    }
}

#[tokio::test]
async fn the_only_passage_with_a_term_that_the_asker_typed_reaches_the_model() {
    const TERM: &str = "Part XK4471 is grey.";
    let near: Vec<String> = (0..9).map(|number| format!("Gearbox oil, note {number} of {}.", number * 7)).collect();
    let books = || near.iter().map(|text| book(text, 0.9)).chain([book(TERM, 0.1)]).collect();
    let question = "Which gearbox oil for XK4471?";
    let has_term = |explanation: &Explanation| notes(explanation).iter().any(|note| note.text == TERM);

    let unread = world(books(), DEFAULT).await;
    let explanation = unread.explain(question).await;
    assert!(has_term(&explanation), "{:?}", explanation.trace);
    assert_eq!(observed(&explanation, "min_similarity_promised"), Some(1.0));
    assert_eq!(observed(&explanation, "keep_best_promised"), Some(1.0));
    assert!(notes(&explanation).len() <= 6, "the five best, and what was promised: {}", notes(&explanation).len());

    let mut read = world(books(), DEFAULT).await;
    let scores: Vec<(String, f32)> =
        near.iter().map(|text| (text.clone(), 0.9)).chain([(TERM.to_owned(), 0.0)]).collect();
    read_by(&mut read, &scores);
    let explanation = read.explain(question).await;
    assert!(explanation.reranked && has_term(&explanation), "{:?}", explanation.trace);
}

#[tokio::test]
async fn every_document_that_was_named_reaches_the_model_however_few_passages_are_wanted() {
    let named = |number: u32| Book {
        collection: "ADR".to_owned(),
        address: Some(format!("ADR-000{number}")),
        ..book(&format!("Gearbox oil by number {number} of {}.", number * 7), 0.5)
    };
    let mut world = world((1..=3).map(named).chain([book("Gearbox oil everywhere.", 0.9)]).collect(), DEFAULT).await;
    read_by(&mut world, &[]);
    let question = Question::new("Which gearbox oil do ADR-0001, ADR-0002 and ADR-0003 choose?").with_context_chunks(1);
    let explanation = world.engine.explain(world.asked(question)).await.unwrap();
    let kept = notes(&explanation);
    assert_eq!(kept.len(), 3, "{:?}", explanation.trace);
    assert!(kept.iter().all(|note| note.promised == Some(Promise::Name)));
}

#[tokio::test]
async fn a_promise_answers_nothing_that_the_gates_refuse_as_a_whole() {
    let far = world(vec![book("Part XK4471 is grey.", 0.1), book("Something else.", 0.2)], DEFAULT).await;
    let answer = far.ask("Which oil for XK4471?").await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::LowSimilarity)));

    let mut unanswered = lectures().await;
    read_by(&mut unanswered, &[]);
    let answer = unanswered.ask("Who painted the chapel?").await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::NotAnswered)));
}

#[tokio::test]
async fn a_policy_may_give_the_model_more_passages_than_the_asker_wants() {
    let books =
        (0..20).map(|number| book(&format!("Duty comes first, note {number} of {}.", number * 7), 0.9)).collect();
    let mut world = World::of(Script::CannotBeReached, books, Arc::new(PlacedEmbedder::new()), LECTURES).await;
    read_by(&mut world, &[]);
    assert_eq!(notes(&world.explain("Does duty come first?").await).len(), 16);
}
