//! The search engine alone: the request that Ibidem's adapter sends, put together here from its documentation.
//!
//! It is written a second time on purpose: a bench that calls the adapter would also measure the adapter.
//! Before measuring, [`super::load::compare`] checks that both find the same.

use std::sync::Arc;

use ibidem_language::bm25::{TermId, TermWeights, weighed};
use ibidem_ports::word_statistics::WordStatistics as _;
use ibidem_words::{Identity, Scope, Tag, TenantId};
use qdrant_client::Qdrant;
use qdrant_client::qdrant::{
    AcornSearchParams, Condition, Filter, PrefetchQuery, Query, QueryBatchPoints, QueryBatchPointsBuilder, QueryPoints,
    SearchParams, VectorInput, WithPayloadSelector,
};

use super::LIMIT;
use crate::bench::prepared::PreparedEmbedder;
use crate::bench::scratch::Scratch;

/// What each lane brings when ten are asked for: the engine's least of 30, and the adapter's 8 to settle ties.
const FETCHED: u64 = 38;
const _: () = assert!(LIMIT <= 30, "more than 30 passages make other requests");

/// Everything that the bare requests are made of.
pub(super) struct Bare {
    client: Qdrant,
    target: String,
    filter: Filter,
    breadth: u64,
    queries: Vec<(TermWeights, Vec<f32>)>,
}

/// One way of scoring.
struct Lane {
    using: &'static str,
    query: Query,
    params: SearchParams,
}

impl Bare {
    pub(super) async fn new(
        scratch: &Scratch,
        tenant: TenantId,
        tags: &[Tag],
        embedder: &PreparedEmbedder,
        queries: &[String],
    ) -> anyhow::Result<Self> {
        let settings = scratch.settings.qdrant();
        let mut client = Qdrant::from_url(&settings.url)
            .api_key(settings.api_key.clone())
            .timeout(settings.search_timeout)
            .keep_alive_while_idle()
            .skip_compatibility_check();
        client.pool_size = settings.connections;
        let scope = Scope::of(&Identity::operator(tenant, tags.iter().cloned().collect()));
        let mut prepared = Vec::with_capacity(queries.len());
        for query in queries {
            let terms = scratch.store.analysis().distinct(query);
            let asked: Vec<TermId> = terms.iter().copied().collect();
            let counts = scratch.store.counts(&scope, &asked).await?.unwrap_or_default();
            prepared.push((weighed(&terms, &counts), embedder.vector(query)));
        }
        let tags: Vec<String> = tags.iter().map(|tag| format!("{tenant}/{tag}")).collect();
        let filter = Filter::must([Condition::matches("tenant", tenant.to_string()), Condition::matches("tags", tags)]);
        Ok(Self {
            client: client.build()?,
            target: scratch.index.target().to_owned(),
            filter,
            breadth: settings.search_breadth,
            queries: prepared,
        })
    }

    pub(super) fn client(&self) -> Qdrant {
        self.client.clone()
    }

    /// A batch for each query: the two lanes, and with `both_scores` each lane's hits scored by the other.
    pub(super) fn requests(&self, both_scores: bool) -> Arc<[QueryBatchPoints]> {
        let batches = self.queries.iter().map(|(words, vector)| {
            let [dense, lexical] = self.lanes(words, vector);
            let mut searches = vec![self.lane(&dense), self.lane(&lexical)];
            if both_scores {
                searches.extend([self.scored_again(&lexical, &dense), self.scored_again(&dense, &lexical)]);
            }
            QueryBatchPointsBuilder::new(&self.target, searches).timeout(5).build()
        });
        batches.collect()
    }

    fn lanes(&self, words: &TermWeights, vector: &[f32]) -> [Lane; 2] {
        let (terms, weights): (Vec<u32>, Vec<f32>) = words.iter().map(|(term, weight)| (term.0, *weight)).unzip();
        let dense = Lane {
            using: "dense",
            query: Query::new_nearest(VectorInput::new_dense(vector.to_vec())),
            params: SearchParams {
                hnsw_ef: Some(self.breadth.max(FETCHED)),
                acorn: Some(AcornSearchParams { enable: Some(true), ..AcornSearchParams::default() }),
                ..SearchParams::default()
            },
        };
        let lexical = Lane {
            using: "bm25",
            query: Query::new_nearest(VectorInput::new_sparse(terms, weights)),
            params: SearchParams::default(),
        };
        [dense, lexical]
    }

    fn lane(&self, lane: &Lane) -> QueryPoints {
        QueryPoints {
            with_payload: Some(WithPayloadSelector::from(vec!["document", "version", "chunk"])),
            ..self.query(lane)
        }
    }

    fn scored_again(&self, lane: &Lane, other: &Lane) -> QueryPoints {
        let found = PrefetchQuery {
            query: Some(lane.query.clone()),
            using: Some(lane.using.to_owned()),
            filter: Some(self.filter.clone()),
            params: Some(lane.params.clone()),
            limit: Some(FETCHED),
            ..PrefetchQuery::default()
        };
        QueryPoints {
            prefetch: vec![found],
            filter: None,
            with_payload: Some(WithPayloadSelector::from(false)),
            ..self.query(other)
        }
    }

    fn query(&self, lane: &Lane) -> QueryPoints {
        QueryPoints {
            collection_name: self.target.clone(),
            query: Some(lane.query.clone()),
            using: Some(lane.using.to_owned()),
            filter: Some(self.filter.clone()),
            params: Some(lane.params.clone()),
            limit: Some(FETCHED),
            ..QueryPoints::default()
        }
    }
}
