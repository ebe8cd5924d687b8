//! Degraded is never bolder: with a part away no question is answered that is refused with all of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use ibidem_engine::listener::Nobody;
use ibidem_engine::parts::SecondReader;
use ibidem_engine::policy::Policy;
use ibidem_engine::replay::{Again, Decided, Replay};
use ibidem_ports::clock;
use ibidem_ports::degrade::Part;
use ibidem_ports::entailment::{Classification, EntailmentError, Pair};
use ibidem_ports::records::DecisionRecord;
use ibidem_ports::reranker::{Relevance, RerankError, RerankFault, Reranker};
use ibidem_testing::fakes::{FakeEmbedder, FakeEntailment, FakeReranker, Script};
use ibidem_words::Fallback;
use ibidem_words::{Action, Answer, CharSpan, Identity, Question, Reason, Verdict};

use crate::replayed::{Dice, POLICIES, scripts};
use crate::says;
use crate::world::{Book, TAG, World};

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");

/// A reader that answers so many calls, and then fails as it is told.
struct FailsAfter<Inner = FakeReranker> {
    inner: Inner,
    calls: AtomicUsize,
    error: RerankError,
}

impl<Inner: Reranker> FailsAfter<Inner> {
    fn new(inner: Inner, calls: usize, error: RerankError) -> Arc<Self> {
        Arc::new(Self { inner, calls: AtomicUsize::new(calls), error })
    }
}

#[async_trait]
impl<Inner: Reranker> Reranker for FailsAfter<Inner> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.inner.score(question, texts).await
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        let left = self.calls.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map_err(|_| self.error.clone())?;
        self.inner.read(question, texts).await
    }
}

/// Which part is away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Away {
    Nothing,
    Reader,
    /// It fails after so many calls of one question.
    ReaderAfter(usize),
    Verifier,
    Embedding,
    /// Of a second reader, where there is one: after so many calls of one question.
    SecondAfter(usize),
}

const AWAY: [Away; 8] = [
    Away::Reader,
    Away::ReaderAfter(1),
    Away::ReaderAfter(2),
    Away::ReaderAfter(3),
    Away::Verifier,
    Away::Embedding,
    Away::SecondAfter(0),
    Away::SecondAfter(1),
];

/// A reader with an opinion of its own about every pair.
struct Opinionated;

#[async_trait]
impl Reranker for Opinionated {
    fn name(&self) -> &str {
        "opinionated"
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        let opinion = |text: &String| {
            let bytes = question.bytes().chain(text.bytes());
            let sum = bytes.fold(7_u16, |sum, byte| sum.wrapping_mul(31).wrapping_add(u16::from(byte)));
            f32::from(sum % 100) / 100.0
        };
        Ok(texts.iter().map(opinion).collect())
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        let ends = texts.iter().map(|text| u32::try_from(text.chars().count()).unwrap()).collect::<Vec<_>>();
        let scores = self.score(question, texts).await?;
        let read = |(score, end): (f32, u32)| {
            let answer = end.checked_sub(1).map(|start| CharSpan { start, end });
            Relevance { score, answer }
        };
        Ok(scores.into_iter().zip(ends).map(read).collect())
    }
}

struct Degrading {
    world: World,
    embedder: Arc<FakeEmbedder>,
    entailment: Arc<FakeEntailment>,
    has_second: bool,
}

impl Degrading {
    async fn new(dice: &mut Dice, script: Script, policy: &str, has_second: bool) -> Self {
        let embedder = Arc::new(FakeEmbedder::new(64, 256));
        let books = (0..30).map(|number| {
            let words = dice.words(4 + number % 5);
            let collection = ["ADR", "Policy", "Book"][number % 3].to_owned();
            Book { collection, ..Book::of(&format!("The {words}.")) }
        });
        let mut world = World::of(script, books.collect(), embedder.clone(), policy).await;
        let entailment = Arc::new(FakeEntailment::by_rule(by_words));
        world.engine.parts.entailment = Part::bare(entailment.clone());
        Self { world, embedder, entailment, has_second }
    }

