//! SKOS-CLIENT-01 to 06, and what the counters must say whatever happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use ibidem_adapters::watched_vocabulary::{VocabularyCounts, WatchedSettings, WatchedVocabulary};
use ibidem_ports::clock;
use ibidem_ports::degrade::{BreakerSettings, Breakers};
use ibidem_ports::vocabulary::{Description, LabelKind, Lookup, Vocabulary, VocabularyError, VocabularyFault};
use ibidem_testing::fakes::{FakeConcept, FakeVocabulary};
use ibidem_testing::suites;
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::client;
use crate::server::{Asked, Reply, Server};

/// Generous, so that a busy machine is not taken for a slow server.
fn settings() -> WatchedSettings {
    WatchedSettings { timeout: Duration::from_secs(5), ..WatchedSettings::default() }
}

fn watched(server: &Server, settings: WatchedSettings) -> WatchedVocabulary {
    WatchedVocabulary::new(Arc::new(client(&server.url, &["x"])), settings)
}

/// Knows every term but those that begin with `no`; fails at `bad`.
fn answer(asked: &Asked) -> Reply {
    let term = asked.term();
    let row =
        format!(r#"{{"uri":"http://x/{term}","prefLabel":"{term}","lang":"en","vocab":"x","definition":["It."]}}"#);
    match term {
        _ if term.starts_with("no") => Reply::rows(""),
        _ if term.starts_with("bad") => Reply::new(500, "text/html", ""),
        _ if term.starts_with("two") => Reply::rows(&format!("{row},{}", row.replace("http://x/", "http://y/"))),
        _ => Reply::rows(&row),
    }
}

/// The same in this process, where time can be paused: it takes 300 ms at `slow`, and for ever at `late`.
#[derive(Default)]
struct Slow {
    asked: AtomicUsize,
}

impl Slow {
    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    fn watched(self: &Arc<Self>, settings: WatchedSettings) -> WatchedVocabulary {
        WatchedVocabulary::new(Arc::clone(self) as Arc<dyn Vocabulary>, settings)
    }
}

#[async_trait]
impl Vocabulary for Slow {
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let concept = |uri: &str| {
            let concept = FakeConcept::new(&format!("{uri}{term}"), "x").label(LabelKind::Preferred, term, "en");
            concept.definition("It.", "en")
        };
        let known = match term {
            _ if term.starts_with("no") => vec![],
            _ if term.starts_with("bad") => return Err(VocabularyError::Unavailable("status 500".to_owned())),
            _ if term.starts_with("late") => std::future::pending().await,
            _ if term.starts_with("two") => vec![concept("http://x/"), concept("http://y/")],
            _ => vec![concept("http://x/")],
        };
        if term.starts_with("slow") {
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
        FakeVocabulary::of(known).lookup(term).await
    }

    async fn closest(&self, _: &str, _: usize) -> Result<Vec<String>, VocabularyError> {
        std::future::pending().await
    }

    async fn describe(&self, _: &str, _: &str) -> Result<Option<Description>, VocabularyError> {
        std::future::pending().await
    }
}

fn is_found(outcome: &Result<Lookup, VocabularyError>) -> bool {
    matches!(outcome, Ok(Lookup::Found { .. }))
}

fn assert_adds_up(counts: VocabularyCounts) {
    assert_eq!(counts.lookup, counts.hit + counts.miss + counts.timeout + counts.error, "{counts:?}");
}

#[tokio::test]
async fn skos_client_01_a_known_term_is_a_hit() {
    let server = Server::start(answer).await;
    let watched = watched(&server, settings());
    assert!(is_found(&watched.lookup("tap").await));
    assert_eq!(watched.counts(), VocabularyCounts { lookup: 1, hit: 1, ..VocabularyCounts::default() });
}

#[tokio::test]
async fn skos_client_02_an_unknown_term_is_a_miss() {
    let server = Server::start(answer).await;
    let watched = watched(&server, settings());
    assert_eq!(watched.lookup("nonsense").await, Ok(Lookup::Unknown));
    assert_eq!(watched.counts(), VocabularyCounts { lookup: 1, miss: 1, ..VocabularyCounts::default() });
}

#[tokio::test(start_paused = true)]
async fn skos_client_03_a_late_answer_is_a_timeout_and_is_not_remembered() {
    let slow = Arc::new(Slow::default());
    let limit = Duration::from_millis(300);
    let watched = slow.watched(WatchedSettings { timeout: limit, ..settings() });
    let started = clock::now();
    assert_eq!(watched.lookup("late").await, Err(VocabularyError::Timeout(300)));
    assert!(started.elapsed() >= limit && started.elapsed() < limit * 2, "{:?}", started.elapsed());
    assert_eq!(watched.lookup("late").await, Err(VocabularyError::Timeout(300)));
    assert_eq!(watched.counts(), VocabularyCounts { lookup: 2, timeout: 2, ..VocabularyCounts::default() });
    assert_eq!(slow.asked(), 2);
}

#[tokio::test]
async fn skos_client_04_a_500_is_an_error_and_is_not_remembered() {
    let server = Server::start(answer).await;
    let watched = watched(&server, settings());
    for _ in 0..2 {
        assert!(matches!(watched.lookup("bad").await, Err(VocabularyError::Unavailable(_))));
    }
    assert_eq!(watched.counts(), VocabularyCounts { lookup: 2, error: 2, ..VocabularyCounts::default() });
    assert_eq!(server.asked().len(), 2);
}

#[tokio::test]
async fn skos_client_05_the_second_lookup_comes_from_the_cache() {
    let server = Server::start(answer).await;
    let watched = watched(&server, settings());
    let first = watched.lookup("tap").await;
    assert_eq!(watched.lookup("  TAP \n").await, first, "the same term in another spelling");
    assert_eq!(watched.counts(), VocabularyCounts { lookup: 1, hit: 1, cache_hit: 1, ..VocabularyCounts::default() });
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn skos_client_06_an_expired_entry_is_fetched_again_and_a_miss_expires_sooner() {
    let server = Server::start(answer).await;
    // The cache has a clock of its own, so what expires here does so at once.
    let (long, none) = (Duration::from_secs(3_600), Duration::ZERO);
    let sooner = watched(&server, WatchedSettings { cache_time: long, unknown_cache_time: none, ..settings() });
    for _ in 0..2 {
        assert!(is_found(&sooner.lookup("tap").await));
        assert_eq!(sooner.lookup("nonsense").await, Ok(Lookup::Unknown));
    }
    let expected = VocabularyCounts { lookup: 3, hit: 1, miss: 2, cache_hit: 1, ..VocabularyCounts::default() };
    assert_eq!(sooner.counts(), expected);
    let expired = watched(&server, WatchedSettings { cache_time: none, unknown_cache_time: long, ..settings() });
    for _ in 0..2 {
        assert!(is_found(&expired.lookup("tap").await));
        assert_eq!(expired.lookup("nonsense").await, Ok(Lookup::Unknown));
    }
    let expected = VocabularyCounts { lookup: 3, hit: 2, miss: 1, cache_hit: 1, ..VocabularyCounts::default() };
    assert_eq!(expired.counts(), expected);
}

#[tokio::test]
async fn several_concepts_are_a_hit_and_a_term_without_a_definition_is_a_miss() {
    let server = Server::start(answer).await;
    let watched_one = watched(&server, settings());
    assert!(matches!(watched_one.lookup("two").await, Ok(Lookup::Ambiguous(_))));
    assert_eq!(watched_one.counts(), VocabularyCounts { lookup: 1, hit: 1, ..VocabularyCounts::default() });
    let undefined = FakeConcept::new("http://x/tap", "x").label(LabelKind::Preferred, "tap", "en");
    let fake = WatchedVocabulary::new(Arc::new(FakeVocabulary::of(vec![undefined])), settings());
    assert!(is_found(&fake.lookup("tap").await));
    assert_eq!(fake.counts(), VocabularyCounts { lookup: 1, miss: 1, ..VocabularyCounts::default() });
}

#[tokio::test]
async fn a_term_that_is_none_is_not_looked_up() {
    let server = Server::start(answer).await;
    let watched = watched(&server, settings());
    assert_eq!(watched.lookup(" * ").await, Err(VocabularyError::Own(VocabularyFault::InvalidTerm)));
    assert_eq!(watched.counts(), VocabularyCounts::default());
    assert!(server.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn one_request_is_in_flight_for_a_term_and_those_who_wait_count_as_cache_hits() {
    let slow = Arc::new(Slow::default());
    let watched = slow.watched(settings());
    let outcomes = futures::future::join_all((0..50).map(|_| watched.lookup("slow"))).await;
    assert!(outcomes.iter().all(is_found));
    assert_eq!(slow.asked(), 1);
    assert_eq!(watched.counts(), VocabularyCounts { lookup: 1, hit: 1, cache_hit: 49, ..VocabularyCounts::default() });
}

#[tokio::test(start_paused = true)]
async fn a_lookup_whose_caller_went_away_is_finished_counted_and_remembered() {
    let slow = Arc::new(Slow::default());
    let watched = slow.watched(settings());
    let gone = tokio::time::timeout(Duration::from_millis(100), watched.lookup("slow")).await;
    assert!(gone.is_err());
    assert_eq!(watched.counts(), VocabularyCounts::default(), "it is not over");
    // Whoever comes next waits for the same request.
    assert!(is_found(&watched.lookup("slow").await));
    assert_eq!(watched.counts(), VocabularyCounts { lookup: 1, hit: 1, cache_hit: 1, ..VocabularyCounts::default() });
    assert_eq!(slow.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_test_term_is_late_when_triggers_are_on_and_an_ordinary_term_when_they_are_off() {
    let slow = Arc::new(Slow::default());
    let off = slow.watched(settings());
    assert!(is_found(&off.lookup("__TEST_SKOSMOS_TIMEOUT__").await));
    let limit = Duration::from_millis(50);
    let on = slow.watched(WatchedSettings { timeout: limit, test_triggers: true, ..settings() });
    assert_eq!(on.lookup("__TEST_SKOSMOS_TIMEOUT__").await, Err(VocabularyError::Timeout(50)));
    assert_eq!(on.counts(), VocabularyCounts { lookup: 1, timeout: 1, ..VocabularyCounts::default() });
    assert_eq!(slow.asked(), 1);
}

#[tokio::test]
async fn no_more_terms_are_remembered_than_the_cache_holds() {
    let slow = Arc::new(Slow::default());
    let watched = slow.watched(WatchedSettings { cache_entries: 5, ..settings() });
    // The cache tidies up behind itself, at times of its own: by then most terms have to be asked for again.
    for _ in 0..10_000 {
        for term in 0..100 {
            assert!(is_found(&watched.lookup(&format!("t{term}")).await));
        }
        if watched.counts().lookup >= 1_000 {
            return;
        }
    }
    panic!("more is remembered than the cache holds: {:?}", watched.counts());
}

#[tokio::test(start_paused = true)]
async fn the_closest_terms_come_in_time_or_not_at_all() {
    let fake = Arc::new(FakeVocabulary::of(suites::vocabulary::gridterms()));
    let quick = WatchedVocabulary::new(Arc::clone(&fake) as Arc<dyn Vocabulary>, settings());
    assert_eq!(quick.closest("brekaer", 3).await, Ok(vec!["breaker".to_owned()]));
    let limit = Duration::from_millis(50);
    let slow = Arc::new(Slow::default()).watched(WatchedSettings { timeout: limit, ..settings() });
    assert_eq!(slow.closest("brekaer", 3).await, Err(VocabularyError::Timeout(50)));
}

#[tokio::test]
async fn a_watched_vocabulary_behaves_as_the_one_it_watches() {
    let fake = Arc::new(FakeVocabulary::of(suites::vocabulary::gridterms()));
    suites::vocabulary::check(&WatchedVocabulary::new(fake, settings())).await;
}

#[tokio::test(start_paused = true)]
async fn a_thousand_random_lookups_at_once_add_up_at_every_moment() {
    let limit = Duration::from_millis(400);
    let watched = Arc::new(Slow::default()).watched(WatchedSettings { timeout: limit, ..settings() });
    let over = Arc::new(AtomicBool::new(false));
    let observer = tokio::spawn({
        let (watched, over) = (watched.clone(), Arc::clone(&over));
        async move {
            while !over.load(Ordering::Relaxed) {
                assert_adds_up(watched.counts());
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
    });
    let mut random = StdRng::seed_from_u64(7);
    let kinds = ["tap", "no", "bad", "slow", "late", "two"];
    let mut lookups = Vec::new();
    for _ in 0..1_000 {
        let term = format!("{}{}", kinds[random.random_range(0..kinds.len())], random.random_range(0..20));
        let (pause, impatient) = (random.random_range(0..500), random.random_range(0..10) == 0);
        let watched = watched.clone();
        lookups.push(tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            let patience = if impatient { Duration::from_millis(5) } else { Duration::from_secs(60) };
            tokio::time::timeout(patience, watched.lookup(&term)).await.is_ok()
        }));
    }
    let mut answered = 0;
    for lookup in lookups {
        answered += u64::from(lookup.await.unwrap());
    }
    // Those that nobody waits for any more are over when their time is.
    tokio::time::sleep(limit * 2).await;
    over.store(true, Ordering::Relaxed);
    observer.await.unwrap();
    let counts = watched.counts();
    assert_adds_up(counts);
    assert_eq!(counts.lookup + counts.cache_hit, 1_000, "every call is one or the other, {answered} of them answered");
    assert!(counts.timeout > 0 && counts.error > 0 && counts.miss > 0 && counts.hit > 0, "{counts:?}");
}

const PATIENT: Duration = Duration::from_secs(60);

#[tokio::test(start_paused = true)]
async fn a_vocabulary_that_is_late_is_left_alone_while_what_is_remembered_is_still_said() {
    let breakers = Breakers::new(BreakerSettings::default());
    let fake = Arc::new(FakeVocabulary::of(suites::vocabulary::gridterms()));
    let settings = WatchedSettings { timeout: PATIENT, ..settings() };
    let watched = WatchedVocabulary::guarded(fake.clone(), settings, &breakers);
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
    tokio::time::advance(Duration::from_secs(30)).await;
    assert!(watched.lookup("six").await.is_ok() && watched.lookup("seven").await.is_ok());
    assert_eq!(breakers.states().states(), [("vocabulary".to_owned(), 0, 1)]);
}
