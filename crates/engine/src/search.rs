//! One search: both lanes in one round trip, fused by rank, and nothing shown that the catalogue does not confirm.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::join;
use ibidem_language::bm25::{self, TermId, TermWeights};
use ibidem_words::degrade::{Deadline, Fallback, Part};
use ibidem_words::ports::catalogue::{Catalogue, CatalogueError, CataloguePassage};
use ibidem_words::ports::embedder::{EmbedError, Embedder};
use ibidem_words::ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_words::ports::word_statistics::WordStatistics;
use ibidem_words::{CollectionName, InvalidQuestion, PassageKey, Scope, checked_query, seen};
use tracing::{Instrument as _, trace_span};

/// Reciprocal rank fusion's constant: the value of the paper that introduced it, and of most engines since.
const FUSION_K: f64 = 60.0;

/// Each lane brings at least this many, so that fusion has something to choose from
/// and a few withdrawn passages do not shorten the list.
const FEWEST_PER_LANE: usize = 30;

/// Outside this crate one is made by the constructors below and in no other way: its query is a question's.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SearchRequest {
    pub query: String,
    /// Only these collections; empty means all.
    pub collections: Vec<CollectionName>,
    pub limit: usize,
    pub lanes: Lanes,
    pub deadline: Deadline,
}

impl SearchRequest {
    pub fn new(query: &str, collections: Vec<CollectionName>, limit: usize, lanes: Lanes) -> Self {
        Self { query: seen(query).into_owned(), collections, limit, lanes, deadline: Deadline::NONE }
    }

    /// What somebody sent, if it can be searched for.
    pub fn checked(
        query: String,
        collections: Vec<CollectionName>,
        limit: usize,
        lanes: Lanes,
    ) -> Result<Self, InvalidQuestion> {
        Ok(Self { query: checked_query(query)?, collections, limit, lanes, deadline: Deadline::NONE })
    }

    /// With no more time than that for the parts that are asked.
    #[must_use]
    pub fn until(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }
}

/// Which lanes take part. The default is both.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    Both,
    Dense,
    Lexical,
}

