//! `ibidem-workbench bench gather`: where the time of gathering goes, with more and more variants of a question.

mod instant;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use chrono::Utc;
use ibidem_engine::ask::Engine;
use ibidem_engine::policy::{Policy, RewriteRules};
use ibidem_engine::roles::Planner;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_engine::turn::Asked;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::embedder::Embedder as _;
use ibidem_words::{Identity, Question, Scope};
use serde::Serialize;
use uuid::Uuid;

use super::prepared::PreparedEmbedder;
use super::scratch::Scratch;
use super::{corpus, percentile};
use crate::settings::Settings;
use crate::{compose, console};
use instant::{InstantPlanner, InstantReranker, TimedEmbedder};

/// The stages of gathering in their order; what is not a stage of its own is the rest.
const STAGES: [&str; 6] = ["rewrite", "embed", "index", "memory", "catalogue", "rerank"];
/// Questions before the measured ones, for connections, caches and the allocator.
const WARM_UP: usize = 20;
/// Lines that a planner writes beyond what is wanted: queries that differ in capitals alone count once.
const SPARE_LINES: usize = 4;
/// More variants than any planner should write.
const MOST_VARIANTS: usize = 32;

#[derive(clap::Args)]
pub(crate) struct GatherBench {
    /// How many passages the index has. It is the index of `bench search`, built in the
    /// first run and used again in later ones.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    passages: u32,
    /// A .jsonl file. The passages are made of the sentences in the field `text` of its lines. May be repeated; all files
    /// together must have at least 1,000 sentences of four words or more.
    #[arg(long = "texts", required = true, value_name = "FILE")]
    texts: Vec<PathBuf>,
    /// With how many forms of each question to search, the question itself included; several numbers make several rows.
    #[arg(long, default_value = "1,4,8", value_delimiter = ',')]
    variants: Vec<usize>,
    /// How many questions each row asks, one after the other.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(10..=100_000))]
    questions: u32,
    /// Deletes the index and its database at the end.
    #[arg(long)]
    discard: bool,
    /// Prints the figures as JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    passages: u32,
    embedding_model: String,
    rows: Vec<Row>,
}

/// Questions with so many variants, with a reranker or without.
#[derive(Serialize)]
struct Row {
    variants: usize,
    reranker: bool,
    questions: usize,
    /// The most for any question; more than one, and the bench fails.
    index_calls_per_question: u32,
    mean_candidates: f64,
    /// Those that there were.
    stages: Vec<Stage>,
}

#[derive(Serialize)]
struct Stage {
    stage: &'static str,
    p50_ms: f64,
    p95_ms: f64,
}

impl GatherBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.variants.iter().all(|variants| (1..=MOST_VARIANTS).contains(variants)),
            "--variants must be from 1 to {MOST_VARIANTS}: the question is one of them"
        );
        let sentences = corpus::Sentences::load_files(&self.texts)?;
        let prepared = Arc::new(PreparedEmbedder::new(settings.embedding.max_tokens.get()));
        let name = format!("search-{}", self.passages);
        let originals = std::env::temp_dir().join(format!("ibidem-bench-{name}"));
        let scratch = Scratch::open(settings, &name, &originals, prepared.model()).await?;
        corpus::ensure(&scratch, &prepared, &sentences, self.passages as usize).await?;
        let _ = tokio::fs::remove_dir_all(&originals).await;
        let queries = sentences.queries(WARM_UP + self.questions as usize);
        prepared.prepare(&queries);

        let rows = self.rows(&scratch, &prepared, &queries).await;
        if self.discard {
            scratch.discard().await?;
        }
        let report = Report { passages: self.passages, embedding_model: settings.embedding.name.clone(), rows: rows? };
        if self.json {
            return console::say_json(&report);
        }
        show(&report);
        Ok(())
    }

    async fn rows(
        &self,
        scratch: &Scratch,
        prepared: &Arc<PreparedEmbedder>,
        queries: &[String],
    ) -> anyhow::Result<Vec<Row>> {
        let embedder =
            TimedEmbedder { model: compose::embedder(&scratch.settings).await?, prepared: Arc::clone(prepared) };
        let searcher = Searcher {
            embedder: Part::bare(Arc::new(embedder)),
            index: Part::bare(Arc::new(scratch.index.clone())),
            catalogue: Arc::new(scratch.store.clone()),
            words: Arc::new(scratch.store.clone()),
        };
        let engine = Engine::new(searcher).with(|parts| {
            parts.memory = Some(Arc::new(scratch.store.clone()));
        });
        let shipped = compose::policy(&scratch.settings, Some("default"))?;
        let mut rows = Vec::new();
        for reranker in [false, true] {
            for variants in self.variants.iter().copied() {
                let judge = if reranker { "a reranker" } else { "no reranker" };
                console::note(&format!("{variants} variants, {judge}"));
                // A planner remembers what it planned: each row has its own.
                let planner = Arc::new(InstantPlanner::new(queries.to_vec(), variants + SPARE_LINES));
                let planner = Some(Arc::new(Planner::new(NamedModel::unknown(planner))));
                let engine = engine.clone().with(|parts| {
                    parts.roles = Arc::new(Roles { planner, ..Roles::default() });
                    parts.reranker = reranker.then(|| Part::bare(Arc::new(InstantReranker) as _));
                });
                rows.push(measure(&engine, &with_variants(&shipped, variants), queries, variants).await?);
            }
        }
        Ok(rows)
    }
}

