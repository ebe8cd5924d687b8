//! The parts that gathering may have, in an answer: topics, variants and a judge, and how it goes on without each.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use ibidem_engine::policy::{PerDocument, Policy};
use ibidem_ports::degrade::Part;
use ibidem_ports::reranker::{RerankError, Reranker};
use ibidem_testing::fakes::{FakeEmbedder, FakeModel, FakeReranker};
use ibidem_words::Fallback;
use ibidem_words::{Action, Message, Question, Reason, Speaker};

use crate::says;
use crate::world::{Book, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");
const HANDBOOK: &str = include_str!("../../../../policies/handbook.yaml");

const TOPICS: &str = "
  topics:
    least_confidence: 0.7
    least_similarity: 0.3
    step: 0.1
    wording: {clarify: 'Which one is meant?', out_of_scope: 'You can ask about:'}
    topics:
      - {name: Billing, about: 'Invoices and payments', exemplars: ['invoice payment refund', 'pay invoice']}
      - {name: Technical, about: 'Faults and settings', exemplars: ['router fault settings', 'router broken']}
";

const REWRITES: &str = "
  rewrites: {most: 3, max_tokens: 100, prompt: 'Rewrite it.'}
";

/// The default policy with more rules for gathering.
fn with(rules: &str) -> String {
    DEFAULT.replacen("\nsift:", &format!("{rules}\nsift:"), 1)
}

async fn world(texts: &[&str], policy: &str) -> World {
    let books = texts.iter().map(|text| Book::of(text)).collect();
    let reply = format!("{}[^1]", texts[0]);
    World::of(says(&[&reply]), books, Arc::new(FakeEmbedder::new(1_024, 256)), policy).await
}

#[tokio::test]
async fn a_question_about_a_topic_is_answered_an_unclear_one_asked_back_and_another_told_what_there_is() {
    let mut world = world(&["Pay the invoice within a month.", "The router has a fault light."], &with(TOPICS)).await;
    let answer = world.ask("pay invoice month").await.answer;
    assert_eq!(answer.action, Action::Cite);

    let unclear = world.ask("invoice router").await.answer;
    assert_eq!((unclear.action, unclear.refused), (Action::Clarify, false));
    assert!(unclear.answer.contains("Billing: Invoices") && unclear.answer.contains("Technical"), "{}", unclear.answer);
    assert_eq!(unclear.trace[0].gate, "topic_confidence");
    assert!(unclear.refusal_reason.unwrap().starts_with("Topic confidence (0."));

    let message = Message { role: Speaker::User, content: "My router is broken".to_owned(), timestamp: None };
    let in_context = Question::new("invoice router").after(vec![message]);
    assert_ne!(world.put(in_context).await.unwrap().answer.action, Action::Clarify);

    let calls = world.model_calls();
    let elsewhere = world.ask("penguins of antarctica").await.answer;
    assert_eq!((elsewhere.action, elsewhere.reason), (Action::Refuse, Some(Reason::OutOfScope)));
    assert_eq!(elsewhere.suggestions, ["router fault settings", "Invoices and payments", "Faults and settings"]);
    assert!(elsewhere.refusal_reason.unwrap().ends_with("below threshold (0.3)"));
    assert_eq!(world.model_calls(), calls, "no model decides where a question goes, or what is offered");
    // What a model would write is not known before it has written.
    world.engine.parts.roles = Arc::default();
    let offers: Vec<_> = unclear.offers.iter().chain(&elsewhere.offers).collect();
    assert!(!elsewhere.offers.is_empty(), "each topic has an example");
    for offer in offers {
        let offered = world.ask(&offer.query).await.answer;
        assert_eq!(offered.action, Action::Cite, "{offer:?}: {offered:#?}");
    }
}

/// Counts what it reads.
struct CountingReader {
    inner: FakeReranker,
    texts: AtomicUsize,
}

#[async_trait]
impl Reranker for CountingReader {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        self.inner.score(question, texts).await
    }
}

