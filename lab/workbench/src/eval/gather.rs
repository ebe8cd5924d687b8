//! `ibidem-workbench eval gather`: whether gathering brings what is wanted to the judge, and puts it first, each way it can.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::{GatherRules, Policy, RerankRules};
use ibidem_engine::turn::Asked;
use ibidem_lab::beir::{JudgedQuery, judged_queries};
use ibidem_lab::gather::{GatherScore, Impartial, Order, gather_all, sample, score};
use ibidem_lab::retrieval::{LANES, RetrievalRun, run_lane};
use ibidem_ports::degrade::Part;
use ibidem_words::{CollectionName, Question};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use crate::compose::{self, Parts};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Gather {
    /// A folder with queries.jsonl and qrels_test.tsv.
    folder: PathBuf,
    #[command(flatten)]
    access: ReaderAccess,
    /// The collection into which its corpus.jsonl was loaded.
    #[arg(long)]
    collection: CollectionName,
    /// Uses this policy file in place of `policy.use`: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    /// How many passages each way of retrieval brings by itself. Of both together, this many with the best cosine
    /// similarity are kept, and those that keyword search adds in any case.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    pool: u16,
    /// Also measures with rewritten questions. Needs `language_model.roles.planner` and a policy file with
    /// `gather.rewrites`.
    #[arg(long)]
    rewrites: bool,
    /// Asks about this many queries, evenly spread, where a language model takes part (rewrites and reranking).
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// How many passages the configured reranker reads. Default: as --pool.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    rerank_pool: Option<u16>,
    /// Prints the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    embedding_model: String,
    planner: Option<String>,
    reranker: Option<String>,
    collection: String,
    policy: String,
    pool: u16,
    scores: Vec<GatherScore>,
}

/// What all ways of gathering have in common.
struct Setting {
    asked: Asked,
    queries: Vec<JudgedQuery>,
    sampled: Vec<JudgedQuery>,
    bar: ProgressBar,
}

impl Gather {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let queries = judged_queries(&self.folder)?;
        let policy = compose::policy(settings, self.policy.as_deref())?;
        if self.rewrites {
            anyhow::ensure!(planner(settings).is_some(), "--rewrites needs `language_model.roles.planner`");
            let has = policy.rules.gather.rewrites.is_some();
            anyhow::ensure!(has, "--rewrites needs a policy with `gather.rewrites`; name one with --policy");
        }
        let parts = Parts::ready(settings).await?;
        let engine = parts.engine(settings).await?;
        let question = Question::new("").in_collections(vec![self.collection.clone()]);
        let setting = Setting {
            asked: self.access.asked(question, Arc::clone(&policy)),
            sampled: sample(&queries, self.sample.map_or(usize::MAX, |wanted| wanted as usize)),
            queries,
            bar: ProgressBar::no_length().with_style(
                ProgressStyle::with_template("{spinner} {pos} queries, {msg}, {elapsed}")
                    .context("the progress bar's template")?,
            ),
        };
        let scores = self.scores(&engine, &setting).await?;
        setting.bar.finish_and_clear();
        anyhow::ensure!(
            scores.iter().any(|score| score.pool_recall > 0.0),
            "not one document of the set was found; ingest its corpus first: \
             ibidem ingest {}/corpus.jsonl --collection {} --tags public --wait",
            self.folder.display(),
            self.collection
        );
        let report = Report {
            embedding_model: settings.embedding.name.clone(),
            planner: planner(settings).filter(|_| self.rewrites).cloned(),
            reranker: engine.parts.reranker.as_ref().map(|reranker| reranker.port().name().to_owned()),
            collection: self.collection.to_string(),
            policy: policy.rules.name.clone(),
            pool: self.pool,
            scores,
        };
        if self.json {
            return console::say_json(&report);
        }
        show(&report, setting.queries.len());
        Ok(())
    }

    async fn scores(&self, engine: &Engine, setting: &Setting) -> anyhow::Result<Vec<GatherScore>> {
        let mut scores = self.single_lanes(engine, setting).await?;
        let orders = [("cosine", Order::Gathered), ("fused", Order::Fused)];
        let plain = engine.clone().with(|parts| {
            parts.roles = Arc::default();
            parts.reranker = Some(Part::bare(Arc::new(Impartial)));
            parts.memory = None;
        });

        scores.extend(setting.way(&plain, "both", &orders, self.pool, &setting.queries).await?);
        let reranker = engine.parts.reranker.as_ref();
        let is_sampled = setting.sampled.len() < setting.queries.len();
        if is_sampled && (self.rewrites || reranker.is_some()) {
            // What is compared must be asked the same.
            scores.extend(setting.way(&plain, "both, sample", &orders, self.pool, &setting.sampled).await?);
        }
        if self.rewrites {
            let rewriting = plain.clone().with(|parts| {
                parts.roles = engine.parts.roles.clone();
            });
            scores.extend(setting.way(&rewriting, "both, rewrites", &orders, self.pool, &setting.sampled).await?);
        }
        if let Some(reranker) = reranker {
            let judging = plain.with(|parts| {
                parts.reranker = Some(reranker.clone());
            });
            let orders = [("reranker", Order::Gathered), ("cosine", Order::Cosine), ("fused", Order::Fused)];
            let pool = self.rerank_pool.unwrap_or(self.pool);
            scores.extend(setting.way(&judging, "both, reranked", &orders, pool, &setting.sampled).await?);
        }
        Ok(scores)
    }

    async fn single_lanes(&self, engine: &Engine, setting: &Setting) -> anyhow::Result<Vec<GatherScore>> {
        let run = RetrievalRun { collection: self.collection.clone(), passages: self.pool.into() };
        let mut scores = Vec::new();
        for lane in LANES.into_iter().filter(|(name, _)| *name != "both") {
            setting.bar.set_message(lane.0);
            let advance = || setting.bar.inc(1);
            let scored =
                run_lane(&engine.parts.searcher, &setting.asked.scope, &run, lane, &setting.queries, advance).await?;
            scores.push(GatherScore::of_lane(&scored, self.pool.into()));
        }
        Ok(scores)
    }
}

