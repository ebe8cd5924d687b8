//! Jobs in memory, on the clock of the outbox that they end in.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use super::outbox::{Held, LEASE};
use super::{FakeDocument, FakeOutbox};
use ibidem_ports::catalogue::CatalogueError;
use ibidem_ports::intake::{Committed, Failed, Failure, Intake, Job, NewVersion, Submission, Submitted};
use ibidem_words::{DocumentId, Sha256Hash, Tag, TenantId, seen};

/// A job that ended in an error this often is given up.
const MOST_ATTEMPTS: u32 = 5;
/// A job taken this often without ever ending is given up, too.
const MOST_CLAIMS: u32 = 50;
/// How long a job waits after an outage.
const OUTAGE: Duration = Duration::from_secs(4);
/// Names the way that documents are read.
const READING: &str = "fake";

/// What is committed goes into an outbox, as one catalogue has both.
#[derive(Default)]
pub struct FakeIntake {
    outbox: Arc<FakeOutbox>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Oldest first.
    jobs: Vec<Queued>,
    fingerprints: BTreeMap<DocumentId, Sha256Hash>,
    /// How many jobs and leases there were.
    count: u128,
}

struct Queued {
    id: Uuid,
    submission: Submission,
    fingerprint: Sha256Hash,
    attempts: u32,
    claims: u32,
    not_before: Duration,
    held: Option<Held>,
    /// Why it was given up.
    failure: Option<String>,
}

impl FakeIntake {
    /// With the outbox that committed documents go into.
    pub fn new(outbox: Arc<FakeOutbox>) -> Self {
        Self { outbox, state: Mutex::default() }
    }

    /// Hands a document in.
    pub fn hand_in(&self, submission: Submission) -> Submitted {
        let mut state = self.state();
        let (tenant, id) = (submission.tenant, submission.document_id());
        let fingerprint = submission.fingerprint(READING);
        let is_known = state.fingerprints.get(&id) == Some(&fingerprint);
        let Some(known) = self.outbox.document(tenant, id).filter(|_| is_known) else {
            state.queue(submission, fingerprint, self.outbox.now());
            return Submitted::Queued;
        };
        // An older submission that was not done yet has been taken back by this one.
        let was_superseded = state.cancel(id);
        if !was_superseded && known.tags == submission.tags {
            return Submitted::Unchanged;
        }
        self.outbox.retag(tenant, id, &submission.tags);
        Submitted::Retagged
    }

    /// Changes who sees a document, and who will see it once its job is done.
    pub fn retag(&self, tenant: TenantId, id: DocumentId, tags: &[Tag]) {
        for job in self.state().jobs.iter_mut().filter(|job| job.submission.document_id() == id) {
            job.submission.tags = tags.to_vec();
        }
        self.outbox.retag(tenant, id, tags);
    }

    /// Takes a document away, and its job.
    pub fn remove(&self, tenant: TenantId, id: DocumentId) {
        self.state().cancel(id);
        self.outbox.remove(tenant, id);
    }

    /// Where the jobs came from that are neither done nor given up.
    pub fn waiting(&self) -> Vec<String> {
        let state = self.state();
        let waiting = state.jobs.iter().filter(|job| job.failure.is_none());
        waiting.map(|job| job.submission.source_location.clone()).collect()
    }

    /// The jobs that were given up, by where they came from, with the reason.
    pub fn given_up(&self) -> BTreeMap<String, String> {
        let state = self.state();
        let given_up =
            state.jobs.iter().filter_map(|job| Some((&job.submission.source_location, job.failure.as_ref()?)));
        given_up.map(|(location, reason)| (location.clone(), reason.clone())).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn number(&mut self) -> Uuid {
        self.count += 1;
        Uuid::from_u128(self.count)
    }

    /// A document has one job: a newer submission takes the older one's place, and whoever works on other content
    /// loses its lease.
    fn queue(&mut self, submission: Submission, fingerprint: Sha256Hash, now: Duration) {
        let new = Queued {
            id: self.number(),
            submission,
            fingerprint,
            attempts: 0,
            claims: 0,
            not_before: now,
            held: None,
            failure: None,
        };
        let of_same = |job: &&mut Queued| job.submission.document_id() == new.submission.document_id();
        match self.jobs.iter_mut().find(of_same) {
            None => self.jobs.push(new),
            Some(older) => {
                let held = older.held.take().filter(|_| older.fingerprint == fingerprint);
                *older = Queued { id: older.id, held, ..new };
            }
        }
    }

    /// Says whether there was a job.
    fn cancel(&mut self, id: DocumentId) -> bool {
        let before = self.jobs.len();
        self.jobs.retain(|job| job.submission.document_id() != id);
        self.jobs.len() < before
    }

    fn held(&mut self, id: Uuid, lease: Uuid) -> Option<&mut Queued> {
        let is_ours = |job: &&mut Queued| job.id == id && job.held.as_ref().is_some_and(|held| held.lease == lease);
        self.jobs.iter_mut().find(is_ours)
    }
}

impl Queued {
    fn is_under_way(&self, now: Duration) -> bool {
        self.failure.is_none() && self.held.as_ref().is_some_and(|held| held.until >= now)
    }

