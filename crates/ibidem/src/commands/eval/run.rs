//! `ibidem eval run`: the golden set through this installation, exactly as somebody who asks goes through it.

mod shown;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use chrono::Utc;
use ibidem_engine::ask::Engine;
use ibidem_engine::listener::Nobody;
use ibidem_engine::policy::{Policy, SpeakMode};
use ibidem_engine::turn::Asked;
use ibidem_measure::golden;
use ibidem_measure::golden::blob::git_blob_hash;
use ibidem_measure::golden::compare::Difference;
use ibidem_measure::golden::results::{Config, Results, Run as RunOf};
use ibidem_measure::golden::run::{Truth, run};
use ibidem_measure::golden::{Category, GoldenQuery};
use ibidem_measure::reliability::{Bin, interval};
use ibidem_ports::catalogue::{Catalogue as _, DocumentFilter};
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_store::{RiskAtCoverage, RunFigures, SureAnswers};
use ibidem_words::{Answer, Identity, Question, Scope};
use uuid::Uuid;

use super::diff;
use crate::compose::{self, Parts};
use crate::console;
use crate::operator::ReaderAccess;
use crate::settings::Settings;

#[derive(clap::Args)]
pub(crate) struct Run {
    /// The golden set: a .jsonl file with one question per line. Load its documents first.
    #[arg(default_value = "demo/architecture/golden_queries.jsonl")]
    file: PathBuf,
    #[command(flatten)]
    access: ReaderAccess,
    /// Uses this policy file in place of `policy.use`: the name of a built-in one, or a path.
    #[arg(long)]
    policy: Option<String>,
    /// Uses this file of thresholds by collection in place of `policy.thresholds`.
    #[arg(long, value_name = "FILE")]
    thresholds: Option<PathBuf>,
    /// Writes the results into this file as JSON.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Earlier results to compare with.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Records the run's figures in the database, for the operating page: numbers and names of models, no question and
    /// no answer.
    #[arg(long)]
    record: bool,
    /// Writes a page with the figures, plots and failures into this file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Run {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let text = golden::text(&self.file)?;
        let queries = golden::load(&self.file)?;
        let baseline = self.baseline.as_deref().map(Results::load).transpose()?;
        let settings = self.configured(settings);
        check_terminology(&queries, &settings)?;
        let policy = compose::policy(&settings, None)?;
        let parts = Parts::ready(&settings).await?;
        let engine = parts.engine(&settings).await?;
        let asker = Asker { engine, identity: self.access.identity(), policy };
        let config = asker.config(&parts).await?;
        anyhow::ensure!(
            config.documents > 0,
            "there is no document to answer from; ingest those that the set is about first, as `just golden` does"
        );
        let measured = asker.measure(&queries, &parts).await?;
        let golden_set_blob = git_blob_hash(text.as_bytes());
        let results = Results::of(RunOf { timestamp: Utc::now(), golden_set_blob, config }, measured);

        shown::show(&results);
        if let Some(file) = &self.output {
            write(file, &results.written()?)?;
        }
        if let Some(file) = &self.html {
            write(file, &golden::report::page(&results, baseline.as_ref()))?;
        }
        if self.record {
            let tenant = parts.store.ensure_tenant(&self.access.operator.tenant).await?;
            parts.store.record_evaluation(tenant, results.meta.timestamp, &figures(&results)).await?;
        }
        if let Some(baseline) = &baseline {
            diff::show(&Difference::between(baseline, &results));
        }
        Ok(())
    }

    /// The settings of `ibidem serve`, with what was named here over them.
    fn configured(&self, settings: &Settings) -> Settings {
        let mut settings = settings.clone();
        if let Some(policy) = &self.policy {
            settings.policy.r#use.clone_from(policy);
        }
        if let Some(thresholds) = &self.thresholds {
            settings.policy.thresholds = Some(thresholds.clone());
        }
        settings
    }
}

