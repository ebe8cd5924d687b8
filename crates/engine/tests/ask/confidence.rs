//! How sure an answer must be, who says so, and what becomes of one that is not.

use std::sync::Arc;

use ibidem_engine::listener::Listener;
use ibidem_engine::policy::Policy;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_ports::degrade::Part;
use ibidem_testing::fakes::{FakeEmbedder, FakeModel, FakeReranker};
use ibidem_words::{Action, Citation, Question, Reason};

use crate::says;
use crate::world::{Book, TAG, World};

const HANDBOOK: &str = include_str!("../../../../policies/handbook.yaml");
const LEAVE: &str = "Leave of up to five days may be carried over into the next year.";
const MEALS: &str = "Meals are paid up to 30 euros a day.";

/// The handbook's policy with these rules for confidence.
fn demanding(rules: &str) -> String {
    let start = HANDBOOK.find("  confidence:\n").unwrap();
    let end = start + HANDBOOK[start..].find("  stale_after_days").unwrap();
    format!("{}  confidence: {rules}\n{}", &HANDBOOK[..start], &HANDBOOK[end..])
}

async fn world(reply: &str, rules: &str) -> World {
    let books = vec![Book::of(LEAVE), Book::of(MEALS)];
    let mut world = World::of(says(&[reply]), books, Arc::new(FakeEmbedder::new(64, 256)), &demanding(rules)).await;
    world.engine.parts.owners = Some(world.catalogue.clone());
    world.engine.parts.admin_email = Some("admin@example.org".to_owned());
    world
}

fn judging(world: &mut World, says: &str) {
    let judge = NamedModel::unknown(Arc::new(FakeModel::saying(&[says]).called("judge")));
    world.engine.parts.roles = Arc::new(Roles { judge: Some(judge), ..(*world.engine.parts.roles).clone() });
}

const PROMPT: &str = "'Q: {question} N: {notes} A: {answer}'";

#[derive(Default)]
struct Received(Vec<String>);

impl Listener for Received {
    fn sentence(&mut self, text: &str, _: Vec<Citation>) {
        self.0.push(text.to_owned());
    }
}

#[tokio::test]
async fn test_generate_low_confidence_routes() {
    let world = world(&format!("{LEAVE}[^1]"), "{cite_from: 99.9, best_passages: 5}").await;
    let mut received = Received::default();
    let answer = world.engine.ask(world.asked(Question::new(LEAVE)), &mut received).await.unwrap().answer;
    assert_eq!((answer.action, answer.reason), (Action::Route, Some(Reason::LowConfidence)));
    assert_eq!(
        answer.answer,
        "I found passages on this in the handbook, but no answer that is certain enough to show."
    );
    assert!(answer.refused && !answer.grounded && answer.citations.is_empty() && received.0.is_empty(), "withheld");
    let overall = answer.confidence.unwrap().overall;
    assert_eq!(answer.refusal_reason.unwrap(), format!("Confidence ({overall}) below threshold (99.9)"));
    let target = answer.route_to.unwrap();
    assert_eq!((target.owner_email.as_deref(), target.fallback), (Some("admin@example.org"), true));
    assert_eq!(target.reason, "Nobody is named for this subject yet. Your administrator can help: admin@example.org");
    let gate = answer.trace.iter().find(|record| record.gate == "confidence").unwrap();
    assert_eq!((gate.observed, gate.threshold), (overall, 99.9));

    world.catalogue.own(world.tenant, TAG.parse().unwrap(), "hr@example.org");
    let target = world.ask(LEAVE).await.answer.route_to.unwrap();
    assert_eq!((target.tag.as_str(), target.owner_email.as_deref()), (TAG, Some("hr@example.org")));
    assert!(!target.fallback);
}