    async fn decide(&mut self, away: Away, policy: &Arc<Policy>, question: Question) -> (Answer, DecisionRecord) {
        let trouble = RerankError::Timeout(3_000);
        let calls = match away {
            Away::Reader => 0,
            Away::ReaderAfter(calls) => calls,
            _ => usize::MAX,
        };
        let reader = FailsAfter::new(FakeReranker::default().as_reader(), calls, trouble.clone());
        self.world.engine.parts.reranker = Some(Part::bare(reader));
        let calls = if let Away::SecondAfter(calls) = away { calls } else { usize::MAX };
        let second = Part::bare(FailsAfter::new(Opinionated, calls, trouble) as Arc<dyn Reranker>);
        self.world.engine.parts.second_reader = self.has_second.then_some(SecondReader { reader: second, best: 2 });
        self.entailment.set_trouble((away == Away::Verifier).then_some(EntailmentError::Timeout(2_000)));
        self.embedder.set_down(away == Away::Embedding);
        let identity = Identity::for_tests(self.world.tenant, "s", [TAG.parse().unwrap()].into());
        let mut asked = self.world.asked(question);
        asked.policy = policy.clone();
        let (answer, record) = self.world.engine.turn(&identity, asked, &mut Nobody).await.unwrap();
        (answer, serde_json::from_str(&serde_json::to_string(&record.decision).unwrap()).unwrap())
    }
}

/// A verifier that finds supported what has two of three words of its source.
fn by_words(pair: &Pair) -> Option<Classification> {
    let premise = pair.premise.to_lowercase();
    let claim = pair.claim.to_lowercase();
    let words: Vec<&str> = claim.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let found = words.iter().filter(|word| premise.contains(*word)).count();
    let share = u16::try_from(found).ok()?.min(100);
    let all = u16::try_from(words.len()).ok()?.max(1);
    Some(Classification::of(f32::from(share) / f32::from(all) * 0.75))
}

/// `just lab degraded` makes it ten thousand.
fn how_many() -> usize {
    std::env::var("IBIDEM_DEGRADED").map_or(72, |written| written.parse().unwrap())
}

#[tokio::test]
async fn with_a_part_away_nothing_is_answered_that_is_refused_with_all_parts_and_it_is_decided_again_alike() {
    let each = how_many().div_ceil(2 * POLICIES.len() * (scripts().len() + 1));
    let mut dice = Dice(31);
    let mut answered = BTreeMap::<Away, usize>::new();
    let mut bolder = Vec::new();
    let (mut asked, mut with_a_second) = (0, 0);
    for text in POLICIES {
        let text = text.replace("answerability: 0.75", "answerability: 0.5").replace("cite_from: 60", "cite_from: 50");
        let extractive = text.replace("mode: model", "mode: extractive");
        let written = || scripts().into_iter().map(|script| (script, text.as_str()));
        let modes = || written().chain([(Script::CannotBeReached, extractive.as_str())]);
        let alone_and_with_a_second = modes().map(|mode| (mode, false)).chain(modes().map(|mode| (mode, true)));
        for ((script, text), has_second) in alone_and_with_a_second {
            let breaks_off = matches!(script, Script::BreaksOffAfter(_));
            let policy = Arc::new(Policy::parse(text).unwrap());
            let replay = Replay::under(&policy).unwrap();
            let mut world = Degrading::new(&mut dice, script, text, has_second).await;
            for _ in 0..each {
                let count = 1 + dice.below(5);
                let question = Question::new(dice.words(count)).with_context_chunks(1 + dice.below(8));
                let (whole, _) = world.decide(Away::Nothing, &policy, question.clone()).await;
                asked += 1;
                let is_answered = usize::from(whole.action == Action::Cite);
                *answered.entry(Away::Nothing).or_default() += is_answered;
                with_a_second += if has_second { is_answered } else { 0 };
                // From other evidence a model writes something else: where it breaks off there, that is a second part away.
                for away in AWAY.into_iter().filter(|away| !(breaks_off && *away == Away::Embedding)) {
                    let (answer, record) = world.decide(away, &policy, question.clone()).await;
                    let expected =
                        Decided { action: record.action, reason: record.reason, trace: record.trace.clone() };
                    assert_eq!(replay.again(&record), Again::Decided(expected), "{away:?} {record:?}");
                    *answered.entry(away).or_default() += usize::from(answer.action == Action::Cite);
                    if answer.action == Action::Cite && whole.action != Action::Cite {
                        let name = policy.rules.name.clone();
                        bolder.push((away, name, question.query.clone(), whole.reason, answer.answer, answer.trace));
                    }
                }
            }
        }
    }
    eprintln!("of {asked} questions answered: {answered:?}; bolder: {}", bolder.len());
    assert!(bolder.is_empty(), "{} were bolder: {:#?}", bolder.len(), &bolder[..bolder.len().min(3)]);
    assert!(answered[&Away::Nothing] > asked / 20, "too few answers show nothing: {answered:?} of {asked}");
    assert!(answered[&Away::Embedding] > 0 && answered[&Away::Verifier] > 0, "{answered:?}");
    assert!(with_a_second > asked / 80, "too few answers with a second reader: {with_a_second} of {asked}");
    assert!(answered[&Away::ReaderAfter(3)] > 0, "a reader that is cut short still answers: {answered:?}");
}

