//! What everybody does who hands out jobs.

use std::time::Duration;

use async_trait::async_trait;
use chrono::DateTime;

use super::catalogue::tags;
use ibidem_ports::intake::{
    Committed, Failed, Failure, Format, Intake, Job, NewPassage, NewVersion, Submission, Submitted,
};
use ibidem_words::{CharSpan, DocumentId, Sha256Hash, Tag, TenantId, passage_in_context};

/// Longer than any job waits after it failed.
const A_WHILE: Duration = Duration::from_secs(600);

/// Where documents are handed in. Time passes there only when it is told to.
#[async_trait]
pub trait Desk: Send + Sync {
    /// The tenant of this name, which there is from now on.
    async fn tenant(&self, name: &str) -> TenantId;
    async fn hand_in(&self, submission: Submission) -> Submitted;
    async fn retag(&self, tenant: TenantId, document: DocumentId, tags: Vec<Tag>);
    async fn remove(&self, tenant: TenantId, document: DocumentId);
    /// How long a lease lasts.
    fn lease(&self) -> Duration;
    /// Lets so much time pass for every lease, and for every job that waits.
    async fn pass(&self, time: Duration);
}

/// Runs the whole suite.
pub async fn intake_suite(intake: &dyn Intake, desk: &dyn Desk) {
    assert!(intake.claim(10).await.unwrap().is_empty(), "the suite begins with no job");
    a_job_is_one_workers_until_its_lease_runs_out(intake, desk).await;
    what_is_handed_in_again_is_done_again_only_where_it_changed(intake, desk).await;
    a_newer_submission_takes_the_older_ones_place(intake, desk).await;
    a_removed_document_has_no_job(intake, desk).await;
    a_failed_job_waits_and_is_given_up_in_the_end(intake, desk).await;
    an_outage_is_not_counted(intake, desk).await;
    a_job_that_kills_its_workers_is_given_up(intake, desk).await;
    a_version_that_cannot_be_kept_fails_alone(intake, desk).await;
    tenants_take_turns(intake, desk).await;
}

async fn a_job_is_one_workers_until_its_lease_runs_out(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake lease").await;
    let handed_in = submission(tenant, "a.md", "one");
    assert_eq!(desk.hand_in(handed_in.clone()).await, Submitted::Queued);
    assert!(intake.claim(0).await.unwrap().is_empty());
    let first = one(intake).await;
    assert_eq!((first.attempts, &first.submission), (0, &handed_in));
    let held = [(first.id, first.lease)];
    for _ in 0..2 {
        assert!(intake.claim(10).await.unwrap().is_empty(), "it is leased, and its lease is renewed");
        desk.pass(desk.lease() * 2 / 3).await;
        assert!(intake.renew(&held).await.unwrap().is_empty());
    }
    desk.pass(desk.lease() * 2).await;
    let second = one(intake).await;
    assert_eq!(second.id, first.id);
    assert_ne!(second.lease, first.lease);

    // The first worker was only slow: it must not store anything now.
    assert_eq!(intake.renew(&held).await.unwrap(), [first.id]);
    assert_eq!(commit(intake, &first).await, Committed::LeaseLost);
    assert_eq!(intake.fail(&first, "too late", Failure::Permanent).await.unwrap(), Failed::LeaseLost);
    assert_eq!(commit(intake, &second).await, Committed::Done);
    assert_eq!(commit(intake, &second).await, Committed::LeaseLost, "a job is done once");
    desk.pass(A_WHILE).await;
    assert!(intake.claim(10).await.unwrap().is_empty());
}

async fn what_is_handed_in_again_is_done_again_only_where_it_changed(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake again").await;
    take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    assert_eq!(desk.hand_in(submission(tenant, "a.md", "one")).await, Submitted::Unchanged);
    let hidden = Submission { tags: tags(&["finance"]), ..submission(tenant, "a.md", "one") };
    assert_eq!(desk.hand_in(hidden.clone()).await, Submitted::Retagged);
    assert_eq!(desk.hand_in(hidden).await, Submitted::Unchanged);
    assert!(intake.claim(10).await.unwrap().is_empty(), "there is nothing to read again");
    let titled = Submission { title: Some("A title".to_owned()), ..submission(tenant, "a.md", "one") };
    assert_eq!(desk.hand_in(titled).await, Submitted::Queued);
    assert_eq!(commit(intake, &one(intake).await).await, Committed::Done);
}

