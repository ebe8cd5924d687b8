//! The lanes: every variant of the question by meaning and by words, what the asker named, and what curators wrote
//! down, all in one call to the index.

use std::collections::BTreeMap;

use ibidem_language::bm25::TermWeights;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::{EmbedError, Embedder};
use ibidem_ports::index::{Index, IndexError, IndexHit, IndexQuery, Shelf};
use ibidem_words::{CollectionName, DocumentId, PassageKey};

use crate::search::Fusion;
use crate::turn::{Asked, Variant, VariantKind};

/// What to look for.
pub(super) struct Sweep<'a> {
    /// The question itself comes first.
    pub(super) variants: &'a [Variant],
    /// Their terms, in the same order.
    pub(super) words: &'a [TermWeights],
    /// Holds for each text the BM25 that no passage exceeds.
    pub(super) attainable: &'a [f32],
    pub(super) fusion: Fusion,
    pub(super) collections: &'a [CollectionName],
    pub(super) hits_per_lane: usize,
    /// The best so many by the words of the question itself are forced.
    pub(super) forced_lexical: usize,
    /// The best so many of each part of the question have a place in the pool.
    pub(super) reserved: usize,
    /// Documents that the asker named.
    pub(super) named: &'a [DocumentId],
    pub(super) with_memory: bool,
}

/// What the lanes brought.
#[derive(Default)]
pub(super) struct Swept {
    pub(super) hits: BTreeMap<PassageKey, LaneHit>,
    /// Entries of curated memory, by the point that came close, and to which form of the question.
    pub(super) memory: Vec<(VariantKind, IndexHit)>,
    /// What was searched for the question itself.
    pub(super) question: IndexQuery,
}

/// A passage, with the best that any variant gave it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LaneHit {
    pub(super) cosine: Option<f32>,
    pub(super) bm25: Option<f32>,
    /// None where only its document was named: that says nothing of it beside others.
    pub(super) fused: Option<f64>,
    pub(super) forced: bool,
    pub(super) addressed: bool,
    /// It is among the best of a part of the question.
    pub(super) reserved: bool,
}

/// Named documents bring so many of their passages, and no more of all of them together.
pub(super) const HITS_OF_NAMED: usize = 12;
const MOST_HITS_OF_NAMED: usize = 60;
/// What replaced a document that was found brings so many of its passages.
pub(super) const HITS_OF_SUCCESSOR: usize = 2;
/// Points of curated memory that are looked at: several may be of one entry.
const HITS_OF_MEMORY: usize = 24;

/// The vectors of the variants, in their order.
pub(super) async fn embed(
    embedder: &Part<dyn Embedder>,
    variants: &[Variant],
    deadline: Deadline,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let texts = variants.iter().map(|variant| variant.text.clone()).collect();
    embedder.call(deadline, |embedder| embedder.embed_queries(texts)).await
}

