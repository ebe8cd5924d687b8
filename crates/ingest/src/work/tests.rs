//! A round of jobs on fakes of the parts: what becomes of one document is nothing to the others.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::index::IndexWriter as _;
use ibidem_ports::intake::{Failed, Format, NewVersion, Submission, Submitted};
use ibidem_testing::fakes::{FakeEmbedder, FakeIndex, FakeIntake, FakeOriginals, FakeOutbox, FakeVectors};
use ibidem_words::{Tag, TenantId};
use uuid::Uuid;

use super::*;
use crate::progress::{Done, Progress};
use crate::read::ReadDocument;
use crate::read::reader::InProcess;

const TENANT: TenantId = TenantId(Uuid::nil());

/// All parts in memory.
struct World {
    originals: Arc<FakeOriginals>,
    intake: Arc<Touchy>,
    vectors: Arc<FakeVectors>,
    outbox: Arc<FakeOutbox>,
    embedder: Arc<FakeEmbedder>,
    index: Arc<FakeIndex>,
}

impl World {
    fn new() -> Self {
        let vectors = Arc::new(FakeVectors::default());
        let outbox = Arc::new(FakeOutbox::new(vectors.clone()));
        let jobs = FakeIntake::new(outbox.clone());
        Self {
            originals: Arc::default(),
            intake: Arc::new(Touchy { jobs, committed: Mutex::default(), failed: Mutex::default() }),
            vectors,
            outbox,
            embedder: Arc::new(FakeEmbedder::new(8, 64)),
            index: Arc::new(FakeIndex::new(8)),
        }
    }
}

/// An intake that fails where a title or a reason says so, and notes what became of each document.
struct Touchy {
    jobs: FakeIntake,
    committed: Mutex<Vec<String>>,
    failed: Mutex<BTreeMap<String, (String, Failure)>>,
}

#[async_trait]
impl Intake for Touchy {
    async fn claim(&self, limit: usize) -> Result<Vec<Job>, CatalogueError> {
        self.jobs.claim(limit).await
    }

    async fn claim_of_idle(&self, limit: usize) -> Result<Vec<Job>, CatalogueError> {
        self.jobs.claim_of_idle(limit).await
    }

    async fn renew(&self, jobs: &[(Uuid, Uuid)]) -> Result<Vec<Uuid>, CatalogueError> {
        self.jobs.renew(jobs).await
    }

    async fn commit(&self, versions: Vec<(Job, NewVersion)>) -> Result<Vec<Committed>, CatalogueError> {
        let mut outcomes = Vec::new();
        for (job, version) in versions {
            match version.title.as_str() {
                "refused" => outcomes.push(Committed::Refused("a NUL in it".to_owned())),
                "away" => return Err(CatalogueError::Unavailable("no disk space".to_owned())),
                _ => {
                    let location = job.submission.source_location.clone();
                    let outcome = self.jobs.commit(vec![(job, version)]).await?;
                    if outcome == [Committed::Done] {
                        self.committed.lock().unwrap().push(location);
                    }
                    outcomes.extend(outcome);
                }
            }
        }
        Ok(outcomes)
    }

    async fn fail(&self, job: &Job, reason: &str, failure: Failure) -> Result<Failed, CatalogueError> {
        if reason.contains("unmentionable") {
            return Err(CatalogueError::Unavailable("not even that".to_owned()));
        }
        let location = job.submission.source_location.clone();
        self.failed.lock().unwrap().insert(location, (reason.to_owned(), failure));
        self.jobs.fail(job, reason, failure).await
    }
}

/// Reads as this process does, but dies, dawdles or is missing where a document says so.
struct Moody;

