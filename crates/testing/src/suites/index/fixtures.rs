//! Documents, askers and queries of the cases.

use std::collections::BTreeSet;

use ibidem_language::bm25::{Analysis, TermWeights};

use super::DIMENSIONS;
use ibidem_ports::index::{Index, IndexDocument, IndexHit, IndexPoint, IndexQuery, IndexWriter, StoredPoint};
use ibidem_words::{CollectionName, DocumentId, Identity, PassageKey, Scope, Tag, TenantId};

/// A document of a case, with sensible values for what the case does not care about.
pub(super) struct Document {
    pub(super) document: IndexDocument,
}

impl Document {
    pub(super) fn of(tenant: TenantId, name: &str) -> Self {
        let collection = collection("ADR");
        let document = DocumentId::at(tenant, &collection, name);
        let tags = vec![Tag::public()];
        Self { document: IndexDocument { tenant, document, collection, kind: None, tags, points: Vec::new() } }
            .version(1)
    }

    /// Remembered in a point that [`Document::chunks`] replaces.
    pub(super) fn version(mut self, version: u32) -> Self {
        let passage = PassageKey { document: self.document.document, version, chunk_index: 0 };
        self.document.points = vec![IndexPoint { passage, vector: axis(0), words: String::new() }];
        self
    }

    pub(super) fn tags(mut self, tags: &[&str]) -> Self {
        self.document.tags = tags.iter().map(|tag| tag.parse().unwrap()).collect();
        self
    }

    pub(super) fn collection(mut self, name: &str) -> Self {
        self.document.collection = collection(name);
        self
    }

    pub(super) fn chunks(mut self, chunks: &[(&str, Vec<f32>)]) -> Self {
        let first = self.document.points[0].passage;
        let chunks = (0..).zip(chunks).map(|(chunk_index, (words, vector))| IndexPoint {
            passage: PassageKey { chunk_index, ..first },
            vector: vector.clone(),
            words: (*words).to_owned(),
        });
        self.document.points = chunks.collect();
        self
    }

    pub(super) fn take_id_of(&mut self, other: &Self) {
        self.document.document = other.document.document;
        for point in &mut self.document.points {
            point.passage.document = other.document.document;
        }
    }

    pub(super) fn build(&self) -> IndexDocument {
        self.document.clone()
    }

    pub(super) fn keys(&self) -> Vec<PassageKey> {
        self.document.points.iter().map(|point| point.passage).collect()
    }

    pub(super) fn key_set(&self) -> BTreeSet<PassageKey> {
        self.keys().into_iter().collect()
    }
}

pub(super) fn collection(name: &str) -> CollectionName {
    name.parse().unwrap()
}

pub(super) fn asker(tenant: &str, tags: &[&str]) -> Scope {
    Scope::of(&Identity::for_tests(
        TenantId::named(tenant),
        "someone",
        tags.iter().map(|tag| tag.parse().unwrap()).collect(),
    ))
}

pub(super) fn query(words: &str, vector: &[f32]) -> IndexQuery {
    IndexQuery { words: terms(words), vector: Some(vector.to_vec()), hits_per_lane: 10, ..IndexQuery::default() }
}

/// Each term counts alike: how much a term counts is not the index's to decide.
pub(super) fn terms(words: &str) -> Option<TermWeights> {
    Some(Analysis::default().unweighed(words))
}

pub(super) fn axis(number: usize) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    vector[number] = 1.0;
    vector
}

/// Halfway between two axes.
pub(super) fn between(one: usize, other: usize) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    vector[one] = std::f32::consts::FRAC_1_SQRT_2;
    vector[other] = std::f32::consts::FRAC_1_SQRT_2;
    vector
}

/// Between two axes, nearer to the first.
pub(super) fn leaning(one: usize, other: usize) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    vector[one] = 0.8;
    vector[other] = 0.6;
    vector
}

/// Cosine to [`leaning`] between the first and the third axis.
pub(super) fn between_cosine(vector: &[f32]) -> f32 {
    vector.iter().zip(leaning(0, 2)).map(|(x, y)| x * y).sum()
}

pub(super) async fn found(index: &dyn Index, scope: &Scope, query: IndexQuery) -> Vec<IndexHit> {
    let mut lists = index.search(scope, vec![query]).await.unwrap();
    assert_eq!(lists.len(), 1);
    let hits = lists.remove(0);
    assert!(hits.is_sorted_by(|one, other| one.passage < other.passage), "ordered by passage, each once");
    hits
}

pub(super) async fn passages(index: &dyn Index, scope: &Scope, query: IndexQuery) -> BTreeSet<PassageKey> {
    found(index, scope, query).await.into_iter().map(|hit| hit.passage).collect()
}

pub(super) async fn scan_all(writer: &dyn IndexWriter, page: usize) -> Vec<StoredPoint> {
    let mut points = Vec::new();
    let mut from = None;
    loop {
        let found = writer.scan(from, page).await.unwrap();
        assert!(found.points.len() <= page);
        points.extend(found.points);
        match found.next {
            Some(next) => from = Some(next),
            None => return points,
        }
    }
}

pub(super) async fn stored(writer: &dyn IndexWriter, tenant: TenantId) -> Vec<StoredPoint> {
    scan_all(writer, 100).await.into_iter().filter(|point| point.tenant == tenant).collect()
}
