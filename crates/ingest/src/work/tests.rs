//! A round of jobs on stubs of the parts: what becomes of one document is nothing to the others.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

use async_trait::async_trait;
use ibidem_words::fakes::{FakeEmbedder, FakeIndex};
use ibidem_words::ports::catalogue::CatalogueError;
use ibidem_words::ports::intake::{Failed, Format, NewVersion, Submission};
use ibidem_words::ports::originals::KeptOriginal;
use ibidem_words::ports::outbox::{Outbox, Publication, Wanted};
use ibidem_words::ports::vectors::{NewVector, VectorShelf};
use ibidem_words::{DocumentId, ModelHash, Sha256Hash, Tag, TenantId};
use uuid::Uuid;

use super::*;
use crate::progress::Progress;
use crate::read::ReadDocument;
use crate::read::reader::InProcess;

const TENANT: TenantId = TenantId(Uuid::nil());

/// Keeps originals, jobs and what became of them. What a title says decides what a commit does.
#[derive(Default)]
struct World {
    originals: Mutex<HashMap<Sha256Hash, Vec<u8>>>,
    jobs: Mutex<Vec<Job>>,
    committed: Mutex<Vec<String>>,
    failed: Mutex<BTreeMap<String, (String, Failure)>>,
}

#[async_trait]
impl Originals for World {
    async fn keep(&self, _: TenantId, original: Vec<u8>) -> Result<Sha256Hash, OriginalsError> {
        let digest = Sha256Hash::of(&original);
        self.originals.lock().unwrap().insert(digest, original);
        Ok(digest)
    }

    async fn fetch(&self, _: TenantId, digest: Sha256Hash) -> Result<Vec<u8>, OriginalsError> {
        self.originals.lock().unwrap().get(&digest).cloned().ok_or(OriginalsError::Lost(digest))
    }

    async fn list(&self, _: TenantId) -> Result<Vec<KeptOriginal>, OriginalsError> {
        Ok(Vec::new())
    }

    async fn remove(&self, _: TenantId, digest: Sha256Hash) -> Result<(), OriginalsError> {
        self.originals.lock().unwrap().remove(&digest);
        Ok(())
    }
}

#[async_trait]
impl Intake for World {
    async fn claim(&self, limit: usize) -> Result<Vec<Job>, CatalogueError> {
        let mut jobs = self.jobs.lock().unwrap();
        let taken = jobs.len().min(limit);
        Ok(jobs.drain(..taken).collect())
    }

    async fn renew(&self, _: &[(Uuid, Uuid)]) -> Result<Vec<Uuid>, CatalogueError> {
        Ok(Vec::new())
    }

    async fn commit(&self, versions: Vec<(Job, NewVersion)>) -> Result<Vec<Committed>, CatalogueError> {
        let mut outcomes = Vec::new();
        for (job, version) in versions {
            match version.title.as_str() {
                "refused" => outcomes.push(Committed::Refused("a NUL in it".to_owned())),
                "away" => return Err(CatalogueError::Unavailable("no disk space".to_owned())),
                _ => {
                    self.committed.lock().unwrap().push(job.submission.source_location);
                    outcomes.push(Committed::Done);
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
        Ok(Failed::GivenUp)
    }
}

#[async_trait]
impl VectorShelf for World {
    async fn stored(
        &self,
        _: ModelHash,
        _: &[(TenantId, Sha256Hash)],
    ) -> Result<Vec<(TenantId, Sha256Hash)>, CatalogueError> {
        Ok(Vec::new())
    }

    async fn store(&self, _: ModelHash, _: Vec<NewVector>) -> Result<(), CatalogueError> {
        Ok(())
    }
}

#[async_trait]
impl Outbox for World {
    async fn claim(&self, _: usize) -> Result<Vec<Publication>, CatalogueError> {
        Ok(Vec::new())
    }

    async fn wanted(&self, _: ModelHash, _: &[(TenantId, DocumentId)]) -> Result<Vec<Wanted>, CatalogueError> {
        Ok(Vec::new())
    }

    async fn renew(&self, _: &[Publication]) -> Result<(), CatalogueError> {
        Ok(())
    }

    async fn acknowledge(&self, _: &[Publication]) -> Result<(), CatalogueError> {
        Ok(())
    }

    async fn release(&self, _: &[Publication]) -> Result<(), CatalogueError> {
        Ok(())
    }
}

/// Reads as this process does, but dies, dawdles or is missing where a document says so.
struct Moody;

#[async_trait]
impl Reader for Moody {
    async fn read(&self, original: Vec<u8>, format: Format) -> Result<ReadDocument, ReadingError> {
        let text = String::from_utf8_lossy(&original).into_owned();
        match text.split_once(": ") {
            Some(("fatal", reason)) => Err(ReadingError::Fatal(reason.to_owned())),
            Some(("interrupted", reason)) => Err(ReadingError::Interrupted(reason.to_owned())),
            Some(("no reader", reason)) => Err(ReadingError::NoReader(reason.to_owned())),
            _ => InProcess.read(original, format).await,
        }
    }
}

async fn hand_in(world: &World, location: &str, title: Option<&str>, text: &str) {
    let original = world.keep(TENANT, text.as_bytes().to_vec()).await.unwrap();
    let submission = Submission {
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
    };
    let job = Job { id: Uuid::now_v7(), lease: Uuid::nil(), attempts: 0, submission };
    world.jobs.lock().unwrap().push(job);
}

fn worker(world: &Arc<World>) -> Worker {
    let embedder = Arc::new(FakeEmbedder::new(8, 64));
    Worker {
        intake: world.clone(),
        originals: world.clone(),
        readers: Readers::new(Arc::new(Moody), 2),
        counter: embedder.clone(),
        publisher: Publisher {
            outbox: world.clone(),
            vectors: world.clone(),
            embedder,
            index: Arc::new(FakeIndex::new(8)),
            progress: Arc::new(Progress::default()),
            renew_every: Duration::from_secs(60),
        },
    }
}

#[tokio::test]
async fn each_document_fails_for_itself_with_its_reason() {
    let world = Arc::new(World::default());
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
    let mut committed = world.committed.lock().unwrap().clone();
    committed.sort_unstable();
    assert_eq!(committed, (0..=8).map(|number| format!("good-{number}.md")).collect::<Vec<_>>());
    let failed = world.failed.lock().unwrap().clone();
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
    let world = Arc::new(World::default());
    hand_in(&world, "short.md", None, "Short.").await;
    let long: String = (0..PASSAGES_A_GROUP * 2).map(|number| format!("## Section {number}\n\nText.\n\n")).collect();
    hand_in(&world, "long.md", None, &long).await;
    hand_in(&world, "after.md", None, "After.").await;
    assert_eq!(worker(&world).intake_round().await, Ok(3));
    assert_eq!(world.committed.lock().unwrap().len(), 3);
}
