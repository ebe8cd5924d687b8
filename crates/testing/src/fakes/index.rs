//! An index in memory: exact cosines, and the same BM25 as the real one.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use ibidem_language::bm25::{self, Analysis};
use uuid::Uuid;

use ibidem_ports::index::{
    Index, IndexDocument, IndexError, IndexFault, IndexHit, IndexPoint, IndexQuery, IndexWriter, StoredPage,
    StoredPoint,
};
use ibidem_words::{CollectionName, DocumentId, PassageKey, Scope, Tag, TenantId};

pub struct FakeIndex {
    dimensions: usize,
    analysis: Analysis,
    points: Mutex<BTreeMap<Uuid, FakePoint>>,
    is_down: AtomicBool,
}

#[derive(Clone)]
struct FakePoint {
    tenant: TenantId,
    tags: Vec<Tag>,
    collection: CollectionName,
    stamp: String,
    point: IndexPoint,
}

impl FakeIndex {
    pub fn new(dimensions: usize) -> Self {
        Self { dimensions, analysis: Analysis::default(), points: Mutex::default(), is_down: AtomicBool::new(false) }
    }

    /// Makes every call fail until told otherwise.
    pub fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::Relaxed);
    }

    fn points(&self) -> Result<MutexGuard<'_, BTreeMap<Uuid, FakePoint>>, IndexError> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(IndexError::Unavailable("the fake was told to be down".to_owned()));
        }
        Ok(self.points.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn check_dimensions(&self, vector: &[f32]) -> Result<(), IndexError> {
        let (found, wanted) = (vector.len(), self.dimensions);
        if found == wanted {
            return Ok(());
        }
        Err(IndexError::Own(IndexFault::Rejected(format!(
            "a vector of {found} dimensions, where the model's have {wanted}"
        ))))
    }
}

#[async_trait]
impl Index for FakeIndex {
    async fn search(&self, scope: &Scope, queries: Vec<IndexQuery>) -> Result<Vec<Vec<IndexHit>>, IndexError> {
        let points = self.points()?;
        let answer = queries.iter().map(|query| {
            let tenant = query.shelf.tenant(scope);
            let is_visible = |point: &&FakePoint| point.tenant == tenant && scope.sees(scope.tenant(), &point.tags);
            let visible: Vec<&FakePoint> = points.values().filter(is_visible).collect();
            if let Some(vector) = &query.vector {
                self.check_dimensions(vector)?;
            }
            Ok(search_one(&visible, query, &self.analysis))
        });
        answer.collect()
    }
}

#[async_trait]
impl IndexWriter for FakeIndex {
    async fn publish(&self, documents: Vec<IndexDocument>) -> Result<(), IndexError> {
        let mut points = self.points()?;
        for point in documents.iter().flat_map(|document| &document.points) {
            self.check_dimensions(&point.vector)?;
        }
        for document in documents {
            let stamp = document.stamp().to_string();
            points.retain(|_, stored| !is_of(stored, document.tenant, document.document));
            for point in document.points {
                let id = point.passage.point_id(document.tenant);
                let stored = FakePoint {
                    tenant: document.tenant,
                    tags: document.tags.clone(),
                    collection: document.collection.clone(),
                    stamp: stamp.clone(),
                    point,
                };
                points.insert(id, stored);
            }
        }
        Ok(())
    }

    async fn scan(&self, from: Option<Uuid>, page: usize) -> Result<StoredPage, IndexError> {
        let points = self.points()?;
        let mut rest = points.range(from.unwrap_or(Uuid::nil())..);
        let page = rest.by_ref().take(page.max(1)).map(|(_, stored)| StoredPoint {
            tenant: stored.tenant,
            passage: stored.point.passage,
            stamp: stored.stamp.clone(),
        });
        Ok(StoredPage { points: page.collect(), next: rest.next().map(|(id, _)| *id) })
    }

    async fn remove_points(&self, points: Vec<StoredPoint>) -> Result<(), IndexError> {
        let mut stored = self.points()?;
        for point in points {
            stored.remove(&point.passage.point_id(point.tenant));
        }
        Ok(())
    }
}

fn is_of(stored: &FakePoint, tenant: TenantId, document: DocumentId) -> bool {
    stored.tenant == tenant && stored.point.passage.document == document
}

fn search_one(visible: &[&FakePoint], query: &IndexQuery, analysis: &Analysis) -> Vec<IndexHit> {
    let searched = visible.iter().filter(|stored| {
        (query.collections.is_empty() || query.collections.contains(&stored.collection))
            && (query.documents.is_empty() || query.documents.contains(&stored.point.passage.document))
    });
    let mut hits: Vec<IndexHit> = searched
        .map(|stored| IndexHit {
            passage: stored.point.passage,
            cosine: query.vector.as_ref().map(|vector| cosine(vector, &stored.point.vector)),
            bm25: query.words.as_ref().map(|terms| bm25::score(&analysis.passage(&stored.point.words), terms)),
            dense_rank: None,
            lexical_rank: None,
        })
        .collect();
    let dense = ranking(&hits, query.hits_per_lane, |hit| hit.cosine);
    let lexical = ranking(&hits, query.hits_per_lane, |hit| hit.bm25.filter(|score| *score > 0.0));
    for (rank, position) in (0..).zip(dense) {
        hits[position].dense_rank = Some(rank);
    }
    for (rank, position) in (0..).zip(lexical) {
        hits[position].lexical_rank = Some(rank);
    }
    hits.retain(|hit| hit.dense_rank.is_some() || hit.lexical_rank.is_some());
    hits.sort_by_key(|hit| hit.passage);
    hits
}

/// Positions of the best hits of a lane, equal ones by passage key.
fn ranking(hits: &[IndexHit], limit: usize, score: impl Fn(&IndexHit) -> Option<f32>) -> Vec<usize> {
    let mut scored: Vec<(f32, PassageKey, usize)> = Vec::new();
    for (position, hit) in hits.iter().enumerate() {
        scored.extend(score(hit).map(|score| (score, hit.passage, position)));
    }
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    scored.into_iter().take(limit).map(|(_, _, position)| position).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let lengths = (product(one, one) * product(other, other)).sqrt();
    if lengths == 0.0 { 0.0 } else { product(one, other) / lengths }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::index::{DIMENSIONS, index_suite};

    #[tokio::test]
    async fn the_fake_behaves_as_an_index() {
        let fake = FakeIndex::new(DIMENSIONS);
        index_suite(&fake, &fake).await;
    }

    #[tokio::test]
    async fn a_fake_that_is_down_says_so() {
        let fake = FakeIndex::new(DIMENSIONS);
        fake.set_down(true);
        assert!(matches!(fake.scan(None, 1).await, Err(IndexError::Unavailable(_))));
    }
}
