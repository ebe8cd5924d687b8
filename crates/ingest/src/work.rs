//! The worker: takes jobs, does them, and publishes what they made, until it is told to stop.

use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use futures::future::{join, join_all};
use ibidem_engine::ports::catalogue::CatalogueError;
use ibidem_engine::ports::embedder::{EmbedError, TokenCounter};
use ibidem_engine::ports::intake::{Committed, Failure, Intake, Job, NewVersion};
use ibidem_engine::ports::originals::{Originals, OriginalsError};
use ibidem_engine::ports::vectors::MissingVector;
use tokio::sync::watch;

use crate::embed::{EmbedMissingError, embed_missing};
use crate::identify::{Identified, identify, title_of};
use crate::publish::Publisher;
use crate::read::{ReadError, read};
use crate::split::{Limits, SplitError, split};

/// How many jobs are taken together: enough passages for full embedding batches even when documents are short.
const JOBS_A_ROUND: usize = 32;
/// Rounds under way at once: one is embedded while the next is read and the last is committed.
const ROUNDS_AT_ONCE: usize = 2;
/// How long to rest when there is nothing to do, or a part does not answer.
const REST: Duration = Duration::from_millis(200);

/// Why a document could not be taken in.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error(transparent)]
    Original(#[from] OriginalsError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Split(#[from] SplitError),
    #[error("reading it was interrupted: {0}")]
    Interrupted(String),
}

impl JobError {
    fn failure(&self) -> Failure {
        match self {
            Self::Original(OriginalsError::Unavailable(_)) => Failure::Outage,
            Self::Interrupted(_) => Failure::Passing,
            Self::Original(_) | Self::Read(_) | Self::Split(_) => Failure::Permanent,
        }
    }
}

/// Everything a worker needs. Cheap to clone.
#[derive(Clone)]
pub struct Worker {
    pub intake: Arc<dyn Intake>,
    pub originals: Arc<dyn Originals>,
    pub counter: Arc<dyn TokenCounter>,
    pub publisher: Publisher,
}

impl Worker {
    /// Works until `stop` says so; what is under way is finished first.
    pub async fn run(&self, stop: watch::Receiver<bool>) {
        let taking = join_all((0..ROUNDS_AT_ONCE).map(|_| self.repeat(stop.clone(), || self.intake_round())));
        let publishing =
            self.repeat(stop.clone(), || async { self.publisher.round().await.map_err(|error| error.to_string()) });
        join(taking, publishing).await;
    }

    async fn repeat<F>(&self, mut stop: watch::Receiver<bool>, round: impl Fn() -> F)
    where
        F: Future<Output = Result<usize, String>>,
    {
        while !*stop.borrow() {
            match round().await {
                Ok(done) if done > 0 => continue,
                Ok(_) => {}
                Err(error) => tracing::warn!(error, "a round of work failed; it will be tried again"),
            }
            // A closed channel means that whoever would stop us is gone: stop as well.
            if let Ok(Err(_)) = tokio::time::timeout(REST, stop.changed()).await {
                return;
            }
        }
    }

    /// Takes a handful of jobs and does them. Returns how many were taken.
    async fn intake_round(&self) -> Result<usize, String> {
        let jobs = self.intake.claim(JOBS_A_ROUND).await.map_err(|error| error.to_string())?;
        let taken = jobs.len();
        if taken == 0 {
            return Ok(0);
        }
        let held: Vec<_> = jobs.iter().map(|job| (job.id, job.lease)).collect();
        tokio::select! {
            done = self.do_jobs(jobs) => done.map(|()| taken),
            never = self.hold(held) => never,
        }
    }

    async fn hold(&self, held: Vec<(uuid::Uuid, uuid::Uuid)>) -> Result<usize, String> {
        loop {
            tokio::time::sleep(self.publisher.renew_every).await;
            // A lease that could not be renewed shows at the commit, which is refused: nothing to do here.
            if let Err(error) = self.intake.renew(&held).await {
                tracing::warn!(%error, "leases could not be renewed");
            }
        }
    }

