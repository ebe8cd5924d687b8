//! `ibidem-workbench bench search`: `POST /v1/search` over HTTP, beside the same requests put to the search engine directly.

mod bare;
pub(super) mod load;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use ibidem_engine::ask::Engine;
use ibidem_engine::search::Searcher;
use ibidem_ports::degrade::Part;
use ibidem_ports::embedder::Embedder as _;
use ibidem_server::{AppState, AuditSettings, QuotaSettings, Quotas, ServerParts};
use ibidem_store::NewKey;
use ibidem_words::{HandIn, Role, Tag};
use tokio::net::TcpListener;

use super::corpus;
use super::load::Round;
use super::prepared::PreparedEmbedder;
use super::readiness::AlwaysReady;
use super::scratch::Scratch;
use super::spread;
use crate::settings::Settings;
use crate::{compose, console};
use bare::Bare;
use load::{Arm, Figures};

/// Passages a request brings.
const LIMIT: usize = 10;
/// Different queries that take turns.
const QUERIES: usize = 1_000;
/// Queries on which the two arms are compared before they are measured.
const COMPARED: usize = 20;
const WARM_UP: Duration = Duration::from_secs(3);

#[derive(clap::Args)]
pub(crate) struct SearchBench {
    /// How many passages the index has. It is built in the first run and used again in later ones.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1_000..=10_000_000))]
    passages: u32,
    /// A .jsonl file. The passages are made of the sentences in the field `text` of its lines. May be repeated; all files
    /// together must have at least 1,000 sentences of four words or more.
    #[arg(long = "texts", required = true, value_name = "FILE")]
    texts: Vec<PathBuf>,
    /// Number of clients; several numbers make several rows. Each client sends its next request as soon as it has the
    /// answer to the last.
    #[arg(long, default_value = "1,8,16", value_delimiter = ',')]
    clients: Vec<usize>,
    /// How long a round takes, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Number of rounds for each row. Ibidem and the bare search engine take turns, round by round.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Builds the index again, even if there is one from an earlier run.
    #[arg(long)]
    rebuild: bool,
    /// Deletes the index and its database at the end.
    #[arg(long)]
    discard: bool,
}

impl SearchBench {
    pub(crate) async fn run(self, settings: &Settings) -> anyhow::Result<()> {
        let sentences = corpus::Sentences::load_files(&self.texts)?;
        let embedder = Arc::new(PreparedEmbedder::new(settings.embedding.max_tokens.get()));
        let name = format!("search-{}", self.passages);
        let originals = std::env::temp_dir().join(format!("ibidem-bench-{name}"));
        let mut scratch = Scratch::open(settings, &name, &originals, embedder.model()).await?;
        if self.rebuild {
            scratch.discard().await?;
            scratch = Scratch::open(settings, &name, &originals, embedder.model()).await?;
        }
        corpus::ensure(&scratch, &embedder, &sentences, self.passages as usize).await?;
        // Only loading reads them.
        let _ = tokio::fs::remove_dir_all(&originals).await;

        let queries = sentences.queries(QUERIES);
        embedder.prepare(&queries);
        let measured = self.measure(&scratch, &embedder, &queries).await;
        if self.discard {
            scratch.discard().await?;
        }
        report(&measured?, &what_was_measured(self.passages));
        Ok(())
    }

    /// Every arm with every number of clients, round by round.
    async fn measure(
        &self,
        scratch: &Scratch,
        embedder: &Arc<PreparedEmbedder>,
        queries: &[String],
    ) -> anyhow::Result<Vec<Figures>> {
        let tags = vec![corpus::team(0)?];
        let served = served(scratch, embedder, tags.clone(), queries).await?;
        let tenant = scratch.store.ensure_tenant(corpus::TENANT).await?;
        let bare = Bare::new(scratch, tenant, &with_public(tags), embedder, queries).await?;
        let whole = Arm::bare("Qdrant, lanes scored by each other in one call", bare.requests(true), bare.client());
        let lanes = Arm::bare("Qdrant, two lanes alone", bare.requests(false), bare.client());
        load::compare(&served, &whole, COMPARED).await?;
        self.rounds(&[served, whole, lanes]).await
    }