#[tokio::test]
async fn a_question_takes_no_more_than_so_much_whatever_the_policy_says() {
    let rows: String = (0..3).map(|row| format!("| gearbox {row} | {row} litres of oil |\n")).collect();
    let text =
        |place: usize| format!("Gearbox oil number {place}, litres in {place}.\n\n| gear | oil |\n|---|---|\n{rows}");
    let texts: Vec<String> = (0..300).map(text).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut world = world(&texts, &with(REWRITES)).await;
    let mut policy = Policy::clone(&world.policy);
    // As no file can say it.
    let gather = &mut policy.rules.gather;
    (gather.hits_per_lane, gather.hits_for_each_asked, gather.forced_lexical) = (usize::MAX, usize::MAX, usize::MAX);
    if let (Some(rerank), Some(parts), Some(rewrites)) = (&mut gather.rerank, &mut gather.parts, &mut gather.rewrites) {
        (rerank.pool, rerank.keep, rerank.rows) = (usize::MAX, usize::MAX, usize::MAX);
        (parts.most, parts.pool, rewrites.most) = (usize::MAX, usize::MAX, usize::MAX);
    }
    for gate in policy.rules.sift.rules_of_mut::<PerDocument>() {
        gate.0 = usize::MAX;
    }
    world.policy = Arc::new(policy);
    let lines: String = (0..500).map(|place| format!("part: gearbox oil {place}\n")).collect();
    world.plan_with(FakeModel::saying(&[&lines]));
    let question = "How much oil does the gearbox take, and how many litres does gear 3 take?";

    let unread = world.explain(question).await;
    assert!(unread.candidates.len() <= 256, "{}", unread.candidates.len());
    assert!(unread.variants.len() <= 16, "{:?}", unread.variants);

    let reader = Arc::new(CountingReader { inner: FakeReranker::default(), texts: AtomicUsize::new(0) });
    world.engine.parts.reranker = Some(Part::bare(reader.clone()));
    let read = world.explain(question).await;
    let kept = read.candidates.iter().filter(|candidate| candidate.dropped_by != Some("keep")).count();
    assert!((1..=100).contains(&kept) && read.candidates.len() <= 256, "{kept} of {}", read.candidates.len());
    // Passages, rows and sentences, for the whole and its two parts; in two rounds, where the first is too thin.
    let texts = reader.texts.load(Ordering::Relaxed);
    assert!((256..=2 * 3 * (256 + 256 + 32)).contains(&texts), "{texts} texts were read");
    assert!(serde_json::to_string(&read).unwrap().len() < 4 << 20);
}

#[tokio::test]
async fn variants_are_searched_in_the_same_call_and_only_the_askers_words_force_anything() {
    let texts = ["Lubricant is filled in from above.", "The gearbox holds 1.8 litres."];
    let mut world = world(&texts, &with(REWRITES)).await;
    let alone = world.explain("gearbox litres").await;
    assert!(alone.fallback_reasons.is_empty(), "no planner is configured, and none is missed");
    let planner = FakeModel::saying(&["same: lubricant filled above\npart: gearbox"]);
    world.plan_with(planner);
    let explanation = world.explain("gearbox litres").await;
    let kinds: Vec<_> = explanation.variants.iter().map(|variant| variant.kind).collect();
    assert_eq!((kinds, explanation.index_calls), (vec!["question", "paraphrase", "sub_question"], 1));
    let found = |text: &str| explanation.candidates.iter().find(|candidate| candidate.text == text).unwrap();
    assert!(found(texts[0]).similarity > 0.5 && !found(texts[0]).forced, "a planner's words bring, and force nothing");
    assert!(found(texts[1]).forced);
}

#[tokio::test]
async fn a_planner_that_fails_is_gone_without_and_that_is_said() {
    let mut world = world(&["The gearbox holds 1.8 litres."], &with(REWRITES)).await;
    let planner = FakeModel::new(ibidem_testing::fakes::Script::CannotBeReached);
    world.plan_with(planner);
    let spoken = world.ask("gearbox holds litres").await;
    assert_eq!(spoken.answer.action, Action::Cite);
    assert_eq!(spoken.answer.retrieval_quality.fallback_reasons, ["no_rewrites"]);
    assert!(spoken.failure.is_some(), "the operator is told what failed");
}