/// Without a vocabulary, questions about terms would fail for a reason that has nothing to do with them.
fn check_terminology(queries: &[GoldenQuery], settings: &Settings) -> anyhow::Result<()> {
    let asks_terms = queries.iter().any(|query| query.category.is_terminology());
    anyhow::ensure!(
        !asks_terms || settings.terminology.source().is_some(),
        "the set asks about terms, and there is no vocabulary; for the shipped one add \
         --set terminology.files=demo/architecture/vocabulary"
    );
    let wants_trigger = queries.iter().any(|query| query.category == Category::TerminologyTimeout);
    anyhow::ensure!(
        !wants_trigger || settings.terminology.test_triggers,
        "the set asks about {}, which is late only with --set terminology.test_triggers=true",
        golden::TIMEOUT_TRIGGER
    );
    Ok(())
}

/// Somebody who asks, under one policy.
struct Asker {
    engine: Engine,
    identity: Identity,
    policy: Arc<Policy>,
}

impl Asker {
    /// What decides the outcomes.
    async fn config(&self, parts: &Parts) -> anyhow::Result<Config> {
        let model = parts.embedder.model();
        let documents =
            parts.store.list(&self.scope(), &DocumentFilter { most: 1, ..DocumentFilter::default() }).await?;
        let writes = self.policy.rules.speak.mode != SpeakMode::Extractive;
        let writer = self.engine.parts.roles.writers().next().filter(|_| writes);
        Ok(Config {
            policy: self.policy.rules.name.clone(),
            policy_sha256: self.policy.hash,
            embedding_model: model.name.clone(),
            embedding_sha256: model.hash.0,
            answering_model: writer.map(|model| model.name.clone()),
            reranker: self.engine.parts.reranker.as_ref().map(|reranker| reranker.port().name().to_owned()),
            verifier: self.engine.parts.entailment.port().name().to_owned(),
            max_context_chunks: Question::DEFAULT_CONTEXT_CHUNKS,
            documents: documents.total,
        })
    }

    fn scope(&self) -> Scope {
        Scope::of(&self.identity)
    }

    /// What POST /v1/answers does with a question, but for the record of it.
    async fn ask(&self, query: &str) -> anyhow::Result<Answer> {
        let asked = Asked {
            request_id: Uuid::new_v4(),
            at: Utc::now(),
            scope: self.scope(),
            policy: self.policy.clone(),
            question: Question::new(query.to_owned()),
            deadline: Deadline::NONE,
        };
        let (answer, _) = self.engine.turn(&self.identity, asked, &mut Nobody).await?;
        Ok(answer)
    }

    async fn measure(&self, queries: &[GoldenQuery], parts: &Parts) -> anyhow::Result<Vec<golden::run::Measured>> {
        let bar = console::bar(queries.len() as u64, "questions, {eta} left")?;
        let scope = self.scope();
        let truth = Truth {
            catalogue: &parts.store,
            scope: &scope,
            vocabulary: self.engine.parts.vocabulary.as_ref().map(Part::port),
            rules: &self.policy.rules.gather,
        };
        let measured = run(queries, &truth, async |query| self.ask(query).await, || bar.inc(1)).await;
        bar.finish_and_clear();
        Ok(measured?)
    }
}

/// What is recorded of a run.
fn figures(results: &Results) -> RunFigures {
    let (meta, config) = (&results.meta, &results.meta.config);
    let risk = |(coverage, risk)| RiskAtCoverage { coverage, risk };
    let sure = |bin: Bin| {
        let (low, high) = interval(bin.right, bin.count);
        SureAnswers { confidence: bin.confidence, right: bin.right, count: bin.count as u64, low, high }
    };
    RunFigures {
        policy: config.policy.clone(),
        policy_sha256: config.policy_sha256,
        version: meta.version.clone(),
        question_set: meta.golden_set_blob.clone(),
        answering_model: config.answering_model.clone(),
        embedding_model: config.embedding_model.clone(),
        documents: config.documents,
        questions: meta.total as u64,
        passed: meta.passed as u64,
        targets_reached: meta.pass,
        risk_coverage: golden::report::risk_coverage(&results.questions).into_iter().map(risk).collect(),
        reliability: golden::report::reliability(&results.questions).into_iter().map(sure).collect(),
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}
