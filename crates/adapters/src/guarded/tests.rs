//! Each port through its wrapper: as the part itself while it is well, and left alone while it is not.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use futures::StreamExt as _;
use ibidem_words::degrade::{BreakerSettings, Breakers, Clock};
use ibidem_words::fakes::{
    FakeEmbedder, FakeEntailment, FakeIndex, FakeModel, FakeReranker, FakeTokenizer, FakeVocabulary, Script,
};
use ibidem_words::ports::embedder::{EmbedError, Embedder as _};
use ibidem_words::ports::entailment::{Entailment as _, EntailmentError, Pair};
use ibidem_words::ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_words::ports::language_model::Estimate;
use ibidem_words::ports::language_model::{
    LanguageModel, LikelyToken, ModelError, Piece, Pieces, Prompt, Tokenizer as _,
};
use ibidem_words::ports::request_time::RequestTime as _;
use ibidem_words::ports::reranker::{RerankError, Reranker};
use ibidem_words::ports::vocabulary::{Vocabulary, VocabularyError};
use ibidem_words::suites;
use ibidem_words::{Identity, Scope, TenantId};

use super::*;
use crate::watched_vocabulary::{WatchedSettings, WatchedVocabulary};

const PATIENT: Duration = Duration::from_secs(60);
const IMPATIENT: Duration = Duration::from_millis(20);

/// Breakers whose time is turned by hand, in milliseconds.
struct Hand {
    breakers: Breakers,
    passed: Arc<AtomicU64>,
}

impl Hand {
    fn new() -> Self {
        let passed = Arc::new(AtomicU64::new(0));
        let (began, hand) = (Instant::now(), Arc::clone(&passed));
        let clock: Clock = Arc::new(move || began + Duration::from_millis(hand.load(Ordering::SeqCst)));
        Self { breakers: Breakers::with_clock(BreakerSettings::default(), clock), passed }
    }

    fn of(&self, patience: Duration) -> ServiceBreaker {
        self.breakers.of("part", patience)
    }

    fn thirty_seconds_pass(&self) {
        self.passed.fetch_add(30_000, Ordering::SeqCst);
    }

    fn state(&self) -> (u8, u64) {
        let states = self.breakers.states().states();
        (states[0].1, states[0].2)
    }
}

fn prompt() -> Prompt {
    Prompt { model: None, messages: Vec::new(), temperature: 0.0, max_tokens: 8 }
}

async fn written(model: &dyn LanguageModel) -> Result<(), ModelError> {
    let mut pieces = model.write(prompt()).await?;
    while let Some(piece) = pieces.next().await {
        piece?;
    }
    Ok(())
}

fn scope() -> Scope {
    let tags = std::iter::empty().collect();
    Scope::of(&Identity::for_tests(TenantId::named("t"), "s", tags))
}

#[tokio::test]
async fn every_guarded_part_behaves_as_the_part_itself() {
    let hand = Hand::new();
    let embedder = Arc::new(FakeEmbedder::new(64, 32));
    let guarded = GuardedEmbedder::new(embedder.clone(), hand.of(PATIENT));
    suites::embedder::embedder_suite(&guarded, embedder.as_ref()).await;

    let guarded = GuardedReranker::new(Arc::new(FakeReranker::default()), hand.of(PATIENT));
    suites::reranker::reranker_suite(&guarded, 0.0).await;

    let guarded = GuardedEntailment::new(Arc::new(FakeEntailment::default()), hand.of(PATIENT));
    suites::entailment::entailment_suite(&guarded, 0.0).await;

    let guarded = GuardedModel::new(Arc::new(FakeModel::saying(&["Hel", "lo."])), hand.of(PATIENT));
    suites::language_model::check(&guarded).await;

    let vocabulary = FakeVocabulary::of(suites::vocabulary::gridterms());
    let guarded = GuardedVocabulary::new(Arc::new(vocabulary), hand.of(PATIENT));
    suites::vocabulary::check(&guarded).await;

    let index = Arc::new(FakeIndex::new(suites::index::DIMENSIONS));
    let guarded = GuardedIndex::new(index.clone(), hand.of(PATIENT));
    suites::index::index_suite(&guarded, index.as_ref()).await;

    assert_eq!(hand.state(), (0, 0), "what the suites ask wrongly is nobody's failure");
}

