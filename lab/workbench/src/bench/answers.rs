//! `ibidem-workbench bench answers`: what Ibidem itself costs on a question, beside embedding, index and model.

mod audit;
mod instant_model;
mod timed;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use ibidem_adapters::openai::{Connection, OpenAiModel, OpenAiSettings};
use ibidem_engine::ask::Engine;
use ibidem_engine::roles::{NamedModel, Roles};
use ibidem_engine::search::Searcher;
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder as _;
use ibidem_server::{AppState, AuditSettings, QuotaSettings, Quotas, ServerParts};
use ibidem_store::NewKey;
use ibidem_words::{HandIn, Role};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::load::{Answered, at_rate, closed_loop};
use super::prepared::PreparedEmbedder;
use super::processes::ServerProcess;
use super::readiness::AlwaysReady;
use super::scratch::Scratch;
use super::{corpus, percentile, spread, stages};
use crate::settings::Settings;
use crate::{compose, console};
pub(super) use audit::AuditBench;
use instant_model::{InstantModel, Writes};
use timed::{Ledger, Timed};

const QUERIES: usize = 1_000;
const WARM_UP: usize = 200;
const MODEL: &str = "instant";

#[derive(clap::Args)]
pub(crate) struct AnswersBench {
    /// How many passages the index has. It is built in the first run and used again in later ones.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    passages: u32,
    /// A .jsonl file. The passages are made of the sentences in the field `text` of its lines. May be repeated; all files
    /// together must have at least 1,000 sentences of four words or more.
    #[arg(long = "texts", required = true, value_name = "FILE")]
    texts: Vec<PathBuf>,
    /// Questions per second in the first part. They are sent at this rate even if earlier ones are not answered yet.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    rate: u32,
    /// Number of clients in the second part. Each sends its next question as soon as it has the answer to the last.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100))]
    clients: u32,
    /// How long a round of each part takes, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Number of rounds of each part. They alternate; a figure is the median of its rounds, with the lowest and highest.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Tells the processor time of each stage instead of latencies: looking at the clock so often takes time itself.
    #[arg(long)]
    pub(super) stages: bool,
    /// A server process whose processor time is counted with --stages, as NAME=ID; its children are counted with it. May be
    /// repeated.
    #[arg(long = "process", value_name = "NAME=ID", requires = "stages")]
    processes: Vec<ServerProcess>,
}

impl AnswersBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let Library { scratch, embedder, queries } = library(settings, &self.texts, self.passages).await?;
        let ledger = Arc::new(Ledger::default());
        let mut askers = Vec::new();
        for (name, writes) in [("quoted", Writes::AsItStands), ("in other words", Writes::InOtherWords)] {
            let model = InstantModel::start(writes).await?;
            let audit = compose::audit::for_server(&scratch.settings.audit, &scratch.store)?;
            let asker = asker(&scratch, &embedder, &model, &ledger, queries.clone(), audit).await?;
            for _ in 0..WARM_UP {
                asker.ask().await.context("warming up")?;
            }
            askers.push((name, model, asker));
        }
        if self.stages {
            for (name, _, asker) in &askers {
                self.processor_time(asker, name).await?;
            }
            return Ok(());
        }
        let length = Duration::from_secs(self.seconds);
        let mut figures: Vec<[Vec<Figures>; 2]> = askers.iter().map(|_| Default::default()).collect();
        for round in 1..=self.rounds {
            console::note(&format!("round {round} of {}", self.rounds));
            for ((_, _, asker), [at_rate, saturated]) in askers.iter().zip(&mut figures) {
                ledger.forget();
                at_rate.push(Figures::of(&asker.at_rate(self.rate, length).await?, &ledger));
                ledger.forget();
                saturated.push(Figures::of(&asker.with_clients(self.clients, length).await?, &ledger));
            }
        }
        let mut table = console::table(&[&["", "answers"], Figures::NAMES.as_slice()].concat());
        for ((name, ..), of_asker) in askers.iter().zip(&figures) {
            let loads = [format!("{} a second", self.rate), format!("{} clients", self.clients)];
            for (load, rounds) in loads.into_iter().zip(of_asker) {
                table.add_row([vec![load, (*name).to_owned()], Figures::summed_up(rounds)].concat());
            }
        }
        console::say(&table.to_string());
        let recorded = scratch.store.turn_count().await?;
        console::say(&format!(
            "{} passages, a model server that answers at once, {recorded} turns recorded so far; \
             \"outside\" is embedding, index and model, \"Ibidem\" the rest of the whole; medians of {} rounds with the \
             lowest and highest (must: Ibidem p50 2 ms and p99 4 ms at 50 a second)",
            self.passages, self.rounds
        ));
        Ok(())
    }

    async fn processor_time(&self, asker: &Arc<Asker>, name: &str) -> anyhow::Result<()> {
        let spent = || self.processes.iter().map(ServerProcess::spent).collect::<anyhow::Result<Vec<_>>>();
        let this = ServerProcess::this();
        let (before, before_here) = (spent()?, this.spent()?);
        let (measured, stages) = stages::counted(asker.at_rate(self.rate, Duration::from_secs(self.seconds))).await;
        let (after, after_here) = (spent()?, this.spent()?);
        let answers = u32::try_from(measured?.each.len().max(1))?;
        let each = |time: Duration| format!("{:.3}", (time / answers).as_secs_f64() * 1_000.0);
        let mut table = console::table(&[&format!("processor time, answers {name}"), "ms a question"]);
        for (stage, time) in &stages {
            table.add_row([(*stage).to_owned(), each(*time)]);
        }
        table.add_row(["all stages together".to_owned(), each(stages.iter().map(|(_, time)| *time).sum())]);
        table.add_row(["this process, with clients and model server".to_owned(), each(after_here - before_here)]);
        for ((process, before), after) in self.processes.iter().zip(before).zip(after) {
            table.add_row([process.name.clone(), each(after.saturating_sub(before))]);
        }
        console::say(&table.to_string());
        Ok(())
    }
}

