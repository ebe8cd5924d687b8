//! Each port through its part: as the part itself while it is well, and left alone while it is not. Tokio's time is
//! paused: what is late is late at once, and nothing depends on how busy the machine is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "all of this is tests")]

mod through;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt as _;

use self::through::Through;
use ibidem_ports::clock;
use ibidem_ports::degrade::{BreakerSettings, Breakers, Deadline, OwnFault, Part, PartError, ServiceBreaker};
use ibidem_ports::embedder::{EmbedError, EmbedFault, Embedder};
use ibidem_ports::entailment::{Classification, Entailment, EntailmentError, Pair};
use ibidem_ports::index::{Index, IndexError, IndexFault};
use ibidem_ports::language_model::{
    LanguageModel, LikelyToken, ModelError, ModelFault, Piece, Pieces, Prompt, Tokenizer,
};
use ibidem_ports::reranker::{RerankError, RerankFault, Reranker};
use ibidem_ports::vocabulary::{Vocabulary, VocabularyError, VocabularyFault};
use ibidem_testing::fakes::{
    FakeEmbedder, FakeEntailment, FakeIndex, FakeModel, FakeReranker, FakeTokenizer, FakeVocabulary, Script,
};
use ibidem_testing::suites;

const PATIENT: Duration = Duration::from_secs(60);
const IMPATIENT: Duration = Duration::from_millis(20);
const NO_DEADLINE: Deadline = Deadline::NONE;

/// Breakers of which one is looked at.
struct Watched(Breakers);

impl Watched {
    fn new() -> Self {
        Self(Breakers::new(BreakerSettings::default()))
    }

    fn of(&self, patience: Duration) -> ServiceBreaker {
        self.0.of("part", patience)
    }

    fn state(&self) -> (u8, u64) {
        let states = self.0.states().states();
        (states[0].1, states[0].2)
    }
}

async fn thirty_seconds_pass() {
    tokio::time::advance(Duration::from_secs(30)).await;
}

fn prompt() -> Prompt {
    Prompt { model: None, messages: Vec::new(), temperature: 0.0, max_tokens: 8, form: None }
}

async fn written(model: &Part<dyn LanguageModel>, deadline: Deadline) -> Result<(), ModelError> {
    let mut pieces = model.write(deadline, prompt()).await?;
    while let Some(piece) = pieces.next().await {
        piece?;
    }
    Ok(())
}

async fn scored(reranker: &Part<dyn Reranker>, deadline: Deadline) -> Result<Vec<f32>, RerankError> {
    reranker.call(deadline, |reranker| reranker.score("?", vec!["text".to_owned()])).await
}

#[tokio::test(start_paused = true)]
async fn every_part_behaves_as_what_is_behind_it() {
    let watched = Watched::new();
    let embedder = Arc::new(FakeEmbedder::new(64, 32));
    let part = Part::<dyn Embedder>::guarded(embedder.clone(), watched.of(PATIENT));
    suites::embedder::embedder_suite(&Through(part), embedder.as_ref()).await;

    let part = Part::<dyn Reranker>::guarded(Arc::new(FakeReranker::default()), watched.of(PATIENT));
    suites::reranker::reranker_suite(&Through(part), 0.0).await;

    let part = Part::<dyn Entailment>::guarded(Arc::new(FakeEntailment::default()), watched.of(PATIENT));
    suites::entailment::entailment_suite(&Through(part), 0.0).await;

    let model = Arc::new(FakeModel::saying(&["Hel", "lo."]));
    let part = Part::<dyn LanguageModel>::guarded(model, watched.of(PATIENT));
    suites::language_model::check(&Through(part)).await;

    let vocabulary = Arc::new(FakeVocabulary::of(suites::vocabulary::gridterms()));
    let part = Part::<dyn Vocabulary>::guarded(vocabulary, watched.of(PATIENT));
    suites::vocabulary::check(&Through(part)).await;

    let index = Arc::new(FakeIndex::new(suites::index::DIMENSIONS));
    let part = Part::<dyn Index>::guarded(index.clone(), watched.of(PATIENT));
    suites::index::index_suite(&Through(part), index.as_ref()).await;

    assert_eq!(watched.state(), (0, 0), "what the suites ask wrongly is nobody's failure");
}

