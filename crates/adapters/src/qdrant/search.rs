//! Both lanes of every query in one round trip.
//!
//! Each query with words and a vector becomes four searches: the two lanes, and each lane's hits scored by the
//! other's measure, so that every hit has both scores. Having the server score them again costs a third of having
//! it return the vectors.

use std::collections::{BTreeMap, HashMap};

use ibidem_words::ports::index::{IndexError, IndexHit, IndexQuery};
use ibidem_words::{PassageKey, Scope};
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::{
    AcornSearchParams, Filter, PrefetchQuery, QuantizationSearchParams, Query, QueryBatchPointsBuilder, QueryPoints,
    ScoredPoint, SearchParams, VectorInput, WithPayloadSelector,
};

use super::publish::sparse;
use super::{BM25, DENSE, QdrantIndex, Quantization, filter, payload};

/// Hits fetched beyond those asked for: among equal scores the server keeps any, we keep the first by passage key.
const SPARE_FOR_TIES: u64 = 8;
/// Where even those are all equal to the last that counts, so many times more are fetched, until they are not; and no
/// more than this. Which of more equal hits than that are brought is the server's choice.
const MORE_SPARE: u64 = 16;
const MOST_SPARE: u64 = 32_768;

pub(super) async fn search(
    index: &QdrantIndex,
    scope: &Scope,
    queries: Vec<IndexQuery>,
) -> Result<Vec<Vec<IndexHit>>, IndexError> {
    let mut plans: Vec<Plan> = queries.into_iter().map(|query| Plan::new(index, scope, query)).collect();
    let mut found: Vec<Vec<IndexHit>> = plans.iter().map(|_| Vec::new()).collect();
    let mut open: Vec<usize> = (0..plans.len()).collect();
    // Normally one round trip: a second only where many passages have the same score.
    while !open.is_empty() {
        let requests: Vec<QueryPoints> = open.iter().flat_map(|place| plans[*place].requests()).collect();
        let mut results = ask(index, requests).await?.into_iter();
        let mut cut_short = Vec::new();
        for place in open {
            let plan = &mut plans[place];
            match plan.hits(&mut results) {
                Hits::Whole(hits) => found[place] = hits,
                Hits::CutAmongEqual(hits) if plan.spare >= MOST_SPARE => found[place] = hits,
                Hits::CutAmongEqual(_) => {
                    plan.spare *= MORE_SPARE;
                    cut_short.push(place);
                }
            }
        }
        open = cut_short;
    }
    Ok(found)
}

async fn ask(index: &QdrantIndex, requests: Vec<QueryPoints>) -> Result<Vec<Vec<ScoredPoint>>, IndexError> {
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let limit = index.settings.search_timeout;
    let batch = QueryBatchPointsBuilder::new(&index.target, requests).timeout(limit.as_secs().max(1)).build();
    let reply = index
        .read(|node| {
            let batch = batch.clone();
            async move { node.query_batch(batch).await }
        })
        .await?;
    Ok(reply.result.into_iter().map(|result| result.result).collect())
}

/// What one query found.
enum Hits {
    Whole(Vec<IndexHit>),
    /// A lane's last hit has the same score as the last one fetched: others with that score may come before it.
    CutAmongEqual(Vec<IndexHit>),
}

/// How one query is put to the server, and how its answers are read.
struct Plan {
    target: String,
    filter: Filter,
    dense: Option<Lane>,
    lexical: Option<Lane>,
    /// Whether words were asked for at all: then a passage that has none of them has a score of 0.
    by_words: bool,
    hits_per_lane: usize,
    /// Hits fetched beyond those asked for.
    spare: u64,
}

/// A way of scoring points.
#[derive(Clone)]
struct Lane {
    vector: &'static str,
    query: Query,
    params: SearchParams,
}

impl Plan {
    fn new(index: &QdrantIndex, scope: &Scope, query: IndexQuery) -> Self {
        let asked = query.hits_per_lane > 0;
        let filter = filter::searched(scope, &query);
        let settings = &index.settings;
        let dense = query.vector.filter(|_| asked).map(|vector| Lane {
            vector: DENSE,
            query: Query::new_nearest(VectorInput::new_dense(vector)),
            params: SearchParams {
                hnsw_ef: Some(settings.search_breadth.max(fetched(query.hits_per_lane, SPARE_FOR_TIES))),
                quantization: (settings.quantization != Quantization::None).then_some(QuantizationSearchParams {
                    ignore: None,
                    rescore: Some(true),
                    oversampling: Some(2.0),
                }),
                // Looks past neighbours outside the scope, where few are inside: an asker who saw a seventh of a large
                // tenant missed a quarter of the best hits without it. Servers before 1.16 ignore this.
                acorn: Some(AcornSearchParams { enable: Some(true), ..AcornSearchParams::default() }),
                ..SearchParams::default()
            },
        });
        // Without a term there is nothing to look for, and the server takes no empty vector.
        let words = query.words.filter(|_| asked);
        let by_words = words.is_some();
        let lexical = words.filter(|words| !words.is_empty()).map(|words| {
            let (terms, weights) = sparse(&words);
            let query = Query::new_nearest(VectorInput::new_sparse(terms, weights));
            Lane { vector: BM25, query, params: SearchParams::default() }
        });
        let hits_per_lane = query.hits_per_lane;
        Self { target: index.target.clone(), filter, dense, lexical, by_words, hits_per_lane, spare: SPARE_FOR_TIES }
    }

