//! What is true and does not answer the question is not said: the reader reads question and answer together.

use std::sync::Arc;

use ibidem_engine::ask::Spoken;
use ibidem_engine::listener::Listener;
use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::{FakeEmbedder, FakeReranker, Script};
use ibidem_words::Fallback;
use ibidem_words::{Action, Citation, Question, Reason, Verdict};

use crate::says;
use crate::world::{Book, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");

/// Of the forum, in a passage that is near to the question by all its words.
const FORUM: &str = "Search engine results list forum posts. Discourse was selected.";
/// What is quoted of it, as the reader reads it.
const QUOTED: &str = "Discourse was selected.";
const WHICH: &str = "Which search engine was selected?";
const HOLDER: &str = "Who approves EUR 60,000 is in this table. The budget holder approves up to EUR 5,000.";
const WHO: &str = "Who approves EUR 60,000?";
const BOARD: &str = "The board approves EUR 60,000 and more.";

fn in_context(text: &str) -> String {
    format!("Manual: Oil\n{text}")
}

async fn read_by(reader: FakeReranker, script: Script, texts: &[&str], policy: &str) -> World {
    let books = texts.iter().map(|text| Book::of(text)).collect();
    let mut world = World::of(script, books, Arc::new(FakeEmbedder::new(64, 256)), policy).await;
    world.engine.parts.reranker = Some(Part::bare(Arc::new(reader)));
    world
}

/// A reader that finds an answer in every one of these passages, and gives these sentences these probabilities.
fn reader(passages: &[&str], sentences: &[(&str, f32)]) -> FakeReranker {
    let passages: Vec<(String, f32)> = passages.iter().map(|text| (in_context(text), 0.9)).collect();
    let sentences = sentences.iter().map(|(text, score)| (in_context(text), *score));
    let all: Vec<(String, f32)> = passages.into_iter().chain(sentences).collect();
    let all: Vec<(&str, f32)> = all.iter().map(|(text, score)| (text.as_str(), *score)).collect();
    FakeReranker::scoring(&all).as_reader()
}

fn beside(answer: &ibidem_words::Answer) {
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::BesideTheQuestion)), "{answer:#?}");
    assert_eq!(
        answer.refusal_reason.as_deref(),
        Some("Probability that what can be said answers the question (0.1) below threshold (0.5)")
    );
    let gate = answer.trace.last().unwrap();
    assert_eq!((gate.gate.as_str(), gate.verdict, gate.observed, gate.threshold), ("answers", Verdict::Stop, 0.1, 0.5));
    assert!(answer.citations.is_empty() && answer.refused && !answer.grounded);
    let why = "It is on this subject, but what can be said of it does not answer the question.";
    assert_eq!(answer.nearest[0].why, why);
}

#[tokio::test]
async fn a_quoted_sentence_that_does_not_answer_is_not_said() {
    // Whether it is sure enough is another gate.
    let extractive = DEFAULT.replace("mode: model", "mode: extractive").replace("cite_from: 60", "cite_from: 0");
    let finds = |score| reader(&[FORUM], &[(QUOTED, score)]);
    let answer = read_by(finds(0.1), says(&[]), &[FORUM], &extractive).await.ask(WHICH).await.answer;
    beside(&answer);
    let answer = read_by(finds(0.5), says(&[]), &[FORUM], &extractive).await.ask(WHICH).await.answer;
    assert_eq!(answer.action, Action::Cite, "at the threshold it is said: {answer:#?}");
}

/// What went out before the answer was whole.
#[derive(Default)]
struct Received(String);

impl Listener for Received {
    fn sentence(&mut self, text: &str, _: Vec<Citation>) {
        self.0.push_str(text);
    }
}

const HOLDERS: &str = "The budget holder approves up to EUR 5,000.";

#[tokio::test]
async fn a_written_sentence_that_does_not_answer_is_not_said_nor_streamed() {
    let finds = reader(&[HOLDER], &[(HOLDERS, 0.1)]);
    let world = read_by(finds, says(&[&format!("{HOLDERS}[^1]")]), &[HOLDER], DEFAULT).await;
    let mut received = Received::default();
    let Spoken { answer, draft, .. } = world.engine.ask(world.asked(Question::new(WHO)), &mut received).await.unwrap();
    beside(&answer);
    assert_eq!(received.0, "");
    assert_eq!(draft.unwrap().withheld.len(), 1, "the record keeps what was not said");
}

/// What stands above quotations that are there instead of what a model wrote.
const INSTEAD: &str = "Quoted word for word from the documents, which do not bear out what the language model wrote.";