#[tokio::test]
async fn a_draft_is_shown_only_where_the_policy_says_so_and_is_marked() {
    let world = world(&format!("{LEAVE}[^1]"), "{cite_from: 99.9, best_passages: 5, show_draft: true}").await;
    let answer = world.ask(LEAVE).await.answer;
    assert_eq!((answer.action, answer.reason, answer.refused), (Action::Route, Some(Reason::LowConfidence), false));
    assert_eq!(answer.answer, format!("Unverified draft: nobody has confirmed this answer.\n\n{LEAVE}[1]"));
    assert_eq!(answer.citations.len(), 1);
    assert!(answer.route_to.is_some());
}

#[tokio::test]
async fn below_the_threshold_a_policy_may_refuse_instead() {
    let world = world(&format!("{LEAVE}[^1]"), "{cite_from: 99.9, best_passages: 5, below: refuse}").await;
    let answer = world.ask(LEAVE).await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::LowConfidence)));
    assert_eq!(answer.route_to.unwrap().owner_email.as_deref(), Some("admin@example.org"), "somebody may know");
    assert!(answer.confidence.is_some());
}

#[tokio::test]
async fn a_judge_other_than_the_writer_gives_one_number_and_without_one_nobody_judges_a_quotation() {
    let rules = format!("{{cite_from: 60, judge: model, judge_prompt: {PROMPT}}}");
    for (says, action, score) in [("95", Action::Cite, 95.0), ("Score: 0", Action::Cite, 0.0)] {
        let mut world = world(&format!("{LEAVE}[^1]"), &rules).await;
        judging(&mut world, says);
        let answer = world.ask(LEAVE).await.answer;
        let confidence = answer.confidence.unwrap();
        assert_eq!((answer.action, confidence.llm_score), (action, Some(score)), "{answer:?}");
        let expected = confidence.retrieval_score * 30.0 + confidence.coverage_score * 40.0 + score * 0.3;
        assert!((confidence.overall - expected).abs() < 0.01, "{confidence:?}");
    }
    let mut silent = world(&format!("{LEAVE}[^1]"), &rules).await;
    judging(&mut silent, "very good");
    let spoken = silent.ask(LEAVE).await;
    assert_eq!(spoken.answer.retrieval_quality.fallback_reasons, ["no_judge"]);
    assert!(spoken.failure.unwrap().contains("asked for a number"));
    assert_eq!(spoken.answer.confidence.unwrap().llm_score, None, "of a quotation the verifier has no opinion either");
}

#[tokio::test]
async fn a_model_may_judge_itself_only_where_the_policy_says_so() {
    let rules = format!("{{cite_from: 60, judge: self, judge_prompt: {PROMPT}}}");
    let world = world(&format!("{LEAVE}[^1]"), &rules).await;
    // It is asked for a number, and says what it always says.
    let spoken = world.ask(LEAVE).await;
    assert_eq!(world.model_calls(), 2);
    assert!(world.model.prompts()[1].messages[0].content.contains(&format!("A: {LEAVE}[1]")));
    assert_eq!(spoken.answer.retrieval_quality.fallback_reasons, ["no_judge"]);
}

#[tokio::test]
async fn what_went_out_is_sure_enough_and_what_would_spoil_it_is_withheld() {
    // The first sentence is the source's own; the second is only just supported, and drags the answer down.
    let reply = format!("{LEAVE}[^1] Carried leave of five days, generously, delights weary holiday makers.[^1]");
    for (cite_from, sentences) in [(90.0, 1), (0.0, 2)] {
        let world = world(&reply, &format!("{{cite_from: {cite_from}}}")).await;
        let mut received = Received::default();
        let answer = world.engine.ask(world.asked(Question::new(LEAVE)), &mut received).await.unwrap().answer;
        assert_eq!(answer.action, Action::Cite);
        assert!(received.0.len() <= sentences, "{:?}", received.0);
        assert_eq!(received.0.concat().trim(), answer.answer, "what was heard is what was answered");
        assert!(answer.confidence.unwrap().overall >= cite_from);
    }
}