/// The shipped policy, with so many forms of each question.
fn with_variants(shipped: &Policy, variants: usize) -> Arc<Policy> {
    let mut policy = shipped.clone();
    let rewrites = RewriteRules { most: variants - 1, max_tokens: 500, prompt: "Put it in other words.".into() };
    policy.rules.gather.rewrites = (variants > 1).then_some(rewrites);
    Arc::new(policy)
}

/// One question after the other. Fails when the index is asked more than once, or a part was gone without.
async fn measure(engine: &Engine, policy: &Arc<Policy>, queries: &[String], variants: usize) -> anyhow::Result<Row> {
    let identity = Identity::operator(ibidem_words::TenantId::named(corpus::TENANT), [corpus::team(0)?].into());
    let mut took: Vec<Vec<f64>> = vec![Vec::new(); STAGES.len() + 2];
    let (mut candidates, mut index_calls) = (0, 0);
    for (number, query) in queries.iter().enumerate() {
        let asked = Asked {
            request_id: Uuid::new_v4(),
            at: Utc::now(),
            scope: Scope::of(&identity),
            question: Question::new(query.clone()),
            policy: Arc::clone(policy),
            deadline: Deadline::NONE,
        };
        let began = Instant::now();
        let explained = engine.explain(asked).await?;
        let whole = began.elapsed().as_secs_f64() * 1_000.0;
        anyhow::ensure!(
            explained.index_calls == 1 && explained.variants.len() == variants,
            "{query:?} asked the index {} times for {} variants; it must be once for {variants}",
            explained.index_calls,
            explained.variants.len()
        );
        anyhow::ensure!(
            explained.failures.is_empty() && explained.reranked == engine.parts.reranker.is_some(),
            "{query:?} was gathered without a part: {:?}",
            explained.failures
        );
        if number < WARM_UP {
            continue;
        }
        candidates += explained.candidates.len();
        index_calls = index_calls.max(explained.index_calls);
        let mut rest = whole;
        for (took, name) in took.iter_mut().zip(STAGES) {
            let of_it = explained.stages.iter().filter(|stage| stage.stage == name);
            for stage in of_it {
                took.push(stage.milliseconds);
                rest -= stage.milliseconds;
            }
        }
        took[STAGES.len()].push(rest.max(0.0));
        took[STAGES.len() + 1].push(whole);
    }
    let questions = queries.len() - WARM_UP.min(queries.len());
    let happened = STAGES.into_iter().chain(["rest", "whole"]).zip(took).filter(|(_, took)| !took.is_empty());
    let percentiles = |(stage, took): (&'static str, Vec<f64>)| Stage {
        stage,
        p50_ms: percentile(took.clone(), 0.5),
        p95_ms: percentile(took, 0.95),
    };
    Ok(Row {
        variants,
        reranker: engine.parts.reranker.is_some(),
        questions,
        index_calls_per_question: index_calls,
        #[expect(clippy::cast_precision_loss, reason = "candidates of a bench are far below 2^53")]
        mean_candidates: candidates as f64 / questions.max(1) as f64,
        stages: happened.map(percentiles).collect(),
    })
}

fn show(report: &Report) {
    let mut header = vec!["variants", "reranker", "index calls", "candidates"];
    header.extend(STAGES.into_iter().chain(["rest", "whole"]));
    let mut table = console::table(&header);
    for row in &report.rows {
        let mut cells = vec![
            row.variants.to_string(),
            if row.reranker { "at once" } else { "none" }.to_owned(),
            row.index_calls_per_question.to_string(),
            format!("{:.1}", row.mean_candidates),
        ];
        cells.extend(STAGES.into_iter().chain(["rest", "whole"]).map(|name| {
            let stage = row.stages.iter().find(|stage| stage.stage == name);
            stage.map_or_else(String::new, |stage| format!("{:.1} / {:.1}", stage.p50_ms, stage.p95_ms))
        }));
        table.add_row(cells);
    }
    console::say(&table.to_string());
    let questions = report.rows.first().map_or(0, |row| row.questions);
    console::say(&format!(
        "{} passages, {questions} questions for each row one after the other, p50 / p95 in milliseconds; embedding by {}; \
         planner and reranker answer at once; \"rest\" is routing by rule, pooling, ordering, sifting and the last look \
         at the catalogue; the index is asked once for each question, or this fails",
        report.passages, report.embedding_model
    ));
}
