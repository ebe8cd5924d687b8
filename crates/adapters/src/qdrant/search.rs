//! Every query in two round trips: both lanes, and then each lane's hits scored by the other's measure.
//!
//! Every hit has both scores that way. The second round trip names the points that want a score: having the server search
//! a lane again to score what it finds takes twice the work, and having it return the vectors more (docs/adr/0061).

use std::collections::{BTreeMap, HashMap, HashSet};

use ibidem_ports::index::{IndexError, IndexHit, IndexQuery};
use ibidem_words::{PassageKey, Scope, TenantId};
use qdrant_client::qdrant::point_id::PointIdOptions;
use qdrant_client::qdrant::{
    AcornSearchParams, Condition, Filter, PointId, QuantizationSearchParams, Query, QueryBatchPointsBuilder,
    QueryPoints, ScoredPoint, SearchParams, ShardKeySelector, VectorInput, WithPayloadSelector,
};

use super::publish::sparse;
use super::shards::Division;
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
    let division = index.division().await?;
    let found = match both_lanes(index, division, &mut plans).await {
        Ok(found) => found,
        Err(refused) => {
            let division = index.divided_otherwise(division, refused).await?;
            both_lanes(index, division, &mut plans).await?
        }
    };
    let wanted = plans.iter().zip(&found).flat_map(|(plan, found)| plan.scored_by_the_other(found));
    let mut scored = ask(index, wanted.collect()).await?.into_iter();
    Ok(plans.iter().zip(&found).map(|(plan, found)| plan.hits(found, &mut scored)).collect())
}

