//! A pin quotes what was pinned for, and never makes its question worse.

use std::sync::Arc;

use ibidem_ports::catalogue::CataloguePassage;
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_testing::fakes::{self, FakeEmbedder, FakeMemory, FakeModel, FakeReranker, Script};
use ibidem_words::{
    Action, Answer, DocumentId, MemoryEntry, MemoryId, MemoryKind, PassageKey, Reference, SourceId, Tag,
};
use uuid::Uuid;

use crate::scenarios::PlacedEmbedder;
use crate::world::{Book, TAG, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const QUESTION: &str = "How much does it take?";
const HANDBOOK: [&str; 6] = [
    "Chapter one greets readers.",
    "Chapter two thanks staff.",
    "Chapter three lists tools.",
    "Chapter four names colours.",
    "Chapter five says 1.8 litres.",
    "Chapter six closes books.",
];
const OTHER: &str = "Another leaflet says 9 litres.";

/// Another document that the search finds first, and a handbook that it does not.
async fn world(embedder: Arc<dyn Embedder>) -> World {
    let policy = DEFAULT.replace("mode: model", "mode: extractive");
    let books = vec![Book { vector: Some(PlacedEmbedder::vector(0.9)), ..Book::of(OTHER) }];
    World::of(Script::CannotBeReached, books, embedder, &policy).await
}

fn handbook() -> DocumentId {
    DocumentId(Uuid::from_u128(77))
}

/// Shelves the handbook, and pins it to the question.
async fn pin(world: &mut World, references: Vec<Reference>, trigger: &str, vector: Vec<f32>) {
    let tags: Vec<Tag> = vec![TAG.parse().unwrap()];
    let passages: Vec<CataloguePassage> = (0..)
        .zip(HANDBOOK)
        .map(|(chunk_index, text)| CataloguePassage {
            passage: PassageKey { document: handbook(), version: 1, chunk_index },
            title: "Manual".to_owned(),
            section: Some("Oil".to_owned()),
            ..fakes::passage(77, &"Book".parse().unwrap(), text)
        })
        .collect();
    let dimensions = vector.len();
    let far = |place: usize| {
        if dimensions == 2 { PlacedEmbedder::vector(0.2 + 0.01 * place as f32) } else { vec![0.1; dimensions] }
    };
    let points = passages.iter().enumerate();
    let points =
        points.map(|(place, one)| IndexPoint { passage: one.passage, vector: far(place), words: one.text.clone() });
    let document = |tenant, document, points| IndexDocument {
        tenant,
        document,
        collection: "Book".parse().unwrap(),
        kind: None,
        tags: tags.clone(),
        points,
    };
    let memory = FakeMemory::default();
    let id = MemoryId(Uuid::from_u128(5));
    let triggers = vec![trigger.to_owned()];
    let entry = MemoryEntry { id, kind: MemoryKind::Pin, triggers, references, tags: vec![Tag::public()] };
    let version = memory.put(world.tenant, entry);
    let of_pin = PassageKey { document: id.as_document(), version, chunk_index: 0 };
    let of_pin = vec![IndexPoint { passage: of_pin, vector, words: trigger.to_owned() }];
    let pinned =
        IndexDocument { tags: vec![Tag::public()], ..document(world.tenant.memory(), id.as_document(), of_pin) };
    world.index.publish(vec![document(world.tenant, handbook(), points.collect()), pinned]).await.unwrap();
    for passage in &passages {
        world.catalogue.put(world.tenant, tags.clone(), passage.clone());
    }
    memory.put_document(world.tenant, tags.clone(), passages);
    world.engine.parts.memory = Some(Arc::new(memory));
}

/// A reader that finds these words in these texts, and nothing in others.
fn read_by(world: &mut World, answers: &[(&str, &str)]) {
    let answers: Vec<(String, &str)> =
        answers.iter().map(|(text, words)| (format!("Manual: Oil\n{text}"), *words)).collect();
    let answers: Vec<(&str, &str)> = answers.iter().map(|(text, words)| (text.as_str(), *words)).collect();
    world.engine.parts.reranker = Some(Part::bare(Arc::new(FakeReranker::finding(&answers))));
}

/// The answer to the pinned question, with a reader that finds these words.
async fn answer(references: Vec<Reference>, answers: &[(&str, &str)]) -> Answer {
    let mut world = world(Arc::new(PlacedEmbedder::new())).await;
    pin(&mut world, references, QUESTION, PlacedEmbedder::vector(0.99)).await;
    read_by(&mut world, answers);
    world.ask(QUESTION).await.answer
}

fn whole() -> Vec<Reference> {
    vec![Reference::Document(handbook())]
}

fn marked(chunk_index: u32) -> Vec<Reference> {
    vec![Reference::Passage(SourceId { document: handbook(), chunk_index })]
}

#[tokio::test]
async fn a_pin_to_a_document_quotes_the_passage_of_it_that_answers_wherever_it_stands() {
    let both = [(HANDBOOK[4], "1.8 litres"), (OTHER, "9 litres")];
    let answer = answer(whole(), &both).await;
    assert_eq!((answer.action, answer.answer), (Action::Cite, format!("{}[1]", HANDBOOK[4])));
}

#[tokio::test]
async fn a_pin_to_a_passage_quotes_that_passage() {
    let answer = answer(marked(3), &[(HANDBOOK[3], "colours"), (HANDBOOK[4], "1.8 litres")]).await;
    assert_eq!((answer.action, answer.answer), (Action::Cite, format!("{}[1]", HANDBOOK[3])));
}

#[tokio::test]
async fn where_the_pinned_document_does_not_answer_and_another_does_the_other_is_quoted_as_without_the_pin() {
    for references in [whole(), marked(3)] {
        let answer = answer(references, &[(OTHER, "9 litres")]).await;
        assert_eq!((answer.action, answer.answer), (Action::Cite, format!("{OTHER}[1]")));
    }
}

#[tokio::test]
async fn where_nothing_answers_by_the_reader_the_curators_word_counts() {
    let answer = answer(marked(3), &[]).await;
    assert_eq!((answer.action, answer.answer), (Action::Cite, format!("{}[1]", HANDBOOK[3])));
}

#[tokio::test]
async fn without_a_reader_a_pin_brings_the_passages_of_its_document_that_come_closest() {
    let mut world = world(Arc::new(PlacedEmbedder::new())).await;
    pin(&mut world, whole(), QUESTION, PlacedEmbedder::vector(0.99)).await;
    let explanation = world.explain(QUESTION).await;
    assert!(explanation.curated_suffices);
    let curated = explanation.candidates.iter().filter(|candidate| candidate.curated.is_some());
    let texts: Vec<&str> = curated.map(|candidate| candidate.text.as_str()).collect();
    assert_eq!(texts, [HANDBOOK[5], HANDBOOK[4], HANDBOOK[3]]);
}

#[tokio::test]
async fn a_pin_is_called_up_by_the_question_in_other_words() {
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let trigger = "lubricant filled above";
    let vector = embedder.embed_passages(vec![trigger.to_owned()]).await.unwrap().remove(0);
    let policy =
        DEFAULT.replacen("\nsift:", "\n  rewrites: {most: 3, max_tokens: 100, prompt: 'Rewrite it.'}\n\nsift:", 1);
    let mut world = World::of(Script::CannotBeReached, vec![Book::of("Wipers have clips.")], embedder, &policy).await;
    pin(&mut world, marked(4), trigger, vector).await;
    assert!(world.explain("gearbox litres").await.curated.iter().all(|entry| !entry.accepted));
    world.plan_with(FakeModel::saying(&["same: lubricant filled above"]));
    let explanation = world.explain("gearbox litres").await;
    assert!(explanation.curated.iter().any(|entry| entry.accepted), "{:?}", explanation.variants);
    assert_eq!(explanation.candidates[0].text, HANDBOOK[4]);
}
