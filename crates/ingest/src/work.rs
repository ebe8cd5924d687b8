//! The worker: takes jobs, does them, and publishes what they made, until it is told to stop.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use futures::future::{join, join_all};
use futures::stream::{self, StreamExt as _};
use ibidem_words::ports::embedder::{EmbedError, EmbedFault, TokenCounter};
use ibidem_words::ports::intake::{Committed, Failure, Intake, Job};
use ibidem_words::ports::originals::{Originals, OriginalsError};
use ibidem_words::ports::vectors::MissingVector;
use tokio::sync::{Semaphore, watch};

use crate::embed::{EmbedMissingError, embed_missing};
use crate::identify::{Identified, identify, title_of};
use crate::publish::Publisher;
use crate::read::reader::{Reader, ReadingError};
use crate::split::{Limits, SplitError, split};

/// How many jobs are taken together: enough passages for full embedding batches even when documents are short.
const JOBS_A_ROUND: usize = 32;
/// Rounds under way at once: one is embedded while the next is read and the last is committed.
const ROUNDS_AT_ONCE: usize = 2;
/// Documents of a round are embedded and committed as soon as they have this many passages together: the first of a
/// round do not wait for its last, and no more of them are held in memory.
const PASSAGES_A_GROUP: usize = 1_024;
/// How long to rest when there is nothing to do, or a part does not answer.
const REST: Duration = Duration::from_millis(200);