#[tokio::test]
async fn a_reranker_that_fails_five_times_is_left_alone_tried_and_asked_again() {
    let hand = Hand::new();
    let fake = Arc::new(FakeReranker::default());
    let guarded = GuardedReranker::new(fake.clone(), hand.of(PATIENT));
    let score = async || guarded.score("?", vec!["text".to_owned()]).await;
    fake.set_trouble(Some(RerankError::Failed("told to".to_owned())));
    for _ in 0..5 {
        assert!(matches!(score().await, Err(RerankError::Failed(_))));
    }
    assert_eq!(score().await, Err(RerankError::CircuitOpen { again_in_ms: 30_000 }));
    assert_eq!((fake.calls(), hand.state()), (5, (2, 1)), "nothing was attempted");

    hand.thirty_seconds_pass();
    assert!(matches!(score().await, Err(RerankError::Failed(_))));
    assert_eq!(score().await, Err(RerankError::CircuitOpen { again_in_ms: 30_000 }));
    assert_eq!((fake.calls(), hand.state()), (6, (2, 2)));

    fake.set_trouble(None);
    hand.thirty_seconds_pass();
    assert!(score().await.is_ok());
    assert_eq!(hand.state(), (1, 2));
    assert!(score().await.is_ok());
    assert_eq!(hand.state(), (0, 2));
}

#[tokio::test]
async fn what_is_too_long_is_the_askers_and_opens_nothing() {
    let hand = Hand::new();
    let fake = Arc::new(FakeReranker::default());
    fake.set_trouble(Some(RerankError::TooLong("600 tokens".to_owned())));
    let reranker = GuardedReranker::new(fake, hand.of(PATIENT));
    for _ in 0..10 {
        assert!(matches!(reranker.score("?", vec!["text".to_owned()]).await, Err(RerankError::TooLong(_))));
    }
    let embedder = GuardedEmbedder::new(Arc::new(FakeEmbedder::new(8, 4)), hand.of(PATIENT));
    for _ in 0..10 {
        let refused = embedder.embed_passages(vec!["one two three four five".to_owned()]).await;
        assert!(matches!(refused, Err(EmbedError::TooLong { .. })));
    }
    let model = GuardedModel::new(Arc::new(FakeModel::new(Script::NotServed)), hand.of(PATIENT));
    for _ in 0..10 {
        assert!(matches!(written(&model).await, Err(ModelError::NotServed { .. })));
        let unknown = Prompt { model: Some("other".to_owned()), ..prompt() };
        assert!(matches!(model.write(unknown).await.err(), Some(ModelError::NotAllowed { .. })));
    }
    assert_eq!(hand.state(), (0, 0));
}

#[tokio::test]
async fn an_entailment_model_and_an_embedding_model_that_fail_are_left_alone() {
    let hand = Hand::new();
    let fake = Arc::new(FakeEntailment::default());
    fake.set_trouble(Some(EntailmentError::Timeout(5_000)));
    let entailment = GuardedEntailment::new(fake.clone(), hand.of(PATIENT));
    let pair = || vec![Pair { premise: "It rains.".to_owned(), claim: "It is wet.".to_owned() }];
    for _ in 0..5 {
        assert_eq!(entailment.judge(pair()).await, Err(EntailmentError::Timeout(5_000)));
    }
    assert!(matches!(entailment.judge(pair()).await, Err(EntailmentError::CircuitOpen { .. })));
    assert_eq!(fake.calls(), 5);

    let fake = Arc::new(FakeEmbedder::new(8, 32));
    fake.set_down(true);
    let embedder = GuardedEmbedder::new(fake, hand.breakers.of("embedding", PATIENT));
    for _ in 0..5 {
        assert!(matches!(embedder.embed_queries(vec!["x".to_owned()]).await, Err(EmbedError::Unavailable(_))));
    }
    let refused = embedder.embed_queries(vec!["x".to_owned()]).await.unwrap_err();
    assert!(matches!(refused, EmbedError::CircuitOpen { .. }));
    assert!(refused.to_string().ends_with("is tried again in 30000 ms"), "{refused}");
}