#[tokio::test]
async fn where_what_a_model_wrote_has_no_support_or_does_not_answer_the_sources_own_sentences_are_read() {
    let text = format!("{HOLDERS} {BOARD}");
    for written in ["The mayor approves all of it, says the statute.[^1]".to_owned(), format!("{HOLDERS}[^1]")] {
        let finds = |score| reader(&[&text], &[(HOLDERS, 0.1), (BOARD, score), (&text.replace(". ", ".\n"), score)]);
        let world =
            read_by(finds(0.9), says(&[&written]), &[&text], &DEFAULT.replace("cite_from: 60", "cite_from: 0")).await;
        let mut received = Received::default();
        let Spoken { answer, draft, .. } =
            world.engine.ask(world.asked(Question::new(WHO)), &mut received).await.unwrap();
        assert_eq!(answer.action, Action::Cite, "{answer:#?}");
        assert!(answer.answer.contains(BOARD) && !answer.answer.contains("mayor"), "{}", answer.answer);
        assert!(answer.warnings.contains(&INSTEAD.to_owned()), "{:?}", answer.warnings);
        assert_eq!(answer.retrieval_quality.fallback_reasons, [Fallback::Extractive]);
        assert!(!received.0.contains("mayor") && draft.is_some(), "{}", received.0);
        // Where they do not answer either, nothing is said.
        let answer = read_by(finds(0.2), says(&[&written]), &[&text], DEFAULT).await.ask(WHO).await.answer;
        assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::BesideTheQuestion)), "{answer:#?}");
    }
    // A model that says it does not know is believed, and a policy that does not say so quotes nothing.
    let finds = || reader(&[&text], &[(BOARD, 0.9)]);
    let denies = read_by(finds(), says(&["I don't know."]), &[&text], DEFAULT).await.ask(WHO).await.answer;
    assert_eq!(denies.reason, Some(Reason::NoResults), "{denies:#?}");
    let silent: String = DEFAULT
        .lines()
        .filter(|line| !line.contains("quote_instead"))
        .fold(String::new(), |all, line| all + line + "\n");
    let refused =
        read_by(finds(), says(&["The mayor approves all of it.[^1]"]), &[&text], &silent).await.ask(WHO).await.answer;
    assert_eq!(refused.reason, Some(Reason::UnsupportedClaims), "{refused:#?}");
}

#[tokio::test]
async fn a_sentence_waits_for_the_one_that_answers() {
    let both = format!("{HOLDERS}\n{BOARD}");
    let text = format!("{HOLDER} {BOARD}");
    let finds = reader(&[&text], &[(HOLDERS, 0.1), (&both, 0.8)]);
    let says = says(&[&format!("{HOLDERS}[^1] {BOARD}[^1]")]);
    let answer = read_by(finds, says, &[&text], DEFAULT).await.ask(WHO).await.answer;
    assert_eq!(answer.answer, format!("{HOLDERS}[1] {BOARD}[1]"));
    let gate = answer.trace.iter().find(|record| record.gate == "answers").unwrap();
    assert_eq!((gate.verdict, gate.observed), (Verdict::Pass, 0.8));
}

#[tokio::test]
async fn where_no_reader_is_configured_or_the_policy_does_not_ask_nothing_changes() {
    let script = says(&[&format!("{HOLDERS}[^1]")]);
    // A reranker that does not say where a text answers.
    let scores = FakeReranker::scoring(&[(&in_context(HOLDER), 0.9), (&in_context(HOLDERS), 0.1)]);
    let ranked = read_by(scores, script.clone(), &[HOLDER], DEFAULT).await;
    let silent = DEFAULT.replace("  least_answering: 0.5\n", "");
    assert_ne!(silent, DEFAULT);
    let unasked = read_by(reader(&[HOLDER], &[(HOLDERS, 0.1)]), script.clone(), &[HOLDER], &silent).await;
    let mut unread = read_by(FakeReranker::default(), script, &[HOLDER], DEFAULT).await;
    unread.engine.parts.reranker = None;
    for world in [ranked, unasked, unread] {
        let answer = world.ask(WHO).await.answer;
        assert_eq!((answer.action, answer.answer), (Action::Cite, format!("{HOLDERS}[1]")));
        assert!(answer.trace.iter().all(|record| record.gate != "answers"));
    }
}

#[tokio::test]
async fn where_the_model_fails_and_the_sources_own_sentences_do_not_answer_the_model_is_what_is_missing() {
    let finds = reader(&[FORUM], &[(QUOTED, 0.1)]);
    let answer = read_by(finds, Script::CannotBeReached, &[FORUM], DEFAULT).await.ask(WHICH).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::GenerationUnavailable)), "{answer:#?}");
    assert!(answer.suggestions.contains(&"Ask again in a moment.".to_owned()), "{:?}", answer.suggestions);
}