/// Why a document could not be taken in.
#[derive(Debug, thiserror::Error)]
enum JobError {
    #[error(transparent)]
    Original(#[from] OriginalsError),
    #[error(transparent)]
    Reading(#[from] ReadingError),
    #[error(transparent)]
    Split(#[from] SplitError),
    #[error("splitting it was interrupted: {0}")]
    Interrupted(String),
}

impl JobError {
    fn failure(&self) -> Failure {
        match self {
            Self::Original(OriginalsError::Unavailable(_)) | Self::Reading(ReadingError::NoReader(_)) => {
                Failure::Outage
            }
            Self::Interrupted(_) | Self::Reading(ReadingError::Interrupted(_)) => Failure::Passing,
            Self::Original(_) | Self::Reading(_) | Self::Split(_) => Failure::Permanent,
        }
    }
}

/// Who reads originals, and how many of them at once. Cheap to clone.
#[derive(Clone)]
pub struct Readers {
    reader: Arc<dyn Reader>,
    at_once: usize,
    places: Arc<Semaphore>,
}

impl Readers {
    pub fn new(reader: Arc<dyn Reader>, at_once: usize) -> Self {
        let at_once = at_once.max(1);
        Self { reader, at_once, places: Arc::new(Semaphore::new(at_once)) }
    }
}

/// Everything a worker needs. Cheap to clone.
#[derive(Clone)]
pub struct Worker {
    pub intake: Arc<dyn Intake>,
    pub originals: Arc<dyn Originals>,
    pub readers: Readers,
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

    /// Does each job for itself: what becomes of one is nothing to the others.
    async fn do_jobs(&self, jobs: Vec<Job>) -> Result<(), String> {
        let mut prepared = pin!(stream::iter(jobs).map(|job| self.prepare(job)).buffer_unordered(self.readers.at_once));
        let mut outcome = Ok(());
        let mut group: Vec<(Job, Identified)> = Vec::new();
        let mut passages = 0;
        while let Some((job, prepared)) = prepared.next().await {
            match prepared {
                Ok(identified) => {
                    let count = identified.to_embed.len();
                    // A long document goes alone: those before it are done first.
                    if passages + count > PASSAGES_A_GROUP && !group.is_empty() {
                        outcome = outcome.and(self.finish(std::mem::take(&mut group)).await);
                        passages = 0;
                    }
                    group.push((job, identified));
                    passages += count;
                }
                Err(error) => self.fail(&job, &error.to_string(), error.failure()).await,
            }
        }
        outcome.and(self.finish(group).await)
    }

    /// Embeds and commits documents that were read. An error is a part's that every document needs.
    async fn finish(&self, mut read: Vec<(Job, Identified)>) -> Result<(), String> {
        let to_embed = read.iter().flat_map(|(_, identified)| identified.to_embed.iter().cloned()).collect();
        match self.embed(to_embed).await {
            Ok(()) => {}
            // Somebody's passage does not fit: each document for itself, so that only that one fails.
            Err(EmbedMissingError::Embed(EmbedError::Own(EmbedFault::TooLong { .. }))) => {
                read = self.embed_one_by_one(read).await;
            }
            Err(error) => {
                for (job, _) in &read {
                    self.fail(job, &error.to_string(), failure(&error)).await;
                }
                return Err(error.to_string());
            }
        }
        let mut outcome = Ok(());
        for (job, identified) in read {
            outcome = outcome.and(self.commit(job, identified).await);
        }
        outcome
    }

    /// Embeds document by document; returns those that could be.
    async fn embed_one_by_one(&self, read: Vec<(Job, Identified)>) -> Vec<(Job, Identified)> {
        let mut embedded = Vec::with_capacity(read.len());
        for (job, identified) in read {
            match self.embed(identified.to_embed.clone()).await {
                Ok(()) => embedded.push((job, identified)),
                Err(error) => self.fail(&job, &error.to_string(), failure(&error)).await,
            }
        }
        embedded
    }

    /// Reads, splits and identifies one document. In a task of its own: it goes on while others are embedded.
    async fn prepare(&self, job: Job) -> (Job, Result<Identified, JobError>) {
        let (worker, of) = (self.clone(), job.clone());
        let prepared = tokio::spawn(async move { worker.identified(&of).await });
        let prepared = prepared.await.unwrap_or_else(|error| Err(JobError::Interrupted(error.to_string())));
        (job, prepared)
    }

    async fn identified(&self, job: &Job) -> Result<Identified, JobError> {
        let submission = job.submission.clone();
        // Before the original is fetched: those that wait hold nothing.
        let _place = self.readers.places.acquire().await;
        let original = self.originals.fetch(submission.tenant, submission.original).await?;
        let document = self.readers.reader.read(original, submission.format).await?;
        let counter = Arc::clone(&self.counter);
        let limits = Limits::of_window(self.publisher.embedder.model().max_tokens);
        let today = Utc::now();
        let split = tokio::task::spawn_blocking(move || {
            let title = title_of(&submission, &document);
            let passages = split(&document, &title, counter.as_ref(), &limits)?;
            Ok(identify(&submission, title, document, passages, today))
        });
        split.await.unwrap_or_else(|error| Err(JobError::Interrupted(error.to_string())))
    }

    async fn embed(&self, to_embed: Vec<MissingVector>) -> Result<(), EmbedMissingError> {
        let publisher = &self.publisher;
        embed_missing(publisher.embedder.as_ref(), publisher.vectors.as_ref(), to_embed, &publisher.progress).await
    }

    async fn commit(&self, job: Job, identified: Identified) -> Result<(), String> {
        let passages = identified.version.passages.len();
        for remark in &identified.version.remarks {
            tracing::info!(document = job.submission.source_location, remark, "a document was changed in reading");
        }
        match self.intake.commit(vec![(job.clone(), identified.version)]).await {
            Ok(outcomes) => {
                match outcomes.into_iter().next() {
                    Some(Committed::Done) => self.publisher.progress.committed(passages),
                    Some(Committed::Refused(reason)) => self.fail(&job, &reason, Failure::Permanent).await,
                    Some(Committed::LeaseLost) | None => {}
                }
                Ok(())
            }
            Err(error) => {
                self.fail(&job, &error.to_string(), Failure::Outage).await;
                Err(error.to_string())
            }
        }
    }

    /// Notes that an attempt failed. When not even that can be noted, the lease runs out and the job is tried again.
    async fn fail(&self, job: &Job, reason: &str, failure: Failure) {
        let document = &job.submission.source_location;
        match self.intake.fail(job, reason, failure).await {
            Ok(outcome) => tracing::warn!(document, reason, ?outcome, "a document was not taken in"),
            Err(error) => {
                tracing::warn!(document, reason, %error, "a document was not taken in, nor could that be noted");
            }
        }
    }
}

/// What a failure to embed means for the document.
fn failure(error: &EmbedMissingError) -> Failure {
    match error {
        EmbedMissingError::Embed(EmbedError::Own(EmbedFault::TooLong { .. })) => Failure::Permanent,
        EmbedMissingError::Embed(_) | EmbedMissingError::Store(_) => Failure::Outage,
    }
}

#[cfg(test)]
mod tests;
