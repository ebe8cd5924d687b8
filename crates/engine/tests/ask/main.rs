//! A question's life with scripted parts: what is asked of the model, and what becomes of what it says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing assertion is a test's product, in its helpers too")]

mod answers;
mod confidence;
mod confirmations;
mod degraded;
mod difference;
mod disguises;
mod faithful;
mod gathering;
mod in_form;
mod leaks;
mod look_alikes;
mod made_before;
mod named;
mod notes;
mod outgoing;
mod parts;
mod pins;
mod pool;
mod promises;
mod prompts;
mod put_in;
mod receipts;
mod refusals;
mod replayed;
mod revocation;
mod scenarios;
mod second_reader;
mod tools;
mod world;

use std::sync::Arc;

use ibidem_engine::ask::AskError;
use ibidem_engine::ask::Spoken;
use ibidem_engine::listener::Listener;
use ibidem_ports::language_model::{Cut, ModelError, ModelFault};
use ibidem_testing::fakes::{FakeEmbedder, FakeModel, Script};
use ibidem_words::Fallback;
use ibidem_words::{Action, Answer, Citation, Question, Reason};

use world::World;

const OIL: &str = "The gearbox holds 1.8 litres of oil.";

fn says(pieces: &[&str]) -> Script {
    Script::Says(pieces.iter().map(|piece| (*piece).to_owned()).collect())
}

fn breaks_off_after(piece: &str) -> Script {
    Script::BreaksOffAfter(vec![piece.to_owned()])
}

/// Whether it is streamed or not: what went out is whole sentences, and beside them stands that it is not all.
#[tokio::test]
async fn a_reply_that_was_cut_ends_in_a_warning_and_never_in_half_a_sentence() {
    let policy = world::BOOK.replace("wording:\n", "wording:\n  cut_short: The end of this answer is missing.\n");
    assert_ne!(policy, world::BOOK);
    for cut in [Cut::Length, Cut::Filter] {
        let pieces = ["The gearbox holds 1.8 litres of oil.[^1] The pump", " holds"].map(str::to_owned).to_vec();
        let script = Script::IsCutAfter(pieces, cut);
        let books = || vec![world::Book::of(OIL)];
        let embedder = || Arc::new(FakeEmbedder::new(64, 256));
        let world = World::of(script, books(), embedder(), &policy).await;
        let mut received = Received::default();
        let spoken = world.engine.ask(world.asked(Question::new(OIL)), &mut received).await.unwrap();
        let answer = spoken.answer;
        assert_eq!((answer.action, answer.answer.as_str()), (Action::Cite, "The gearbox holds 1.8 litres of oil.[1]"));
        assert_eq!(received.0.trim_end(), answer.answer);
        assert!(answer.warnings.contains(&"The end of this answer is missing.".to_owned()), "{:?}", answer.warnings);
        assert_eq!(answer.retrieval_quality.fallback_reasons, [Fallback::ModelInterrupted]);
        assert!(spoken.failure.unwrap().contains(&cut.to_string()));
        // Cut before its first whole sentence, nothing of it is said.
        let script = Script::IsCutAfter(vec!["The gearbox holds".to_owned()], cut);
        let answer = World::of(script, books(), embedder(), &policy).await.ask(OIL).await.answer;
        assert_eq!(answer.answer, format!("{OIL}[1]"), "the sources' own sentences stand in");
        assert_eq!(answer.retrieval_quality.fallback_reasons, [Fallback::Extractive]);
    }
}

/// What went out before the answer was whole.
#[derive(Default)]
struct Received(String);

impl Listener for Received {
    fn sentence(&mut self, text: &str, _: Vec<Citation>) {
        self.0.push_str(text);
    }
}

#[tokio::test]
async fn a_cited_sentence_is_said_and_an_uncited_one_is_not() {
    let script = says(&["The gearbox holds 1.8 li", "tres.[", "^1] It was built in 1961. Ask [^9] me."]);
    let world = World::with(script, &[OIL]).await;
    let Spoken { answer, draft, .. } = world.ask(OIL).await;
    assert_eq!((answer.action, answer.answer.as_str()), (Action::Cite, "The gearbox holds 1.8 litres.[1]"));
    assert_eq!(answer.citations.len(), 1);
    assert_eq!((answer.citations[0].marker, answer.citations[0].page_number), (1, Some(7)));
    assert_eq!(answer.citations[0].snippet, OIL);
    let receipt = answer.receipt.unwrap();
    assert_eq!((receipt.stretches.len(), receipt.policy_sha256), (1, world.policy.hash));
    assert_eq!(receipt.stretches[0].text, "The gearbox holds 1.8 litres.[1]");
    assert_eq!(receipt.stretches[0].sources[0].document_sha256, answer.citations[0].document_sha256);
    let draft = draft.unwrap();
    assert_eq!((draft.dropped_sentences(), draft.markers.expanded, draft.markers.not_minted), (2, 1, 1));
    assert!(draft.raw.contains("1961"), "the record keeps what the model really said");
}

