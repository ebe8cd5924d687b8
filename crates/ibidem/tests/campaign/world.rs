//! A whole Ibidem with something that can fail before each of its parts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ibidem_store::NewKey;
use ibidem_words::{HandIn, Role, TenantId};
use sqlx::{Connection as _, PgConnection};
use tempfile::{NamedTempFile, TempDir};
use tokio::sync::{Mutex, watch};
use uuid::Uuid;

use crate::checks::{Problem, Standard};
use crate::faults::{Case, Dependency, Fault, Faults};
use crate::handbook::{HANDBOOK, Kind};
use crate::installation::{Installation, Served, with_installation_at};
use crate::load::{Asker, Seen, load};
use crate::proxy::{Protocol, Proxy};
use crate::servers::{Process, QuickServer, StackDatabase, rerank, scribe};
use crate::table::Outcome;

const DEFAULT: &str = include_str!("../../../../policies/default.yaml");

/// The time that a request has.
pub(crate) const DEADLINE: Duration = Duration::from_secs(10);
/// What the part that may take longest is given, the database apart.
pub(crate) const LONGEST_PART: Duration = Duration::from_millis(1500);
/// For a part to be itself again, and for the server to notice.
const PATIENCE: Duration = Duration::from_secs(60);
/// Load before the fault begins: nothing is wrong yet.
const BEFORE: Duration = Duration::from_millis(500);

pub(crate) struct World<'a> {
    installation: &'a Installation,
    served: Served,
    asker: Asker,
    faults: Faults,
    qdrant: Mutex<Process>,
    vocabulary: Mutex<Process>,
    sources: BTreeSet<String>,
    seed: u64,
    /// Questions a second.
    rate: u32,
    // Held for as long as they are asked.
    _proxies: Vec<Proxy>,
    _models: [QuickServer; 3],
    _policy: NamedTempFile,
}

