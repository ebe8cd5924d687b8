//! An index of many passages, filled without a catalogue, and what is asked of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use ibidem_adapters::qdrant::{IndexState, QdrantIndex};
use ibidem_language::bm25::{TermCounts, weighed};
use ibidem_ports::index::{Index as _, IndexDocument, IndexPoint, IndexQuery, IndexWriter as _};
use ibidem_ports::word_statistics::WordStatistics as _;
use ibidem_words::{DocumentId, Identity, PassageKey, Scope, TenantId, passage_in_context};
use uuid::Uuid;

use crate::bench::corpus::{self, PASSAGES_A_DOCUMENT, Sentences, Share};
use crate::bench::prepared::PreparedEmbedder;
use crate::bench::scratch::Scratch;
use crate::console;

const DOCUMENTS_A_BATCH: usize = 64;
const BATCHES_AT_ONCE: usize = 4;
/// How rare words are is counted in the first so many documents: all are made alike.
const COUNTED: usize = 500;
/// As a search for ten fetches.
const HITS_PER_LANE: usize = 30;

/// Fills what is not there yet, and waits until it is organised.
pub(super) async fn ensure(
    scratch: &Scratch,
    embedder: &Arc<PreparedEmbedder>,
    sentences: &Sentences,
    passages: usize,
) -> anyhow::Result<()> {
    let tenant = scratch.store.ensure_tenant(corpus::TENANT).await?;
    let there = match scratch.index.check().await? {
        IndexState::Ready { points, .. } => usize::try_from(points)?,
        _ => 0,
    };
    if there < passages {
        fill(scratch, embedder, sentences, tenant, passages).await?;
    }
    corpus::organised(scratch).await
}

async fn fill(
    scratch: &Scratch,
    embedder: &PreparedEmbedder,
    sentences: &Sentences,
    tenant: TenantId,
    passages: usize,
) -> anyhow::Result<()> {
    let bar = console::bar(passages as u64, "passages, {per_sec}, {eta} left")?;
    let began = Instant::now();
    let documents: Vec<usize> = (0..passages.div_ceil(PASSAGES_A_DOCUMENT)).collect();
    let batches = documents.chunks(DOCUMENTS_A_BATCH).map(|numbers| {
        let bar = &bar;
        async move {
            let made = numbers.iter().map(|number| {
                let paragraphs = PASSAGES_A_DOCUMENT.min(passages - number * PASSAGES_A_DOCUMENT);
                document(embedder, sentences, tenant, *number, paragraphs)
            });
            scratch.index.publish(made.collect::<anyhow::Result<Vec<_>>>()?).await?;
            bar.inc((numbers.len() * PASSAGES_A_DOCUMENT) as u64);
            anyhow::Ok(())
        }
    });
    stream::iter(batches).buffer_unordered(BATCHES_AT_ONCE).try_collect::<()>().await?;
    bar.finish_and_clear();
    console::note(&format!("{passages} passages written in {:.0} s", began.elapsed().as_secs_f64()));
    Ok(())
}

fn document(
    embedder: &PreparedEmbedder,
    sentences: &Sentences,
    tenant: TenantId,
    number: usize,
    paragraphs: usize,
) -> anyhow::Result<IndexDocument> {
    let (title, text) = sentences.document(number, paragraphs);
    let document = DocumentId(Uuid::from_u128(number as u128 + 1));
    let points = (0..).zip(text.split("\n\n")).map(|(chunk_index, paragraph)| IndexPoint {
        passage: PassageKey { document, version: 1, chunk_index },
        vector: embedder.vector(paragraph),
        words: passage_in_context(&title, None, paragraph),
    });
    Ok(IndexDocument {
        tenant,
        document,
        collection: corpus::collection(number)?,
        kind: None,
        tags: Share::tags(number)?,
        points: points.collect(),
    })
}

/// Queries by meaning and by words, of somebody who may see all.
pub(super) struct Asked {
    index: QdrantIndex,
    scope: Scope,
    queries: Vec<IndexQuery>,
    turn: AtomicUsize,
}

impl Asked {
    pub(super) async fn new(
        scratch: &Scratch,
        embedder: &PreparedEmbedder,
        sentences: &Sentences,
        queries: &[String],
    ) -> anyhow::Result<Self> {
        let tenant = scratch.store.ensure_tenant(corpus::TENANT).await?;
        let analysis = scratch.store.analysis();
        let sample: Vec<String> =
            (0..COUNTED).map(|number| sentences.document(number, PASSAGES_A_DOCUMENT).1).collect();
        let counted = analysis.count(sample.iter().flat_map(|text| text.split("\n\n")));
        let with_term = counted.with_term.iter().map(|(term, count)| (*term, u64::from(*count)));
        let counts = TermCounts { passages: counted.passages as u64, with_term: with_term.collect() };
        let asked = queries.iter().map(|query| IndexQuery {
            words: Some(weighed(&analysis.distinct(query), &counts)),
            vector: Some(embedder.vector(query)),
            hits_per_lane: HITS_PER_LANE,
            ..IndexQuery::default()
        });
        let scope = Scope::of(&Identity::operator(tenant, [Share::ALL[0].tag.parse()?].into()));
        Ok(Self { index: scratch.index.clone(), scope, queries: asked.collect(), turn: AtomicUsize::new(0) })
    }

    pub(super) async fn next(self: Arc<Self>) -> anyhow::Result<()> {
        let query = self.queries[self.turn.fetch_add(1, Ordering::Relaxed) % self.queries.len()].clone();
        let found = self.index.search(&self.scope, vec![query]).await?;
        anyhow::ensure!(found.iter().any(|hits| !hits.is_empty()), "nothing was found");
        Ok(())
    }
}
