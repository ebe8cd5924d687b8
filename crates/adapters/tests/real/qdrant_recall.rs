//! Approximate search on a server that has built its graph: narrow scopes and combined conditions lose nothing.

use std::collections::BTreeSet;
use std::time::Duration;

use ibidem_adapters::qdrant::{QdrantIndex, QdrantSettings};
use ibidem_ports::embedder::EmbeddingModel;
use ibidem_ports::index::{Index, IndexDocument, IndexPoint, IndexQuery, IndexWriter};
use ibidem_words::{CollectionName, DocumentId, Identity, PassageKey, Scope, Tag, TenantId};

use crate::qdrant::{model, settings, with_index_of};

/// Wide vectors, so that few points suffice for the server to build a graph.
const DIMENSIONS: usize = 2_048;
/// Real embeddings have far fewer independent directions than dimensions, and so do these.
const DIRECTIONS: usize = 16;
const POINTS: usize = 3_600;
const TEAMS: usize = 20;
const HITS: usize = 20;

#[tokio::test]
async fn askers_who_see_little_of_a_large_tenant_miss_nothing() {
    let settings = QdrantSettings { exact_up_to: 200, ..settings() };
    let model = EmbeddingModel { dimensions: DIMENSIONS, ..model("wide") };
    with_index_of(settings, model, async |index| {
        index.ensure_collection().await.unwrap();
        let documents = documents(&mut Numbers(1));
        for some in documents.chunks(400) {
            index.publish(some.to_vec()).await.unwrap();
        }
        settled(&index).await;

        let mut numbers = Numbers(2);
        for case in 0..12 {
            let teams: BTreeSet<usize> = (0..6).map(|_| numbers.below(TEAMS)).collect();
            let scope = asker(&teams);
            let collections = if case % 2 == 0 { Vec::new() } else { vec![collection(case)] };
            let vector = vector(&mut numbers);
            let best = best(&documents, &scope, &collections, &vector);
            let query = IndexQuery {
                words: None,
                vector: Some(vector),
                collections: collections.clone(),
                hits_per_lane: HITS,
                ..IndexQuery::default()
            };
            let hits = index.search(&scope, vec![query]).await.unwrap().remove(0);
            let found = hits.iter().filter(|hit| best.contains(&hit.passage)).count();
            assert!(found * 10 >= best.len() * 9, "{found} of {} with teams {teams:?} in {collections:?}", best.len());
        }
    })
    .await;
}

/// One passage each: three quarters of one tenant, the rest of another, each for one team.
fn documents(numbers: &mut Numbers) -> Vec<IndexDocument> {
    let document = |number: usize| {
        let tenant = TenantId::named(if number.is_multiple_of(4) { "elsewhere" } else { "here" });
        let document = DocumentId(uuid::Uuid::from_u128(number as u128));
        let passage = PassageKey { document, version: 1, chunk_index: 0 };
        let point = IndexPoint { passage, vector: vector(numbers), words: "word".to_owned() };
        let tags = vec![team(numbers.below(TEAMS))];
        let collection = collection(numbers.below(4));
        IndexDocument { tenant, document, collection, kind: None, tags, points: vec![point] }
    };
    (0..POINTS).map(document).collect()
}

/// The server goes over to its graph some time after the last write.
async fn settled(index: &QdrantIndex) {
    let mut quiet = 0;
    while quiet < 10 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        quiet = if index.is_organised().await.unwrap() { quiet + 1 } else { 0 };
    }
}

fn best(documents: &[IndexDocument], scope: &Scope, only: &[CollectionName], query: &[f32]) -> BTreeSet<PassageKey> {
    let visible = documents.iter().filter(|document| scope.sees(document.tenant, &document.tags));
    let searched = visible.filter(|document| only.is_empty() || only.contains(&document.collection));
    let mut points: Vec<&IndexPoint> = searched.flat_map(|document| &document.points).collect();
    let closeness = |point: &IndexPoint| point.vector.iter().zip(query).map(|(x, y)| x * y).sum::<f32>();
    points.sort_by(|one, other| closeness(other).total_cmp(&closeness(one)));
    points.iter().take(HITS).map(|point| point.passage).collect()
}

fn asker(teams: &BTreeSet<usize>) -> Scope {
    Scope::of(&Identity::for_tests(
        TenantId::named("here"),
        "someone",
        teams.iter().map(|number| team(*number)).collect(),
    ))
}

fn team(number: usize) -> Tag {
    format!("team-{number}").parse().unwrap()
}

fn collection(number: usize) -> CollectionName {
    ["ADR", "Policy", "Principle", "Vocabulary"][number % 4].parse().unwrap()
}

/// A unit vector in a few directions, with a little noise.
fn vector(numbers: &mut Numbers) -> Vec<f32> {
    let mut directions = Numbers(3);
    let mut vector: Vec<f32> = (0..DIMENSIONS).map(|_| 0.3 * numbers.next()).collect();
    for _ in 0..DIRECTIONS {
        let weight = numbers.next();
        vector.iter_mut().for_each(|value| *value += weight * directions.next());
    }
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

/// The same numbers every time (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn step(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Between -1 and 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit into a float")]
    fn next(&mut self) -> f32 {
        (self.step() >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
    }

    #[expect(clippy::cast_possible_truncation, reason = "the remainder is smaller than what it is taken by")]
    fn below(&mut self, limit: usize) -> usize {
        (self.step() % limit as u64) as usize
    }
}
