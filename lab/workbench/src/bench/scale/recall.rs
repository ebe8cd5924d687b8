//! What a search finds of the ten best, beside looking at every passage that the asker may see.

use std::collections::HashSet;
use std::time::Instant;

use ibidem_ports::index::{Index as _, IndexQuery};
use ibidem_words::{Identity, PassageKey, Scope};
use qdrant_client::Qdrant;
use qdrant_client::qdrant::{
    Condition, Filter, QuantizationSearchParams, Query, QueryPoints, SearchParams, VectorInput, WithPayloadSelector,
};

use crate::bench::corpus::{self, Share};
use crate::bench::percentile;
use crate::bench::prepared::PreparedEmbedder;
use crate::bench::scratch::Scratch;
use crate::bench::search::load::passage;

const BEST: usize = 10;
/// Passages that are as near as the tenth are as good as it.
const AS_NEAR: f32 = 1e-6;

/// The search engine, asked to look at everything.
pub(super) struct Exact {
    client: Qdrant,
    target: String,
}

impl Exact {
    pub(super) fn new(scratch: &Scratch) -> anyhow::Result<Self> {
        let settings = scratch.settings.qdrant();
        let client = Qdrant::from_url(&settings.url)
            .api_key(settings.api_key.clone())
            .timeout(std::time::Duration::from_secs(60))
            .skip_compatibility_check();
        Ok(Self { client: client.build()?, target: scratch.index.target().to_owned() })
    }

    /// The ten best, and what is as near as the tenth.
    async fn best(&self, tenant: &str, tag: &str, vector: Vec<f32>) -> anyhow::Result<HashSet<(String, i64)>> {
        let visible = [
            Condition::matches("tenant", tenant.to_owned()),
            Condition::matches("tags", vec![format!("{tenant}/{tag}")]),
        ];
        let request = QueryPoints {
            collection_name: self.target.clone(),
            query: Some(Query::new_nearest(VectorInput::new_dense(vector))),
            using: Some("dense".to_owned()),
            filter: Some(Filter::must(visible)),
            params: Some(SearchParams {
                exact: Some(true),
                quantization: Some(QuantizationSearchParams { ignore: Some(true), ..Default::default() }),
                ..SearchParams::default()
            }),
            limit: Some(2 * BEST as u64),
            with_payload: Some(WithPayloadSelector::from(vec!["document", "chunk"])),
            timeout: Some(60),
            ..QueryPoints::default()
        };
        let found = self.client.query(request).await?.result;
        let tenth = found.get(BEST - 1).or(found.last()).map_or(0.0, |point| point.score);
        Ok(found.iter().filter(|point| point.score >= tenth - AS_NEAR).filter_map(passage).collect())
    }
}

/// Of each query the share of its ten best that was found, and how long that took.
#[derive(Default)]
pub(super) struct Recall {
    shares: Vec<f64>,
    milliseconds: Vec<f64>,
}

impl Recall {
    #[expect(clippy::cast_precision_loss, reason = "there are at most a thousand queries")]
    pub(super) fn mean(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.shares.len().max(1) as f64
    }

    pub(super) fn lowest(&self) -> f64 {
        self.shares.iter().copied().fold(1.0, f64::min)
    }

    pub(super) fn percentile(&self, share: f64) -> f64 {
        percentile(self.milliseconds.clone(), share)
    }
}

/// By meaning alone, as Ibidem's adapter asks, one query after the other.
pub(super) async fn measured(
    scratch: &Scratch,
    exact: &Exact,
    share: Share,
    embedder: &PreparedEmbedder,
    queries: &[String],
) -> anyhow::Result<Recall> {
    let tenant = scratch.store.ensure_tenant(corpus::TENANT).await?;
    let scope = Scope::of(&Identity::operator(tenant, [share.tag.parse()?].into()));
    let mut recall = Recall::default();
    for query in queries {
        let vector = embedder.vector(query);
        let asked = IndexQuery { vector: Some(vector.clone()), hits_per_lane: BEST, ..IndexQuery::default() };
        let began = Instant::now();
        let found = scratch.index.search(&scope, vec![asked]).await?;
        recall.milliseconds.push(began.elapsed().as_secs_f64() * 1_000.0);
        let best = exact.best(&tenant.to_string(), share.tag, vector).await?;
        recall.shares.push(found_of(&best, found.into_iter().flatten().map(|hit| hit.passage)));
    }
    Ok(recall)
}

#[expect(clippy::cast_precision_loss, reason = "there are ten")]
fn found_of(best: &HashSet<(String, i64)>, found: impl Iterator<Item = PassageKey>) -> f64 {
    let wanted = best.len().min(BEST);
    let there = found.filter(|key| best.contains(&(key.document.0.to_string(), i64::from(key.chunk_index)))).count();
    if wanted == 0 { 1.0 } else { there.min(wanted) as f64 / wanted as f64 }
}

#[cfg(test)]
mod tests {
    use ibidem_words::DocumentId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_is_as_near_as_the_tenth_counts_and_no_more_than_ten_do() {
        let key = |number: u32| PassageKey { document: DocumentId(Uuid::nil()), version: 1, chunk_index: number };
        let best = |count: i64| (0..count).map(|chunk| (Uuid::nil().to_string(), chunk)).collect::<HashSet<_>>();
        for (as_good, found, expected) in
            [(10, 0..10, 1.0), (10, 5..15, 0.5), (12, 2..12, 1.0), (4, 0..10, 1.0), (0, 0..0, 1.0)]
        {
            let share = found_of(&best(as_good), found.map(key));
            assert!((share - expected).abs() < 1e-9, "{as_good}: {share}");
        }
    }
}