#[tokio::test]
async fn below_the_threshold_the_books_own_words_refuse_and_no_model_is_asked() {
    let world = World::with(says(&["Anything.[^1]"]), &[OIL]).await;
    let Spoken { answer, draft, .. } = world.ask("Who painted the ceiling of the chapel").await;
    assert_eq!(answer.answer, "This information cannot be verified from the book content.");
    assert!(answer.refused && draft.is_none() && answer.citations.is_empty());
    assert_eq!(answer.reason, Some(Reason::LowSimilarity));
    let reason = answer.refusal_reason.unwrap();
    assert!(reason.starts_with("Top-1 similarity (0") && reason.ends_with(") below threshold (0.7)"), "{reason}");
    assert!(!answer.suggestions.is_empty());
    assert_eq!(world.model_calls(), 0);
}

#[tokio::test]
async fn a_model_that_cites_nothing_is_not_believed() {
    let world = World::with(says(&["The gearbox holds 3 litres."]), &[OIL]).await;
    let answer = world.ask(OIL).await.answer;
    assert_eq!((answer.reason, answer.grounded), (Some(Reason::UnsupportedClaims), false));
    assert!(!answer.answer.contains('3'));
    assert!(answer.retrieval_quality.confidence_score > 0.9, "what was found was good: {:?}", answer.retrieval_quality);
}

#[tokio::test]
async fn when_the_model_fails_the_sources_own_sentences_stand_in_and_that_is_said() {
    for script in [Script::CannotBeReached, breaks_off_after("The gearbox hol")] {
        let world = World::with(script, &[OIL]).await;
        let Spoken { answer, failure, .. } = world.ask(OIL).await;
        assert!(failure.is_some_and(|failure| !answer.warnings.contains(&failure)), "the operator is told what failed");
        assert_eq!(answer.answer, format!("{OIL}[1]"));
        assert_eq!(answer.model_used.as_deref(), Some("extractive"));
        assert_eq!(answer.retrieval_quality.fallback_reasons, ["extractive"]);
        assert!(!answer.transparency.show_to_user, "nothing was searched otherwise than usual");
        assert_eq!(answer.notices().len(), 1, "it is said once: {:?}", answer.notices());
        assert!(answer.warnings[0].starts_with("Quoted word for word from"), "{:?}", answer.warnings);
    }
}

#[tokio::test]
async fn whole_cited_sentences_of_a_model_that_broke_off_are_kept_and_the_rest_is_named() {
    let script = breaks_off_after("The gearbox holds 1.8 litres.[^1] And the next se");
    let answer = World::with(script, &[OIL]).await.ask(OIL).await.answer;
    assert_eq!(answer.answer, "The gearbox holds 1.8 litres.[1]");
    assert!(answer.warnings.iter().any(|warning| warning.contains("stopped before")));
}

#[tokio::test]
async fn without_the_index_nothing_is_answered() {
    let world = World::with(says(&["Anything.[^1]"]), &[OIL]).await;
    world.index.set_down(true);
    let answer = world.ask(OIL).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::RetrievalUnavailable)));
    assert_eq!(world.model_calls(), 0);
}

#[tokio::test]
async fn the_same_question_always_gets_the_same_answer() {
    let texts =
        ["The gearbox holds 1.8 litres of oil.", "The gearbox holds oil.", "The gearbox oil is changed yearly."];
    let script = says(&["It holds 1.8 litres.[^1] It is changed yearly.[^3]"]);
    let world = World::with(script, &texts).await;
    // How long the model took is the one thing that differs.
    let answer = async || {
        let mut answer = Answer { generation_time_ms: 0, ..world.ask("The gearbox holds oil").await.answer };
        answer.seal_again(None);
        answer
    };
    let first = answer().await;
    for _ in 0..50 {
        assert_eq!(answer().await, first);
    }
}

#[tokio::test]
async fn a_model_that_is_not_allowed_is_an_error_before_anything_is_searched() {
    let world = World::with(says(&["Oil.[^1]"]), &[OIL]).await;
    world.index.set_down(true);
    let question = Question::new(OIL).of_model("other");
    let error = world.put(question).await.unwrap_err();
    let allowed = vec![FakeModel::NAME.to_owned()];
    assert_eq!(error, AskError::Model(ModelError::Own(ModelFault::NotAllowed { model: "other".to_owned(), allowed })));
}

#[tokio::test]
async fn a_model_that_was_named_and_is_not_served_is_an_error_but_the_configured_one_is_stood_in_for() {
    let world = World::with(Script::NotServed, &[OIL]).await;
    let named = Question::new(OIL).of_model(FakeModel::NAME);
    assert!(matches!(world.put(named).await, Err(AskError::Model(ModelError::Own(ModelFault::NotServed { .. })))));
    let answer = world.ask(OIL).await.answer;
    assert_eq!((answer.model_used.as_deref(), answer.receipt.unwrap().claims().count()), (Some("extractive"), 1));
}
