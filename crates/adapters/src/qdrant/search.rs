//! Both lanes of every query in one round trip.
//!
//! Each query with words and a vector becomes four searches: the two lanes, and each lane's hits scored by the
//! other's measure, so that every hit has both scores. Having the server score them again costs a third of having
//! it return the vectors.

use std::collections::{BTreeMap, HashMap};

use ibidem_engine::ports::index::{IndexError, IndexHit, IndexQuery};
use ibidem_engine::words::{PassageKey, Scope};
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::{
    AcornSearchParams, Filter, IdfParams, PrefetchQuery, QuantizationSearchParams, Query, QueryBatchPointsBuilder,
    QueryPoints, ScoredPoint, SearchParams, VectorInput, WithPayloadSelector,
};

use super::publish::bm25_document;
use super::{BM25, DENSE, QdrantIndex, Quantization, filter, payload};

/// Hits fetched beyond those asked for: among equal scores the server keeps any, we keep the first by passage key.
const SPARE_FOR_TIES: u64 = 8;

pub(super) async fn search(
    index: &QdrantIndex,
    scope: &Scope,
    queries: Vec<IndexQuery>,
) -> Result<Vec<Vec<IndexHit>>, IndexError> {
    let plans: Vec<Plan> = queries.into_iter().map(|query| Plan::new(index, scope, query)).collect();
    let requests: Vec<QueryPoints> = plans.iter().flat_map(Plan::requests).collect();
    if requests.is_empty() {
        return Ok(plans.iter().map(|_| Vec::new()).collect());
    }
    let limit = index.settings.search_timeout;
    let batch = QueryBatchPointsBuilder::new(&index.target, requests).timeout(limit.as_secs().max(1)).build();
    let reply = index
        .read(|node| {
            let batch = batch.clone();
            async move { node.query_batch(batch).await }
        })
        .await?;
    let mut results = reply.result.into_iter().map(|result| result.result);
    Ok(plans.iter().map(|plan| plan.hits(&mut results)).collect())
}

/// How one query is put to the server, and how its answers are read.
struct Plan {
    target: String,
    filter: Filter,
    dense: Option<Lane>,
    lexical: Option<Lane>,
    hits_per_lane: usize,
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
                hnsw_ef: Some(settings.search_breadth.max(fetched(query.hits_per_lane))),
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
        let lexical = query.words.filter(|_| asked).map(|words| Lane {
            vector: BM25,
            query: Query::new_nearest(VectorInput::from(bm25_document(&words, settings))),
            params: SearchParams {
                // How rare a word is counts among what the asker may see, so that hidden documents change no score.
                // Servers before 1.19 ignore this and count in the whole shard.
                idf: Some(IdfParams { corpus: Some(filter::visible(scope, query.shelf)) }),
                ..SearchParams::default()
            },
        });
        Self { target: index.target.clone(), filter, dense, lexical, hits_per_lane: query.hits_per_lane }
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
            limit: Some(fetched(self.hits_per_lane)),
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
            limit: Some(fetched(self.hits_per_lane)),
            ..QueryPoints::default()
        }
    }

    /// Takes as many results as there were [`Plan::requests`], in their order.
    fn hits(&self, results: &mut impl Iterator<Item = Vec<ScoredPoint>>) -> Vec<IndexHit> {
        let mut next = |asked: bool| if asked { results.next().unwrap_or_default() } else { Vec::new() };
        let both = self.dense.is_some() && self.lexical.is_some();
        let dense = ranked(next(self.dense.is_some()), self.hits_per_lane);
        let lexical = ranked(next(self.lexical.is_some()), self.hits_per_lane);
        let cosine_of_lexical = scores(next(both));
        let bm25_of_dense = scores(next(both));

        let mut hits = BTreeMap::new();
        for (rank, found) in (0..).zip(&dense) {
            let bm25 = both.then(|| bm25_of_dense.get(&found.point).copied().unwrap_or(0.0));
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
        hits.into_values().collect()
    }
}

fn fetched(hits_per_lane: usize) -> u64 {
    u64::try_from(hits_per_lane).unwrap_or(u64::MAX).saturating_add(SPARE_FOR_TIES)
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