pub(super) async fn sweep(
    index: &Part<dyn Index>,
    asked: &Asked,
    wanted: &Sweep<'_>,
    vectors: Option<&[Vec<f32>]>,
) -> Result<Swept, IndexError> {
    let vector = |place: usize| vectors.and_then(|vectors| vectors.get(place)).cloned();
    let mut queries: Vec<IndexQuery> = wanted
        .variants
        .iter()
        .enumerate()
        .map(|(place, _)| IndexQuery {
            words: wanted.words.get(place).cloned(),
            vector: vector(place),
            collections: wanted.collections.to_vec(),
            hits_per_lane: wanted.hits_per_lane,
            ..IndexQuery::default()
        })
        .collect();
    let Some(question) = queries.first().cloned() else { return Ok(Swept::default()) };
    let by_name = !wanted.named.is_empty();
    if by_name {
        // Named documents are wanted wherever they are.
        queries.push(IndexQuery {
            documents: wanted.named.to_vec(),
            collections: Vec::new(),
            hits_per_lane: (HITS_OF_NAMED * wanted.named.len()).min(MOST_HITS_OF_NAMED),
            ..question.clone()
        });
    }
    let with_memory = wanted.with_memory && question.vector.is_some();
    if with_memory {
        // Curators write questions in their own words: any form of the question may come close to them.
        queries.extend(wanted.variants.iter().enumerate().map(|(place, _)| IndexQuery {
            shelf: Shelf::Memory,
            words: None,
            vector: vector(place),
            collections: Vec::new(),
            hits_per_lane: HITS_OF_MEMORY,
            ..question.clone()
        }));
    }
    let mut found = index.call(asked.deadline, |index| index.search(&asked.scope, queries)).await?.into_iter();
    let mut swept = Swept { question, ..Swept::default() };
    for (place, variant) in wanted.variants.iter().enumerate() {
        let hits = found.next().unwrap_or_default();
        let attainable = wanted.attainable.get(place).copied().unwrap_or(0.0);
        let best = match variant.kind {
            VariantKind::SubQuestion => best(&hits, wanted.reserved, |hit| wanted.fusion.score(hit, attainable)),
            VariantKind::Question | VariantKind::Paraphrase => Vec::new(),
        };
        for hit in hits {
            // Only the asker's own words force anything; a planner's do not.
            let is_forced = |rank: Option<u32>| rank.is_some_and(|rank| (rank as usize) < wanted.forced_lexical);
            let forced = place == 0 && is_forced(hit.lexical_rank);
            let fused = Some(wanted.fusion.score(&hit, attainable));
            let reserved = best.contains(&hit.passage);
            swept.take(&hit, LaneHit { forced, fused, reserved, ..scored(&hit) });
        }
    }
    if by_name {
        for hit in found.next().unwrap_or_default() {
            swept.take(&hit, LaneHit { forced: true, addressed: true, ..scored(&hit) });
        }
    }
    if with_memory {
        for variant in wanted.variants {
            let hits = found.next().unwrap_or_default();
            swept.memory.extend(hits.into_iter().map(|hit| (variant.kind, hit)));
        }
    }
    Ok(swept)
}

/// The best passages of these documents for the question, so many of each where they are alike.
pub(super) async fn of_documents(
    index: &Part<dyn Index>,
    asked: &Asked,
    question: IndexQuery,
    documents: Vec<DocumentId>,
    of_each: usize,
) -> Result<BTreeMap<PassageKey, LaneHit>, IndexError> {
    let hits_per_lane = (of_each * documents.len()).min(MOST_HITS_OF_NAMED);
    let query = IndexQuery { documents, hits_per_lane, ..question };
    let found = index.call(asked.deadline, |index| index.search(&asked.scope, vec![query])).await?;
    let mut swept = Swept::default();
    for hit in found.into_iter().flatten() {
        swept.take(&hit, scored(&hit));
    }
    Ok(swept.hits)
}

/// The passages of the best hits, so many of them.
fn best(hits: &[IndexHit], most: usize, score: impl Fn(&IndexHit) -> f64) -> Vec<PassageKey> {
    let mut best: Vec<(f64, PassageKey)> = hits.iter().map(|hit| (score(hit), hit.passage)).collect();
    best.sort_by(|(one, one_key), (other, other_key)| other.total_cmp(one).then_with(|| one_key.cmp(other_key)));
    best.into_iter().take(most).map(|(_, passage)| passage).collect()
}

fn scored(hit: &IndexHit) -> LaneHit {
    LaneHit { cosine: hit.cosine, bm25: hit.bm25, ..LaneHit::default() }
}

impl Swept {
    fn take(&mut self, hit: &IndexHit, scored: LaneHit) {
        let known = self.hits.entry(hit.passage).or_default();
        known.cosine = larger(known.cosine, scored.cosine, f32::max);
        known.bm25 = larger(known.bm25, scored.bm25, f32::max);
        known.fused = larger(known.fused, scored.fused, f64::max);
        known.forced |= scored.forced;
        known.addressed |= scored.addressed;
        known.reserved |= scored.reserved;
    }
}

fn larger<T>(one: Option<T>, other: Option<T>, of_two: fn(T, T) -> T) -> Option<T> {
    one.into_iter().chain(other).reduce(of_two)
}
