//! One search: both lanes in one call, fused by their scores, and nothing shown that the catalogue does not confirm.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use futures::future::join;
use ibidem_language::bm25::{Query, TermId, TermWeights};
use ibidem_ports::catalogue::{Catalogue, CatalogueError, CataloguePassage};
use ibidem_ports::degrade::{Deadline, Fault as _, Part};
use ibidem_ports::embedder::{EmbedError, Embedder};
use ibidem_ports::index::{Index, IndexError, IndexHit, IndexQuery};
use ibidem_ports::on_behalf;
use ibidem_ports::word_statistics::WordStatistics;
use ibidem_words::Fallback;
use ibidem_words::{
    CollectionName, DocumentId, InvalidQuestion, PassageKey, Scope, SimilarityScale, checked_query, seen,
};
use tracing::{Instrument as _, trace_span};

/// What keywords weigh in a fused score where nothing else is said; meaning weighs 1.
pub const KEYWORD_WEIGHT: f64 = 1.25;

/// Each lane brings at least this many, so that fusion has something to choose from
/// and a few withdrawn passages do not shorten the list.
const FEWEST_PER_LANE: usize = 30;

/// Outside this crate one is made by the constructors below and in no other way: its query is a question's.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct SearchRequest {
    pub query: String,
    /// Restricts the search to these collections. An empty list means all.
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

    /// Gives the parts that are asked no more time than that.
    #[must_use]
    pub fn until(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }
}

/// Collections were named that are not there: for this asker, one whose documents are all hidden is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no collection {}: name one that has documents you may read, or leave it out to search all", listed(.0))]
pub struct UnknownCollections(pub Vec<CollectionName>);

fn listed(names: &[CollectionName]) -> String {
    names.iter().map(|name| format!("{:?}", name.as_str())).collect::<Vec<_>>().join(" or ")
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
    /// Holds the terms of each text.
    pub(crate) texts: Vec<TermWeights>,
    /// Holds for each text the BM25 that no passage exceeds.
    pub(crate) attainable: Vec<f32>,
    /// Whether the terms count by how rare they are in the asker's scope. If not, they count alike.
    pub(crate) by_rarity: bool,
}

