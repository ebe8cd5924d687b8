//! The ladder: each part failing, then left alone, then well again, and two of them at once.

use ibidem_engine::search::{Lanes, SearchRequest};
use ibidem_engine::texts::Texts;
use ibidem_ports::entailment::EntailmentError;
use ibidem_ports::reranker::{RerankError, RerankFault};
use ibidem_ports::vocabulary::VocabularyError;
use ibidem_testing::fakes::{FakeModel, Script};
use ibidem_words::{Action, Answer, Fallback, Reason};

use crate::world::{QUESTION, TERM, TEXT, World, pass};

/// A part, how it is broken and mended, and what is said while it fails and while it is left alone.
struct Row {
    service: &'static str,
    question: &'static str,
    fails: fn(&World),
    is_mended: fn(&World),
    action: Action,
    reason_while_failing: Option<Reason>,
    reason_while_open: Option<Reason>,
    while_failing: &'static [&'static str],
    while_open: &'static [&'static str],
}

const LADDER: [Row; 6] = [
    Row {
        service: "embedding",
        question: QUESTION,
        fails: |world| world.embedder.set_down(true),
        is_mended: |world| world.embedder.set_down(false),
        action: Action::Cite,
        reason_while_failing: None,
        reason_while_open: None,
        while_failing: &["bm25_only"],
        while_open: &["bm25_only", "circuit_open"],
    },
    Row {
        service: "reranker",
        question: QUESTION,
        fails: |world| world.reranker.set_trouble(Some(RerankError::Timeout(5_000))),
        is_mended: |world| world.reranker.set_trouble(None),
        action: Action::Refuse,
        reason_while_failing: Some(Reason::RetrievalUnavailable),
        reason_while_open: Some(Reason::RetrievalUnavailable),
        while_failing: &["no_rerank"],
        while_open: &["no_rerank", "circuit_open"],
    },
    Row {
        service: "model",
        question: QUESTION,
        fails: |world| world.model.becomes(Script::CannotBeReached),
        is_mended: |world| world.model.becomes(Script::Says(vec![format!("{TEXT}[^1]")])),
        action: Action::Cite,
        reason_while_failing: None,
        reason_while_open: None,
        while_failing: &["extractive"],
        while_open: &["circuit_open", "extractive"],
    },
    Row {
        service: "entailment",
        question: QUESTION,
        // Word for word what the source says needs no judge: something else must be said for one to be asked.
        fails: |world| {
            world.model.becomes(Script::Says(vec!["The gearbox holds oil, 1.8 litres.[^1]".to_owned()]));
            world.entailment.set_trouble(Some(EntailmentError::Timeout(5_000)));
        },
        is_mended: |world| {
            world.model.becomes(Script::Says(vec!["Oil of the gearbox, 1.8 litres.[^1]".to_owned()]));
            world.entailment.set_trouble(None);
        },
        action: Action::Refuse,
        reason_while_failing: Some(Reason::UnsupportedClaims),
        reason_while_open: Some(Reason::UnsupportedClaims),
        while_failing: &["no_entailment"],
        while_open: &["no_entailment", "circuit_open"],
    },
    Row {
        service: "vocabulary",
        question: TERM,
        fails: |world| world.vocabulary.fail(VocabularyError::Timeout(300)),
        is_mended: |world| world.vocabulary.recover(),
        action: Action::Refuse,
        reason_while_failing: Some(Reason::TerminologyTimeout),
        reason_while_open: Some(Reason::TerminologyError),
        while_failing: &["skosmos_timeout"],
        while_open: &["circuit_open"],
    },
    Row {
        service: "index",
        question: QUESTION,
        fails: |world| world.index.set_down(true),
        is_mended: |world| world.index.set_down(false),
        action: Action::Refuse,
        reason_while_failing: Some(Reason::RetrievalUnavailable),
        reason_while_open: Some(Reason::RetrievalUnavailable),
        while_failing: &[],
        while_open: &["circuit_open"],
    },
];

