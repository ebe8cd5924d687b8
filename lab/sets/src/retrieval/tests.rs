//! Each lane on a small corpus whose rankings are known.

use crate::metrics::Judgements;
use ibidem_testing::small_corpus::{collection, scope, searcher};
use ibidem_words::TenantId;

use super::*;

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
        let mut received = 0;
        let score = run_lane(&searcher, &scope(tenant), &run(), lane, &queries, || received += 1).await.unwrap();
        let expected = (1.0 + 1.0 / 3_f64.log2()) / 2.0;
        assert_eq!((received, score.queries, score.lane), (2, 2, lane.0));
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
