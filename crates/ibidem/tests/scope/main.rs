//! Nobody finds what is not theirs, and everybody finds all that is: random cases against brute force.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "all of this is tests"
)]

mod asking;
mod difference;
mod drawn;
mod leaks;
mod memory;
mod truth;
mod world;

use std::collections::BTreeSet;
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use ibidem_engine::search::Lanes;
use ibidem_ports::catalogue::{Catalogue as _, DocumentFilter};
use ibidem_ports::index::Index as _;
use ibidem_words::{AddressKey, Scope};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::asking::{Question, random_asker, random_question};
use crate::truth::{Closest, Truth};
use crate::world::{ADDRESSES, World, with_world};

/// Decides documents, askers and queries, unless `IBIDEM_TEST_SEED` says otherwise.
const SEED: u64 = 20_261_115;

/// At least 10,000 searches in the first round.
const ASKERS: usize = 260;
const QUESTIONS_OF_AN_ASKER: usize = 40;
/// Searches through the whole searcher, which cannot be sent together, in each round.
const SINGLE_SEARCHES: usize = 500;
const SEARCHES_AT_ONCE: usize = 8;

/// What was tried, so that a run can be seen not to have tried nothing.
#[derive(Clone, Copy, Default, Debug)]
struct Tried {
    searches: usize,
    /// Searches times documents: each was decided by brute force too.
    cases: usize,
    found: usize,
    /// Searches that would have found more had they not been kept within their scope.
    kept_in: usize,
}

impl Tried {
    fn count(&mut self, truth: &Truth, scope: &Scope, question: &Question, found: usize) {
        self.searches += 1;
        self.cases += truth.documents.len();
        self.found += found;
        self.kept_in += usize::from(truth.hides_something(scope, question));
    }
}