fn check(row: &Row, answer: &Answer, reason: Option<Reason>, flags: &[&str]) {
    let what = format!("{}: {answer:#?}", row.service);
    assert_eq!((answer.action, answer.reason), (row.action, reason), "{what}");
    assert_eq!(answer.retrieval_quality.fallback_reasons, flags, "{what}");
    assert_eq!(answer.retrieval_quality.degraded, !flags.is_empty(), "{what}");
    match answer.action {
        Action::Cite => assert!(answer.grounded && answer.citations.len() == 1, "{what}"),
        _ => assert!(answer.refused && answer.citations.is_empty(), "{what}"),
    }
    let statement = answer.transparency.statement.clone().unwrap_or_default();
    for flag in answer.retrieval_quality.fallback_reasons.iter().filter(|flag| **flag != Fallback::Extractive) {
        assert!(statement.contains(Texts::english().of_flag(*flag)), "the asker is told: {what}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_part_fails_is_left_alone_after_five_times_and_is_asked_again_when_it_is_well() {
    for row in LADDER {
        let world = World::new().await;
        let well = world.ask(row.question).await.answer;
        assert_eq!((well.action, well.retrieval_quality.fallback_active), (Action::Cite, false), "{well:#?}");

        (row.fails)(&world);
        for failure in 1..=5 {
            assert_eq!(world.breaker(row.service), (0, 0), "{}: before failure {failure}", row.service);
            let spoken = world.ask(row.question).await;
            check(&row, &spoken.answer, row.reason_while_failing, row.while_failing);
            assert!(spoken.failure.is_some(), "the operator is told what failed");
        }
        assert_eq!(world.breaker(row.service), (2, 1), "{}", row.service);
        for _ in 0..3 {
            check(&row, &world.ask(row.question).await.answer, row.reason_while_open, row.while_open);
        }

        (row.is_mended)(&world);
        pass(29_999).await;
        check(&row, &world.ask(row.question).await.answer, row.reason_while_open, row.while_open);
        pass(1).await;
        for state in [1, 0] {
            let mended = world.ask(row.question).await.answer;
            assert_eq!(mended.retrieval_quality.fallback_reasons, [""; 0], "{}: {mended:#?}", row.service);
            assert_eq!(world.breaker(row.service), (state, 1), "{}", row.service);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_that_is_left_alone_is_not_attempted() {
    let world = World::new().await;
    world.reranker.set_trouble(Some(RerankError::Own(RerankFault::Failed("told to".to_owned()))));
    for _ in 0..9 {
        world.ask(QUESTION).await;
    }
    assert_eq!((world.reranker.calls(), world.model.calls()), (5, 0), "what nobody read is not written from either");
    let world = World::new().await;
    world.model.becomes(Script::CannotBeReached);
    for _ in 0..9 {
        world.ask(QUESTION).await;
    }
    assert_eq!(world.model.calls(), 5);
    world.vocabulary.fail(VocabularyError::Unavailable("500".to_owned()));
    for _ in 0..9 {
        world.ask(TERM).await;
    }
    assert_eq!(world.vocabulary.calls(), 5);
}

#[tokio::test(start_paused = true)]
async fn conf_02_and_conf_04_one_flag_or_many_cost_a_fifth_once() {
    let world = World::new().await;
    world.embedder.set_down(true);
    let alone = world.ask(QUESTION).await.answer.retrieval_quality;
    // By words alone the passage has every word of the question.
    assert!((alone.confidence_score - 0.8).abs() < 1e-9, "{alone:?}");
    world.reranker.set_trouble(Some(RerankError::Timeout(1)));
    for _ in 0..5 {
        world.ask(QUESTION).await;
    }
    let many = world.ask(QUESTION).await.answer.retrieval_quality;
    assert_eq!(many.fallback_reasons, ["bm25_only", "circuit_open", "no_rerank"]);
    assert!((many.confidence_score - 0.8).abs() < 1e-9, "{many:?}");
}

#[tokio::test(start_paused = true)]
async fn obs_03_04_05_flags_by_name_once_each_and_several_together() {
    let world = World::new().await;
    world.embedder.set_down(true);
    let flags = async || world.ask(QUESTION).await.answer.retrieval_quality.fallback_reasons;
    assert_eq!(flags().await, ["bm25_only"], "OBS-04");
    world.model.becomes(Script::BreaksOffAfter(vec!["The gear".to_owned()]));
    assert_eq!(flags().await, ["bm25_only", "extractive"], "OBS-05");
    for _ in 0..3 {
        flags().await;
    }
    assert_eq!(flags().await, ["bm25_only", "circuit_open", "extractive"], "OBS-03");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_is_left_alone_is_stood_in_for_by_the_fallback_and_then_by_the_sources() {
    let mut world = World::new().await;
    world.fall_back_to(FakeModel::saying(&["The gearbox holds 1.8 litres of oil.[^1]"]));
    world.model.becomes(Script::CannotBeReached);
    for _ in 0..5 {
        let answer = world.ask(QUESTION).await.answer;
        assert_eq!(answer.retrieval_quality.fallback_reasons, ["fallback_model"]);
    }
    let answer = world.ask(QUESTION).await.answer;
    assert_eq!(answer.retrieval_quality.fallback_reasons, ["circuit_open", "fallback_model"]);
    assert_eq!((world.breaker("model"), world.breaker("model_fallback")), ((2, 1), (0, 0)));

    world.fall_back_to(FakeModel::new(Script::CannotBeReached));
    let answer = world.ask(QUESTION).await.answer;
    assert_eq!(answer.retrieval_quality.fallback_reasons, ["circuit_open", "extractive"]);
    assert_eq!(answer.model_used.as_deref(), Some("extractive"));
}

#[tokio::test(start_paused = true)]
async fn a_plain_search_says_whether_the_embedding_model_failed_or_was_not_asked() {
    let world = World::new().await;
    world.embedder.set_down(true);
    let request = SearchRequest::new(QUESTION, Vec::new(), 3, Lanes::Both);
    let search = async || world.engine.parts.searcher.search(&world.scope(), &request).await.unwrap();
    for _ in 0..5 {
        assert_eq!(search().await.fallback_reasons, ["bm25_only"]);
    }
    let outcome = search().await;
    assert_eq!(outcome.fallback_reasons, ["bm25_only", "circuit_open"]);
    assert_eq!(outcome.hits.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn twenty_who_ask_at_once_of_a_part_that_may_be_tried_send_one_and_all_are_told() {
    let world = World::new().await;
    world.reranker.set_trouble(Some(RerankError::Timeout(1)));
    for _ in 0..5 {
        world.ask(QUESTION).await;
    }
    pass(30_000).await;
    let asked = futures::future::join_all((0..20).map(|_| world.ask(QUESTION))).await;
    assert!(asked.iter().all(|spoken| spoken.answer.reason == Some(Reason::RetrievalUnavailable)));
    assert_eq!((world.reranker.calls(), world.breaker("reranker")), (6, (2, 2)), "one tried, and failed");
}