#[tokio::test]
async fn a_model_that_breaks_off_or_cannot_be_reached_has_failed_and_is_not_asked_for_its_names_either() {
    for script in [Script::CannotBeReached, Script::BreaksOffAfter(vec!["Half a".to_owned()])] {
        let hand = Hand::new();
        let fake = Arc::new(FakeModel::new(script));
        let model = GuardedModel::new(fake.clone(), hand.of(PATIENT));
        for _ in 0..5 {
            assert!(written(&model).await.is_err());
        }
        assert_eq!(written(&model).await, Err(ModelError::CircuitOpen { again_in_ms: 30_000 }));
        assert_eq!(model.served().await, Err(ModelError::CircuitOpen { again_in_ms: 30_000 }));
        assert!(matches!(model.first_tokens(prompt()).await, Err(ModelError::CircuitOpen { .. })));
        assert_eq!((fake.prompts().len(), hand.state()), (5, (2, 1)));
    }
}

#[tokio::test]
async fn whoever_has_read_enough_of_a_model_says_nothing_about_it_and_leaves_no_probe_behind() {
    let hand = Hand::new();
    let model = GuardedModel::new(Arc::new(FakeModel::saying(&["One.", "Two."])), hand.of(PATIENT));
    let breaker = hand.of(PATIENT);
    for _ in 0..5 {
        breaker.begin().unwrap().failed();
    }
    hand.thirty_seconds_pass();
    for _ in 0..3 {
        let mut pieces = model.write(prompt()).await.unwrap();
        assert!(matches!(pieces.next().await, Some(Ok(Piece::Text(_)))));
        assert!(matches!(model.write(prompt()).await.err(), Some(ModelError::CircuitOpen { again_in_ms: 0 })));
        drop(pieces);
        assert_eq!(hand.state(), (1, 1));
    }
    assert_eq!((written(&model).await, written(&model).await, hand.state()), (Ok(()), Ok(()), (0, 1)));
}

#[tokio::test]
async fn a_server_whose_model_is_left_alone_is_not_asked_to_count() {
    let hand = Hand::new();
    let breaker = hand.of(PATIENT);
    let tokenizer = GuardedTokenizer::new(Arc::new(FakeTokenizer), breaker.clone());
    let text = "Five days of leave may be carried over into the next year.".to_owned();
    let exact = tokenizer.count(vec![text.clone()]).await;
    assert_eq!(exact, FakeTokenizer.count(vec![text.clone()]).await);
    for _ in 0..5 {
        breaker.begin().unwrap().failed();
    }
    let estimated = tokenizer.count(vec![text.clone()]).await;
    assert_eq!(estimated, Estimate.count(vec![text]).await);
    assert_ne!(estimated, exact, "the two are told apart");
    assert_eq!(hand.state(), (2, 1));
}

/// Never answers; or, as a model, begins to.
struct Stuck;

#[async_trait]
impl Reranker for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    async fn score(&self, _: &str, _: Vec<String>) -> Result<Vec<f32>, RerankError> {
        std::future::pending().await
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
        std::future::pending().await
    }
}

#[async_trait]
impl Vocabulary for Stuck {
    async fn lookup(&self, _: &str) -> Result<ibidem_words::ports::vocabulary::Lookup, VocabularyError> {
        std::future::pending().await
    }

    async fn closest(&self, _: &str, _: usize) -> Result<Vec<String>, VocabularyError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_part_that_hangs_is_late_and_that_is_a_failure() {
    let hand = Hand::new();
    let reranker = GuardedReranker::new(Arc::new(Stuck), hand.of(IMPATIENT));
    for _ in 0..5 {
        assert_eq!(reranker.score("?", Vec::new()).await, Err(RerankError::Timeout(20)));
    }
    assert_eq!(hand.state(), (2, 1));
    let model = GuardedModel::new(Arc::new(Stuck), hand.of(IMPATIENT));
    for _ in 0..5 {
        assert_eq!(written(&model).await, Err(ModelError::Timeout(20)));
    }
    assert_eq!(hand.state(), (2, 2));
}

#[tokio::test]
async fn a_part_that_the_request_had_no_time_for_is_not_blamed_and_beyond_the_deadline_nothing_is_begun() {
    let hand = Hand::new();
    let reranker = GuardedReranker::new(Arc::new(Stuck), hand.of(PATIENT));
    let model = GuardedModel::new(Arc::new(Stuck), hand.of(PATIENT));
    let untouched = Arc::new(FakeReranker::default());
    let beyond = GuardedReranker::new(untouched.clone(), hand.of(PATIENT));
    for _ in 0..6 {
        let deadline = Instant::now() + IMPATIENT;
        let mut late = None;
        let work = Box::pin(async {
            let scored = reranker.score("?", Vec::new()).await;
            late = Some((scored, written(&model).await, beyond.score("?", Vec::new()).await));
            std::future::pending::<()>().await;
        });
        RequestTime.within(deadline, work).await;
        let (scored, written, beyond) = late.unwrap();
        assert!(matches!(scored, Err(RerankError::Timeout(given)) if given <= 20), "{scored:?}");
        assert_eq!((written, beyond), (Err(ModelError::Timeout(0)), Err(RerankError::Timeout(0))));
    }
    assert_eq!((hand.state(), untouched.calls()), ((0, 0), 0));
}

/// Breaks the connection as often as it is told to.
struct Breaks {
    index: FakeIndex,
    times: AtomicUsize,
    asked: AtomicUsize,
}

#[async_trait]
impl Index for Breaks {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let left = self.times.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |times| times.checked_sub(1));
        if left.is_ok() {
            return Err(IndexError::Unavailable("connection reset".to_owned()));
        }
        self.index.search(scope, queries).await
    }
}

