//! How well gathering does: whether what is wanted is in the pool that a judge reads, and in what order it comes out.

use std::cmp::Ordering;
use std::time::Instant;

use async_trait::async_trait;
use ibidem_engine::ask::Engine;
use ibidem_engine::candidate::Candidate;
use ibidem_engine::gather::gather;
use ibidem_engine::turn::{Asked, NamedDocuments};
use ibidem_ports::reranker::{RerankError, Reranker};
use serde::Serialize;

use crate::beir::JudgedQuery;
use crate::metrics::{mean, ndcg, recall};
use crate::retrieval::{LaneScore, RetrievalError, ranked_documents};

/// How one way of gathering did, as means over its queries.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct GatherScore {
    /// What was searched with: a lane, both, or both and more.
    pub way: &'static str,
    /// What decided the order.
    pub order: &'static str,
    pub queries: usize,
    /// Forms of each question that were searched, itself among them.
    pub variants: f64,
    /// Passages in the pool.
    pub pool: f64,
    /// The share of the relevant documents that have a passage in the pool.
    pub pool_recall: f64,
    pub ndcg_at_10: f64,
    /// Wall time of one query after the other.
    pub seconds_per_query: f64,
}

/// What gathering brought for one query.
#[derive(Clone, Debug)]
pub struct Pool {
    /// In the order that gathering gave them, what it would keep first.
    pub candidates: Vec<Candidate>,
    pub variants: usize,
    pub seconds: f64,
}

/// A judge to whom everything is alike. With it a pool is what a judge would read, in the order of the cosine.
pub struct Impartial;

#[async_trait]
impl Reranker for Impartial {
    fn name(&self) -> &'static str {
        "impartial"
    }

    async fn score(&self, _question: &str, texts: Vec<String>) -> Result<Vec<f32>, RerankError> {
        Ok(vec![0.0; texts.len()])
    }
}

/// What a pool is put in order by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As it was gathered.
    Gathered,
    Cosine,
    /// By both lanes' scores together.
    Fused,
}

/// Every k-th query, so that about so many are taken from the whole of a set, and always the same.
pub fn sample(queries: &[JudgedQuery], wanted: usize) -> Vec<JudgedQuery> {
    let step = queries.len().div_ceil(wanted.max(1)).max(1);
    queries.iter().step_by(step).cloned().collect()
}

/// Gathers for every query, one after the other, as `template` asks. `done` hears of each.
pub async fn gather_all(
    engine: &Engine,
    template: &Asked,
    queries: &[JudgedQuery],
    mut done: impl FnMut(),
) -> Result<Vec<Pool>, RetrievalError> {
    let mut pools = Vec::with_capacity(queries.len());
    for query in queries {
        let question = template.question.clone().asking(&query.text);
        let began = Instant::now();
        let gathered =
            gather(&engine.parts, Asked { question, ..template.clone() }, &NamedDocuments::default(), 0).await;
        let seconds = began.elapsed().as_secs_f64();
        let gathered =
            gathered.map_err(|failed| RetrievalError::Search { id: query.id.clone(), error: failed.error })?;
        if !gathered.log.fallback_reasons.is_empty() {
            let reason = ibidem_measure::simplified(&gathered.log.fallback_reasons, &gathered.search.failures);
            return Err(RetrievalError::Simplified { id: query.id.clone(), reason });
        }
        let variants = gathered.search.variants.len();
        let candidates = gathered.candidates.into_iter().chain(gathered.search.left_out).collect();
        pools.push(Pool { candidates, variants, seconds });
        done();
    }
    Ok(pools)
}

/// How the pools did, put in this order.
pub fn score(way: &'static str, order: (&'static str, Order), pools: &[Pool], queries: &[JudgedQuery]) -> GatherScore {
    let rankings: Vec<Vec<String>> = pools.iter().map(|pool| documents(pool, order.1)).collect();
    let each = |score: &dyn Fn(&[String], &JudgedQuery) -> f64| {
        mean(rankings.iter().zip(queries).map(|(ranking, query)| score(ranking, query)))
    };
    GatherScore {
        way,
        order: order.0,
        queries: pools.len(),
        variants: mean(pools.iter().map(|pool| as_float(pool.variants))),
        pool: mean(pools.iter().map(|pool| as_float(pool.candidates.len()))),
        pool_recall: each(&|ranking, query| recall(ranking, &query.judgements, ranking.len())),
        ndcg_at_10: each(&|ranking, query| ndcg(ranking, &query.judgements, 10)),
        seconds_per_query: mean(pools.iter().map(|pool| pool.seconds)),
    }
}

impl GatherScore {
    /// A lane by itself, of which so many passages were asked for.
    pub fn of_lane(lane: &LaneScore, passages: usize) -> Self {
        Self {
            way: lane.lane,
            order: lane.lane,
            queries: lane.queries,
            variants: 1.0,
            pool: as_float(passages),
            pool_recall: lane.recall,
            ndcg_at_10: lane.ndcg_at_10,
            seconds_per_query: lane.milliseconds_per_query / 1_000.0,
        }
    }
}

fn documents(pool: &Pool, order: Order) -> Vec<String> {
    let mut candidates: Vec<&Candidate> = pool.candidates.iter().collect();
    let cosine = |candidate: &Candidate| f64::from(candidate.cosine.unwrap_or(f32::NEG_INFINITY));
    let fused = |candidate: &Candidate| candidate.fused;
    let by = |value: fn(&Candidate) -> f64| {
        move |one: &&Candidate, other: &&Candidate| -> Ordering {
            let ties = one.passage.passage.cmp(&other.passage.passage);
            value(other).total_cmp(&value(one)).then(ties)
        }
    };
    match order {
        Order::Gathered => {}
        Order::Cosine => candidates.sort_by(by(cosine)),
        Order::Fused => candidates.sort_by(by(fused)),
    }
    ranked_documents(candidates.into_iter().map(|candidate| &candidate.passage))
}

#[expect(clippy::cast_precision_loss, reason = "counts of passages are far below 2^53")]
fn as_float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