/// Runs a campaign on a world of its own.
pub(crate) async fn with_world(seed: u64, rate: u32, campaign: impl AsyncFnOnce(&World<'_>)) {
    let folder = TempDir::new().unwrap();
    let qdrant = Process::qdrant(folder.path()).await;
    let url = format!("http://{}", qdrant.address);
    with_installation_at(&url, async |installation| {
        let world = World::on(installation, qdrant, seed, rate).await;
        campaign(&world).await;
        world.served.stop().await;
    })
    .await;
}

impl<'a> World<'a> {
    async fn on(installation: &'a Installation, qdrant: Process, seed: u64, rate: u32) -> World<'a> {
        let embedding = QuickServer::embedding().await;
        let embedded_at = embeddings(&embedding.address);
        let embedded_at = embedded_at.each_ref().map(|(name, value)| (*name, value.as_str()));
        installation.succeed_with(&["reindex"], &embedded_at).await;
        ingest_handbook(installation, &embedded_at).await;
        let vocabulary = Process::vocabulary().await;
        let (model, reranker) = (QuickServer::answering(scribe).await, QuickServer::answering(rerank).await);
        let (database, name) = host_and_name(installation.database_url());
        let faults = Faults::none();
        let before = async |part: &str, protocol, dependencies: &'static [Dependency]| {
            Proxy::before(part, protocol, dependencies, &faults, seed).await
        };
        let proxies = [
            before(&qdrant.address, Protocol::Grpc, &[Dependency::Index]).await,
            before(&embedding.address, Protocol::Http, &[Dependency::Embedding]).await,
            before(&model.address, Protocol::Http, &[Dependency::Model, Dependency::Entailment]).await,
            before(&reranker.address, Protocol::Http, &[Dependency::Reranker]).await,
            before(&vocabulary.address, Protocol::Http, &[Dependency::Vocabulary]).await,
            before(&database, Protocol::Postgres, &[Dependency::Database]).await,
        ];
        let [at_index, at_embedding, at_model, at_reranker, at_vocabulary, at_database] =
            proxies.each_ref().map(|proxy| proxy.address.as_str());
        // A reranker that counts words is no reader: similarity decides what is answered.
        let policy = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
        let read = ["    - answerability: 0.75\n", "  left_to_reader: [min_similarity, top1_similarity]\n"];
        let unread = read.iter().fold(DEFAULT.to_owned(), |text, line| {
            assert!(text.contains(line), "the policy has no line {line}");
            text.replace(line, "")
        });
        // A term is asked of the vocabulary alone, so that its failures are seen by themselves.
        let unread =
            unread.replace("    longest_term_words: 5\n", "    longest_term_words: 5\n    vocabulary_only: true\n");
        assert!(unread.contains("vocabulary_only: true"));
        std::fs::write(policy.path(), unread).unwrap();
        let settings: [(&str, String); 23] = [
            ("IBIDEM__POLICY__USE", policy.path().display().to_string()),
            ("IBIDEM__INDEX__URL", format!("http://{at_index}")),
            ("IBIDEM__INDEX__TIMEOUT_MS", "1500".to_owned()),
            ("IBIDEM__EMBEDDING__TIMEOUT_MS", "1500".to_owned()),
            ("IBIDEM__LANGUAGE_MODEL__URL", format!("http://{at_model}/v1")),
            ("IBIDEM__LANGUAGE_MODEL__NAME", "scribe".to_owned()),
            ("IBIDEM__LANGUAGE_MODEL__TIMEOUT_MS", "1500".to_owned()),
            ("IBIDEM__LANGUAGE_MODEL__TOKENIZER", "estimate".to_owned()),
            ("IBIDEM__RERANKER__USE", "http".to_owned()),
            ("IBIDEM__RERANKER__URL", format!("http://{at_reranker}/v1/rerank")),
            ("IBIDEM__RERANKER__NAME", "common words".to_owned()),
            ("IBIDEM__RERANKER__TIMEOUT_MS", "1500".to_owned()),
            ("IBIDEM__ENTAILMENT__USE", "model".to_owned()),
            ("IBIDEM__ENTAILMENT__TIMEOUT_MS", "1500".to_owned()),
            ("IBIDEM__TERMINOLOGY__SKOSMOS", format!("http://{at_vocabulary}/rest/v1")),
            ("IBIDEM__TERMINOLOGY__TIMEOUT_MS", "1500".to_owned()),
            // What is remembered would be said without the vocabulary.
            ("IBIDEM__TERMINOLOGY__CACHE_ENTRIES", "0".to_owned()),
            ("IBIDEM__DATABASE__URL", format!("postgres://app@{at_database}/{name}")),
            // Every request asks it several times, and it has the least of the machine here.
            ("IBIDEM__DATABASE__ACQUIRE_TIMEOUT_MS", "3000".to_owned()),
            ("IBIDEM__DATABASE__TIMEOUT_MS", "4000".to_owned()),
            ("IBIDEM__BREAKERS__OPEN_MS", "1000".to_owned()),
            ("IBIDEM__SERVER__REQUEST_TIMEOUT_MS", DEADLINE.as_millis().to_string()),
            ("IBIDEM__SERVER__METRICS", "open".to_owned()),
        ];
        let mut settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        // What fails is expected here. A panic is written whatever the level is.
        settings.push(("IBIDEM__LOG__LEVEL", "off"));
        let embedded_at = embeddings(at_embedding);
        settings.extend(embedded_at.iter().map(|(name, value)| (*name, value.as_str())));
        let served = installation.serve(&settings).await;
        let asker = asker(installation, &served).await;
        World {
            installation,
            served,
            asker,
            faults,
            qdrant: Mutex::new(qdrant),
            vocabulary: Mutex::new(vocabulary),
            sources: sources(installation).await,
            seed,
            rate,
            _proxies: proxies.into(),
            _models: [embedding, model, reranker],
            _policy: policy,
        }
    }

    /// One case: some load, the fault under load, and load until all is well again.
    pub(crate) async fn run(&self, number: u64, case: &Case, length: Duration) -> Outcome {
        let trips = self.breakers("circuit_breaker_trip_total").await;
        let (stop, stopped) = watch::channel(false);
        let asking =
            tokio::spawn(load(self.asker.clone(), self.seed + number, Duration::from_secs(1) / self.rate, stopped));
        tokio::time::sleep(BEFORE).await;
        let began = Instant::now();
        self.begin(case, length).await;
        tokio::time::sleep(length.saturating_sub(began.elapsed())).await;
        let ended = Instant::now();
        self.faults.end();
        let well_after = self.is_well_again().await.unwrap_or(PATIENCE);
        stop.send_replace(true);
        let seen = asking.await.unwrap();

        let standard = Standard { case, began, ended, sources: &self.sources };
        let mut problems: Vec<Problem> = seen.iter().filter_map(|seen| standard.problem(seen)).collect();
        let touched = seen.iter().filter(|seen| standard.is_touched(seen)).count();
        let trips = total(&self.breakers("circuit_breaker_trip_total").await) - total(&trips);
        let turns: Vec<Uuid> = seen.iter().filter(|seen| is_turn(seen)).map(|seen| seen.request_id).collect();
        let recorded = recorded_count(self.installation, &turns).await;
        if touched == 0 {
            problems.push(Problem::of("nobody noticed the fault"));
        }
        if well_after >= PATIENCE {
            let states = self.breakers("circuit_breaker_state").await;
            problems.push(Problem::of(format!("not well again after {PATIENCE:?}: {states:?}")));
        }
        let late = seen.iter().filter(|seen| seen.took > DEADLINE + DEADLINE / 10).count();
        if late > 0 {
            problems.push(Problem::of(format!("{late} replies came after the deadline and a tenth")));
        }
        let may_be_lost = !OUTLIVE_THE_DATABASE && case.iter().any(|(part, _)| *part == Dependency::Database);
        if recorded != turns.len() && !may_be_lost {
            let what = format!("{recorded} of {} turns are recorded", turns.len());
            problems.push(Problem { what, may_be_the_machines: !OUTLIVE_THE_DATABASE });
        }
        let panics = self.served.lines().into_iter().filter(|line| line.contains("panicked"));
        problems.extend(panics.map(Problem::of));
        // The worst first.
        problems.sort_by_key(|problem| problem.may_be_the_machines);
        let (case, turns) = (case.clone(), turns.len());
        Outcome { case, touched, trips, well_after, turns, recorded, problems, seen, again: 0 }
    }

    /// Everything that is to be killed is dead for half of the time.
    async fn begin(&self, case: &Case, length: Duration) {
        self.faults.begin(case);
        let killed: Vec<Dependency> =
            case.iter().filter(|(_, fault)| *fault == Fault::Kill).map(|(part, _)| *part).collect();
        for dependency in &killed {
            match dependency {
                Dependency::Index => self.qdrant.lock().await.kill().await,
                Dependency::Vocabulary => self.vocabulary.lock().await.kill().await,
                Dependency::Database => StackDatabase::kill().await,
                Dependency::Embedding | Dependency::Model | Dependency::Entailment | Dependency::Reranker => {}
            }
        }
        if killed.is_empty() {
            return;
        }
        tokio::time::sleep(length / 2).await;
        for dependency in killed {
            match dependency {
                Dependency::Index => self.qdrant.lock().await.restart().await,
                Dependency::Vocabulary => self.vocabulary.lock().await.restart().await,
                Dependency::Database => StackDatabase::restart().await,
                Dependency::Embedding | Dependency::Model | Dependency::Entailment | Dependency::Reranker => {}
            }
            self.faults.end_of(dependency);
        }
    }

    /// How long it takes until every breaker is closed and every sort of question answered as before; none if it does
    /// not come to that.
    pub(crate) async fn is_well_again(&self) -> Option<Duration> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if total(&self.breakers("circuit_breaker_state").await) == 0 && self.answers_as_before().await {
                return Some(began.elapsed());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        None
    }

    async fn answers_as_before(&self) -> bool {
        for (lot, kind) in Kind::ALL.into_iter().enumerate() {
            let seen = self.asker.ask(kind, kind.query(lot)).await;
            if !kind.is_well_answered(seen.status, &seen.body) {
                return false;
            }
        }
        true
    }

    /// A metric of every breaker, by its part.
    async fn breakers(&self, metric: &str) -> BTreeMap<String, u64> {
        let reply = self.asker.client.get(format!("{}/metrics", self.asker.url)).send().await.unwrap();
        let text = reply.text().await.unwrap();
        let of_metric = text.lines().filter_map(|line| line.strip_prefix(metric)?.strip_prefix("{service=\""));
        let parts = of_metric.map(|line| {
            let (service, number) = line.split_once("\"} ").unwrap();
            (service.to_owned(), number.parse().unwrap())
        });
        parts.collect()
    }
}

fn total(numbers: &BTreeMap<String, u64>) -> u64 {
    numbers.values().sum()
}

/// Whether a reply is a turn's, of which there is to be a record. Searches leave none.
fn is_turn(seen: &Seen) -> bool {
    seen.status == 200 && seen.kind != Kind::Search && seen.body["request_id"].is_string()
}

/// Where turns are recorded, and whether those of a time without a database are kept until there is one.
const RECORDS: &str = "audit";
const OUTLIVE_THE_DATABASE: bool = true;

/// How many of these turns are in the database, given time to get there.
async fn recorded_count(installation: &Installation, turns: &[Uuid]) -> usize {
    let mut connection = PgConnection::connect(installation.database_url()).await.unwrap();
    let mut count = 0;
    for _ in 0..300 {
        let query = format!("SELECT count(DISTINCT request_id) FROM {RECORDS} WHERE request_id = ANY($1)");
        let query = sqlx::query_scalar(sqlx::AssertSqlSafe(query));
        let recorded: i64 = query.bind(turns).fetch_one(&mut connection).await.unwrap();
        count = usize::try_from(recorded).unwrap();
        if count == turns.len() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    count
}

/// `document:chunk` of every passage there is.
pub(crate) async fn sources(installation: &Installation) -> BTreeSet<String> {
    let mut connection = PgConnection::connect(installation.database_url()).await.unwrap();
    let query = sqlx::query_as("SELECT document_id, chunk_index FROM chunks");
    let passages: Vec<(Uuid, i32)> = query.fetch_all(&mut connection).await.unwrap();
    passages.into_iter().map(|(document, chunk)| format!("{document}:{chunk}")).collect()
}

/// The settings for an embedding model that is reached at this address.
fn embeddings(address: &str) -> [(&'static str, String); 2] {
    [
        ("IBIDEM__EMBEDDING__USE", "http".to_owned()),
        ("IBIDEM__EMBEDDING__URL", format!("http://{address}/v1/embeddings")),
    ]
}

pub(crate) async fn ingest_handbook(installation: &Installation, settings: &[(&str, &str)]) {
    let folder = TempDir::new().unwrap();
    for page in HANDBOOK {
        std::fs::write(folder.path().join(page.file), page.text).unwrap();
    }
    assert_eq!(installation.ingest_with(folder.path(), settings).await.read, HANDBOOK.len() as u64);
}

fn host_and_name(url: &str) -> (String, String) {
    let (host, name) = url.rsplit_once('/').unwrap();
    (host.rsplit_once('@').unwrap().1.to_owned(), name.to_owned())
}

pub(crate) async fn asker(installation: &Installation, served: &Served) -> Asker {
    // As the binary does at its start.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let key = NewKey {
        tenant: TenantId::named("default"),
        name: "desk".to_owned(),
        role: Role::Asker,
        tags: Vec::new(),
        hand_in: HandIn::Everywhere,
        expires_at: None,
    };
    let key = installation.store().create_key(&key).await.unwrap().secret;
    let patience = DEADLINE * 2;
    Asker { client: reqwest::Client::new(), url: served.url.clone(), key: Arc::from(key), patience }
}
