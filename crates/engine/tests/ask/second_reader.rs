//! A second reader decides about the best few: up and down, in the gate and for the answer, and never by halves.

use std::sync::Arc;

use ibidem_engine::parts::SecondReader;
use ibidem_ports::degrade::Part;
use ibidem_ports::reranker::RerankError;
use ibidem_testing::fakes::{FakeEmbedder, FakeReranker, Script};
use ibidem_words::{Action, Fallback, Reason, Verdict};

use crate::world::{Book, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const WHICH: &str = "Which engine was selected for the forum?";
const SELECTED: &str = "Discourse was selected for the forum.";
const LISTED: &str = "Search engine results list forum posts.";

/// Gives the two passages these scores, and says where they answer.
fn reader(selected: f32, listed: f32) -> FakeReranker {
    let [first, second] = [SELECTED, LISTED].map(|text| format!("Manual: Oil\n{text}"));
    FakeReranker::scoring(&[(&first, selected), (&second, listed)]).as_reader()
}

struct Asked {
    world: World,
    second: Arc<FakeReranker>,
    embedder: Arc<FakeEmbedder>,
}

async fn asked(first: FakeReranker, second: FakeReranker) -> Asked {
    let extractive = DEFAULT.replace("mode: model", "mode: extractive").replace("cite_from: 60", "cite_from: 0");
    let books = [SELECTED, LISTED].map(Book::of).into();
    let embedder = Arc::new(FakeEmbedder::new(64, 256));
    let mut world = World::of(Script::CannotBeReached, books, embedder.clone(), &extractive).await;
    let second = Arc::new(second.called("large@1"));
    world.engine.parts.reranker = Some(Part::bare(Arc::new(first.called("small@0"))));
    world.engine.parts.second_reader = Some(SecondReader { reader: Part::bare(second.clone()), best: 1 });
    Asked { world, second, embedder }
}

#[tokio::test]
async fn what_the_first_reader_doubts_is_answered_where_the_second_is_sure() {
    let Asked { world, second, .. } = asked(reader(0.6, 0.4), reader(0.9, 0.9)).await;
    let answer = world.ask(WHICH).await.answer;
    assert_eq!((answer.action, answer.answer.as_str()), (Action::Cite, "Discourse was selected for the forum.[1]"));
    let gate = answer.trace.iter().find(|gate| gate.gate == "answerability").unwrap();
    assert_eq!((gate.verdict, gate.observed), (Verdict::Pass, 0.9));
    assert_eq!(answer.receipt.unwrap().reader.as_deref(), Some("small@0+large@1"), "both are named");
    let read = second.batches();
    assert_eq!(read.len(), 2, "the best passage, and what is to be said: {read:?}");
    assert!(read[0][0].ends_with(SELECTED) && read[1][0].ends_with(SELECTED), "{read:?}");
}

#[tokio::test]
async fn what_the_first_reader_is_sure_of_is_refused_where_the_second_is_not_and_nothing_else_decides() {
    let Asked { world, .. } = asked(reader(0.95, 0.9), reader(0.3, 0.99)).await;
    let answer = world.ask(WHICH).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::NotAnswered)), "{answer:#?}");
    let numbers = "Probability that a passage answers (0.3) below threshold (0.75)";
    assert_eq!(answer.refusal_reason.as_deref(), Some(numbers));
    let explained = world.explain(WHICH).await;
    let read: Vec<_> = explained.candidates.iter().map(|one| (one.rerank, one.read_first)).collect();
    assert_eq!(read, [(Some(0.3), Some(0.95)), (Some(0.3), Some(0.9))], "what was not read again does not decide");
    assert_eq!(explained.read_by.as_deref(), Some("small@0+large@1"));
}

#[tokio::test]
async fn without_the_second_reader_nothing_is_answered_by_the_first_readers_word() {
    let Asked { world, second, .. } = asked(reader(0.95, 0.9), reader(0.9, 0.9)).await;
    second.set_trouble(Some(RerankError::Timeout(3_000)));
    let answer = world.ask(WHICH).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::RetrievalUnavailable)), "{answer:#?}");
    let said = "Passages that were read (0 of 2) below the least that is needed (1): the reranker did not answer within \
                3000 ms";
    assert_eq!(answer.refusal_reason.as_deref(), Some(said));
    assert_eq!(answer.retrieval_quality.fallback_reasons, [Fallback::NoRerank]);
    second.set_trouble(None);
    assert_eq!(world.ask(WHICH).await.answer.action, Action::Cite);
}

#[tokio::test]
async fn the_best_of_all_is_not_known_where_only_words_were_searched() {
    let Asked { world, second, embedder } = asked(reader(0.95, 0.9), reader(0.9, 0.9)).await;
    embedder.set_down(true);
    let answer = world.ask(WHICH).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::RetrievalUnavailable)), "{answer:#?}");
    assert!(answer.refusal_reason.unwrap().contains("not all passages could be found and read"));
    assert_eq!((second.calls(), answer.retrieval_quality.fallback_reasons.len()), (0, 2));
}

#[tokio::test]
async fn pairs_that_it_is_not_made_for_are_the_first_readers() {
    let cannot = reader(0.1, 0.1).unable_to_read("forum");
    let Asked { world, second, embedder } = asked(reader(0.95, 0.4), cannot).await;
    let answer = world.ask(WHICH).await.answer;
    assert_eq!(answer.action, Action::Cite, "{answer:#?}");
    assert_eq!(answer.receipt.unwrap().reader.as_deref(), Some("small@0"));
    embedder.set_down(true);
    assert_eq!(world.ask(WHICH).await.answer.action, Action::Cite, "nothing of it is for the second reader");
    assert_eq!(second.calls(), 0);
}
