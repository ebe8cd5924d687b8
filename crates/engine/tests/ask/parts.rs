//! Questions that ask for several things, and rows of tables: each is searched and read by itself.

use std::sync::Arc;

use ibidem_engine::listener::Nobody;
use ibidem_engine::replay::{Again, Replay};
use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::{FakeEmbedder, FakeReranker, Script};
use ibidem_words::{Action, Answer, Identity, Question, Reason};

use crate::world::{Book, TAG, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const QUESTION: &str = "How is mail sealed on the way, and how at rest?";
const ON_THE_WAY: &str = "Mail is sealed on the way by the carrier.";
const AT_REST: &str = "Mail is sealed at rest with wax.";

async fn world(reader: FakeReranker, texts: &[&str]) -> World {
    let books = texts.iter().map(|text| Book::of(text)).collect();
    let policy = DEFAULT.replace("mode: model", "mode: extractive");
    let mut world = World::of(Script::CannotBeReached, books, Arc::new(FakeEmbedder::new(64, 256)), &policy).await;
    world.engine.parts.reranker = Some(Part::bare(Arc::new(reader)));
    world
}

/// Asks, and makes the decision again from its record.
async fn asked(world: &World, question: &str) -> Answer {
    let identity = Identity::for_tests(world.tenant, "s", [TAG.parse().unwrap()].into());
    let asked = world.asked(Question::new(question));
    let (answer, record) = world.engine.turn(&identity, asked, &mut Nobody).await.unwrap();
    let again = Replay::under(&world.policy).unwrap().again(&record.decision);
    let Again::Decided(decided) = again else { panic!("{again:?}") };
    assert_eq!((decided.action, decided.reason, &decided.trace), (answer.action, answer.reason, &answer.trace));
    assert_eq!(answer.receipt.as_ref().map(|receipt| receipt.text()).unwrap_or_default(), answer.answer);
    answer
}

#[tokio::test]
async fn each_part_of_a_question_is_answered_from_what_answers_it() {
    let world = world(FakeReranker::default().as_reader(), &[ON_THE_WAY, AT_REST]).await;
    let answer = asked(&world, QUESTION).await;
    assert_eq!(answer.action, Action::Cite, "{answer:#?}");
    assert!(answer.answer.contains(ON_THE_WAY) && answer.answer.contains(AT_REST), "{}", answer.answer);
    assert_eq!(answer.citations.len(), 2);
    assert!(answer.warnings.iter().all(|warning| !warning.contains("not answered")), "{:?}", answer.warnings);
}

#[tokio::test]
async fn a_part_that_nothing_answers_is_named_beside_the_answer_to_the_other() {
    let world = world(FakeReranker::default().as_reader(), &[ON_THE_WAY]).await;
    let answer = asked(&world, QUESTION).await;
    assert_eq!((answer.action, answer.answer.as_str()), (Action::Cite, format!("{ON_THE_WAY}[1]").as_str()));
    let named = "This part is not answered here: How is mail sealed at rest?";
    assert!(answer.warnings.iter().any(|warning| warning == named), "{:?}", answer.warnings);
}

#[tokio::test]
async fn where_no_part_is_answered_the_question_is_refused() {
    let world = world(FakeReranker::default().as_reader(), &["The gearbox holds oil."]).await;
    let refused = world.ask(QUESTION).await.answer;
    assert_eq!((refused.action, refused.reason), (Action::Refuse, Some(Reason::NotAnswered)), "{refused:#?}");
}

#[tokio::test]
async fn the_row_whose_range_holds_the_figure_is_read_by_itself_and_alone_quoted() {
    let table = "Value | Who approves\nup to EUR 500 | the holder\nfrom EUR 500 to 5,000 | the head\nabove EUR 5,000 | \
                 the board";
    let row = "above EUR 5,000 — Who approves: the board";
    let [whole, alone] = [table, row].map(|text| format!("Manual: Oil\n{text}"));
    let reader = FakeReranker::scoring(&[(&whole, 0.2), (&alone, 0.9)]).as_reader();
    let world = world(reader, &[table]).await;
    let answer = asked(&world, "Who approves EUR 60,000?").await;
    assert_eq!((answer.action, answer.answer.as_str()), (Action::Cite, format!("{row}[1]").as_str()), "{answer:#?}");
}

#[tokio::test]
async fn a_sentence_that_answers_is_found_where_its_passage_as_a_whole_does_not_seem_to() {
    let sentence = "Oil is never sold, except in spring.";
    let text = format!("Oil is kept in the shed. {sentence} The shed has two doors.");
    let [whole, alone] = [text.as_str(), sentence].map(|text| format!("Manual: Oil\n{text}"));
    let scores: &[(&str, f32)] = &[(&whole, 0.3), (&alone, 0.95)];
    let world = world(FakeReranker::scoring(scores).as_reader(), &[&text]).await;
    let answer = asked(&world, "Can I have unused oil sold?").await;
    assert_eq!(
        (answer.action, answer.answer.as_str()),
        (Action::Cite, format!("{sentence}[1]").as_str()),
        "{answer:#?}"
    );
    // Half its odds count: what is only likely is not enough.
    let world = self::world(FakeReranker::scoring(&[(&whole, 0.3), (&alone, 0.8)]).as_reader(), &[&text]).await;
    assert_eq!(asked(&world, "Can I have unused oil sold?").await.reason, Some(Reason::NotAnswered));
    // Of something else nothing is said.
    let world = self::world(FakeReranker::scoring(scores).as_reader(), &[&text]).await;
    assert_eq!(asked(&world, "Can I have the oil of Varnholm sold?").await.reason, Some(Reason::NotAnswered));
}