#[async_trait]
impl Reader for Moody {
    async fn extract(&self, original: Vec<u8>, format: Format) -> Result<ReadDocument, ReadingError> {
        let text = String::from_utf8_lossy(&original).into_owned();
        match text.split_once(": ") {
            Some(("fatal", reason)) => Err(ReadingError::Fatal(reason.to_owned())),
            Some(("interrupted", reason)) => Err(ReadingError::Interrupted(reason.to_owned())),
            Some(("no reader", reason)) => Err(ReadingError::NoReader(reason.to_owned())),
            _ => InProcess.extract(original, format).await,
        }
    }
}

async fn hand_in(world: &World, location: &str, title: Option<&str>, text: &str) -> Submitted {
    let original = world.originals.keep(TENANT, text.as_bytes().to_vec()).await.unwrap();
    world.intake.jobs.hand_in(Submission {
        tenant: TENANT,
        collection: "ADR".parse().unwrap(),
        source_location: location.to_owned(),
        format: Format::Markdown,
        original,
        tags: vec![Tag::public()],
        title: title.map(str::to_owned),
        address: None,
        kind: None,
        updated_at: None,
    })
}

fn worker(world: &World) -> Worker {
    Worker {
        intake: world.intake.clone(),
        originals: world.originals.clone(),
        readers: Readers::new(Arc::new(Moody), 2),
        counter: world.embedder.clone(),
        publisher: Publisher {
            outbox: world.outbox.clone(),
            vectors: world.vectors.clone(),
            embedder: world.embedder.clone(),
            index: world.index.clone(),
            progress: Arc::new(Progress::default()),
            renew_every: Duration::from_secs(60),
        },
    }
}

#[tokio::test]
async fn each_document_fails_for_itself_with_its_reason() {
    let world = World::new();
    for number in 0..8 {
        hand_in(&world, &format!("good-{number}.md"), None, &format!("# Good\n\nText {number}.")).await;
    }
    hand_in(&world, "refused.md", Some("refused"), "Text.").await;
    hand_in(&world, "away.md", Some("away"), "Text.").await;
    hand_in(&world, "fatal.md", None, "fatal: reading it took more than 60 s").await;
    hand_in(&world, "unmentionable.md", None, "fatal: unmentionable").await;
    hand_in(&world, "interrupted.md", None, "interrupted: it was killed").await;
    hand_in(&world, "no-reader.md", None, "no reader: no such program").await;
    hand_in(&world, "empty.md", None, "").await;
    hand_in(&world, "good-8.md", None, "# Good\n\nLast.").await;

    // The catalogue's own fault is said, after everything else was done.
    let round = worker(&world).intake_round().await;
    assert!(round.as_ref().is_err_and(|error| error.contains("no disk space")), "{round:?}");
    let mut committed = world.intake.committed.lock().unwrap().clone();
    committed.sort_unstable();
    assert_eq!(committed, (0..=8).map(|number| format!("good-{number}.md")).collect::<Vec<_>>());
    let failed = world.intake.failed.lock().unwrap().clone();
    let kinds: Vec<_> = failed.iter().map(|(location, (_, failure))| (location.as_str(), *failure)).collect();
    assert_eq!(
        kinds,
        [
            ("away.md", Failure::Outage),
            ("empty.md", Failure::Permanent),
            ("fatal.md", Failure::Permanent),
            ("interrupted.md", Failure::Passing),
            ("no-reader.md", Failure::Outage),
            ("refused.md", Failure::Permanent),
        ]
    );
    assert_eq!(failed["fatal.md"].0, "reading it took more than 60 s");
    assert_eq!(failed["refused.md"].0, "a NUL in it");
}

#[tokio::test]
async fn a_long_document_is_done_apart_from_short_ones() {
    let world = World::new();
    hand_in(&world, "short.md", None, "Short.").await;
    let long: String = (0..PASSAGES_A_GROUP * 2).map(|number| format!("## Section {number}\n\nText.\n\n")).collect();
    hand_in(&world, "long.md", None, &long).await;
    hand_in(&world, "after.md", None, "After.").await;
    assert_eq!(worker(&world).intake_round().await, Ok(3));
    assert_eq!(world.intake.committed.lock().unwrap().len(), 3);
}