#[tokio::test(start_paused = true)]
async fn a_part_that_fails_five_times_is_left_alone_tried_and_asked_again() {
    let watched = Watched::new();
    let fake = Arc::new(FakeReranker::default());
    let part = Part::<dyn Reranker>::guarded(fake.clone(), watched.of(PATIENT));
    let failed = || Err(RerankError::Own(RerankFault::Failed("told to".to_owned())));
    fake.set_trouble(failed().err());
    for _ in 0..5 {
        assert_eq!(scored(&part, NO_DEADLINE).await, failed());
    }
    assert_eq!(scored(&part, NO_DEADLINE).await, Err(RerankError::CircuitOpen { again_in_ms: 30_000 }));
    assert_eq!((fake.calls(), watched.state()), (5, (2, 1)), "nothing was attempted");

    thirty_seconds_pass().await;
    assert_eq!(scored(&part, NO_DEADLINE).await, failed());
    assert_eq!(scored(&part, NO_DEADLINE).await, Err(RerankError::CircuitOpen { again_in_ms: 30_000 }));
    assert_eq!((fake.calls(), watched.state()), (6, (2, 2)));

    fake.set_trouble(None);
    thirty_seconds_pass().await;
    assert!(scored(&part, NO_DEADLINE).await.is_ok());
    assert_eq!(watched.state(), (1, 2));
    assert!(scored(&part, NO_DEADLINE).await.is_ok());
    assert_eq!(watched.state(), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn what_is_too_long_is_the_askers_and_opens_nothing() {
    let watched = Watched::new();
    let fake = Arc::new(FakeReranker::default());
    let too_long = || RerankError::Own(RerankFault::TooLong("600 tokens".to_owned()));
    fake.set_trouble(Some(too_long()));
    let reranker = Part::<dyn Reranker>::guarded(fake, watched.of(PATIENT));
    for _ in 0..10 {
        assert_eq!(scored(&reranker, NO_DEADLINE).await, Err(too_long()));
    }
    let embedder = Part::<dyn Embedder>::guarded(Arc::new(FakeEmbedder::new(8, 4)), watched.of(PATIENT));
    for _ in 0..10 {
        let texts = vec!["one two three four five".to_owned()];
        let refused = embedder.call(NO_DEADLINE, |embedder| embedder.embed_passages(texts)).await;
        assert!(matches!(refused, Err(EmbedError::Own(EmbedFault::TooLong { .. }))));
    }
    let not_served = Arc::new(FakeModel::new(Script::NotServed));
    let model = Part::<dyn LanguageModel>::guarded(not_served, watched.of(PATIENT));
    for _ in 0..10 {
        assert!(matches!(written(&model, NO_DEADLINE).await, Err(ModelError::Own(ModelFault::NotServed { .. }))));
        let unknown = Prompt { model: Some("other".to_owned()), ..prompt() };
        let refused = model.write(NO_DEADLINE, unknown).await.err();
        assert!(matches!(refused, Some(ModelError::Own(ModelFault::NotAllowed { .. }))));
    }
    assert_eq!(watched.state(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn an_entailment_model_and_an_embedding_model_that_fail_are_left_alone() {
    let watched = Watched::new();
    let fake = Arc::new(FakeEntailment::default());
    fake.set_trouble(Some(EntailmentError::Timeout(5_000)));
    let entailment = Part::<dyn Entailment>::guarded(fake.clone(), watched.of(PATIENT));
    let pair = || vec![Pair { premise: "It rains.".to_owned(), claim: "It is wet.".to_owned() }];
    let classify = async || entailment.call(NO_DEADLINE, |entailment| entailment.classify(pair())).await;
    for _ in 0..5 {
        assert_eq!(classify().await, Err(EntailmentError::Timeout(5_000)));
    }
    assert!(matches!(classify().await, Err(EntailmentError::CircuitOpen { .. })));
    assert_eq!(fake.calls(), 5);

    let fake = Arc::new(FakeEmbedder::new(8, 32));
    fake.set_down(true);
    let embedder = Part::<dyn Embedder>::guarded(fake, watched.0.of("embedding", PATIENT));
    let embed = async || embedder.call(NO_DEADLINE, |embedder| embedder.embed_queries(vec!["x".to_owned()])).await;
    for _ in 0..5 {
        assert!(matches!(embed().await, Err(EmbedError::Unavailable(_))));
    }
    let refused = embed().await.unwrap_err();
    assert!(matches!(refused, EmbedError::CircuitOpen { .. }));
    assert!(refused.to_string().ends_with("is tried again in 30000 ms"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_model_that_breaks_off_or_cannot_be_reached_has_failed_and_is_not_asked_for_its_names_either() {
    for script in [Script::CannotBeReached, Script::BreaksOffAfter(vec!["Half a".to_owned()])] {
        let watched = Watched::new();
        let fake = Arc::new(FakeModel::new(script));
        let model = Part::<dyn LanguageModel>::guarded(fake.clone(), watched.of(PATIENT));
        for _ in 0..5 {
            assert!(written(&model, NO_DEADLINE).await.is_err());
        }
        assert_eq!(written(&model, NO_DEADLINE).await, Err(ModelError::CircuitOpen { again_in_ms: 30_000 }));
        let served = model.aside(NO_DEADLINE, |model| model.served()).await;
        assert_eq!(served, Err(ModelError::CircuitOpen { again_in_ms: 30_000 }));
        let likely = model.call(NO_DEADLINE, |model| model.first_tokens(prompt())).await;
        assert!(matches!(likely, Err(ModelError::CircuitOpen { .. })));
        assert_eq!((fake.prompts().len(), watched.state()), (5, (2, 1)));
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_has_read_enough_of_a_model_says_nothing_about_it_and_leaves_no_probe_behind() {
    let watched = Watched::new();
    let breaker = watched.of(PATIENT);
    let model = Part::<dyn LanguageModel>::guarded(Arc::new(FakeModel::saying(&["One.", "Two."])), watched.of(PATIENT));
    for _ in 0..5 {
        breaker.begin().unwrap().failed();
    }
    thirty_seconds_pass().await;
    for _ in 0..3 {
        let mut pieces = model.write(NO_DEADLINE, prompt()).await.unwrap();
        assert!(matches!(pieces.next().await, Some(Ok(Piece::Text(_)))));
        let second = model.write(NO_DEADLINE, prompt()).await.err();
        assert!(matches!(second, Some(ModelError::CircuitOpen { again_in_ms: 0 })));
        drop(pieces);
        assert_eq!(watched.state(), (1, 1));
    }
    for state in [(1, 1), (0, 1)] {
        assert_eq!((written(&model, NO_DEADLINE).await, watched.state()), (Ok(()), state));
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_beside_tells_the_breaker_nothing_and_is_refused_while_it_is_open() {
    let watched = Watched::new();
    let breaker = watched.of(PATIENT);
    let tokenizer = Part::<dyn Tokenizer>::guarded(Arc::new(FakeTokenizer), breaker.clone());
    let text = "Five days of leave may be carried over into the next year.".to_owned();
    let count = async || {
        let texts = vec![text.clone()];
        tokenizer.aside(NO_DEADLINE, async |counts| Ok::<_, ModelError>(counts.count(texts).await)).await
    };
    assert_eq!(count().await, Ok(FakeTokenizer.count(vec![text.clone()]).await));
    for _ in 0..5 {
        breaker.begin().unwrap().failed();
    }
    assert_eq!(count().await, Err(ModelError::CircuitOpen { again_in_ms: 30_000 }));
    assert_eq!(watched.state(), (2, 1));
}

/// Never answers, and says when it was stopped; or, as a model, begins to.
#[derive(Default)]
struct Stuck {
    stopped: Arc<AtomicBool>,
}

struct SaysWhenStopped(Arc<AtomicBool>);

impl Drop for SaysWhenStopped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Stuck {
    async fn for_ever<T>(&self) -> T {
        let _says = SaysWhenStopped(Arc::clone(&self.stopped));
        std::future::pending().await
    }
}

#[async_trait]
impl Reranker for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    async fn score(&self, _: &str, _: Vec<String>) -> Result<Vec<f32>, RerankError> {
        self.for_ever().await
    }
}

#[async_trait]
impl Entailment for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    async fn classify(&self, _: Vec<Pair>) -> Result<Vec<Classification>, EntailmentError> {
        self.for_ever().await
    }
}

#[async_trait]
impl LanguageModel for Stuck {
    fn default_model(&self) -> &str {
        "stuck"
    }

    fn allowed(&self) -> Vec<String> {
        vec!["stuck".to_owned()]
    }

    async fn write(&self, _: Prompt) -> Result<Pieces, ModelError> {
        let begins = futures::stream::iter([Ok(Piece::Text(b"Begins".to_vec()))]);
        Ok(Box::pin(begins.chain(futures::stream::pending())))
    }

    async fn first_tokens(&self, _: Prompt) -> Result<Vec<LikelyToken>, ModelError> {
        self.for_ever().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_that_hangs_is_stopped_named_as_late_and_that_is_a_failure() {
    let watched = Watched::new();
    let stuck = Arc::new(Stuck::default());
    let reranker = Part::<dyn Reranker>::guarded(stuck.clone(), watched.of(IMPATIENT));
    for _ in 0..5 {
        assert_eq!(scored(&reranker, NO_DEADLINE).await, Err(RerankError::Timeout(20)));
    }
    assert_eq!((watched.state(), stuck.stopped.load(Ordering::SeqCst)), ((2, 1), true));
    let model = Part::<dyn LanguageModel>::guarded(stuck, watched.of(IMPATIENT));
    for _ in 0..5 {
        assert_eq!(written(&model, NO_DEADLINE).await, Err(ModelError::Timeout(20)));
    }
    assert_eq!(watched.state(), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_part_without_a_breaker_is_stopped_in_its_time_too_and_a_bare_one_with_the_request() {
    let stuck = Arc::new(Stuck::default());
    let entailment = Part::<dyn Entailment>::patient(stuck.clone(), IMPATIENT);
    let late = entailment.call(NO_DEADLINE, |entailment| entailment.classify(Vec::new())).await;
    assert_eq!((late, stuck.stopped.swap(false, Ordering::SeqCst)), (Err(EntailmentError::Timeout(20)), true));
    let bare = Part::<dyn Reranker>::bare(stuck.clone());
    assert_eq!(scored(&bare, Deadline::after(IMPATIENT)).await, Err(RerankError::Timeout(20)));
    assert!(stuck.stopped.load(Ordering::SeqCst));
    let begun = clock::now();
    assert!(clock::by(begun + PATIENT, scored(&bare, NO_DEADLINE)).await.is_none(), "nobody stops it");
}

#[tokio::test(start_paused = true)]
async fn a_part_that_the_request_had_no_time_for_is_not_blamed_and_beyond_the_deadline_nothing_is_begun() {
    let watched = Watched::new();
    let stuck = Arc::new(Stuck::default());
    let reranker = Part::<dyn Reranker>::guarded(stuck.clone(), watched.of(PATIENT));
    let model = Part::<dyn LanguageModel>::guarded(stuck, watched.of(PATIENT));
    let untouched = Arc::new(FakeReranker::default());
    let beyond = Part::<dyn Reranker>::guarded(untouched.clone(), watched.of(PATIENT));
    for _ in 0..6 {
        let deadline = Deadline::after(IMPATIENT);
        assert_eq!(written(&model, deadline).await, Err(ModelError::Timeout(20)));
        let deadline = Deadline::after(IMPATIENT);
        assert_eq!(scored(&reranker, deadline).await, Err(RerankError::Timeout(20)));
        assert!(deadline.is_over());
        assert_eq!(scored(&beyond, deadline).await, Err(RerankError::Timeout(0)));
        assert_eq!(written(&model, deadline).await, Err(ModelError::Timeout(0)));
    }
    assert_eq!((watched.state(), untouched.calls()), ((0, 0), 0));
}

#[tokio::test(start_paused = true)]
async fn a_call_given_up_counts_against_the_part_only_after_the_time_that_is_due_to_it() {
    let watched = Watched::new();
    let reranker = Part::<dyn Reranker>::guarded(Arc::new(Stuck::default()), watched.of(PATIENT));
    let given_up_after = async |patience: Duration| {
        let given_up = clock::by(clock::now() + patience, scored(&reranker, NO_DEADLINE)).await;
        assert!(given_up.is_none());
    };
    for _ in 0..6 {
        given_up_after(PATIENT / 2).await;
    }
    assert_eq!(watched.state(), (0, 0));
    for _ in 0..5 {
        given_up_after(PATIENT * 9 / 10).await;
    }
    assert_eq!(watched.state(), (2, 1));
}

#[test]
fn every_part_says_in_the_same_words_what_happened() {
    fn messages<Own: OwnFault>() -> [String; 3] {
        let (after, again_in) = (Duration::from_millis(300), Duration::from_secs(30));
        let refused = PartError::Unavailable("refused".to_owned());
        [PartError::<Own>::late(after), PartError::circuit_open(again_in), refused].map(|error| error.to_string())
    }
    let expected = |part: &str, unavailable: &str| {
        [
            format!("{part} did not answer within 300 ms"),
            format!("{part} is not asked: it failed too often, and is tried again in 30000 ms"),
            format!("{unavailable}: refused"),
        ]
    };
    for (found, part) in [
        (messages::<EmbedFault>(), "the embedding model"),
        (messages::<RerankFault>(), "the reranker"),
        (messages::<ibidem_ports::entailment::EntailmentFault>(), "the entailment model"),
        (messages::<VocabularyFault>(), "the vocabulary"),
        (messages::<IndexFault>(), "the index"),
    ] {
        assert_eq!(found, expected(part, &format!("{part} is unavailable")));
    }
    assert_eq!(messages::<ModelFault>(), expected("the model", "the model server cannot be reached"));
    let own = IndexError::Own(IndexFault::Missing);
    assert_eq!(own.to_string(), IndexFault::Missing.to_string());
    assert_eq!(VocabularyError::Own(VocabularyFault::InvalidTerm).to_string(), "a term has 1 to 500 characters");
}