    async fn do_jobs(&self, jobs: Vec<Job>) -> Result<(), String> {
        let prepared = join_all(jobs.into_iter().map(|job| self.prepare(job))).await;
        let mut read: Vec<(Job, Identified)> = Vec::new();
        for (job, prepared) in prepared {
            match prepared {
                Ok(identified) => read.push((job, identified)),
                Err(error) => self.fail(&job, &error.to_string(), error.failure()).await?,
            }
        }
        let to_embed = read.iter().flat_map(|(_, identified)| identified.to_embed.iter().cloned()).collect();
        match self.embed(to_embed).await {
            Ok(()) => {}
            // Somebody's passage does not fit: each document for itself, so that only that one fails.
            Err(EmbedMissingError::Embed(EmbedError::TooLong { .. })) => read = self.embed_one_by_one(read).await?,
            Err(error) => {
                for (job, _) in &read {
                    self.fail(job, &error.to_string(), failure(&error)).await?;
                }
                return Err(error.to_string());
            }
        }
        let versions = read.into_iter().map(|(job, identified)| (job, identified.version)).collect();
        self.commit(versions).await.map_err(|error| error.to_string())
    }

    /// Embeds document by document; returns those that could be.
    async fn embed_one_by_one(&self, read: Vec<(Job, Identified)>) -> Result<Vec<(Job, Identified)>, String> {
        let mut embedded = Vec::with_capacity(read.len());
        for (job, identified) in read {
            match self.embed(identified.to_embed.clone()).await {
                Ok(()) => embedded.push((job, identified)),
                Err(error) => self.fail(&job, &error.to_string(), failure(&error)).await?,
            }
        }
        Ok(embedded)
    }

    /// Reads, splits and identifies one document, on a thread where that may take its time.
    async fn prepare(&self, job: Job) -> (Job, Result<Identified, JobError>) {
        let submission = job.submission.clone();
        let original = match self.originals.fetch(submission.tenant, submission.original).await {
            Ok(original) => original,
            Err(error) => return (job, Err(error.into())),
        };
        let counter = Arc::clone(&self.counter);
        let limits = Limits::of_window(self.publisher.embedder.model().max_tokens);
        let today = Utc::now();
        let prepared = tokio::task::spawn_blocking(move || {
            let document = read(&original, submission.format)?;
            let title = title_of(&submission, &document);
            let passages = split(&document, &title, counter.as_ref(), &limits)?;
            Ok(identify(&submission, title, document, passages, today))
        });
        let prepared = prepared.await.unwrap_or_else(|error| Err(JobError::Interrupted(error.to_string())));
        (job, prepared)
    }

    async fn embed(&self, to_embed: Vec<MissingVector>) -> Result<(), EmbedMissingError> {
        let publisher = &self.publisher;
        embed_missing(publisher.embedder.as_ref(), publisher.vectors.as_ref(), to_embed, &publisher.progress).await
    }

    async fn commit(&self, versions: Vec<(Job, NewVersion)>) -> Result<(), CatalogueError> {
        let passages: Vec<usize> = versions.iter().map(|(_, version)| version.passages.len()).collect();
        let outcomes = self.intake.commit(versions).await?;
        for (outcome, passages) in outcomes.into_iter().zip(passages) {
            if outcome == Committed::Done {
                self.publisher.progress.committed(passages);
            }
        }
        Ok(())
    }

    async fn fail(&self, job: &Job, reason: &str, failure: Failure) -> Result<(), String> {
        let outcome = self.intake.fail(job, reason, failure).await.map_err(|error| error.to_string())?;
        tracing::warn!(document = job.submission.source_location, reason, ?outcome, "a document was not taken in");
        Ok(())
    }
}

/// What a failure to embed means for the document.
fn failure(error: &EmbedMissingError) -> Failure {
    match error {
        EmbedMissingError::Embed(EmbedError::TooLong { .. }) => Failure::Permanent,
        EmbedMissingError::Embed(_) | EmbedMissingError::Store(_) => Failure::Outage,
    }
}