#[tokio::test]
async fn what_is_handed_in_is_in_the_index_and_leaves_it_when_it_is_removed() {
    let world = World::new();
    let worker = worker(&world);
    for name in ["one", "two"] {
        hand_in(&world, &format!("{name}.md"), None, &format!("# {name}\n\nText of {name}.")).await;
    }
    assert_eq!(worker.intake_round().await, Ok(2));
    assert_eq!(worker.publisher.round().await.unwrap(), 2);
    let points = world.index.scan(None, 10).await.unwrap().points;
    assert_eq!(points.len(), 2);
    let progress = worker.publisher.progress.done();
    assert_eq!(progress, Done { documents: 2, passages: 2, embedded: 2, published: 2 });

    // The same again costs nothing; another text makes another version, of that document only.
    assert_eq!(hand_in(&world, "one.md", None, "# one\n\nText of one.").await, Submitted::Unchanged);
    assert_eq!(hand_in(&world, "two.md", None, "# two\n\nAnother text.").await, Submitted::Queued);
    assert_eq!(worker.intake_round().await, Ok(1));
    // Once beside the old version, and once alone.
    assert_eq!(worker.publisher.round().await.unwrap(), 1);
    assert_eq!(worker.publisher.round().await.unwrap(), 1);
    let mut versions: Vec<_> = world.index.scan(None, 10).await.unwrap().points;
    versions.sort_by_key(|point| point.passage.version);
    assert_eq!(versions.iter().map(|point| point.passage.version).collect::<Vec<_>>(), [1, 2]);

    let removed = versions[1].passage.document;
    world.intake.jobs.remove(TENANT, removed);
    assert_eq!(worker.publisher.round().await.unwrap(), 1);
    let left = world.index.scan(None, 10).await.unwrap().points;
    assert_eq!(left, versions[..1]);
    assert_eq!((worker.intake_round().await, worker.publisher.round().await.unwrap()), (Ok(0), 0));
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_stores_nothing() {
    let world = World::new();
    let worker = worker(&world);
    hand_in(&world, "a.md", None, "Text.").await;
    let slow = world.intake.claim(10).await.unwrap();
    world.outbox.pass(Duration::from_secs(3_600));
    let quick = world.intake.claim(10).await.unwrap();
    assert_eq!(worker.do_jobs(slow).await, Ok(()));
    assert!(world.intake.committed.lock().unwrap().is_empty() && world.outbox.waiting().is_empty());
    assert_eq!(worker.do_jobs(quick).await, Ok(()));
    assert_eq!(*world.intake.committed.lock().unwrap(), ["a.md"]);
    assert!(world.intake.failed.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_model_that_is_away_delays_documents_and_fails_none() {
    let world = World::new();
    let worker = worker(&world);
    hand_in(&world, "a.md", None, "Text.").await;
    world.embedder.set_down(true);
    for _ in 0..8 {
        assert!(worker.intake_round().await.is_err());
        assert_eq!(worker.intake_round().await, Ok(0), "it waits before it is tried again");
        world.outbox.pass(Duration::from_secs(3_600));
    }
    world.embedder.set_down(false);
    assert_eq!(worker.intake_round().await, Ok(1));
    assert_eq!(*world.intake.committed.lock().unwrap(), ["a.md"]);
}

#[tokio::test]
async fn a_lost_original_is_given_up_with_its_reason() {
    let world = World::new();
    hand_in(&world, "a.md", None, "Text.").await;
    let original = world.originals.list(TENANT).await.unwrap()[0].digest;
    world.originals.damage(TENANT, original);
    assert_eq!(worker(&world).intake_round().await, Ok(1));
    let given_up = world.intake.jobs.given_up();
    assert!(given_up["a.md"].contains("hand the document in again"), "{given_up:?}");
    assert!(world.intake.jobs.waiting().is_empty());
}