impl Searcher {
    /// Whether the asker sees documents in each of these collections. A catalogue that does not answer decides nothing:
    /// the search says so.
    pub async fn check_collections(
        &self,
        scope: &Scope,
        collections: &[CollectionName],
    ) -> Result<(), UnknownCollections> {
        if collections.is_empty() {
            return Ok(());
        }
        match self.catalogue.unseen_collections(scope, collections).await {
            Ok(unseen) if !unseen.is_empty() => Err(UnknownCollections(unseen)),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The best passages, and no more than asked for.
    pub async fn search(&self, scope: &Scope, request: &SearchRequest) -> Result<SearchOutcome, SearchError> {
        on_behalf::of(scope.tenant(), self.best(scope, request)).await
    }

    async fn best(&self, scope: &Scope, request: &SearchRequest) -> Result<SearchOutcome, SearchError> {
        let hits_per_lane = request.limit.max(FEWEST_PER_LANE);
        let (query, attainable, fallback_reasons) = self.query(scope, request, hits_per_lane).await?;
        let mut rounds = Rounds::default();
        loop {
            let found = self.found(scope, request, query.clone(), attainable).await?;
            let confirming = self.confirm(scope, found, request.limit, &mut rounds);
            let hits = confirming.instrument(trace_span!("catalogue")).await?;
            if !rounds.another() {
                return Ok(SearchOutcome { hits, fallback_reasons });
            }
        }
    }

    /// What to look for, and the BM25 that no passage exceeds.
    async fn query(
        &self,
        scope: &Scope,
        request: &SearchRequest,
        hits_per_lane: usize,
    ) -> Result<(IndexQuery, f32, Vec<Fallback>), SearchError> {
        let (vector, words) =
            join(self.query_vector(request), self.query_words(scope, request)).instrument(trace_span!("embed")).await;
        let (vector, mut fallback_reasons) = vector?;
        let words = words?;
        if words.as_ref().is_some_and(|words| !words.by_rarity) {
            fallback_reasons.push(Fallback::WordsUnweighed);
        }
        let attainable = words.as_ref().and_then(|words| words.attainable.first().copied()).unwrap_or(0.0);
        let words = words.and_then(|words| words.texts.into_iter().next());
        let query = IndexQuery {
            words,
            vector,
            collections: request.collections.clone(),
            hits_per_lane,
            ..IndexQuery::default()
        };
        Ok((query, attainable, fallback_reasons))
    }

    async fn found(
        &self,
        scope: &Scope,
        request: &SearchRequest,
        query: IndexQuery,
        attainable: f32,
    ) -> Result<Vec<(IndexHit, f64)>, SearchError> {
        let found = self.index.call(request.deadline, |index| index.search(scope, vec![query]));
        let found = found.instrument(trace_span!("index")).await?;
        let found = found.into_iter().next().unwrap_or_default();
        let fusion = Fusion { scale: self.embedder.port().model().scale, keyword_weight: KEYWORD_WEIGHT };
        Ok(fusion.ordered(found, attainable))
    }

    async fn query_words(&self, scope: &Scope, request: &SearchRequest) -> Result<Option<Weighed>, CatalogueError> {
        if request.lanes == Lanes::Dense {
            return Ok(None);
        }
        Ok(Some(self.weighed(scope, &[&request.query]).await?))
    }

    /// The terms of some texts, each by how rare it is among what the asker may see: one read for all texts, and another
    /// where they have words that nothing has which the asker may see, for what else these may be.
    pub(crate) async fn weighed(&self, scope: &Scope, texts: &[&str]) -> Result<Weighed, CatalogueError> {
        let mut queries: Vec<Query> = texts.iter().map(|text| self.words.analysis().query(text)).collect();
        let all: BTreeSet<TermId> = queries.iter().flat_map(Query::terms).collect();
        if all.is_empty() {
            let nothing = vec![TermWeights::new(); texts.len()];
            return Ok(Weighed { texts: nothing, attainable: vec![0.0; texts.len()], by_rarity: true });
        }
        let mut counts = self.words.counts(scope, &Vec::from_iter(all)).await?;
        if let Some(known) = &mut counts {
            let others: BTreeSet<TermId> = queries.iter_mut().flat_map(|query| query.respelled(known)).collect();
            if !others.is_empty()
                && let Some(counted) = self.words.counts(scope, &Vec::from_iter(others)).await?
            {
                known.with_term.extend(counted.with_term);
            }
        }
        let texts = queries.iter().map(|query| match &counts {
            Some(counts) => query.weighed(counts),
            None => query.unweighed(),
        });
        let attainable = queries.iter().map(|query| query.attainable(counts.as_ref()));
        Ok(Weighed { texts: texts.collect(), attainable: attainable.collect(), by_rarity: counts.is_some() })
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
                error.raise(Fallback::KeywordsOnly, &mut raised);
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
        rounds: &mut Rounds,
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
            let mut visible: HashMap<_, _> = self
                .catalogue
                .visible(scope, &keys)
                .await?
                .into_iter()
                .map(|passage| (passage.passage, passage))
                .collect();
            rounds.confirmed(&keys, visible.keys());
            confirmed.extend(candidates.into_iter().filter_map(|(hit, fused)| {
                let passage = visible.remove(&hit.passage)?;
                Some(SearchHit { passage, cosine: hit.cosine, bm25: hit.bm25, fused })
            }));
        }
        Ok(confirmed)
    }
}

/// Searches for one question. A document may be replaced after the index was searched and before the catalogue confirms
/// what was found. Then what was found of the old version is not confirmed, and the new one, which is all in the index by
/// then, may not have been found: the index is searched again.
#[derive(Default)]
pub(crate) struct Rounds {
    searched: usize,
    behind: BTreeSet<PassageKey>,
    before: BTreeSet<PassageKey>,
}

impl Rounds {
    /// More than one document can be replaced while a question is asked, and one more than once.
    const MOST: usize = 4;

    /// Notes what of these passages was confirmed. One of a newer version than the confirmed one waits for its turn:
    /// nothing is missed without it.
    pub(crate) fn confirmed<'keys>(
        &mut self,
        found: &[PassageKey],
        confirmed: impl Iterator<Item = &'keys PassageKey>,
    ) {
        let confirmed: HashSet<PassageKey> = confirmed.copied().collect();
        let current: HashMap<DocumentId, u32> = confirmed.iter().map(|key| (key.document, key.version)).collect();
        let is_behind = |key: &&PassageKey| {
            !confirmed.contains(*key) && current.get(&key.document).is_none_or(|current| key.version < *current)
        };
        self.behind.extend(found.iter().filter(is_behind));
    }

    /// Whether to search again. Not if the same was missing the last time: then the index is behind, and waiting for a
    /// worker.
    pub(crate) fn another(&mut self) -> bool {
        self.searched += 1;
        let behind = std::mem::take(&mut self.behind);
        let is_new = !behind.is_empty() && behind != self.before;
        self.before = behind;
        is_new && self.searched < Self::MOST
    }
}

/// How both lanes come to one number: the weighted mean of the similarity and of the share of the attainable BM25.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fusion {
    pub(crate) scale: SimilarityScale,
    pub(crate) keyword_weight: f64,
}

impl Fusion {
    /// A lane that was not searched adds nothing.
    pub(crate) fn score(self, hit: &IndexHit, attainable: f32) -> f64 {
        let by_meaning = hit.cosine.map_or(0.0, |cosine| self.scale.unbounded(f64::from(cosine)));
        let share = |bm25: f32| f64::from(bm25) / f64::from(attainable);
        let by_words = hit.bm25.filter(|_| attainable > 0.0).map_or(0.0, share);
        (by_meaning + self.keyword_weight * by_words) / (1.0 + self.keyword_weight)
    }