    fn is_free(&self, now: Duration) -> bool {
        self.failure.is_none() && self.not_before <= now && !self.is_under_way(now)
    }
}

impl FakeIntake {
    /// Leases jobs, one of each tenant in turn; of `only_idle` tenants those that have none under way, and one of each.
    fn leased(&self, limit: usize, only_idle: bool) -> Vec<Job> {
        let (now, mut state) = (self.outbox.now(), self.state());
        let lease = state.number();
        let is_deadly = |job: &&mut Queued| job.claims >= MOST_CLAIMS && job.held.is_some() && job.is_free(now);
        for job in state.jobs.iter_mut().filter(is_deadly) {
            job.failure = Some("given up: each worker that read it died".to_owned());
        }
        let mut turns: BTreeMap<TenantId, usize> = BTreeMap::new();
        for job in state.jobs.iter().filter(|job| job.is_under_way(now)) {
            *turns.entry(job.submission.tenant).or_default() += 1;
        }
        let mut free = Vec::new();
        for (place, job) in state.jobs.iter().enumerate().filter(|(_, job)| job.is_free(now)) {
            let turn = turns.entry(job.submission.tenant).or_default();
            *turn += 1;
            free.push((*turn, job.submission.tenant, place));
        }
        free.retain(|(turn, ..)| *turn == 1 || !only_idle);
        free.sort_unstable();
        let mut taken = Vec::new();
        for (_, _, place) in free.into_iter().take(limit) {
            let job = &mut state.jobs[place];
            job.held = Some(Held { lease, until: now + LEASE });
            job.claims += 1;
            taken.push(Job { id: job.id, lease, attempts: job.attempts, submission: job.submission.clone() });
        }
        taken
    }
}

#[async_trait]
impl Intake for FakeIntake {
    async fn claim(&self, limit: usize) -> Result<Vec<Job>, CatalogueError> {
        Ok(self.leased(limit, false))
    }

    async fn claim_of_idle(&self, limit: usize) -> Result<Vec<Job>, CatalogueError> {
        Ok(self.leased(limit, true))
    }

    async fn renew(&self, jobs: &[(Uuid, Uuid)]) -> Result<Vec<Uuid>, CatalogueError> {
        let (now, mut state) = (self.outbox.now(), self.state());
        let mut lost = Vec::new();
        for (id, lease) in jobs {
            match state.held(*id, *lease) {
                Some(job) => job.held = Some(Held { lease: *lease, until: now + LEASE }),
                None => lost.push(*id),
            }
        }
        Ok(lost)
    }

    async fn commit(&self, versions: Vec<(Job, NewVersion)>) -> Result<Vec<Committed>, CatalogueError> {
        let mut state = self.state();
        let mut outcomes = Vec::new();
        for (job, version) in versions {
            outcomes.push(match state.held(job.id, job.lease) {
                None => Committed::LeaseLost,
                Some(_) if has_nul(&version) => Committed::Refused("a text has a NUL in it".to_owned()),
                Some(held) => {
                    // As it was handed in last: it may have been retagged since the job was taken.
                    let (submission, fingerprint) = (held.submission.clone(), held.fingerprint);
                    let id = submission.document_id();
                    state.cancel(id);
                    state.fingerprints.insert(id, fingerprint);
                    let document = FakeDocument {
                        collection: submission.collection,
                        kind: version.kind,
                        tags: submission.tags,
                        title: version.title,
                        passages: version.passages,
                    };
                    self.outbox.put(submission.tenant, id, document);
                    Committed::Done
                }
            });
        }
        Ok(outcomes)
    }

    async fn fail(&self, job: &Job, reason: &str, failure: Failure) -> Result<Failed, CatalogueError> {
        let (now, mut state) = (self.outbox.now(), self.state());
        let Some(job) = state.held(job.id, job.lease) else { return Ok(Failed::LeaseLost) };
        job.held = None;
        if failure == Failure::Outage {
            job.claims = 0;
            job.not_before = now + OUTAGE;
            return Ok(Failed::WillRetry);
        }
        job.not_before = now + Duration::from_secs(1 << job.attempts.min(6));
        job.attempts += 1;
        if failure == Failure::Permanent || job.attempts >= MOST_ATTEMPTS {
            job.failure = Some(seen(reason).to_string());
            return Ok(Failed::GivenUp);
        }
        Ok(Failed::WillRetry)
    }
}

/// No database keeps a NUL in a text.
fn has_nul(version: &NewVersion) -> bool {
    let passages = version.passages.iter().flat_map(|passage| [Some(&passage.text), passage.section.as_ref()]);
    let texts = [Some(&version.title), Some(&version.text), version.address.as_ref()];
    texts.into_iter().chain(passages).flatten().chain(&version.remarks).any(|text| text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::FakeVectors;
    use crate::suites::intake::{Desk, intake_suite};
    use crate::suites::outbox::outbox_suite;
    use crate::suites::vectors::vectors_suite;

    #[async_trait]
    impl Desk for FakeIntake {
        async fn tenant(&self, name: &str) -> TenantId {
            TenantId::named(name)
        }

        async fn hand_in(&self, submission: Submission) -> Submitted {
            FakeIntake::hand_in(self, submission)
        }

        async fn retag(&self, tenant: TenantId, document: DocumentId, tags: Vec<Tag>) {
            FakeIntake::retag(self, tenant, document, &tags);
        }

        async fn remove(&self, tenant: TenantId, document: DocumentId) {
            FakeIntake::remove(self, tenant, document);
        }

        fn lease(&self) -> Duration {
            LEASE
        }

        async fn pass(&self, time: Duration) {
            self.outbox.pass(time);
        }
    }

    #[tokio::test]
    async fn the_fakes_behave_as_intake_outbox_and_vectors() {
        let vectors = Arc::new(FakeVectors::default());
        let outbox = Arc::new(FakeOutbox::new(vectors.clone()));
        let intake = FakeIntake::new(outbox.clone());
        vectors_suite(vectors.as_ref(), &intake).await;
        intake_suite(&intake, &intake).await;
        outbox_suite(outbox.as_ref(), vectors.as_ref(), &intake, &intake).await;
    }
}