    fn requests(&self) -> Vec<QueryPoints> {
        let both = self.dense.as_ref().zip(self.lexical.as_ref());
        let lanes = [&self.dense, &self.lexical].into_iter().flatten().map(|lane| self.lane(lane));
        let crossed = both
            .into_iter()
            .flat_map(|(dense, lexical)| [self.scored_again(lexical, dense), self.scored_again(dense, lexical)]);
        lanes.chain(crossed).collect()
    }

    fn lane(&self, lane: &Lane) -> QueryPoints {
        QueryPoints {
            filter: Some(self.filter.clone()),
            with_payload: Some(WithPayloadSelector::from(payload::PASSAGE_FIELDS.to_vec())),
            ..self.query(lane)
        }
    }

    /// The hits of one lane, scored as the other does.
    fn scored_again(&self, lane: &Lane, other: &Lane) -> QueryPoints {
        let found = PrefetchQuery {
            query: Some(lane.query.clone()),
            using: Some(lane.vector.to_owned()),
            filter: Some(self.filter.clone()),
            params: Some(lane.params.clone()),
            limit: Some(self.fetched()),
            ..PrefetchQuery::default()
        };
        QueryPoints {
            // No filter of its own: only what the filtered lane found is scored. With one, the server would look through
            // all that the asker may see again: 29 ms instead of 6 for BM25 among 100,000 passages.
            prefetch: vec![found],
            with_payload: Some(WithPayloadSelector::from(false)),
            ..self.query(other)
        }
    }

    fn query(&self, lane: &Lane) -> QueryPoints {
        QueryPoints {
            collection_name: self.target.clone(),
            query: Some(lane.query.clone()),
            using: Some(lane.vector.to_owned()),
            params: Some(lane.params.clone()),
            limit: Some(self.fetched()),
            ..QueryPoints::default()
        }
    }

    fn fetched(&self) -> u64 {
        fetched(self.hits_per_lane, self.spare)
    }

    /// Takes as many results as there were [`Plan::requests`], in their order.
    fn hits(&self, results: &mut impl Iterator<Item = Vec<ScoredPoint>>) -> Hits {
        let mut next = |asked: bool| if asked { results.next().unwrap_or_default() } else { Vec::new() };
        let both = self.dense.is_some() && self.lexical.is_some();
        let (dense, lexical) = (next(self.dense.is_some()), next(self.lexical.is_some()));
        let cut = [&dense, &lexical].into_iter().any(|lane| self.is_cut_among_equal(lane));
        let (dense, lexical) = (ranked(dense, self.hits_per_lane), ranked(lexical, self.hits_per_lane));
        let cosine_of_lexical = scores(next(both));
        let bm25_of_dense = scores(next(both));

        let mut hits = BTreeMap::new();
        for (rank, found) in (0..).zip(&dense) {
            let bm25 = self.by_words.then(|| bm25_of_dense.get(&found.point).copied().unwrap_or(0.0));
            let cosine = Some(found.score);
            let hit = IndexHit { passage: found.passage, cosine, bm25, dense_rank: Some(rank), lexical_rank: None };
            hits.insert(found.passage, hit);
        }
        for (rank, found) in (0..).zip(&lexical) {
            if let Some(hit) = hits.get_mut(&found.passage) {
                hit.bm25 = Some(found.score);
                hit.lexical_rank = Some(rank);
                continue;
            }
            let cosine = cosine_of_lexical.get(&found.point).copied();
            if both && cosine.is_none() {
                // It was removed between the two searches.
                continue;
            }
            let bm25 = Some(found.score);
            let hit = IndexHit { passage: found.passage, cosine, bm25, dense_rank: None, lexical_rank: Some(rank) };
            hits.insert(found.passage, hit);
        }
        let hits = hits.into_values().collect();
        if cut { Hits::CutAmongEqual(hits) } else { Hits::Whole(hits) }
    }

    /// Whether there may be more with the score of the last hit that counts. The server brings the best first.
    fn is_cut_among_equal(&self, lane: &[ScoredPoint]) -> bool {
        let last_that_counts = self.hits_per_lane.checked_sub(1).and_then(|place| lane.get(place));
        let is_full = u64::try_from(lane.len()).unwrap_or(u64::MAX) >= self.fetched();
        is_full
            && last_that_counts
                .zip(lane.last())
                .is_some_and(|(counts, fetched)| fetched.score.total_cmp(&counts.score).is_ge())
    }
}

fn fetched(hits_per_lane: usize, spare: u64) -> u64 {
    u64::try_from(hits_per_lane).unwrap_or(u64::MAX).saturating_add(spare)
}

struct Found {
    point: PointIdOptions,
    passage: PassageKey,
    score: f32,
}

/// A lane's hits, the best first, equal ones by passage key.
fn ranked(points: Vec<ScoredPoint>, limit: usize) -> Vec<Found> {
    let mut found: Vec<Found> = points.into_iter().filter_map(found).collect();
    found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.passage.cmp(&other.passage)));
    found.dedup_by_key(|found| found.passage);
    found.truncate(limit);
    found
}

fn found(point: ScoredPoint) -> Option<Found> {
    let passage = payload::passage(&point.payload);
    if passage.is_none() {
        tracing::warn!(id = ?point.id, "a point that is not ours");
    }
    Some(Found { point: point.id?.point_id_options?, passage: passage?, score: point.score })
}

fn scores(points: Vec<ScoredPoint>) -> HashMap<PointIdOptions, f32> {
    points.into_iter().filter_map(|point| Some((point.id?.point_id_options?, point.score))).collect()
}