    async fn rounds(&self, arms: &[Arm; 3]) -> anyhow::Result<Vec<Figures>> {
        for arm in arms {
            arm.run(8, WARM_UP).await.with_context(|| format!("warming up {}", arm.name()))?;
        }
        let mut all = Vec::new();
        for clients in self.clients.iter().copied().filter(|clients| (1..=1_000).contains(clients)) {
            let mut figures: Vec<Figures> = arms.iter().map(|arm| Figures::new(arm.name(), clients)).collect();
            for round in 1..=self.rounds {
                console::note(&format!("{clients} clients, round {round} of {}", self.rounds));
                for (arm, figures) in arms.iter().zip(&mut figures) {
                    figures.rounds.push(arm.run(clients, Duration::from_secs(self.seconds)).await?);
                }
            }
            all.extend(figures);
        }
        Ok(all)
    }
}

/// `POST /v1/search` by somebody with these tags, at a server that ends with this process.
async fn served(
    scratch: &Scratch,
    embedder: &Arc<PreparedEmbedder>,
    tags: Vec<Tag>,
    queries: &[String],
) -> anyhow::Result<Arm> {
    let tenant = scratch.store.ensure_tenant(corpus::TENANT).await?;
    let expires_at = Some(chrono::Utc::now() + chrono::Duration::days(1));
    let key =
        NewKey { tenant, name: "bench".to_owned(), role: Role::Asker, tags, hand_in: HandIn::Everywhere, expires_at };
    let key = scratch.store.create_key(&key).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/v1/search", listener.local_addr()?);
    tokio::spawn(ibidem_server::serve(listener, app_state(scratch, embedder)?, std::future::pending()));
    Arm::served(url, &key.secret, queries)
}

fn with_public(mut tags: Vec<Tag>) -> Vec<Tag> {
    tags.push(Tag::public());
    tags
}

fn what_was_measured(passages: u32) -> String {
    format!("{passages} passages, limit {LIMIT}, {QUERIES} different queries")
}

/// The server as `ibidem serve` makes it, with prepared vectors in place of the model:
/// the model's time is the same whoever calls it.
fn app_state(scratch: &Scratch, embedder: &Arc<PreparedEmbedder>) -> anyhow::Result<AppState> {
    let searcher = Searcher {
        embedder: Part::bare(Arc::clone(embedder) as _),
        index: Part::bare(Arc::new(scratch.index.clone())),
        catalogue: Arc::new(scratch.store.clone()),
        words: Arc::new(scratch.store.clone()),
    };
    Ok(AppState::new(ServerParts {
        store: scratch.store.clone(),
        engine: Engine::new(searcher),
        policy: compose::policy_in_force(&scratch.settings)?.0,
        policy_places: Default::default(),
        roles: tokio::sync::watch::channel(Arc::default()).1,
        originals: Arc::new(compose::originals(&scratch.settings)?),
        readiness: Arc::new(AlwaysReady),
        publishing: None,
        reading: compose::reading(&scratch.settings).into(),
        window: PreparedEmbedder::window(embedder),
        limits: scratch.settings.server.limits(),
        quotas: Quotas::new(QuotaSettings::default()),
        metrics_readers: scratch.settings.server.metrics_readers(),
        counts: Arc::new(compose::counts::Counts::default()),
        audit: AuditSettings::default(),
        sign_in: None,
        hand_over: Default::default(),
        thesaurus: None,
    }))
}

fn report(figures: &[Figures], what: &str) {
    let mut table = console::table(&["clients", "", "requests/s", "p50 ms", "p99 ms", "throughput", "p99"]);
    let p99 = |round: &Round| round.percentile(0.99);
    for three in figures.chunks(3) {
        let served = &three[0];
        for (place, figures) in three.iter().enumerate() {
            let [throughput, slowest] = match place {
                0 => [String::new(), String::new()],
                _ => [spread(served.over(figures, Round::per_second)), spread(served.over(figures, p99))],
            };
            table.add_row([
                figures.clients.to_string(),
                figures.name.to_owned(),
                spread(figures.each(Round::per_second)),
                spread(figures.each(|round| round.percentile(0.5))),
                spread(figures.each(p99)),
                throughput,
                slowest,
            ]);
        }
    }
    console::say(&table.to_string());
    console::say(&format!(
        "{what}; medians of the rounds with the lowest and highest; the last two columns are Ibidem's figure over that \
         row's, round by round (must: throughput at least 0.75 of two lanes alone, with 16 clients)"
    ));
}