impl Setting {
    /// Gathers one way, and scores it in each order.
    async fn way(
        &self,
        engine: &Engine,
        way: &'static str,
        orders: &[(&'static str, Order)],
        pool: u16,
        queries: &[JudgedQuery],
    ) -> anyhow::Result<Vec<GatherScore>> {
        self.bar.set_message(way);
        let asked = Asked { policy: with_pool(&self.asked.policy, pool.into()), ..self.asked.clone() };
        let pools = gather_all(engine, &asked, queries, || self.bar.inc(1)).await?;
        Ok(orders.iter().map(|order| score(way, *order, &pools, queries)).collect())
    }
}

fn planner(settings: &Settings) -> Option<&String> {
    settings.language_model()?.roles.planner.as_ref()
}

/// The policy with a pool of this size, and without what would not be the lanes' doing.
fn with_pool(policy: &Policy, pool: usize) -> Arc<Policy> {
    let mut policy = policy.clone();
    let rerank = policy.rules.gather.rerank.take().unwrap_or(RerankRules {
        pool,
        keep: pool,
        rows: 0,
        score_weight: None,
        kind_boost: 0.0,
        kind_minimum: 0,
        kinds: [].into(),
        reserves: [].into(),
    });
    let rerank = Some(RerankRules { pool, ..rerank });
    policy.rules.gather = GatherRules { rerank, curated: None, ..policy.rules.gather };
    Arc::new(policy)
}

fn show(report: &Report, all: usize) {
    let header = ["searched by", "order", "queries", "variants", "pool", "recall of pool", "nDCG@10", "s/query"];
    let mut table = console::table(&header);
    for score in &report.scores {
        table.add_row([
            score.way.to_owned(),
            score.order.to_owned(),
            score.queries.to_string(),
            format!("{:.1}", score.variants),
            format!("{:.1}", score.pool),
            format!("{:.4}", score.pool_recall),
            format!("{:.4}", score.ndcg_at_10),
            format!("{:.3}", score.seconds_per_query),
        ]);
    }
    console::say(&table.to_string());
    let sampled = report.scores.iter().map(|score| score.queries).min().unwrap_or(all);
    let sample = if sampled < all {
        format!(", rows with {sampled} are a sample: every {}th", all.div_ceil(sampled))
    } else {
        String::new()
    };
    let named =
        |what: &str, name: &Option<String>| name.as_ref().map_or_else(String::new, |name| format!(", {what} {name}"));
    console::say(&format!(
        "{all} queries{sample}; pool: the best {} passages by cosine and those that words force, or the lane's first; \
         policy {}, embedding {}{}{}",
        report.pool,
        report.policy,
        report.embedding_model,
        named("planner", &report.planner),
        named("reranker", &report.reranker)
    ));
}
