//! Any vocabulary, in bounded time, remembered for a while, asked once at a time for each term, and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use ibidem_ports::clock;
use ibidem_ports::degrade::{Breakers, Deadline, Part};
use ibidem_ports::vocabulary::{Description, Lookup, Vocabulary, VocabularyError, VocabularyFault, checked};
use moka::future::Cache;
use moka::policy::EvictionPolicy;

/// The term that behaves as a timeout, as it looks when it is looked up.
const TIMEOUT_TRIGGER: &str = "__test_skosmos_timeout__";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WatchedSettings {
    /// For a whole lookup.
    pub timeout: Duration,
    /// How many terms are remembered; the least recently used go first.
    pub cache_entries: u64,
    /// How long a definition is remembered.
    pub cache_time: Duration,
    /// How long it is remembered that there is none: a term that was just added should be found soon.
    pub unknown_cache_time: Duration,
    /// For evaluations only: the term `__TEST_SKOSMOS_TIMEOUT__` behaves as a timeout.
    pub test_triggers: bool,
}

impl Default for WatchedSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_millis(300),
            cache_entries: 5_000,
            cache_time: Duration::from_secs(600),
            unknown_cache_time: Duration::from_secs(60),
            test_triggers: false,
        }
    }
}

/// What became of all lookups so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VocabularyCounts {
    /// Lookups that are over: the sum of the next four.
    pub lookup: u64,
    /// Found with a definition, or several concepts.
    pub hit: u64,
    /// Unknown, or found without a definition.
    pub miss: u64,
    pub timeout: u64,
    pub error: u64,
    /// Answered from the cache, or by a lookup that was under way: not a lookup.
    pub cache_hit: u64,
}

/// A vocabulary with a time limit, a cache and counters. Cheap to clone.
#[derive(Clone)]
pub struct WatchedVocabulary(Arc<Watched>);

struct Watched {
    vocabulary: Part<dyn Vocabulary>,
    settings: WatchedSettings,
    cache: Cache<String, Lookup>,
    counters: Counters,
}

/// There is none for lookups: they are counted by what became of them, once, when it is known. So their number is
/// the sum of the outcomes at every moment.
#[derive(Default)]
struct Counters {
    hit: AtomicU64,
    miss: AtomicU64,
    timeout: AtomicU64,
    error: AtomicU64,
    cache_hit: AtomicU64,
}

impl WatchedVocabulary {
    pub fn new(vocabulary: Arc<dyn Vocabulary>, settings: WatchedSettings) -> Self {
        Self::over(Part::patient(vocabulary, settings.timeout), settings)
    }

    /// The same behind a breaker: what is remembered is said, however the vocabulary is.
    pub fn guarded(vocabulary: Arc<dyn Vocabulary>, settings: WatchedSettings, breakers: &Breakers) -> Self {
        Self::over(Part::guarded(vocabulary, breakers.of("vocabulary", settings.timeout)), settings)
    }

    fn over(vocabulary: Part<dyn Vocabulary>, settings: WatchedSettings) -> Self {
        let cache = Cache::builder()
            .max_capacity(settings.cache_entries)
            .eviction_policy(EvictionPolicy::lru())
            .expire_after(Lifetimes { found: settings.cache_time, unknown: settings.unknown_cache_time })
            .build();
        Self(Arc::new(Watched { vocabulary, settings, cache, counters: Counters::default() }))
    }

    pub fn counts(&self) -> VocabularyCounts {
        self.0.counters.totals()
    }
}

#[async_trait]
impl Vocabulary for WatchedVocabulary {
    async fn lookup(&self, term: &str) -> Result<Lookup, VocabularyError> {
        let term = checked(term)?;
        if let Some(remembered) = self.0.cache.get(&term).await {
            add(&self.0.counters.cache_hit);
            return Ok(remembered);
        }
        // On a task of its own: a caller that goes away ends no lookup that others wait for, and loses no count.
        let watched = Arc::clone(&self.0);
        match tokio::spawn(async move { watched.remembered_or_asked(term).await }).await {
            Ok(outcome) => outcome,
            Err(_) => {
                add(&self.0.counters.error);
                Err(VocabularyError::Unavailable("the lookup broke off".to_owned()))
            }
        }
    }

    async fn closest(&self, term: &str, limit: usize) -> Result<Vec<String>, VocabularyError> {
        // A kindness, which is gone without: it says nothing about the vocabulary.
        self.0.vocabulary.aside(Deadline::NONE, |vocabulary| vocabulary.closest(term, limit)).await
    }

    async fn describe(&self, uri: &str, language: &str) -> Result<Option<Description>, VocabularyError> {
        // For people who read it: no answer waits for it, so it is neither remembered nor counted.
        self.0.vocabulary.aside(Deadline::NONE, |vocabulary| vocabulary.describe(uri, language)).await
    }
}

impl Watched {
    async fn remembered_or_asked(&self, term: String) -> Result<Lookup, VocabularyError> {
        let mut asked = false;
        let ask = async {
            asked = true;
            self.ask(&term).await
        };
        let outcome = self.cache.try_get_with(term.clone(), ask).await;
        if !asked {
            add(&self.counters.cache_hit);
        }
        outcome.map_err(|error| VocabularyError::clone(&error))
    }

    async fn ask(&self, term: &str) -> Result<Lookup, VocabularyError> {
        let outcome = if self.settings.test_triggers && term == TIMEOUT_TRIGGER {
            clock::wait(self.settings.timeout).await;
            Err(VocabularyError::late(self.settings.timeout))
        } else {
            // Others may wait for it too: it has the vocabulary's time, whatever the first of them has left.
            self.vocabulary.call(Deadline::NONE, |vocabulary| vocabulary.lookup(term)).await
        };
        self.counters.count(&outcome);
        outcome
    }
}

impl Counters {
    /// What the vocabulary was not asked is no lookup.
    fn count(&self, outcome: &Result<Lookup, VocabularyError>) {
        add(match outcome {
            Err(VocabularyError::CircuitOpen { .. }) => return,
            Ok(lookup) if defines(lookup) => &self.hit,
            Ok(_) => &self.miss,
            Err(VocabularyError::Timeout(_)) => &self.timeout,
            Err(VocabularyError::Unavailable(_) | VocabularyError::Own(VocabularyFault::InvalidTerm)) => &self.error,
        });
    }

    fn totals(&self) -> VocabularyCounts {
        let [hit, miss, timeout, error, cache_hit] =
            [&self.hit, &self.miss, &self.timeout, &self.error, &self.cache_hit]
                .map(|counter| counter.load(Ordering::Relaxed));
        VocabularyCounts { lookup: hit + miss + timeout + error, hit, miss, timeout, error, cache_hit }
    }
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Whether there is something to quote, or to choose from.
fn defines(lookup: &Lookup) -> bool {
    match lookup {
        Lookup::Found { concept, .. } => concept.definition.is_some(),
        Lookup::Ambiguous(_) => true,
        Lookup::Unknown => false,
    }
}

struct Lifetimes {
    found: Duration,
    unknown: Duration,
}

impl moka::Expiry<String, Lookup> for Lifetimes {
    fn expire_after_create(&self, _term: &String, lookup: &Lookup, _now: Instant) -> Option<Duration> {
        Some(if defines(lookup) { self.found } else { self.unknown })
    }
}