/// What is asked, and what it is asked of.
struct Library {
    scratch: Scratch,
    embedder: Arc<PreparedEmbedder>,
    queries: Vec<String>,
}

/// Passages of these texts, in a database and an index of their own, which are made once and used again.
async fn library(settings: &Settings, texts: &[PathBuf], passages: u32) -> anyhow::Result<Library> {
    let sentences = corpus::Sentences::load_files(texts)?;
    let embedder = Arc::new(PreparedEmbedder::new(settings.embedding.max_tokens.get()));
    let name = format!("answers-{passages}");
    let originals = std::env::temp_dir().join(format!("ibidem-bench-{name}"));
    let scratch = Scratch::open(settings, &name, &originals, embedder.model()).await?;
    corpus::ensure(&scratch, &embedder, &sentences, passages as usize).await?;
    let _ = tokio::fs::remove_dir_all(&originals).await;
    let queries = sentences.queries(QUERIES);
    embedder.prepare(&queries);
    Ok(Library { scratch, embedder, queries })
}

/// The server as `ibidem serve` makes it, with its ways out timed.
async fn asker(
    scratch: &Scratch,
    embedder: &Arc<PreparedEmbedder>,
    model: &InstantModel,
    ledger: &Arc<Ledger>,
    queries: Vec<String>,
    audit: AuditSettings,
) -> anyhow::Result<Arc<Asker>> {
    let settings = OpenAiSettings {
        connection: Connection::to(&model.url),
        model: MODEL.to_owned(),
        also_allowed: Vec::new(),
        timeout: Duration::from_secs(10),
    };
    let searcher = Searcher {
        embedder: Part::bare(Arc::new(Timed::new(Arc::clone(embedder), ledger))),
        index: Part::bare(Arc::new(Timed::new(Arc::new(scratch.index.clone()), ledger))),
        catalogue: Arc::new(Timed::new(Arc::new(scratch.store.clone()), ledger)),
        words: Arc::new(Timed::new(Arc::new(scratch.store.clone()), ledger)),
    };
    let model = Arc::new(Timed::new(Arc::new(OpenAiModel::new(settings)?), ledger));
    let state = AppState::new(ServerParts {
        store: scratch.store.clone(),
        engine: Engine::new(searcher),
        policy_places: Default::default(),
        roles: watch::channel(Arc::new(Roles::answering(NamedModel::unknown(model)))).1,
        policy: compose::policy_in_force(&scratch.settings)?.0,
        originals: Arc::new(compose::originals(&scratch.settings)?),
        readiness: Arc::new(AlwaysReady),
        publishing: None,
        reading: compose::reading(&scratch.settings).into(),
        window: PreparedEmbedder::window(embedder),
        limits: scratch.settings.server.limits(),
        quotas: Quotas::new(QuotaSettings::default()),
        metrics_readers: scratch.settings.server.metrics_readers(),
        counts: Arc::new(compose::counts::Counts::default()),
        audit,
        sign_in: None,
        hand_over: Default::default(),
        thesaurus: None,
    });
    let tenant = scratch.store.ensure_tenant(corpus::TENANT).await?;
    let key = NewKey {
        tenant,
        name: "bench".to_owned(),
        role: Role::Asker,
        tags: vec![corpus::team(0)?],
        hand_in: HandIn::Everywhere,
        expires_at: Some(chrono::Utc::now() + chrono::Duration::days(1)),
    };
    let key = scratch.store.create_key(&key).await?.secret;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/v1/answers", listener.local_addr()?);
    // It ends with this process.
    tokio::spawn(ibidem_server::serve(listener, state, std::future::pending()));
    let client = reqwest::Client::builder().no_proxy().build()?;
    Ok(Arc::new(Asker { client, url, key, queries, turn: AtomicUsize::new(0), ledger: Arc::clone(ledger) }))
}