/// What the lanes of each plan find.
async fn both_lanes(index: &QdrantIndex, division: Division, plans: &mut [Plan]) -> Result<Vec<LaneHits>, IndexError> {
    for plan in &mut *plans {
        plan.shards = division.shards_of(plan.tenant);
    }
    let mut found: Vec<LaneHits> = plans.iter().map(|_| LaneHits::default()).collect();
    let mut open: Vec<usize> = (0..plans.len()).collect();
    // Normally one round trip: another only where many passages have the same score.
    while !open.is_empty() {
        let requests: Vec<QueryPoints> = open.iter().flat_map(|place| plans[*place].lanes()).collect();
        let mut results = ask(index, requests).await?.into_iter();
        let mut cut_short = Vec::new();
        for place in open {
            let plan = &mut plans[place];
            let mut next = |asked: bool| if asked { results.next().unwrap_or_default() } else { Vec::new() };
            let lanes = [next(plan.dense.is_some()), next(plan.lexical.is_some())];
            if plan.spare < MOST_SPARE && lanes.iter().any(|lane| plan.is_cut_among_equal(lane)) {
                plan.spare *= MORE_SPARE;
                cut_short.push(place);
                continue;
            }
            let [dense, lexical] = lanes.map(|lane| ranked(lane, plan.hits_per_lane));
            let unscored = match plan.both() {
                Some(_) => [only(&dense, &lexical), only(&lexical, &dense)],
                None => Default::default(),
            };
            found[place] = LaneHits { dense, lexical, unscored };
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
        .query(|node| {
            let batch = batch.clone();
            async move { node.query_batch(batch).await }
        })
        .await?;
    Ok(reply.result.into_iter().map(|result| result.result).collect())
}

/// What the lanes of one query found, each the best first.
#[derive(Default)]
struct LaneHits {
    dense: Vec<ScoredHit>,
    lexical: Vec<ScoredHit>,
    /// Where both lanes were searched: the points whose BM25 is not known, and those whose cosine is not.
    unscored: [Vec<PointIdOptions>; 2],
}

/// What one lane found and the other did not.
fn only(of: &[ScoredHit], other: &[ScoredHit]) -> Vec<PointIdOptions> {
    let other: HashSet<PassageKey> = other.iter().map(|found| found.passage).collect();
    of.iter().filter(|found| !other.contains(&found.passage)).map(|found| found.point.clone()).collect()
}

/// How one query is put to the server, and how its answers are read.
struct Plan {
    target: String,
    tenant: TenantId,
    /// Which shards hold the tenant's points, where not all may.
    shards: Option<ShardKeySelector>,
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
        let (tenant, filter) = (query.shelf.tenant(scope), filter::searched(scope, &query));
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
        let (target, spare) = (index.target.clone(), SPARE_FOR_TIES);
        Self { target, tenant, shards: None, filter, dense, lexical, by_words, hits_per_lane, spare }
    }

    /// Both lanes, where both are searched.
    fn both(&self) -> Option<(&Lane, &Lane)> {
        self.dense.as_ref().zip(self.lexical.as_ref())
    }

    fn lanes(&self) -> impl Iterator<Item = QueryPoints> {
        [&self.dense, &self.lexical].into_iter().flatten().map(|lane| QueryPoints {
            filter: Some(self.filter.clone()),
            params: Some(lane.params.clone()),
            limit: Some(self.fetched()),
            with_payload: Some(WithPayloadSelector::from(payload::PASSAGE_FIELDS.to_vec())),
            ..self.query(lane)
        })
    }

    /// What each lane alone found, scored as the other does: by words first, as [`Plan::hits`] reads it.
    fn scored_by_the_other(&self, found: &LaneHits) -> Vec<QueryPoints> {
        let Some((dense, lexical)) = self.both() else { return Vec::new() };
        let wanted = [lexical, dense].into_iter().zip(&found.unscored);
        wanted.filter(|(_, points)| !points.is_empty()).map(|(lane, points)| self.scored(lane, points)).collect()
    }

    /// The filter is in this read too: who may see a point may have changed since it was found.
    fn scored(&self, lane: &Lane, points: &[PointIdOptions]) -> QueryPoints {
        let limit = u64::try_from(points.len()).unwrap_or(u64::MAX);
        let points: Vec<PointId> = points.iter().map(|id| PointId { point_id_options: Some(id.clone()) }).collect();
        let mut filter = self.filter.clone();
        filter.must.push(Condition::has_id(points));
        QueryPoints {
            filter: Some(filter),
            params: Some(SearchParams {
                exact: Some(true),
                quantization: Some(QuantizationSearchParams { ignore: Some(true), ..Default::default() }),
                ..SearchParams::default()
            }),
            limit: Some(limit),
            with_payload: Some(WithPayloadSelector::from(false)),
            ..self.query(lane)
        }
    }

    fn query(&self, lane: &Lane) -> QueryPoints {
        QueryPoints {
            collection_name: self.target.clone(),
            query: Some(lane.query.clone()),
            using: Some(lane.vector.to_owned()),
            shard_key_selector: self.shards.clone(),
            ..QueryPoints::default()
        }
    }

    fn fetched(&self) -> u64 {
        fetched(self.hits_per_lane, self.spare)
    }

    /// Takes as many results as there were [`Plan::scored_by_the_other`], in their order.
    fn hits(&self, found: &LaneHits, scored: &mut impl Iterator<Item = Vec<ScoredPoint>>) -> Vec<IndexHit> {
        let [bm25_of_dense, cosine_of_lexical] = found
            .unscored
            .each_ref()
            .map(|points| if points.is_empty() { HashMap::new() } else { scores(scored.next().unwrap_or_default()) });
        let mut hits = BTreeMap::new();
        for (rank, found) in (0..).zip(&found.dense) {
            // A passage that has none of the words is not brought by the lane of words.
            let bm25 = self.by_words.then(|| bm25_of_dense.get(&found.point).copied().unwrap_or(0.0));
            let cosine = Some(found.score);
            let hit = IndexHit { passage: found.passage, cosine, bm25, dense_rank: Some(rank), lexical_rank: None };
            hits.insert(found.passage, hit);
        }
        for (rank, found) in (0..).zip(&found.lexical) {
            if let Some(hit) = hits.get_mut(&found.passage) {
                hit.bm25 = Some(found.score);
                hit.lexical_rank = Some(rank);
                continue;
            }
            let cosine = cosine_of_lexical.get(&found.point).copied();
            if self.both().is_some() && cosine.is_none() {
                // It was removed between the two round trips, or is not the asker's to see any more.
                continue;
            }
            let bm25 = Some(found.score);
            let hit = IndexHit { passage: found.passage, cosine, bm25, dense_rank: None, lexical_rank: Some(rank) };
            hits.insert(found.passage, hit);
        }
        hits.into_values().collect()
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

struct ScoredHit {
    point: PointIdOptions,
    passage: PassageKey,
    score: f32,
}

/// A lane's hits, the best first, equal ones by passage key.
fn ranked(points: Vec<ScoredPoint>, limit: usize) -> Vec<ScoredHit> {
    let mut found: Vec<ScoredHit> = points.into_iter().filter_map(found).collect();
    found.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.passage.cmp(&other.passage)));
    found.dedup_by_key(|found| found.passage);
    found.truncate(limit);
    found
}

fn found(point: ScoredPoint) -> Option<ScoredHit> {
    let passage = payload::passage(&point.payload);
    if passage.is_none() {
        tracing::warn!(id = ?point.id, "a point that is not ours");
    }
    Some(ScoredHit { point: point.id?.point_id_options?, passage: passage?, score: point.score })
}

fn scores(points: Vec<ScoredPoint>) -> HashMap<PointIdOptions, f32> {
    points.into_iter().filter_map(|point| Some((point.id?.point_id_options?, point.score))).collect()
}
