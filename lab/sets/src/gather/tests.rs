//! Pools whose orders are known, and gathering over a small corpus in the fakes.

use std::sync::Arc;

use ibidem_engine::policy::{Policy, RerankRules, RewriteRules};
use ibidem_engine::roles::Planner;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_testing::fakes::{FakeModel, Script};
use ibidem_words::{Question, TenantId};

use super::*;
use crate::retrieval::tests::judged;
use ibidem_testing::small_corpus::{scope, searcher};

const CORPUS: [(&str, &[&str]); 3] = [
    ("birds", &["penguins eat small fish", "small penguins eat fish"]),
    ("lava", &["volcanoes erupt lava"]),
    ("ice", &["glaciers melt"]),
];

async fn engine() -> Engine {
    let (searcher, _) = searcher(TenantId::named("lab"), &CORPUS).await;
    Engine::new(searcher).with(|parts| {
        parts.reranker = Some(Part::bare(Arc::new(Impartial)));
    })
}

/// Asks with a pool of this size, and with so many forced by their words.
fn asked(pool: usize, forced_lexical: usize) -> Asked {
    let mut policy = Policy::parse(include_str!("../../../../policies/book.yaml")).unwrap();
    let (kinds, reserves) = ([].into(), [].into());
    policy.rules.gather.forced_lexical = forced_lexical;
    policy.rules.gather.rerank = Some(RerankRules {
        pool,
        keep: 1,
        rows: 0,
        score_weight: None,
        kind_boost: 0.0,
        kind_minimum: 0,
        kinds,
        reserves,
    });
    policy.rules.gather.rewrites = Some(RewriteRules { most: 2, max_tokens: 50, prompt: "Rewrite.".to_owned() });
    Asked {
        request_id: uuid::Uuid::nil(),
        at: chrono::DateTime::UNIX_EPOCH,
        scope: scope(TenantId::named("lab")),
        question: Question::new(""),
        policy: Arc::new(policy),
        deadline: Deadline::NONE,
    }
}

#[tokio::test]
async fn a_pool_is_the_best_by_cosine_with_what_words_force_and_what_is_left_out_is_still_in_it() {
    let queries = [judged("1", "small penguins eat fish lava", &["birds", "lava"])];
    let mut received = 0;
    for (pool, forced, expected) in [(1, 0, 1), (1, 3, 3), (10, 0, 4)] {
        let pools = gather_all(&engine().await, &asked(pool, forced), &queries, || received += 1).await.unwrap();
        assert_eq!(pools[0].candidates.len(), expected, "pool {pool}, forced {forced}");
        assert_eq!(pools[0].variants, 1);
    }
    assert_eq!(received, 3);
}

#[tokio::test]
async fn the_same_pool_is_scored_in_each_order() {
    let queries = [judged("1", "penguins eat small fish", &["lava"])];
    let mut pools = gather_all(&engine().await, &asked(10, 0), &queries, || {}).await.unwrap();
    // By cosine lava comes first, by rank second, as gathered third.
    for candidate in &mut pools[0].candidates {
        let (cosine, fused) = match candidate.passage.title.as_str() {
            "lava" => (0.9, 0.02),
            "birds" => (0.5, 0.03),
            _ => (0.1, 0.01),
        };
        (candidate.cosine, candidate.fused) = (Some(cosine), fused);
    }
    let place = |title: &str| ["birds", "ice", "lava"].iter().position(|other| *other == title);
    pools[0].candidates.sort_by_key(|candidate| place(&candidate.passage.title));
    for (order, expected) in
        [(Order::Cosine, 1.0), (Order::Fused, 1.0 / 3_f64.log2()), (Order::Gathered, 1.0 / 4_f64.log2())]
    {
        let scored = score("both", ("by it", order), &pools, &queries);
        assert!((scored.ndcg_at_10 - expected).abs() < 1e-9, "{order:?}: {scored:?}");
        assert!((scored.pool_recall - 1.0).abs() < 1e-9 && (scored.pool - 4.0).abs() < 1e-9, "{scored:?}");
    }
}

#[tokio::test]
async fn rewrites_are_counted_and_a_search_without_them_is_not_scored() {
    let queries = [judged("7", "penguins", &["lava"])];
    let planning = |model: FakeModel| async {
        let planner = Some(Arc::new(Planner::new(NamedModel::unknown(Arc::new(model)))));
        engine().await.with(|parts| {
            parts.roles = Arc::new(Roles { planner, ..Roles::default() });
        })
    };
    let engine = planning(FakeModel::saying(&["same: volcanoes erupt lava\npart: glaciers"])).await;
    let pools = gather_all(&engine, &asked(10, 0), &queries, || {}).await.unwrap();
    assert!((score("both", ("cosine", Order::Gathered), &pools, &queries).variants - 3.0).abs() < 1e-9);
    // By cosine to the closest variant.
    assert_eq!(documents(&pools[0], Order::Gathered)[0], "lava");

    let engine = planning(FakeModel::new(Script::CannotBeReached)).await;
    let error = gather_all(&engine, &asked(10, 0), &queries, || {}).await.unwrap_err().to_string();
    assert!(error.starts_with("query 7: the search was simplified (no_rewrites: the model server"), "{error}");
}

#[test]
fn a_sample_is_spread_over_the_whole_set_and_always_the_same() {
    let queries: Vec<JudgedQuery> = (0..10).map(|number| judged(&number.to_string(), "x", &["a"])).collect();
    for (wanted, expected) in
        [(10, "0123456789"), (100, "0123456789"), (5, "02468"), (4, "0369"), (3, "048"), (1, "0"), (0, "0")]
    {
        let ids: String = sample(&queries, wanted).into_iter().map(|query| query.id).collect();
        assert_eq!(ids, expected, "{wanted}");
    }
}
