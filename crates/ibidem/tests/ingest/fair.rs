//! One tenant's backlog delays no other tenant's document.

use std::path::Path;
use std::time::{Duration, Instant};

use ibidem_ports::intake::{Format, Submission};
use ibidem_words::{Sha256Hash, TenantId};
use uuid::Uuid;

use crate::corpus::Writer;
use crate::installation::{Installation, with_installation};

/// `just lab fair` makes it 100,000.
const JOBS: usize = 2_000;
/// Texts of the busy tenant. There are more jobs than texts: no worker gets through all of them here.
const TEXTS: usize = 400;
const SUBMITTED_TOGETHER: usize = 5_000;
/// So many of the busy tenant's jobs are done before the other hands anything in.
const UNDER_WAY: u64 = 64;
/// So many of them may be done while the other's document waits: those that two rounds hold, those that are taken with
/// it, and those that are taken while it is published.
const DONE_MEANWHILE: u64 = 256;
const LONGEST_DELAY: Duration = Duration::from_secs(10);

const LOOK_EVERY: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(240);

/// How many jobs a tenant has waiting or under way.
async fn jobs_of(pool: &sqlx::PgPool, tenant: &str) -> u64 {
    let count = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM jobs WHERE tenant_id = $1 AND failed_at IS NULL");
    count.bind(TenantId::named(tenant).0).fetch_one(pool).await.unwrap().unsigned_abs()
}

/// Whether everything that a tenant handed in can be found.
async fn is_published(pool: &sqlx::PgPool, tenant: &str) -> bool {
    let left = "SELECT EXISTS (SELECT FROM documents WHERE tenant_id = $1)
                AND NOT EXISTS (SELECT FROM jobs WHERE tenant_id = $1)
                AND NOT EXISTS (SELECT FROM outbox WHERE tenant_id = $1)";
    let published = sqlx::query_scalar::<_, bool>(left).bind(TenantId::named(tenant).0);
    published.fetch_one(pool).await.unwrap()
}

async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let waiting = async {
        while !holds().await {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("{what}: it does not come"));
}

async fn hand_in(installation: &Installation, path: &Path, tenant: &str) {
    let path = path.to_str().unwrap();
    let arguments = ["ingest", path, "--collection", "Handbook", "--tags", "public", "--tenant", tenant];
    installation.succeed(&arguments).await;
}

/// Hands in so many documents of the busy tenant, of the texts in this folder.
async fn fill_the_queue(installation: &Installation, folder: &Path, jobs: usize) {
    hand_in(installation, folder, "busy").await;
    let mut originals = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        originals.push(Sha256Hash::of(&std::fs::read(entry.unwrap().path()).unwrap()));
    }
    let tenant = TenantId::named("busy");
    let submission = |number: usize| Submission {
        tenant,
        collection: "Handbook".parse().unwrap(),
        source_location: format!("again/{number}.txt"),
        format: Format::Plain,
        original: originals[number % originals.len()],
        tags: vec!["public".parse().unwrap()],
        title: Some(format!("Copy {number}")),
        address: None,
        kind: None,
        updated_at: None,
    };
    for first in (0..jobs - originals.len()).step_by(SUBMITTED_TOGETHER) {
        let last = (first + SUBMITTED_TOGETHER).min(jobs - originals.len());
        let submissions: Vec<_> = (first..last).map(submission).collect();
        installation.store().submit(tenant, Uuid::now_v7(), "test", &submissions).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tenant_with_a_long_queue_does_not_delay_anothers_document() {
    let asked = std::env::var("IBIDEM_FAIR_JOBS").ok().map(|written| written.parse::<usize>().unwrap());
    let jobs = asked.unwrap_or(JOBS);
    with_installation(async |installation| {
        let folder = tempfile::tempdir().unwrap();
        let texts = folder.path().join("texts");
        std::fs::create_dir(&texts).unwrap();
        let mut writer = Writer::new(18);
        for number in 0..TEXTS {
            std::fs::write(texts.join(format!("{number}.txt")), writer.paragraph(12)).unwrap();
        }
        let single = folder.path().join("single.md");
        std::fs::write(&single, "# Notice\n\nThe office is closed on Friday.\n").unwrap();
        fill_the_queue(installation, &texts, jobs).await;
        let pool = sqlx::PgPool::connect(installation.database_url()).await.unwrap();
        let waiting = jobs_of(&pool, "busy").await;
        assert_eq!(waiting, jobs as u64);

        let mut worker = installation.start(&["worker"]);
        until("work", async || jobs_of(&pool, "busy").await + UNDER_WAY < waiting).await;
        hand_in(installation, &single, "quiet").await;
        let (handed_in, left) = (Instant::now(), jobs_of(&pool, "busy").await);
        until("the document", async || is_published(&pool, "quiet").await).await;
        let delay = handed_in.elapsed();
        let meanwhile = left - jobs_of(&pool, "busy").await;
        eprintln!(
            "fair: {left} jobs of another tenant waiting, {delay:.1?} until found, {meanwhile} of them done meanwhile"
        );
        worker.kill().await.unwrap();
        pool.close().await;
        assert!(left > jobs as u64 / 2, "too few were waiting to show anything: {left}");
        assert!(meanwhile <= DONE_MEANWHILE, "{meanwhile} jobs of another tenant went before it");
        // How soon that is depends on the machine: it is asked of a run that somebody looks at.
        assert!(asked.is_none() || delay < LONGEST_DELAY, "{delay:?}");
    })
    .await;
}