/// A reader that gives the leave this probability, as a passage and as an answer.
fn set_probability(world: &mut World, probability: f32) {
    let text = format!("Manual: Oil\n{LEAVE}");
    let reader = FakeReranker::scoring(&[(text.as_str(), probability)]).as_reader();
    world.engine.parts.reranker = Some(Part::bare(Arc::new(reader)));
}

#[tokio::test]
async fn a_quotation_is_as_sure_as_a_reader_finds_that_it_answers_and_nobody_else_has_an_opinion() {
    for (probability, action) in [(0.95, Action::Cite), (0.8, Action::Route)] {
        let mut world = world("", "{cite_from: 90}").await;
        let text = demanding("{cite_from: 90}").replace("mode: model", "mode: extractive");
        world.policy = Arc::new(Policy::parse(&text).unwrap());
        set_probability(&mut world, probability);
        let answer = world.ask(LEAVE).await.answer;
        let confidence = answer.confidence.unwrap();
        assert_eq!((answer.action, confidence.llm_score), (action, None), "{answer:?}");
        assert!((confidence.coverage_score - f64::from(probability)).abs() < 1e-3, "{confidence:?}");
        let expected = confidence.retrieval_score * 30.0 + confidence.coverage_score * 70.0;
        assert!((confidence.overall - expected).abs() < 0.01, "{confidence:?}");
        let written = serde_json::to_string(&confidence).unwrap();
        assert!(!written.contains("llm_score"), "{written}");
        assert_eq!(answer.reason, (action == Action::Route).then_some(Reason::LowConfidence));
    }
}

#[tokio::test]
async fn the_parts_are_weighed_as_the_policy_says() {
    let rules = "{cite_from: 0, weights: {retrieval: 0, coverage: 50, judge: 50}}";
    let mut world = world(&format!("{LEAVE}[^1]"), rules).await;
    set_probability(&mut world, 0.84);
    let confidence = world.ask(LEAVE).await.answer.confidence.unwrap();
    assert!((confidence.overall - 84.0).abs() < 0.01, "{confidence:?}");
    for (rules, expected) in [
        ("{cite_from: 0, weights: {retrieval: 0, coverage: 0, judge: 0}}", "must not all be 0"),
        (
            "{cite_from: 0, weights: {retrieval: -1, coverage: 1, judge: 1}}",
            "weights.retrieval is -1; it must be from 0 to",
        ),
        ("{cite_from: 0, doubtful_share: 1.5}", "doubtful_share is 1.5; it must be from 0 to 1"),
    ] {
        let error = Policy::parse(&demanding(rules)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_question_that_is_taken_apart_is_answered_less_surely() {
    let mut world = world("", "{cite_from: 0}").await;
    let text = demanding("{cite_from: 0}").replace("mode: model", "mode: extractive");
    world.policy = Arc::new(Policy::parse(&text).unwrap());
    set_probability(&mut world, 0.95);
    let whole = "How many days of leave may be carried over";
    let one = world.ask(&format!("{whole}?")).await.answer.confidence.unwrap();
    let both = world.ask(&format!("{whole}, and who pays for the train?")).await.answer;
    assert_eq!(both.action, Action::Cite, "{both:?}");
    let both = both.confidence.unwrap();
    assert!((one.coverage_score - 0.95).abs() < 1e-3, "{one:?}");
    assert!((both.coverage_score - 0.95 * 0.8).abs() < 1e-3, "{both:?}");
}

#[tokio::test]
async fn test_generate_no_context() {
    let world = world("Anything.[^1]", "{cite_from: 60}").await;
    let answer = world.ask("Who painted the ceiling of the chapel").await.answer;
    assert!(answer.refused && answer.citations.is_empty() && answer.suggestions.len() == 1);
    assert_eq!(answer.reason, Some(Reason::LowSimilarity));
    assert_eq!(world.model_calls(), 0);
}
