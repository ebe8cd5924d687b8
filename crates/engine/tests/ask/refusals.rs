//! Refusals that help: what came nearest, what else would be answered, and why in words.

use std::sync::Arc;

use ibidem_engine::ask::AskError;
use ibidem_engine::search::UnknownCollections;
use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::{FakeEmbedder, FakeReranker};
use ibidem_words::{Action, Question, Reason};

use crate::says;
use crate::world::{Book, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const TEXT: &str = "The gearbox holds oil, and oil is what the gearbox is about.";
const QUESTION: &str = "How much oil does the gearbox take?";

async fn refusing(reader: FakeReranker) -> World {
    let book = Book { address: Some("MAN-7".to_owned()), ..Book::of(TEXT) };
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let mut world = World::of(says(&["Oil.[^1]"]), vec![book], embedder, DEFAULT).await;
    world.engine.parts.reranker = Some(Part::bare(Arc::new(reader)));
    world
}

/// Gives the passage one score whatever is asked.
fn always(score: f32) -> FakeReranker {
    FakeReranker::scoring(&[(&format!("Manual: Oil\n{TEXT}"), score)]).as_reader()
}

#[tokio::test]
async fn a_refusal_names_what_came_nearest_and_why_it_is_no_answer() {
    let world = refusing(always(0.04)).await;
    let answer = world.ask(QUESTION).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::NotAnswered)));
    let [miss] = &answer.nearest[..] else { panic!("one document came near: {answer:#?}") };
    assert_eq!((miss.title.as_str(), miss.section.as_deref()), ("Manual", Some("Oil")));
    assert_eq!(miss.address.as_deref(), Some("MAN-7"));
    assert_eq!(miss.why, "It was read and does not seem to answer the question.");
    assert_eq!(miss.answers, Some(0.04), "the number is beside it");
    assert_eq!(answer.answer, "I found no passage that answers this.");
    assert_eq!(answer.why.as_deref(), Some("No passage was good enough."));
    assert!(answer.refusal_reason.is_some_and(|numbers| numbers.contains("(0.04)")));
    // Whatever the reader finds: what stands below the heading of a document that has an address is its own answer.
    let [offer] = &answer.offers[..] else { panic!("one question is answered: {:?}", answer.offers) };
    assert_eq!(offer.query, "What does MAN-7 say about Oil?");
    assert_eq!(world.ask(&offer.query).await.answer.action, Action::Cite);
    assert_eq!(answer.suggestions, [offer.text.as_str(), "Ask in other words, or about something narrower."]);
}

#[tokio::test]
async fn what_is_suggested_would_be_answered_by_the_readers_own_word() {
    // The reader counts words: the question that is suggested has all of the passage's title and section.
    let text = "What does the manual say about oil? MAN-7 says that oil is oil.";
    let book = Book { address: Some("MAN-7".to_owned()), ..Book::of(text) };
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let mut world = World::of(says(&["Oil.[^1]"]), vec![book], embedder, DEFAULT).await;
    world.engine.parts.reranker = Some(Part::bare(Arc::new(FakeReranker::default().as_reader())));
    let answer = world.ask("Which oil is cheapest in winter nearby?").await.answer;
    assert_eq!(answer.reason, Some(Reason::NotAnswered), "{answer:#?}");
    let [offer] = &answer.offers[..] else { panic!("one question is answered: {answer:#?}") };
    assert_eq!(offer.text, "What does MAN-7 (Manual) say about Oil?");
    assert_eq!(offer.query, "What does MAN-7 say about Oil?", "what the document says of it needs no search");
    assert_eq!(answer.suggestions[0], offer.text);
    assert_eq!(world.ask(&offer.query).await.answer.action, Action::Cite);
}

#[tokio::test]
async fn what_would_be_refused_after_it_was_read_is_not_offered() {
    // The reader is sure of the passage, whatever is asked; of the finished answer it is not.
    let whole = format!("Manual: Oil\n{TEXT}");
    let reader = FakeReranker::scoring(&[(&whole, 0.6)]).as_reader();
    let policy = DEFAULT
        .replace("- answerability: 0.75", "- answerability: 0.5")
        .replace("least_answering: 0.5", "least_answering: 0.999");
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let mut world = World::of(says(&["I don't know."]), vec![Book::of(TEXT)], embedder, &policy).await;
    world.engine.parts.reranker = Some(Part::bare(Arc::new(reader)));
    let answer = world.ask(QUESTION).await.answer;
    assert!(answer.refused && !answer.nearest.is_empty(), "{answer:#?}");
    assert!(answer.offers.is_empty(), "{:?}", answer.offers);
}

#[tokio::test]
async fn an_unknown_collection_is_an_error_and_no_refusal() {
    let world = refusing(always(0.9)).await;
    let named = |name: &str| Question::new(QUESTION).in_collections(vec![name.parse().unwrap()]);
    assert!(world.put(named("Book")).await.is_ok());
    let error = world.put(named("Bok")).await.unwrap_err();
    assert_eq!(error, AskError::Collections(UnknownCollections(vec!["Bok".parse().unwrap()])));
    assert!(error.to_string().contains("\"Bok\""), "{error}");
}