const HOLDER: &str = "Who approves EUR 60,000 is in this table. The budget holder approves up to EUR 5,000.";
const WHO: &str = "Who approves EUR 60,000?";

async fn holders(policy: &str, reader: Arc<dyn Reranker>) -> World {
    let script = says(&["The budget holder approves up to EUR 5,000.[^1]"]);
    let mut world = World::of(script, vec![Book::of(HOLDER)], Arc::new(FakeEmbedder::new(64, 256)), policy).await;
    world.engine.parts.reranker = Some(Part::bare(reader));
    world
}

#[tokio::test]
async fn what_needs_the_readers_word_is_refused_with_the_reason_its_numbers_and_a_next_step() {
    let busy = RerankError::Own(RerankFault::Busy);
    for (error, why) in [
        (RerankError::Timeout(3_000), "the reranker did not answer within 3000 ms"),
        (busy, "the reranker is busy with other questions"),
        (RerankError::Unavailable("connection to 10.0.0.7 refused".to_owned()), "the reranker does not answer"),
    ] {
        let answer = holders(DEFAULT, FailsAfter::new(FakeReranker::default(), 0, error)).await.ask(WHO).await.answer;
        assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::RetrievalUnavailable)), "{answer:#?}");
        let numbers = format!("Passages that were read (0 of 1) below the least that is needed (1): {why}");
        assert_eq!(answer.refusal_reason.as_deref(), Some(numbers.as_str()));
        assert_eq!(answer.suggestions, ["Ask again in a moment."]);
        assert_eq!(answer.retrieval_quality.fallback_reasons, [Fallback::NoRerank]);
        let gate = answer.trace.last().unwrap();
        assert_eq!((gate.gate.as_str(), gate.verdict), ("answerability", Verdict::Stop));
    }
    // Where none is configured, the other gates decide.
    let mut world = holders(DEFAULT, FailsAfter::new(FakeReranker::default(), 0, RerankError::Timeout(1))).await;
    world.engine.parts.reranker = None;
    assert_eq!(world.ask(WHO).await.answer.action, Action::Cite);
}

#[tokio::test]
async fn a_reader_that_fails_before_it_read_the_answer_lets_nothing_out() {
    let finds = FakeReranker::finding(&[(&format!("Manual: Oil\n{HOLDER}"), "The budget holder")]).as_reader();
    // One call reads the passage; what fails is the next, about what is to be said.
    let reader = FailsAfter::new(finds, 1, RerankError::Timeout(3_000));
    let spoken = holders(DEFAULT, reader).await.ask(WHO).await;
    let answer = spoken.answer;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::RetrievalUnavailable)), "{answer:#?}");
    assert!(answer.refusal_reason.unwrap().contains("the reader that is to find it out does not answer"));
    assert!(answer.citations.is_empty() && spoken.draft.is_some());
}

