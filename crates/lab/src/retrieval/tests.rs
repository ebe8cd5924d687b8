//! A small corpus in the fakes, whose rankings are known.

use std::sync::Arc;

use ibidem_words::degrade::Part;
use ibidem_words::fakes::{self, FakeCatalogue, FakeEmbedder, FakeIndex};
use ibidem_words::ports::catalogue::CataloguePassage;
use ibidem_words::ports::embedder::Embedder as _;
use ibidem_words::ports::index::{IndexDocument, IndexPoint, IndexWriter as _};
use ibidem_words::{DocumentId, Identity, PassageKey, Tag, TenantId};

use super::*;
use crate::metrics::Judgements;

fn collection() -> CollectionName {
    "Set".parse().unwrap()
}

pub(crate) fn scope(tenant: TenantId) -> Scope {
    Scope::of(&Identity::for_tests(tenant, "lab", [Tag::public()].into()))
}

/// Each document with its passages.
pub(crate) async fn searcher(tenant: TenantId, corpus: &[(&str, &[&str])]) -> (Searcher, Arc<FakeEmbedder>) {
    let embedder = Arc::new(FakeEmbedder::new(64, 64));
    let index = Arc::new(FakeIndex::new(64));
    let catalogue = Arc::new(FakeCatalogue::default());
    for (id, passages) in corpus {
        let source_location = format!("corpus.jsonl#{id}");
        let document = DocumentId::at(tenant, &collection(), &source_location);
        let mut points = Vec::new();
        for (chunk_index, text) in (0..).zip(*passages) {
            let passage = PassageKey { document, version: 1, chunk_index };
            let vector = embedder.embed_passages(vec![(*text).to_owned()]).await.unwrap().remove(0);
            points.push(IndexPoint { passage, vector, words: (*text).to_owned() });
            let stored = CataloguePassage {
                passage,
                title: (*id).to_owned(),
                source_location: source_location.clone(),
                ..fakes::passage(0, &collection(), text)
            };
            catalogue.put(tenant, vec![Tag::public()], stored);
        }
        let document =
            IndexDocument { tenant, document, collection: collection(), kind: None, tags: vec![Tag::public()], points };
        index.publish(vec![document]).await.unwrap();
    }
    (
        Searcher {
            embedder: Part::bare(embedder.clone()),
            index: Part::bare(index),
            catalogue: catalogue.clone(),
            words: catalogue,
        },
        embedder,
    )
}

pub(crate) fn judged(id: &str, text: &str, relevant: &[&str]) -> JudgedQuery {
    let judgements: Judgements = relevant.iter().map(|document| ((*document).to_owned(), 1)).collect();
    JudgedQuery { id: id.to_owned(), text: text.to_owned(), judgements }
}

const RUN_PASSAGES: usize = 50;

fn run() -> RetrievalRun {
    RetrievalRun { collection: collection(), passages: RUN_PASSAGES }
}

#[tokio::test]
async fn a_document_is_ranked_once_by_its_best_passage_in_every_lane() {
    let tenant = TenantId::named("lab");
    let corpus: [(&str, &[&str]); 3] = [
        ("birds", &["penguins eat small fish", "small penguins eat fish", "fish eat small penguins"]),
        ("lava", &["volcanoes erupt lava"]),
        ("ice", &["glaciers melt"]),
    ];
    let (searcher, _) = searcher(tenant, &corpus).await;
    // The second answer is found below one document with three passages: in the second place, not the fourth.
    let queries = [judged("1", "fish", &["birds"]), judged("2", "penguins eat small fish lava", &["lava"])];
    for lane in LANES {
        let mut heard = 0;
        let score = run_lane(&searcher, &scope(tenant), &run(), lane, &queries, || heard += 1).await.unwrap();
        let expected = (1.0 + 1.0 / 3_f64.log2()) / 2.0;
        assert_eq!((heard, score.queries, score.lane), (2, 2, lane.0));
        assert!((score.ndcg_at_10 - expected).abs() < 1e-9, "{score:?}");
        assert!((score.mrr - 0.75).abs() < 1e-9, "{score:?}");
        assert!((score.recall_at_10 - 1.0).abs() < 1e-9 && (score.recall_at_100 - 1.0).abs() < 1e-9, "{score:?}");
    }
}

#[tokio::test]
async fn a_search_that_was_simplified_is_not_scored() {
    let tenant = TenantId::named("lab");
    let (searcher, embedder) = searcher(tenant, &[("birds", &["penguins"])]).await;
    embedder.set_down(true);
    let queries = [judged("7", "penguins", &["birds"])];
    let error = run_lane(&searcher, &scope(tenant), &run(), LANES[2], &queries, || {}).await.unwrap_err();
    assert_eq!(error.to_string(), "query 7: the search was simplified (bm25_only)");
}
