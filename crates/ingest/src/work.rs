//! The worker: takes jobs, does them, and publishes what they made, until it is told to stop.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use chrono::Utc;
use futures::future::{join_all, join3};
use futures::stream::{self, StreamExt as _};
use ibidem_ports::embedder::{EmbedError, EmbedFault, TokenCounter};
use ibidem_ports::intake::{Committed, Failure, Intake, Job, Submission};
use ibidem_ports::originals::{Originals, OriginalsError};
use ibidem_ports::vectors::MissingVector;
use tokio::sync::{Semaphore, watch};
use tracing::field::Empty;
use tracing::{Instrument as _, Span, trace_span};

use crate::embed::{EmbedMissingError, embed_missing};
use crate::identify::{Identified, identify, title_of};
use crate::publish::Publisher;
use crate::read::reader::{Reader, ReadingError};
use crate::split::{Limits, SplitError, split};

/// How many jobs are taken together: enough passages for full embedding batches even when documents are short.
const JOBS_A_ROUND: usize = 32;
/// Rounds under way at once: one is embedded while the next is read and the last is committed.
const ROUNDS_AT_ONCE: usize = 2;
/// How many jobs of tenants that have none under way are taken beside the rounds: they do not wait until another
/// tenant's documents are done, however large these are.
const JOBS_OF_IDLE: usize = 4;
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

/// A job under way, with its span for traces. The span ends with the job: it is never entered, and its stages are its
/// children by name.
struct Taken {
    job: Job,
    span: Span,
}

impl Taken {
    fn new(job: Job) -> Self {
        let Submission { tenant, format, .. } = &job.submission;
        let span = trace_span!(
            parent: None,
            "ingest",
            otel.kind = "consumer",
            otel.status_code = Empty,
            ibidem.tenant = %tenant.0,
            ibidem.document = %job.submission.document_id().0,
            ibidem.format = format.as_str(),
            ibidem.attempts = i64::from(job.attempts),
            ibidem.passages = Empty,
            ibidem.failure = Empty,
        );
        Self { job, span }
    }

    /// Says what sort of failure it was, and not the reason: that may quote the document.
    fn failed(&self, failure: Failure) {
        let failure = match failure {
            Failure::Permanent => "permanent",
            Failure::Passing => "passing",
            Failure::Outage => "outage",
        };
        self.span.record("ibidem.failure", failure);
        self.span.record("otel.status_code", "error");
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
        let taking_of_idle = self.repeat(stop, || self.idle_round());
        join3(taking, taking_of_idle, publishing).await;
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
        self.held_and_done(self.intake.claim(JOBS_A_ROUND).await.map_err(|error| error.to_string())?).await
    }

    /// The same with jobs of tenants that have none under way.
    async fn idle_round(&self) -> Result<usize, String> {
        self.held_and_done(self.intake.claim_of_idle(JOBS_OF_IDLE).await.map_err(|error| error.to_string())?).await
    }

    /// Does jobs while their leases are held on to. Returns how many there were.
    async fn held_and_done(&self, jobs: Vec<Job>) -> Result<usize, String> {
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
        let mut group: Vec<(Taken, Identified)> = Vec::new();
        let mut passages = 0;
        while let Some((taken, prepared)) = prepared.next().await {
            match prepared {
                Ok(identified) => {
                    let count = identified.to_embed.len();
                    // A long document goes alone: those before it are done first.
                    if passages + count > PASSAGES_A_GROUP && !group.is_empty() {
                        outcome = outcome.and(self.finish(std::mem::take(&mut group)).await);
                        passages = 0;
                    }
                    taken.span.record("ibidem.passages", i64::try_from(count).unwrap_or(i64::MAX));
                    group.push((taken, identified));
                    passages += count;
                }
                Err(error) => self.fail(&taken, &error.to_string(), error.failure()).await,
            }
        }
        outcome.and(self.finish(group).await)
    }