/// A passage that was found, as it stands in the catalogue, with every score it earned.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchHit {
    pub passage: CataloguePassage,
    pub cosine: Option<f32>,
    pub bm25: Option<f32>,
    pub fused: f64,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct SearchOutcome {
    pub hits: Vec<SearchHit>,
    /// Why the search was simpler than asked for: `bm25_only` when the embedding model did not answer,
    /// `circuit_open` when it was not asked, and `words_unweighed` while the rarity of words is not counted.
    pub fallback_reasons: Vec<Fallback>,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum SearchError {
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// Only when the dense lane alone was asked for; otherwise the lexical lane goes on without it.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

/// Everything a search needs.
#[derive(Clone)]
pub struct Searcher {
    pub embedder: Part<dyn Embedder>,
    pub index: Part<dyn Index>,
    pub catalogue: Arc<dyn Catalogue>,
    pub words: Arc<dyn WordStatistics>,
}

/// What the lexical lane looks for.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Weighed {
    /// For each text, its terms.
    pub(crate) texts: Vec<TermWeights>,
    /// Whether the terms count by how rare they are in the asker's scope. If not, they count alike.
    pub(crate) by_rarity: bool,
}

impl Searcher {
    /// The best passages by rank, and no more than asked for.
    pub async fn search(&self, scope: &Scope, request: &SearchRequest) -> Result<SearchOutcome, SearchError> {
        let (found, fallback_reasons) = self.found(scope, request, request.limit.max(FEWEST_PER_LANE)).await?;
        let hits = self.confirm(scope, fuse(found), request.limit).instrument(trace_span!("catalogue")).await?;
        Ok(SearchOutcome { hits, fallback_reasons })
    }

    async fn found(
        &self,
        scope: &Scope,
        request: &SearchRequest,
        hits_per_lane: usize,
    ) -> Result<(Vec<IndexHit>, Vec<Fallback>), SearchError> {
        let (vector, words) =
            join(self.query_vector(request), self.query_words(scope, request)).instrument(trace_span!("embed")).await;
        let (vector, mut fallback_reasons) = vector?;
        let words = words?;
        if words.as_ref().is_some_and(|words| !words.by_rarity) {
            fallback_reasons.push(Fallback::WordsUnweighed);
        }
        let words = words.and_then(|words| words.texts.into_iter().next());
        let query = IndexQuery {
            words,
            vector,
            collections: request.collections.clone(),
            hits_per_lane,
            ..IndexQuery::default()
        };
        let found = self.index.call(request.deadline, |index| index.search(scope, vec![query]));
        let found = found.instrument(trace_span!("index")).await?;
        let found = found.into_iter().next().unwrap_or_default();
        Ok((found, fallback_reasons))
    }

    async fn query_words(&self, scope: &Scope, request: &SearchRequest) -> Result<Option<Weighed>, CatalogueError> {
        if request.lanes == Lanes::Dense {
            return Ok(None);
        }
        Ok(Some(self.weighed(scope, &[&request.query]).await?))
    }

    /// The terms of some texts, each by how rare it is among what the asker may see: one read for all texts.
    pub(crate) async fn weighed(&self, scope: &Scope, texts: &[&str]) -> Result<Weighed, CatalogueError> {
        let terms: Vec<BTreeSet<TermId>> = texts.iter().map(|text| self.words.analysis().distinct(text)).collect();
        let all: Vec<TermId> = terms.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
        if all.is_empty() {
            return Ok(Weighed { texts: vec![TermWeights::new(); texts.len()], by_rarity: true });
        }
        let counts = self.words.counts(scope, &all).await?;
        let texts = terms.iter().map(|terms| match &counts {
            Some(counts) => bm25::weighed(terms, counts),
            None => bm25::unweighed(terms),
        });
        Ok(Weighed { texts: texts.collect(), by_rarity: counts.is_some() })
    }

    /// The query's vector, or none when only words are searched, by wish or because the model does not answer.
    async fn query_vector(&self, request: &SearchRequest) -> Result<(Option<Vec<f32>>, Vec<Fallback>), SearchError> {
        if request.lanes == Lanes::Lexical {
            return Ok((None, Vec::new()));
        }
        let query = vec![request.query.clone()];
        match self.embedder.call(request.deadline, |embedder| embedder.embed_queries(query)).await {
            Ok(vectors) => Ok((vectors.into_iter().next(), Vec::new())),
            Err(error) if request.lanes == Lanes::Dense => Err(error.into()),
            Err(error) => {
                let mut raised = Vec::new();
                Fallback::KeywordsOnly.raise_for(&error, &mut raised);
                Ok((None, raised))
            }
        }
    }

    /// Keeps what the catalogue confirms as existing, current and visible now, in order of its fused score.
    async fn confirm(
        &self,
        scope: &Scope,
        ranked: Vec<(IndexHit, f64)>,
        limit: usize,
    ) -> Result<Vec<SearchHit>, CatalogueError> {
        let mut confirmed = Vec::with_capacity(limit);
        let mut waiting = ranked.into_iter();
        // Normally one round: a second only when the index is behind and passages were withdrawn.
        while confirmed.len() < limit {
            let candidates: Vec<_> = waiting.by_ref().take(limit - confirmed.len()).collect();
            if candidates.is_empty() {
                break;
            }
            let keys: Vec<PassageKey> = candidates.iter().map(|(hit, _)| hit.passage).collect();
            let mut visible: std::collections::HashMap<_, _> = self
                .catalogue
                .visible(scope, &keys)
                .await?
                .into_iter()
                .map(|passage| (passage.passage, passage))
                .collect();
            confirmed.extend(candidates.into_iter().filter_map(|(hit, fused)| {
                let passage = visible.remove(&hit.passage)?;
                Some(SearchHit { passage, cosine: hit.cosine, bm25: hit.bm25, fused })
            }));
        }
        Ok(confirmed)
    }
}

/// What a rank in a lane, from 0, adds to a fused score; a lane that did not bring the passage adds nothing.
pub(crate) fn share_of_rank(rank: Option<u32>) -> f64 {
    rank.map_or(0.0, |rank| 1.0 / (FUSION_K + 1.0 + f64::from(rank)))
}

/// Best first; ties break by passage, so that the same corpus always gives the same order.
fn fuse(hits: Vec<IndexHit>) -> Vec<(IndexHit, f64)> {
    let mut ranked: Vec<_> = hits
        .into_iter()
        .map(|hit| {
            let fused = share_of_rank(hit.dense_rank) + share_of_rank(hit.lexical_rank);
            (hit, fused)
        })
        .collect();
    ranked.sort_by(|(one, one_fused), (other, other_fused)| {
        other_fused.total_cmp(one_fused).then_with(|| one.passage.cmp(&other.passage))
    });
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;
    use ibidem_words::DocumentId;
    use uuid::Uuid;

    fn hit(chunk_index: u32, dense_rank: Option<u32>, lexical_rank: Option<u32>) -> IndexHit {
        let document = DocumentId(Uuid::from_u128(1));
        let passage = PassageKey { document, version: 1, chunk_index };
        IndexHit { passage, cosine: None, bm25: None, dense_rank, lexical_rank }
    }

    #[test]
    fn a_passage_both_lanes_bring_comes_before_either_lanes_own_and_ties_break_by_passage() {
        let fused =
            fuse(vec![hit(1, Some(0), None), hit(0, None, Some(0)), hit(2, Some(5), Some(5)), hit(3, Some(9), None)]);
        let order: Vec<u32> = fused.iter().map(|(hit, _)| hit.passage.chunk_index).collect();
        assert_eq!(order, [2, 0, 1, 3]);
        assert!((fused[1].1 - 1.0 / 61.0).abs() < 1e-12);
    }
}
