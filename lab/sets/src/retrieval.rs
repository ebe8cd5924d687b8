//! Running a retrieval set through a searcher: documents ranked by their best passage, scored lane by lane.

use std::collections::HashSet;
use std::time::Instant;

use ibidem_engine::search::{Lanes, SearchError, SearchRequest, Searcher};
use ibidem_ports::catalogue::CataloguePassage;
use ibidem_words::{CollectionName, Scope};
use serde::Serialize;

use crate::beir::JudgedQuery;
use crate::metrics::{mean, ndcg, recall, reciprocal_rank};

/// The lanes a retrieval run compares, by the names its report uses.
pub const LANES: [(&str, Lanes); 3] = [("dense", Lanes::Dense), ("lexical", Lanes::Lexical), ("both", Lanes::Both)];

/// What is asked of the searcher.
#[derive(Clone, Debug)]
pub struct RetrievalRun {
    pub collection: CollectionName,
    /// Passages asked for. A document may have several, so this is more than the documents that count.
    pub passages: usize,
}

/// How one lane did, as means over all queries.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LaneScore {
    pub lane: &'static str,
    pub queries: usize,
    pub ndcg_at_10: f64,
    pub recall_at_10: f64,
    pub recall_at_100: f64,
    /// Among all documents that the passages asked for are of.
    pub recall: f64,
    pub mrr: f64,
    /// Wall time of one query after the other.
    pub milliseconds_per_query: f64,
}

#[derive(Debug, thiserror::Error)]
pub enum RetrievalError {
    #[error("query {id}: {error}")]
    Search { id: String, error: SearchError },
    /// A lane that was not searched must not be scored.
    #[error("query {id}: the search was simplified ({reason})")]
    Simplified { id: String, reason: String },
}

/// Runs every query through one lane, one after the other. `done` hears of each.
pub async fn run_lane(
    searcher: &Searcher,
    scope: &Scope,
    run: &RetrievalRun,
    (lane, lanes): (&'static str, Lanes),
    queries: &[JudgedQuery],
    mut done: impl FnMut(),
) -> Result<LaneScore, RetrievalError> {
    let mut rankings = Vec::with_capacity(queries.len());
    let mut milliseconds = Vec::with_capacity(queries.len());
    for query in queries {
        let request = SearchRequest::new(&query.text, vec![run.collection.clone()], run.passages, lanes);
        let began = Instant::now();
        let outcome = searcher.search(scope, &request).await;
        milliseconds.push(began.elapsed().as_secs_f64() * 1_000.0);
        let outcome = outcome.map_err(|error| RetrievalError::Search { id: query.id.clone(), error })?;
        if let Some(reason) = outcome.fallback_reasons.first() {
            return Err(RetrievalError::Simplified { id: query.id.clone(), reason: reason.to_string() });
        }
        rankings.push(ranked_documents(outcome.hits.iter().map(|hit| &hit.passage)));
        done();
    }
    let each = |score: &dyn Fn(&[String], &JudgedQuery) -> f64| {
        mean(rankings.iter().zip(queries).map(|(ranking, query)| score(ranking, query)))
    };
    Ok(LaneScore {
        lane,
        queries: queries.len(),
        ndcg_at_10: each(&|ranking, query| ndcg(ranking, &query.judgements, 10)),
        recall_at_10: each(&|ranking, query| recall(ranking, &query.judgements, 10)),
        recall_at_100: each(&|ranking, query| recall(ranking, &query.judgements, 100)),
        recall: each(&|ranking, query| recall(ranking, &query.judgements, ranking.len())),
        mrr: each(&|ranking, query| reciprocal_rank(ranking, &query.judgements)),
        milliseconds_per_query: mean(milliseconds),
    })
}

/// Documents in the order of their best passage, by the id that follows `#` where they came from a file of many.
pub(crate) fn ranked_documents<'a>(passages: impl Iterator<Item = &'a CataloguePassage>) -> Vec<String> {
    let mut seen = HashSet::new();
    let ids = passages.map(|passage| document_id(&passage.source_location));
    ids.filter(|id| seen.insert(*id)).map(str::to_owned).collect()
}

fn document_id(source_location: &str) -> &str {
    source_location.rsplit_once('#').map_or(source_location, |(_, id)| id)
}

#[cfg(test)]
pub(crate) mod tests;
