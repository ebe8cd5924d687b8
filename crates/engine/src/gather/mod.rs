//! The first movement: every lane in parallel, pooled, and confirmed by the catalogue.

pub mod route;
pub mod terminology;

use crate::search::{Lanes, SearchError, SearchRequest, Searcher};
use crate::turn::{Asked, Gathered};
use crate::words::Candidate;

/// Fails only when there is nothing to search: then nothing can be answered.
pub async fn gather(searcher: &Searcher, asked: Asked) -> Result<Gathered, (Asked, SearchError)> {
    let rules = &asked.policy.rules.gather;
    let request = SearchRequest {
        query: asked.question.query.clone(),
        collections: asked.question.collections.clone(),
        limit: rules.hits_per_lane,
        lanes: Lanes::Both,
    };
    let outcome = match searcher.pool(&asked.scope, &request).await {
        Ok(outcome) => outcome,
        Err(error) => return Err((asked, error)),
    };
    let is_forced = |rank: Option<u32>| rank.is_some_and(|rank| (rank as usize) < rules.forced_lexical);
    let mut candidates: Vec<Candidate> = outcome
        .hits
        .into_iter()
        .map(|hit| Candidate {
            forced: is_forced(hit.lexical_rank),
            passage: hit.passage,
            cosine: hit.cosine,
            bm25: hit.bm25,
            fused: hit.fused,
        })
        .collect();
    order(&mut candidates);
    let fallback_reasons = outcome.fallback_reasons.into_iter().map(str::to_owned).collect();
    Ok(Gathered { asked, candidates, fallback_reasons })
}

/// Best first: by meaning where it was searched, else by words; ties break by passage.
fn order(candidates: &mut [Candidate]) {
    candidates.sort_by(|one, other| {
        let by_meaning = other.similarity().total_cmp(&one.similarity());
        let by_words = other.bm25.unwrap_or(0.0).total_cmp(&one.bm25.unwrap_or(0.0));
        by_meaning.then(by_words).then_with(|| one.passage.passage.cmp(&other.passage.passage))
    });
}