    /// Best first; ties break by passage, so that the same corpus always gives the same order.
    fn ordered(self, hits: Vec<IndexHit>, attainable: f32) -> Vec<(IndexHit, f64)> {
        let mut ordered: Vec<_> = hits.into_iter().map(|hit| (self.score(&hit, attainable), hit)).collect();
        ordered.sort_by(|(one_score, one), (other_score, other)| {
            other_score.total_cmp(one_score).then_with(|| one.passage.cmp(&other.passage))
        });
        ordered.into_iter().map(|(score, hit)| (hit, score)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    const FUSION: Fusion = Fusion { scale: SimilarityScale::COSINE, keyword_weight: 1.0 };

    fn hit(chunk_index: u32, cosine: Option<f32>, bm25: Option<f32>) -> IndexHit {
        let document = DocumentId(Uuid::from_u128(1));
        let passage = PassageKey { document, version: 1, chunk_index };
        IndexHit { passage, cosine, bm25, dense_rank: None, lexical_rank: None }
    }

    fn order(fusion: Fusion, hits: &[IndexHit], attainable: f32) -> Vec<u32> {
        fusion.ordered(hits.to_vec(), attainable).iter().map(|(hit, _)| hit.passage.chunk_index).collect()
    }

    fn key(document: u128, version: u32, chunk_index: u32) -> PassageKey {
        PassageKey { document: DocumentId(Uuid::from_u128(document)), version, chunk_index }
    }

    #[test]
    fn the_index_is_searched_again_where_a_document_may_have_been_replaced_since() {
        let (old, new) = (key(1, 1, 0), key(1, 2, 0));
        for (found, confirmed, again) in [
            (&[][..], &[][..], false),
            (&[old], &[old], false),
            // The new version waits for its turn.
            (&[old, new], &[old], false),
            // It took the old one's place: perhaps after the search, which may have found only some of it.
            (&[old], &[], true),
            (&[old, new], &[new], true),
            (&[old, key(2, 1, 0)], &[key(2, 1, 0)], true),
        ] {
            let mut rounds = Rounds::default();
            rounds.confirmed(found, confirmed.iter());
            assert_eq!(rounds.another(), again, "{found:?} {confirmed:?}");
        }
        // An index that is behind is not searched again and again.
        let mut rounds = Rounds::default();
        let mut searched = Vec::new();
        for found in [&[old][..], &[old]] {
            rounds.confirmed(found, [].iter());
            searched.push(rounds.another());
        }
        assert_eq!(searched, [true, false]);
        let changing = (1..).map(|version| {
            rounds.confirmed(&[key(1, version, 0)], [].iter());
            rounds.another()
        });
        assert!(changing.take(10).filter(|again| *again).count() < Rounds::MOST);
    }

    #[test]
    fn a_passage_that_both_lanes_like_comes_before_either_lanes_own_and_ties_break_by_passage() {
        let hits = [
            hit(1, Some(0.75), Some(0.0)),
            hit(0, Some(0.0), Some(7.5)),
            hit(2, Some(0.5), Some(5.0)),
            hit(3, Some(0.5), Some(0.0)),
        ];
        assert_eq!(order(FUSION, &hits, 10.0), [2, 0, 1, 3]);
        assert_eq!(order(Fusion { keyword_weight: 3.0, ..FUSION }, &hits, 10.0), [0, 2, 1, 3]);
    }

    #[test]
    fn keywords_count_for_little_where_the_passages_have_few_of_the_questions_words() {
        // The same hits: nearly all of the question's words are in the passages, and hardly any.
        let hits = [hit(0, Some(0.6), Some(0.0)), hit(1, Some(0.4), Some(6.0))];
        assert_eq!(order(FUSION, &hits, 8.0), [1, 0]);
        assert_eq!(order(FUSION, &hits, 80.0), [0, 1]);
    }

    #[test]
    fn similarity_counts_on_the_models_scale_and_tells_cosines_apart_beyond_it() {
        let fusion = Fusion { scale: SimilarityScale::new(0.7, 0.9).unwrap(), ..FUSION };
        let hits = [hit(0, Some(0.5), Some(0.0)), hit(1, Some(0.6), Some(0.0)), hit(2, Some(0.95), Some(0.0))];
        assert_eq!(order(fusion, &hits, 10.0), [2, 1, 0]);
        let half = fusion.score(&hit(0, Some(0.8), Some(5.0)), 10.0);
        assert!((half - 0.5).abs() < 1e-6, "{half}");
    }

    #[test]
    fn a_lane_that_was_not_searched_leaves_the_order_to_the_other() {
        assert_eq!(order(FUSION, &[hit(0, None, Some(1.0)), hit(1, None, Some(2.0))], 10.0), [1, 0]);
        assert_eq!(order(FUSION, &[hit(0, Some(-0.2), None), hit(1, Some(-0.1), None)], 0.0), [1, 0]);
    }
}
