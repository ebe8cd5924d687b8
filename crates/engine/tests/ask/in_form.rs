//! A model that replies in a form: it writes sentences with their notes in JSON, or chooses among the notes' sentences.

use std::sync::Arc;

use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::{FakeEmbedder, FakeModel, FakeReranker, Script};
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

const BY_SCHEMA: &str = "  mode: model\n  notes_by: schema";

/// A world whose model replies in turn.
async fn in_turn(replies: &[&str]) -> World {
    let mut world = world(BY_SCHEMA, "").await;
    let replies = replies.iter().map(|reply| (*reply).to_owned()).collect();
    world.model = Arc::new(FakeModel::new(Script::SaysInTurn(replies)));
    world.engine.parts.roles = Arc::new(Roles::answering(NamedModel::unknown(world.model.clone())));
    // What it quotes is read by nobody here.
    world.engine.parts.reranker = None;
    world
}

const FALSE: &str = r#"{"sentences": [{"text": "The gearbox holds 1.8 litres of oil.", "notes": [1]},
    {"text": "It is changed every 90,000 km.", "notes": [1]}]}"#;

#[tokio::test]
async fn what_its_notes_do_not_bear_out_is_asked_for_once_more_with_the_reason() {
    let world = in_turn(&[FALSE, r#"{"sentences": [{"text": "It is changed every 40,000 km.", "notes": [1]}]}"#]).await;
    let spoken = world.ask(QUESTION).await;
    let expected = "The gearbox holds 1.8 litres of oil.[1] It is changed every 40,000 km.[1]";
    assert_eq!(spoken.answer.answer, expected, "{:#?}", spoken.answer);
    let draft = spoken.draft.unwrap();
    assert_eq!((draft.dropped.len(), draft.replaced.len()), (1, 0));
    let prompts = world.model.prompts();
    let [first, second] = &prompts[..] else { panic!("{} prompts", prompts.len()) };
    assert_eq!(second.form, first.form);
    let why = &second.messages.last().unwrap().content;
    assert!(why.contains("“It is changed every 90,000 km.” (note 1)") && !why.contains("1.8"), "{why}");
}

#[tokio::test]
async fn what_fails_again_gives_way_to_the_sources_own_sentence_and_is_asked_for_no_third_time() {
    for second in [FALSE, r#"{"sentences": []}"#, "", "I cannot."] {
        let world = in_turn(&[FALSE, second]).await;
        let spoken = world.ask(QUESTION).await;
        assert!(!spoken.answer.answer.contains("90,000"), "{second}: {}", spoken.answer.answer);
        assert_eq!(world.model.prompts().len(), 2, "{second}");
    }
}

#[tokio::test]
async fn a_reply_that_is_borne_out_is_asked_for_once() {
    let world = in_turn(&[r#"{"sentences": [{"text": "The gearbox holds 1.8 litres of oil.", "notes": [1]}]}"#]).await;
    assert_eq!(world.ask(QUESTION).await.answer.action, Action::Cite);
    assert_eq!(world.model.prompts().len(), 1);
}

#[tokio::test]
async fn a_model_reads_all_notes_in_one_call_and_both_readers_are_in_the_trace() {
    let outline = "  outline: {notes_by: schema, prompt: Which notes answer?}\n  mode: model";
    for (reply, action) in
        [(r#"{"answered": true, "notes": [1]}"#, Action::Cite), (r#"{"answered": false, "notes": []}"#, Action::Refuse)]
    {
        let mut world = world(outline, "The gearbox holds 1.8 litres of oil.[^1]").await;
        world.plan_with(FakeModel::saying(&[reply]));
        let spoken = world.ask(QUESTION).await;
        assert_eq!(spoken.answer.action, action, "{reply}: {:#?}", spoken.answer);
        let gates: Vec<&str> = spoken.answer.trace.iter().map(|gate| gate.gate.as_str()).collect();
        for gate in ["answerability", "answered_by_model", "outline"] {
            assert!(gates.contains(&gate), "{gate} in {gates:?}");
        }
        if action == Action::Refuse {
            assert_eq!(spoken.answer.reason, Some(Reason::NoThesis));
        }
    }
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