#[tokio::test]
async fn a_search_whose_connection_broke_is_done_once_more_and_both_are_one_call() {
    let hand = Hand::new();
    let (times, asked) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let breaks = Arc::new(Breaks { index: FakeIndex::new(8), times, asked });
    let index = GuardedIndex::new(breaks.clone(), hand.of(PATIENT));
    let search = async || index.search(&scope(), vec![IndexQuery::default()]).await;
    let tries = |times: usize| {
        breaks.times.store(times, Ordering::SeqCst);
        breaks.asked.swap(0, Ordering::SeqCst)
    };
    tries(1);
    assert!(search().await.is_ok());
    assert_eq!(tries(usize::MAX), 2);
    for _ in 0..5 {
        assert!(matches!(search().await, Err(IndexError::Unavailable(_))));
    }
    assert!(matches!(search().await, Err(IndexError::CircuitOpen { .. })));
    assert_eq!((tries(0), hand.state()), (10, (2, 1)));
}

#[tokio::test]
async fn a_vocabulary_that_is_late_is_left_alone_while_what_is_remembered_is_still_said() {
    let hand = Hand::new();
    let fake = Arc::new(FakeVocabulary::of(suites::vocabulary::gridterms()));
    let guarded = GuardedVocabulary::new(fake.clone(), hand.of(PATIENT));
    let watched = WatchedVocabulary::new(Arc::new(guarded), WatchedSettings { timeout: PATIENT, ..Default::default() });
    assert!(watched.lookup("breaker").await.is_ok());
    fake.fail(VocabularyError::Timeout(300));
    for term in ["one", "two", "three", "four", "five"] {
        assert_eq!(watched.lookup(term).await, Err(VocabularyError::Timeout(300)));
    }
    let refused = watched.lookup("six").await;
    assert!(matches!(refused, Err(VocabularyError::CircuitOpen { .. })), "{refused:?}");
    assert!(matches!(watched.closest("six", 3).await, Err(VocabularyError::CircuitOpen { .. })));
    assert!(watched.lookup("breaker").await.is_ok(), "remembered");
    let counts = watched.counts();
    assert_eq!((counts.lookup, counts.hit, counts.timeout, counts.error), (6, 1, 5, 0), "what was not asked is none");
    assert_eq!(fake.calls(), 6);

    fake.recover();
    hand.thirty_seconds_pass();
    assert!(watched.lookup("six").await.is_ok() && watched.lookup("seven").await.is_ok());
    assert_eq!(hand.state(), (0, 1));
}

#[tokio::test]
async fn a_lookup_that_whoever_watches_gives_up_in_its_time_is_a_failure_of_the_vocabulary() {
    let breakers = Breakers::new(BreakerSettings::default());
    let guarded = GuardedVocabulary::new(Arc::new(Stuck), breakers.of("vocabulary", IMPATIENT));
    let settings = WatchedSettings { timeout: IMPATIENT, ..WatchedSettings::default() };
    let watched = WatchedVocabulary::new(Arc::new(guarded), settings);
    for term in ["one", "two", "three", "four", "five"] {
        assert_eq!(watched.lookup(term).await, Err(VocabularyError::Timeout(20)));
    }
    assert_eq!(breakers.states().states(), [("vocabulary".to_owned(), 2, 1)]);
}