async fn a_newer_submission_takes_the_older_ones_place(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake newer").await;
    take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    desk.hand_in(submission(tenant, "a.md", "two")).await;
    let outdated = one(intake).await;
    // The same again: whoever works on it goes on.
    assert_eq!(desk.hand_in(submission(tenant, "a.md", "two")).await, Submitted::Queued);
    assert!(intake.renew(&[(outdated.id, outdated.lease)]).await.unwrap().is_empty());
    assert_eq!(desk.hand_in(submission(tenant, "a.md", "three")).await, Submitted::Queued);
    assert_eq!(commit(intake, &outdated).await, Committed::LeaseLost);
    let current = one(intake).await;
    assert_eq!(current.submission.original, Sha256Hash::of(b"three"));
    // Back to what there is: the job is taken back.
    assert_eq!(desk.hand_in(submission(tenant, "a.md", "one")).await, Submitted::Retagged);
    assert_eq!(commit(intake, &current).await, Committed::LeaseLost);
    assert!(intake.claim(10).await.unwrap().is_empty());
}

async fn a_removed_document_has_no_job(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake removed").await;
    let document = take_in(intake, desk, submission(tenant, "a.md", "one"), &["Text."]).await;
    desk.hand_in(submission(tenant, "a.md", "two")).await;
    let job = one(intake).await;
    desk.remove(tenant, document).await;
    assert_eq!(commit(intake, &job).await, Committed::LeaseLost);
    assert_eq!(desk.hand_in(submission(tenant, "a.md", "one")).await, Submitted::Queued, "it is read anew");
    assert_eq!(commit(intake, &one(intake).await).await, Committed::Done);
}

async fn a_failed_job_waits_and_is_given_up_in_the_end(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake failed").await;
    desk.hand_in(submission(tenant, "a.md", "one")).await;
    let mut failures = 0;
    loop {
        let job = one(intake).await;
        assert_eq!(job.attempts, failures);
        let outcome = intake.fail(&job, "it was interrupted", Failure::Passing).await.unwrap();
        assert_eq!(intake.fail(&job, "once more", Failure::Passing).await.unwrap(), Failed::LeaseLost);
        assert!(intake.claim(10).await.unwrap().is_empty(), "it waits before it is tried again");
        failures += 1;
        if outcome == Failed::GivenUp {
            break;
        }
        assert!(failures < 20, "it is given up some time");
        desk.pass(A_WHILE).await;
    }
    assert!(failures > 1, "a failure that passes is tried again");
    desk.pass(A_WHILE).await;
    assert!(intake.claim(10).await.unwrap().is_empty());

    // Handed in again, it is a new job; what trying again cannot help is given up at once.
    assert_eq!(desk.hand_in(submission(tenant, "a.md", "one")).await, Submitted::Queued);
    let job = one(intake).await;
    assert_eq!(job.attempts, 0);
    assert_eq!(intake.fail(&job, "no text in it", Failure::Permanent).await.unwrap(), Failed::GivenUp);
    desk.pass(A_WHILE).await;
    assert!(intake.claim(10).await.unwrap().is_empty());
}

async fn an_outage_is_not_counted(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake outage").await;
    desk.hand_in(submission(tenant, "a.md", "one")).await;
    for _ in 0..8 {
        let job = one(intake).await;
        assert_eq!(job.attempts, 0);
        assert_eq!(intake.fail(&job, "nothing answers", Failure::Outage).await.unwrap(), Failed::WillRetry);
        assert!(intake.claim(10).await.unwrap().is_empty(), "it waits a few seconds");
        desk.pass(A_WHILE).await;
    }
    assert_eq!(commit(intake, &one(intake).await).await, Committed::Done);
}

async fn a_job_that_kills_its_workers_is_given_up(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake deadly").await;
    desk.hand_in(submission(tenant, "a.md", "one")).await;
    let mut deaths = 0;
    while !intake.claim(10).await.unwrap().is_empty() {
        deaths += 1;
        assert!(deaths < 200, "it is given up some time");
        desk.pass(desk.lease() * 2).await;
    }
    assert!(deaths > 5, "a worker may die for other reasons: {deaths}");
}

async fn a_version_that_cannot_be_kept_fails_alone(intake: &dyn Intake, desk: &dyn Desk) {
    let tenant = desk.tenant("intake refused").await;
    for name in ["a.md", "nul.md", "z.md"] {
        desk.hand_in(submission(tenant, name, name)).await;
    }
    let jobs = intake.claim(10).await.unwrap();
    let versions = jobs.iter().map(|job| match job.submission.source_location.as_str() {
        "nul.md" => (job.clone(), NewVersion { title: "a\0b".to_owned(), ..version(&["Text."]) }),
        _ => (job.clone(), version(&["Text."])),
    });
    let outcomes = intake.commit(versions.collect()).await.unwrap();
    assert_eq!(outcomes.len(), 3);
    for (job, outcome) in jobs.iter().zip(outcomes) {
        match (job.submission.source_location.as_str(), outcome) {
            // What it complains of must not keep the job from failing.
            ("nul.md", Committed::Refused(reason)) => {
                let failed = intake.fail(job, &format!("{reason} \0"), Failure::Permanent).await.unwrap();
                assert_eq!(failed, Failed::GivenUp);
            }
            ("a.md" | "z.md", Committed::Done) => {}
            other => panic!("{other:?}"),
        }
    }
}