/// What one answer took, in milliseconds.
#[derive(Clone, Copy)]
struct Took {
    whole: f64,
    outside: f64,
}

struct Asker {
    client: reqwest::Client,
    url: String,
    key: String,
    queries: Vec<String>,
    turn: AtomicUsize,
    ledger: Arc<Ledger>,
}

#[derive(Deserialize)]
struct Decided {
    reason: Option<String>,
    model_used: Option<String>,
}

/// What a part of the bench measured.
type Measured = Answered<Took>;

impl Asker {
    async fn ask(&self) -> anyhow::Result<Took> {
        let query = &self.queries[self.turn.fetch_add(1, Ordering::Relaxed) % self.queries.len()];
        let body = serde_json::json!({ "query": query });
        let began = Instant::now();
        let reply = self.client.post(&self.url).bearer_auth(&self.key).json(&body).send().await?.error_for_status()?;
        let bytes = reply.bytes().await?;
        let whole = began.elapsed();
        let decided: Decided = serde_json::from_slice(&bytes)?;
        // Whatever is found of what it wrote: the model was asked, and its words were checked.
        let is_written = decided.model_used.as_deref() == Some(MODEL)
            || matches!(decided.reason.as_deref(), Some("unsupported_claims" | "low_confidence"));
        anyhow::ensure!(is_written, "{query:?} was not answered by the model: {}", String::from_utf8_lossy(&bytes));
        let outside = self.ledger.settle(query);
        Ok(Took { whole: whole.as_secs_f64() * 1_000.0, outside: outside.as_secs_f64() * 1_000.0 })
    }

    async fn at_rate(self: &Arc<Self>, rate: u32, length: Duration) -> anyhow::Result<Measured> {
        at_rate(rate, length, self.asking()).await
    }

    async fn with_clients(self: &Arc<Self>, clients: u32, length: Duration) -> anyhow::Result<Measured> {
        closed_loop(clients as usize, length, self.asking()).await
    }

    fn asking(self: &Arc<Self>) -> impl Fn() -> BoxFuture<'static, anyhow::Result<Took>> + Clone + Send + 'static {
        let asker = Arc::clone(self);
        move || {
            let asker = Arc::clone(&asker);
            async move { asker.ask().await }.boxed()
        }
    }
}

/// What a round came to.
struct Figures([f64; 9]);

impl Figures {
    const NAMES: [&'static str; 9] =
        ["answers/s", "whole p50 ms", "p99", "outside p50", "p99", "Ibidem p50", "p99", "of it catalogue p50", "p99"];

    fn of(measured: &Measured, ledger: &Ledger) -> Self {
        let both = |values: Vec<f64>| [0.5, 0.99].map(|share| percentile(values.clone(), share));
        let of = |value: fn(&Took) -> f64| both(measured.each.iter().map(value).collect());
        let [whole, whole_p99] = of(|took| took.whole);
        let [outside, outside_p99] = of(|took| took.outside);
        let [own, own_p99] = of(|took| took.whole - took.outside);
        let [catalogue, catalogue_p99] = both(ledger.catalogue());
        let rate = measured.per_second();
        Self([rate, whole, whole_p99, outside, outside_p99, own, own_p99, catalogue, catalogue_p99])
    }

    /// Of each figure the median of the rounds, with the lowest and the highest.
    fn summed_up(rounds: &[Self]) -> Vec<String> {
        (0..Self::NAMES.len()).map(|place| spread(rounds.iter().map(|round| round.0[place]))).collect()
    }
}