    /// Embeds and commits documents that were read. An error is a part's that every document needs.
    async fn finish(&self, mut read: Vec<(Taken, Identified)>) -> Result<(), String> {
        let to_embed = read.iter().flat_map(|(_, identified)| identified.to_embed.iter().cloned()).collect();
        // Documents are embedded together: each has the whole as its stage.
        let embedding: Vec<Span> = read.iter().map(|(taken, _)| trace_span!(parent: &taken.span, "embed")).collect();
        let embedded = self.embed(to_embed).await;
        drop(embedding);
        match embedded {
            Ok(()) => {}
            // Somebody's passage does not fit: each document for itself, so that only that one fails.
            Err(EmbedMissingError::Embed(EmbedError::Own(EmbedFault::TooLong { .. }))) => {
                read = self.embed_one_by_one(read).await;
            }
            Err(error) => {
                for (taken, _) in &read {
                    self.fail(taken, &error.to_string(), failure(&error)).await;
                }
                return Err(error.to_string());
            }
        }
        let mut outcome = Ok(());
        for (taken, identified) in read {
            outcome = outcome.and(self.commit(&taken, identified).await);
        }
        outcome
    }

    /// Embeds document by document; returns those that could be.
    async fn embed_one_by_one(&self, read: Vec<(Taken, Identified)>) -> Vec<(Taken, Identified)> {
        let mut embedded = Vec::with_capacity(read.len());
        for (taken, identified) in read {
            let span = trace_span!(parent: &taken.span, "embed");
            match self.embed(identified.to_embed.clone()).instrument(span).await {
                Ok(()) => embedded.push((taken, identified)),
                Err(error) => self.fail(&taken, &error.to_string(), failure(&error)).await,
            }
        }
        embedded
    }

    /// Reads, splits and identifies one document. In a task of its own: it goes on while others are embedded.
    async fn prepare(&self, job: Job) -> (Taken, Result<Identified, JobError>) {
        let taken = Taken::new(job);
        let (worker, submission, span) = (self.clone(), taken.job.submission.clone(), taken.span.clone());
        let prepared = tokio::spawn(async move { worker.identified(submission, &span).await });
        let prepared = prepared.await.unwrap_or_else(|error| Err(JobError::Interrupted(error.to_string())));
        (taken, prepared)
    }

    async fn identified(&self, submission: Submission, span: &Span) -> Result<Identified, JobError> {
        // Before the original is fetched: those that wait hold nothing.
        let _place = self.readers.places.acquire().await;
        let read = async {
            let original = self.originals.fetch(submission.tenant, submission.original).await?;
            Ok::<_, JobError>(self.readers.reader.extract(original, submission.format).await?)
        };
        let document = read.instrument(trace_span!(parent: span, "read")).await?;
        let counter = Arc::clone(&self.counter);
        let limits = Limits::of_window(self.publisher.embedder.model().max_tokens);
        let today = Utc::now();
        let split = tokio::task::spawn_blocking(move || {
            let title = title_of(&submission, &document);
            let passages = split(&document, &title, counter.as_ref(), &limits)?;
            Ok(identify(&submission, title, document, passages, today))
        });
        let split = split.instrument(trace_span!(parent: span, "split")).await;
        split.unwrap_or_else(|error| Err(JobError::Interrupted(error.to_string())))
    }

    async fn embed(&self, to_embed: Vec<MissingVector>) -> Result<(), EmbedMissingError> {
        let publisher = &self.publisher;
        embed_missing(publisher.embedder.as_ref(), publisher.vectors.as_ref(), to_embed, &publisher.progress).await
    }

    async fn commit(&self, taken: &Taken, identified: Identified) -> Result<(), String> {
        let job = &taken.job;
        let passages = identified.version.passages.len();
        for remark in &identified.version.remarks {
            tracing::info!(document = job.submission.source_location, remark, "a document was changed in reading");
        }
        let committed = self.intake.commit(vec![(job.clone(), identified.version)]);
        match committed.instrument(trace_span!(parent: &taken.span, "commit")).await {
            Ok(outcomes) => {
                match outcomes.into_iter().next() {
                    Some(Committed::Done) => self.publisher.progress.committed(passages),
                    Some(Committed::Refused(reason)) => self.fail(taken, &reason, Failure::Permanent).await,
                    Some(Committed::LeaseLost) | None => {}
                }
                Ok(())
            }
            Err(error) => {
                self.fail(taken, &error.to_string(), Failure::Outage).await;
                Err(error.to_string())
            }
        }
    }

    /// Notes that an attempt failed. When not even that can be noted, the lease runs out and the job is tried again.
    async fn fail(&self, taken: &Taken, reason: &str, failure: Failure) {
        taken.failed(failure);
        let job = &taken.job;
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