#[tokio::test]
async fn the_judges_order_decides_and_without_it_the_cosine_and_that_is_said() {
    let texts = ["The gearbox holds oil and litres.", "Gearbox oil is drained."];
    let mut world = world(&texts, DEFAULT).await;
    let judge = FakeReranker::scoring(&[
        ("Manual: Oil\nGearbox oil is drained.", 0.9),
        ("Manual: Oil\nThe gearbox holds oil and litres.", 0.1),
    ]);
    let judge = Arc::new(judge);
    world.engine.parts.reranker = Some(Part::bare(judge.clone()));
    let order = |explanation: &ibidem_engine::explain::Explanation| {
        explanation.candidates.iter().map(|candidate| candidate.text.clone()).collect::<Vec<_>>()
    };
    let judged = world.explain("gearbox holds oil litres").await;
    assert!(judged.reranked && judged.fallback_reasons.is_empty());
    assert_eq!(order(&judged), [texts[1], texts[0]]);
    assert!(judged.candidates.iter().all(|candidate| candidate.cosine.is_some()), "the cosine is kept");

    judge.set_trouble(Some(RerankError::Timeout(1)));
    let unranked = world.explain("gearbox holds oil litres").await;
    assert_eq!((unranked.reranked, unranked.fallback_reasons.as_slice()), (false, [Fallback::NoRerank].as_slice()));
    assert_eq!(order(&unranked), [texts[0], texts[1]]);
}

/// A reader, a policy that asks it, and no model that writes.
async fn read_world(texts: &[&str], reader: FakeReranker) -> World {
    let policy = DEFAULT.replace("mode: model", "mode: extractive");
    let mut world = world(texts, &policy).await;
    world.engine.parts.reranker = Some(Part::bare(Arc::new(reader)));
    world
}

#[tokio::test]
async fn the_sentence_in_which_a_reader_finds_the_answer_is_quoted() {
    let text = "The gearbox holds oil, and oil is what the gearbox is about. It takes 1.8 litres.";
    let in_context = format!("Manual: Oil\n{text}");
    let world = read_world(&[text], FakeReranker::finding(&[(&in_context, "1.8 litres")])).await;
    let answer = world.ask("How much oil does the gearbox take?").await.answer;
    // "It" says something only behind the sentence before it.
    assert_eq!((answer.action, answer.answer), (Action::Cite, format!("{text}[1]")));
}

#[tokio::test]
async fn what_no_passage_answers_is_refused_with_the_readers_number() {
    let text = "The gearbox holds oil, and oil is what the gearbox is about.";
    let in_context = format!("Manual: Oil\n{text}");
    let world = read_world(&[text], FakeReranker::scoring(&[(&in_context, 0.04)])).await;
    let answer = world.ask("How much oil does the gearbox take?").await.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::NotAnswered)));
    let expected = "Probability that a passage answers (0.04) below threshold (0.75)";
    assert_eq!(answer.refusal_reason.as_deref(), Some(expected));
}

#[tokio::test]
async fn whoever_wants_more_passages_of_a_handbook_has_more_retrieved() {
    let texts: Vec<String> = (0..60).map(|number| format!("The gearbox of machine {number} holds oil.")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let world = world(&texts, HANDBOOK).await;
    // Fifteen by meaning and fifteen by keywords where five are wanted; three of each for every one that is wanted beyond.
    for (wanted, most) in [(1, 30), (5, 30), (8, 48)] {
        let question = Question::new("gearbox oil").with_context_chunks(wanted);
        let explanation = world.engine.explain(world.asked(question)).await.unwrap();
        let found = explanation.candidates.len();
        assert!(found <= most && found > most / 2 - 1, "{found} for {wanted}");
    }
}