#[tokio::test]
async fn without_its_verifier_a_model_is_not_believed_and_what_stands_word_for_word_is_still_said() {
    let text = "The gearbox holds 1.8 litres of oil. The pump is checked yearly.";
    let ask = async |says: &str| {
        let world = World::with(crate::says(&[says]), &[text]).await;
        let away = FakeEntailment::default();
        away.set_trouble(Some(EntailmentError::Timeout(2_000)));
        let engine = world.engine.clone().with(|parts| parts.entailment = Part::bare(Arc::new(away)));
        engine.ask(world.asked(Question::new(text)), &mut Nobody).await.unwrap().answer
    };
    let answer = ask("Oil of the gearbox, 1.8 litres.[^1] The pump is checked yearly.[^1]").await;
    assert_eq!((answer.action, answer.reason), (Action::Refuse, Some(Reason::UnsupportedClaims)), "{answer:#?}");
    assert!(answer.refusal_reason.unwrap().contains("the entailment model does not answer"));
    assert_eq!(answer.suggestions, ["Ask again in a moment."]);
    assert_eq!(answer.retrieval_quality.fallback_reasons, [Fallback::NoEntailment]);
    let answer = ask("The gearbox holds 1.8 litres of oil.[^1] Oil of the pump, 1.8 litres.[^1]").await;
    assert_eq!((answer.action, answer.answer.as_str()), (Action::Cite, "The gearbox holds 1.8 litres of oil.[1]"));
    assert!(answer.warnings.iter().any(|warning| warning.contains("could not be checked")), "{:?}", answer.warnings);
}

/// Reads at this pace, whoever asks.
struct Slow(FakeReranker);

const PER_PASSAGE: Duration = Duration::from_millis(100);

#[async_trait]
impl Reranker for Slow {
    fn name(&self) -> &str {
        self.0.name()
    }

    async fn score(&self, question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.0.score(question, texts).await
    }

    async fn read(&self, question: &str, texts: Vec<String>) -> Result<Vec<Relevance>, RerankError> {
        clock::wait(PER_PASSAGE * u32::try_from(texts.len()).unwrap()).await;
        self.0.read(question, texts).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_reader_without_time_for_all_reads_the_most_promising_and_that_is_said() {
    let texts: Vec<String> =
        (0..14).map(|number| format!("The gearbox of machine {number} holds oil and grease.")).collect();
    let asked_for = "What does the gearbox of machine 11 hold?";
    let books = || texts.iter().map(|text| Book::of(text)).collect();
    let ask = async |patience: Duration| {
        let mut world =
            World::of(Script::CannotBeReached, books(), Arc::new(FakeEmbedder::new(64, 256)), DEFAULT).await;
        let slow: Arc<dyn Reranker> = Arc::new(Slow(FakeReranker::default().as_reader()));
        world.engine.parts.reranker = Some(Part::patient(slow, patience));
        world.explain(asked_for).await
    };
    let whole = ask(Duration::from_secs(60)).await;
    assert!(whole.fallback_reasons.is_empty() && whole.candidates.len() == 14, "{:?}", whole.fallback_reasons);
    let hurried = ask(PER_PASSAGE * 11).await;
    assert_eq!(hurried.fallback_reasons, [Fallback::FewerRead]);
    let read = hurried.candidates.iter().filter(|candidate| candidate.rerank.is_some()).count();
    assert_eq!((read, hurried.candidates.len()), (8, 14), "the others were left out");
    assert!(hurried.candidates.iter().any(|one| one.rerank.is_some() && one.text.contains("machine 11")));
    let late = ask(PER_PASSAGE * 3).await;
    assert_eq!(late.fallback_reasons, [Fallback::NoRerank], "not even the first were read");
}
