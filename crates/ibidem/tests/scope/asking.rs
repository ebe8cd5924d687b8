//! Random askers and what they ask.

use ibidem_engine::search::{Lanes, SearchRequest};
use ibidem_language::bm25::Analysis;
use ibidem_ports::embedder::Embedder as _;
use ibidem_ports::index::IndexQuery;
use ibidem_testing::fakes::FakeEmbedder;
use ibidem_words::{CollectionName, Identity, Scope, Tag, TenantId};
use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;

pub(crate) const TENANTS: [&str; 6] = ["acme", "acme-north", "borealis", "civic", "dynamo", "estuary"];
pub(crate) const TAGS: [&str; 8] = ["audit", "board", "finance", "legal", "ops", "people", "research", "security"];
pub(crate) const COLLECTIONS: [&str; 4] = ["ADR", "Minutes", "Policy", "Principle"];

/// Words that no stemmer joins and no list of stop words holds.
const WORDS: [&str; 48] = [
    "amber", "anchor", "basalt", "bronze", "canyon", "cedar", "dagger", "delta", "eclipse", "ember", "falcon", "fjord",
    "garnet", "goblet", "hammock", "harbor", "indigo", "island", "jasper", "jungle", "kayak", "kernel", "lagoon",
    "lantern", "marble", "meadow", "nectar", "needle", "onyx", "orchid", "pepper", "pigeon", "quartz", "quiver",
    "raven", "ribbon", "saddle", "saffron", "timber", "tunnel", "umbra", "urchin", "velvet", "violin", "walnut",
    "xenon", "yarrow", "zephyr",
];

/// More than there are passages: a search with this limit must bring everything it may.
pub(crate) const NO_LIMIT: usize = 5_000;

pub(crate) fn random_words(random: &mut StdRng, count: usize) -> Vec<&'static str> {
    (0..count).map(|_| *WORDS.choose(random).unwrap()).collect()
}

pub(crate) fn random_tags(random: &mut StdRng, count: usize) -> Vec<Tag> {
    TAGS.sample(random, count).map(|name| name.parse().unwrap()).collect()
}

/// Somebody of a tenant, now and then of one that has no documents, with any number of tags, known or not.
pub(crate) fn random_asker(random: &mut StdRng) -> Scope {
    let known = random.random_bool(0.97);
    let tenant = if known { TENANTS.choose(random).unwrap() } else { "nobody" };
    let count = random.random_range(0..=TAGS.len().min(5));
    let mut tags = random_tags(random, count);
    if random.random_bool(0.1) {
        tags.push("visitors".parse().unwrap());
    }
    Scope::of(&Identity::for_tests(TenantId::named(tenant), "somebody", tags.into_iter().collect()))
}

#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) query: String,
    pub(crate) vector: Vec<f32>,
    pub(crate) lanes: Lanes,
    pub(crate) collections: Vec<CollectionName>,
    pub(crate) limit: usize,
}

pub(crate) async fn random_question(random: &mut StdRng, embedder: &FakeEmbedder) -> Question {
    let count = random.random_range(1..=4);
    let mut words = random_words(random, count).join(" ");
    if random.random_bool(0.1) {
        words = format!("Which {} unheard?", words.to_uppercase());
    }
    let vector = embedder.embed_queries(vec![words.clone()]).await.unwrap().remove(0);
    let lanes = *[Lanes::Both, Lanes::Dense, Lanes::Lexical].choose(random).unwrap();
    let count = [0, 0, 1, 2].choose(random).copied().unwrap();
    let mut collections: Vec<CollectionName> =
        COLLECTIONS.sample(random, count).map(|name| name.parse().unwrap()).collect();
    if random.random_bool(0.05) {
        collections.push("Nowhere".parse().unwrap());
    }
    let limit = if random.random_bool(0.5) { NO_LIMIT } else { random.random_range(1..=20) };
    Question { query: words, vector, lanes, collections, limit }
}

impl Question {
    pub(crate) fn index_query(&self) -> IndexQuery {
        IndexQuery {
            words: (self.lanes != Lanes::Dense).then(|| Analysis::default().unweighed(&self.query)),
            vector: (self.lanes != Lanes::Lexical).then(|| self.vector.clone()),
            collections: self.collections.clone(),
            hits_per_lane: self.limit,
            ..IndexQuery::default()
        }
    }

    pub(crate) fn request(&self) -> SearchRequest {
        SearchRequest::new(&self.query, self.collections.clone(), self.limit, self.lanes)
    }
}
