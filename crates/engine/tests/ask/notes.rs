//! Curators' notes shape answers and are never in them.

use std::sync::Arc;

use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_testing::fakes::{FakeEmbedder, FakeMemory};
use ibidem_words::{MemoryEntry, MemoryId, MemoryKind, PassageKey, Reason, Tag};
use proptest::prelude::*;
use uuid::Uuid;

use crate::says;
use crate::world::{Book, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const PASSAGE: &str = "The gearbox holds 1.8 litres of oil and is filled from above.";
const QUESTION: &str = "gearbox oil litres filled above";

/// A library of one passage, and a note that the question calls up.
async fn world(model_says: &str, note: &str) -> World {
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let mut world = World::of(says(&[model_says]), vec![Book::of(PASSAGE)], embedder.clone(), DEFAULT).await;
    let id = MemoryId(Uuid::from_u128(5));
    let memory = FakeMemory::default();
    let kind = MemoryKind::Note { text: note.to_owned() };
    let entry =
        MemoryEntry { id, kind, triggers: vec![QUESTION.to_owned()], references: vec![], tags: vec![Tag::public()] };
    let version = memory.put(world.tenant, entry);
    let vector = embedder.embed_passages(vec![QUESTION.to_owned()]).await.unwrap().remove(0);
    let passage = PassageKey { document: id.as_document(), version, chunk_index: 0 };
    let point = IndexPoint { passage, vector, words: QUESTION.to_owned() };
    let document = IndexDocument {
        tenant: world.tenant.memory(),
        document: id.as_document(),
        collection: "memory".parse().unwrap(),
        kind: None,
        tags: vec![Tag::public()],
        points: vec![point],
    };
    world.index.publish(vec![document]).await.unwrap();
    world.engine.parts.memory = Some(Arc::new(memory));
    world
}

fn words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    format!(" {} ", words.map(str::to_lowercase).collect::<Vec<_>>().join(" "))
}

#[tokio::test]
async fn a_note_is_in_the_prompt_without_a_number_and_what_is_cited_is_said() {
    let world = world("It holds 1.8 litres.[^1]", "Mechanics say lube and mean oil.").await;
    let answer = world.ask(QUESTION).await.answer;
    assert_eq!(answer.answer, "It holds 1.8 litres.[1]");
    let prompts = world.model.prompts();
    let asked = &prompts[0].messages.last().unwrap().content;
    assert!(asked.contains("never repeat it") && asked.contains("- Mechanics say lube and mean oil."), "{asked}");
    assert_eq!(asked.matches("[^").count(), 1);
    assert_eq!(answer.citations.len(), 1);
}

#[tokio::test]
async fn a_model_that_repeats_the_note_is_not_believed_whatever_it_cites() {
    let world = world("Mechanics say lube and mean oil.[^1]", "Mechanics say lube and mean oil.").await;
    let answer = world.ask(QUESTION).await.answer;
    assert_eq!(answer.reason, Some(Reason::UnsupportedClaims));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    /// The model parrots the note with a valid marker, whole or a piece of it, among what the passage says.
    #[test]
    fn a_notes_text_is_never_in_an_answer(
        note in "[A-Z][a-z]{1,7}( [a-zé0-9]{1,7}){0,12}[.!?]",
        before in prop::sample::select(vec!["", "It holds 1.8 litres.[^1] ", "As said, "]),
        after in prop::sample::select(vec!["[^1]", "[^1] It is filled from above.[^1]", " and so on.[^1]"]),
        marker_inside in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let parroted = if marker_inside { note.replacen(' ', "[^1] ", 1) } else { note.clone() };
            let world = world(&format!("{before}{parroted}{after}"), &note).await;
            let answer = world.ask(QUESTION).await.answer;
            prop_assert_eq!(world.model_calls(), 1);
            let answer_words = words(&answer.answer.replace("[1]", " "));
            let is_the_passages = words(PASSAGE).contains(&words(&note));
            prop_assert!(is_the_passages || !answer_words.contains(&words(&note)), "{}", answer.answer);
            Ok(())
        })?;
    }
}