fn seed() -> u64 {
    std::env::var("IBIDEM_TEST_SEED").map_or(SEED, |seed| seed.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn no_document_outside_a_scope_is_ever_found_and_every_document_inside_it_is() {
    let seed = seed();
    eprintln!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let started = Instant::now();
    with_world(&mut random, async |world, random| {
        eprintln!("{} documents in {:.1?}", world.truth.documents.len(), started.elapsed());

        let started = Instant::now();
        let entries = memory::write_some(world, random).await;
        let kept_from = memory::search(world, random, &entries, ASKERS).await;
        let (recalled, hidden) = memory::recall(world, random, &entries, ASKERS).await;
        assert!(kept_from > ASKERS / 2 && recalled > 0 && hidden > 0, "{kept_from} {recalled} {hidden}");
        eprintln!(
            "{} entries, {recalled} passages recalled and {hidden} references hidden, in {:.1?}",
            entries.len(),
            started.elapsed()
        );

        let started = Instant::now();
        let (tried, inexact) = search_index(world, random, ASKERS).await;
        assert_eq!(inexact, Vec::<String>::new());
        assert!(tried.searches >= 10_000 && tried.kept_in > tried.searches / 2, "{tried:?}");
        eprintln!("the index: {tried:?} in {:.1?}", started.elapsed());

        let started = Instant::now();
        read_catalogue(world, random).await;
        eprintln!("the catalogue: {ASKERS} askers in {:.1?}", started.elapsed());

        let started = Instant::now();
        let tried = search_all(world, random).await;
        eprintln!("the searcher: {tried:?} in {:.1?}", started.elapsed());

        let started = Instant::now();
        world.withdraw_some(random).await;
        let tried = search_all(world, random).await;
        memory::recall(world, random, &entries, ASKERS).await;
        eprintln!("the searcher on a stale index: {tried:?} in {:.1?}", started.elapsed());

        let started = Instant::now();
        world.publish().await;
        let (tried, inexact) = search_index(world, random, ASKERS / 10).await;
        assert_eq!(inexact, Vec::<String>::new());
        eprintln!("the index once it has caught up: {tried:?} in {:.1?}", started.elapsed());
        let tried = search_all(world, random).await;
        eprintln!("the searcher on it: {tried:?} in {:.1?}", started.elapsed());

        let started = Instant::now();
        world.search_by_graph().await;
        let (tried, inexact) = search_index(world, random, ASKERS / 10).await;
        assert!(
            inexact.len() < tried.searches / 100,
            "{} of {tried:?} missed something: {}",
            inexact.len(),
            inexact[0]
        );
        eprintln!("the index by graph: {tried:?}, {} inexact, in {:.1?}", inexact.len(), started.elapsed());
    })
    .await;
}

/// The index alone keeps to the scope, whatever the catalogue would catch afterwards. Returns also the searches
/// that did not bring the closest passages.
async fn search_index(world: &World, random: &mut StdRng, askers: usize) -> (Tried, Vec<String>) {
    let mut tried = Tried::default();
    let mut inexact = Vec::new();
    for _ in 0..askers {
        let scope = random_asker(random);
        let mut questions = Vec::new();
        for _ in 0..QUESTIONS_OF_AN_ASKER {
            questions.push(random_question(random, &world.embedder).await);
        }
        let queries = questions.iter().map(Question::index_query).collect();
        let answers = world.index.search(&scope, queries).await.unwrap();
        assert_eq!(answers.len(), questions.len());
        for (question, hits) in questions.iter().zip(answers) {
            if let Closest::Approximate(case) = world.truth.check_index_hits(&scope, question, &hits) {
                inexact.push(case);
            }
            tried.count(&world.truth, &scope, question, hits.len());
        }
    }
    (tried, inexact)
}

/// The catalogue alone keeps to the scope, whatever the index brings.
async fn read_catalogue(world: &World, random: &mut StdRng) {
    let everything: Vec<_> = world.truth.passages().map(|(_, passage)| passage.key).collect();
    for _ in 0..ASKERS {
        let scope = random_asker(random);
        let read = world.store().visible(&scope, &everything).await.unwrap();
        world.truth.check_readable(&scope, &read.iter().map(|passage| passage.passage).collect());
        let listed = world.store().list_documents(&scope, None, i64::MAX).await.unwrap();
        world.truth.check_listed(&scope, &listed.iter().map(|row| row.id).collect());

        let there = world.store().still_visible(&scope, &everything).await.unwrap();
        world.truth.check_readable(&scope, &there.into_iter().collect());
        let filter = DocumentFilter { most: 1_000_000, ..DocumentFilter::default() };
        let list = world.store().list(&scope, &filter).await.unwrap();
        assert_eq!(list.total, list.documents.len() as u64, "{scope:?}");
        world.truth.check_listed(&scope, &list.documents.iter().map(|listed| listed.document).collect());
        read_addresses(world, random, &scope).await;
    }
}

/// Addresses bring all that may be seen and nothing else, and neighbours are only those that may be.
async fn read_addresses(world: &World, random: &mut StdRng, scope: &Scope) {
    const MOST: usize = 3;
    let key = |number: u32| AddressKey::of(&format!("doc {number}")).unwrap();
    let keys: Vec<AddressKey> = (0..ADDRESSES).map(key).collect();
    let named = world.store().addressed(scope, None, &keys).await.unwrap();
    world.truth.check_listed(scope, &named.iter().map(|named| named.document).collect());

    let asked = key(random.random_range(0..ADDRESSES));
    let visible: BTreeSet<&AddressKey> = named.iter().map(|named| &named.key).collect();
    let before: Vec<_> = visible.iter().filter(|other| ***other < asked).rev().take(MOST).collect();
    let after = visible.iter().filter(|other| ***other > asked).take(MOST);
    let expected: Vec<AddressKey> = before.into_iter().rev().chain(after).map(|key| (*key).clone()).collect();
    let around = world.store().neighbours(scope, None, &asked, MOST).await.unwrap();
    let around: Vec<AddressKey> = around.into_iter().map(|(key, _)| key).collect();
    assert_eq!(around, expected, "{scope:?} asks for {asked}");
}

/// What an asker gets in the end.
async fn search_all(world: &World, random: &mut StdRng) -> Tried {
    let mut cases = Vec::new();
    for _ in 0..SINGLE_SEARCHES {
        cases.push((random_asker(random), random_question(random, &world.embedder).await));
    }
    let searcher = world.searcher();
    let searches = cases.into_iter().map(async |(scope, question)| {
        let outcome = searcher.search(&scope, &question.request()).await?;
        Ok::<_, ibidem_engine::search::SearchError>((scope, question, outcome))
    });
    let answers: Vec<_> = stream::iter(searches).buffer_unordered(SEARCHES_AT_ONCE).try_collect().await.unwrap();
    let mut tried = Tried::default();
    for (scope, question, outcome) in answers {
        assert!(outcome.fallback_reasons.is_empty());
        assert!(outcome.hits.iter().all(|hit| hit.cosine.is_some() == (question.lanes != Lanes::Lexical)));
        let found = outcome.hits.iter().map(|hit| hit.passage.passage).collect();
        world.truth.check_search(&scope, &question, &found);
        tried.count(&world.truth, &scope, &question, found.len());
    }
    tried
}