async fn tenants_take_turns(intake: &dyn Intake, desk: &dyn Desk) {
    let (busy, quiet) = (desk.tenant("intake busy").await, desk.tenant("intake quiet").await);
    let hand_in_many = async |tenant, count: usize| {
        for number in 0..count {
            desk.hand_in(submission(tenant, &format!("{number}.md"), "x")).await;
        }
    };
    hand_in_many(busy, 20).await;
    let first = intake.claim(4).await.unwrap();
    let mut locations: Vec<_> = first.iter().map(|job| job.submission.source_location.as_str()).collect();
    locations.sort_unstable();
    assert_eq!(locations, ["0.md", "1.md", "2.md", "3.md"], "the oldest first");
    hand_in_many(quiet, 1).await;
    let idle = intake.claim_of_idle(4).await.unwrap();
    assert_eq!(idle.iter().map(|job| job.submission.tenant).collect::<Vec<_>>(), [quiet], "the busy one is not idle");
    assert!(intake.claim_of_idle(4).await.unwrap().is_empty(), "nor is the quiet one now");
    let outcomes = intake.commit(idle.into_iter().map(|job| (job, version(&["Text."]))).collect()).await.unwrap();
    assert_eq!(outcomes, [Committed::Done]);
    desk.hand_in(submission(quiet, "again.md", "x")).await;
    let second = intake.claim(4).await.unwrap();
    assert_eq!(second.len(), 4, "places that the quiet tenant has no use for are the busy one's");
    assert_eq!(second.iter().filter(|job| job.submission.tenant == quiet).count(), 1);

    // What is under way counts: a tenant that has none goes first, until both have as many.
    let third = desk.tenant("intake third").await;
    hand_in_many(third, 10).await;
    let taken = intake.claim(4).await.unwrap();
    assert!(taken.iter().all(|job| job.submission.tenant == third));
    for jobs in [first, second, taken, intake.claim(100).await.unwrap()] {
        let outcomes = intake.commit(jobs.into_iter().map(|job| (job, version(&["Text."]))).collect()).await.unwrap();
        assert!(outcomes.iter().all(|outcome| *outcome == Committed::Done));
    }
    assert!(intake.claim(100).await.unwrap().is_empty());
}

/// The one job that there is to do.
async fn one(intake: &dyn Intake) -> Job {
    let mut jobs = intake.claim(10).await.unwrap();
    assert_eq!(jobs.len(), 1);
    jobs.remove(0)
}

async fn commit(intake: &dyn Intake, job: &Job) -> Committed {
    intake.commit(vec![(job.clone(), version(&["Text."]))]).await.unwrap().remove(0)
}

/// Hands a document in, and does its job.
pub(super) async fn take_in(
    intake: &dyn Intake,
    desk: &dyn Desk,
    submission: Submission,
    texts: &[&str],
) -> DocumentId {
    let document = submission.document_id();
    assert_eq!(desk.hand_in(submission).await, Submitted::Queued);
    let job = one(intake).await;
    assert_eq!(intake.commit(vec![(job, version(texts))]).await.unwrap(), [Committed::Done]);
    document
}

pub(super) fn submission(tenant: TenantId, location: &str, original: &str) -> Submission {
    Submission {
        tenant,
        collection: "ADR".parse().unwrap(),
        source_location: location.to_owned(),
        format: Format::Plain,
        original: Sha256Hash::of(original.as_bytes()),
        tags: tags(&["public"]),
        title: None,
        address: None,
        kind: None,
        updated_at: None,
    }
}

pub(super) fn version(texts: &[&str]) -> NewVersion {
    let whole = texts.join("\n");
    NewVersion {
        title: "A title".to_owned(),
        address: None,
        kind: None,
        updated_at: DateTime::UNIX_EPOCH,
        text_sha256: Sha256Hash::of(whole.as_bytes()),
        text: whole,
        passages: texts.iter().map(|text| passage(text)).collect(),
        validity: Default::default(),
        remarks: Vec::new(),
    }
}

fn passage(text: &str) -> NewPassage {
    NewPassage {
        text: text.to_owned(),
        section: Some("Decision".to_owned()),
        page: None,
        span: CharSpan { start: 0, end: 1 },
        above: Default::default(),
        tokens: 4,
        sha256: Sha256Hash::of(text.as_bytes()),
        embedding_key: embedding_key(text),
    }
}

/// The key of a passage's vector.
pub(super) fn embedding_key(text: &str) -> Sha256Hash {
    Sha256Hash::of(passage_in_context("A title", Some("Decision"), text).as_bytes())
}
