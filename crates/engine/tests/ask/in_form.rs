//! A model that replies in a form: it writes sentences with their notes in JSON, or chooses among the notes' sentences.

use std::sync::Arc;

use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::{FakeEmbedder, FakeReranker};
use ibidem_words::{Action, Fallback, Reason};

use crate::says;
use crate::world::{Book, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const PASSAGE: &str = "The gearbox holds 1.8 litres of oil. It is changed every 40,000 km. The wipers have two clips.";
const QUESTION: &str = "How many litres of oil does the gearbox hold?";

async fn world(mode: &str, reply: &str) -> World {
    let policy = DEFAULT.replace("  mode: model", mode);
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let mut world = World::of(says(&[reply]), vec![Book::of(PASSAGE)], embedder, &policy).await;
    let in_context = |text: &str| format!("Manual: Oil\n{text}");
    let first = "The gearbox holds 1.8 litres of oil.";
    let quoted = [PASSAGE, first, &format!("{first} It is changed every 40,000 km.")].map(in_context);
    let scores = quoted.map(|text| (text, 0.9));
    let scores: Vec<(&str, f32)> = scores.iter().map(|(text, score)| (text.as_str(), *score)).collect();
    world.engine.parts.reranker = Some(Part::bare(Arc::new(FakeReranker::scoring(&scores).as_reader())));
    world
}

#[tokio::test]
async fn sentences_in_a_form_are_said_with_their_notes_and_the_others_are_not() {
    let reply = r#"{"sentences": [{"text": "The gearbox holds 1.8 litres of oil.", "notes": [1]},
        {"text": "It costs EUR 90 [1].", "notes": [1]}]}"#;
    let world = world("  mode: model\n  notes_by: schema", reply).await;
    let answer = world.ask(QUESTION).await.answer;
    assert_eq!(answer.answer, "The gearbox holds 1.8 litres of oil.[1]", "{answer:#?}");
    let prompt = &world.model.prompts()[0];
    let enumeration = &prompt.form.as_ref().unwrap().schema["properties"]["sentences"]["items"]["properties"]["notes"];
    assert_eq!(enumeration["items"]["enum"], serde_json::json!([1]));
    assert!(prompt.messages[0].content.contains("Reply in JSON"), "{prompt:?}");
    assert!(prompt.messages.iter().any(|message| message.content.starts_with(r#"{"sentences":[{"#)), "{prompt:?}");
}

#[tokio::test]
async fn a_model_that_knows_of_no_form_is_read_as_it_writes() {
    let world = world("  mode: model\n  notes_by: schema", "The gearbox holds 1.8 litres of oil.[^1]").await;
    assert_eq!(world.ask(QUESTION).await.answer.answer, "The gearbox holds 1.8 litres of oil.[1]");
}

#[tokio::test]
async fn what_is_chosen_is_quoted_and_its_decision_can_be_made_again() {
    let world = world("  mode: choose", r#"{"sentences": [1]}"#).await;
    let spoken = world.ask(QUESTION).await;
    assert_eq!(spoken.answer.answer, "The gearbox holds 1.8 litres of oil.[1]", "{:#?}", spoken.answer);
    assert!(!spoken.answer.retrieval_quality.fallback_reasons.contains(&Fallback::Extractive));
    let prompts = world.model.prompts();
    let asked = &prompts[0].messages[1].content;
    assert!(
        asked.contains("\n2: The gearbox holds 1.8 litres of oil. It is changed every 40,000 km.\n")
            && asked.contains(QUESTION),
        "{asked}"
    );
    let draft = spoken.draft.unwrap();
    assert!(draft.is_choice && draft.released[0].check.by == "verbatim", "{draft:?}");
}

#[tokio::test]
async fn a_model_that_chooses_nothing_is_believed() {
    for mode in ["  mode: choose", "  mode: model\n  notes_by: schema"] {
        let answer = world(mode, r#"{"sentences": []}"#).await.ask(QUESTION).await.answer;
        assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::NoResults)), "{mode}: {answer:#?}");
    }
}

#[tokio::test]
async fn where_nothing_of_the_kind_was_chosen_the_sources_speak_as_without_a_model() {
    for reply in [r#"{"sentences": [77]}"#, "The second one, I think."] {
        let mut world = world("  mode: choose", reply).await;
        // What the sources say by themselves is chosen by words here.
        world.engine.parts.reranker = None;
        let spoken = world.ask(QUESTION).await;
        assert_eq!(spoken.answer.action, Action::Cite, "{:#?}", spoken.answer);
        assert!(spoken.answer.retrieval_quality.fallback_reasons.contains(&Fallback::Extractive), "{reply}");
        assert!(spoken.failure.unwrap().contains("did not choose"), "{reply}");
    }
}
