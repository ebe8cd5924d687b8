//! Jobs: leased, renewed, committed once, given up with a reason.

use ibidem_ports::intake::{Committed, Failed, Failure, Intake};

use super::*;

#[tokio::test]
async fn a_job_is_taken_by_one_worker_and_again_only_when_its_lease_ran_out() {
    let database = TestDatabase::create().await;
    let store = database.store.clone();
    let tenant = store.ensure_tenant("default").await.unwrap();
    store.submit(tenant, Uuid::now_v7(), READING, &[submission(tenant, "a.md", "one", &["public"])]).await.unwrap();

    let first = Intake::claim(&store, 5).await.unwrap();
    assert_eq!(first.len(), 1);
    assert!(Intake::claim(&store, 5).await.unwrap().is_empty());
    database.pass(store.lease() * 2 / 3).await;
    assert!(store.renew(&[(first[0].id, first[0].lease)]).await.unwrap().is_empty());
    database.pass(store.lease() * 2 / 3).await;
    assert!(Intake::claim(&store, 5).await.unwrap().is_empty(), "the lease was renewed");
    database.pass(store.lease() * 2 / 3).await;
    let second = Intake::claim(&store, 5).await.unwrap();
    assert_eq!(second.len(), 1);

    // The first worker was only slow: it must not store anything now.
    assert_eq!(store.renew(&[(first[0].id, first[0].lease)]).await.unwrap(), [first[0].id]);
    let late = Intake::commit(&store, vec![(first[0].clone(), version(&["Late."]))]).await.unwrap();
    assert_eq!(late, [Committed::LeaseLost]);
    let done = Intake::commit(&store, vec![(second[0].clone(), version(&["In time."]))]).await.unwrap();
    assert_eq!(done, [Committed::Done]);
    assert_eq!(store.passage_count().await.unwrap(), 1);
    database.drop_database().await;
}

#[tokio::test]
async fn many_workers_share_the_jobs_without_taking_one_twice() {
    with_store(|store, tenant| async move {
        let submissions: Vec<_> =
            (0..100).map(|number| submission(tenant, &format!("{number}.md"), "x", &["public"])).collect();
        store.submit(tenant, Uuid::now_v7(), READING, &submissions).await.unwrap();
        let workers = (0..8).map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut taken = Vec::new();
                loop {
                    let jobs = Intake::claim(&store, 7).await.unwrap();
                    if jobs.is_empty() {
                        return taken;
                    }
                    taken.extend(jobs.into_iter().map(|job| job.id));
                }
            })
        });
        let mut taken = Vec::new();
        for worker in workers.collect::<Vec<_>>() {
            taken.extend(worker.await.unwrap());
        }
        let count = taken.len();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!((count, taken.len()), (100, 100));
    })
    .await;
}

#[tokio::test]
async fn a_new_version_replaces_the_passages_and_a_newer_submission_takes_the_lease_away() {
    with_store(|store, tenant| async move {
        let document = take_in(&store, submission(tenant, "a.md", "one", &["public"]), &["First.", "Second."]).await;
        store.submit(tenant, Uuid::now_v7(), READING, &[submission(tenant, "a.md", "two", &["public"])]).await.unwrap();
        let outdated = Intake::claim(&store, 1).await.unwrap().remove(0);
        store
            .submit(tenant, Uuid::now_v7(), READING, &[submission(tenant, "a.md", "three", &["public"])])
            .await
            .unwrap();
        let outcome = Intake::commit(&store, vec![(outdated, version(&["Outdated."]))]).await.unwrap();
        assert_eq!(outcome, [Committed::LeaseLost]);
        let current = Intake::claim(&store, 1).await.unwrap().remove(0);
        Intake::commit(&store, vec![(current, version(&["Third."]))]).await.unwrap();
        publish_all(&store).await;
        assert_eq!(store.passage_count().await.unwrap(), 1);
        let states = store.page_of_states(None, 10).await.unwrap();
        assert_eq!((states[0].document, states[0].version, states[0].passages), (document, 2, 1));
    })
    .await;
}

#[tokio::test]
async fn a_failed_job_waits_before_it_is_tried_again_and_is_given_up_with_its_reason() {
    with_store(|store, tenant| async move {
        let batch = Uuid::now_v7();
        store
            .submit(
                tenant,
                batch,
                READING,
                &[submission(tenant, "a.md", "one", &["public"]), submission(tenant, "b.pdf", "two", &["public"])],
            )
            .await
            .unwrap();
        let jobs = Intake::claim(&store, 2).await.unwrap();
        assert_eq!(store.fail(&jobs[0], "it was interrupted", Failure::Passing).await.unwrap(), Failed::WillRetry);
        assert_eq!(store.fail(&jobs[1], "no text in it", Failure::Permanent).await.unwrap(), Failed::GivenUp);
        assert_eq!(store.fail(&jobs[1], "no text in it", Failure::Permanent).await.unwrap(), Failed::LeaseLost);
        assert!(Intake::claim(&store, 2).await.unwrap().is_empty(), "it waits a second");
        let progress = store.batch_progress(batch).await.unwrap();
        assert_eq!(progress.waiting, 1);
        assert_eq!(progress.failed[0].reason, "no text in it");
        let backlog = store.backlog().await.unwrap();
        assert_eq!((backlog.jobs, backlog.failed_jobs), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn an_outage_is_not_counted_against_a_document() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    let handed_in = submission(tenant, "a.md", "one", &["public"]);
    store.submit(tenant, Uuid::now_v7(), READING, &[handed_in]).await.unwrap();
    let job = Intake::claim(store, 1).await.unwrap().remove(0);
    assert_eq!(store.fail(&job, "the originals are away", Failure::Outage).await.unwrap(), Failed::WillRetry);
    assert!(Intake::claim(store, 1).await.unwrap().is_empty(), "it waits a few seconds");
    database.pass(Duration::from_secs(4)).await;
    assert_eq!(Intake::claim(store, 1).await.unwrap()[0].attempts, 0);
    database.drop_database().await;
}

#[tokio::test]
async fn a_version_that_cannot_be_kept_fails_alone() {
    with_store(|store, tenant| async move {
        let names = ["a.md", "nul.md", "early.md", "address.md", "z.md"];
        let submissions: Vec<_> = names.iter().map(|name| submission(tenant, name, name, &["public"])).collect();
        let batch = Uuid::now_v7();
        store.submit(tenant, batch, READING, &submissions).await.unwrap();
        let jobs = Intake::claim(&store, 10).await.unwrap();
        let versions = jobs.iter().map(|job| {
            let mut version = version(&["Text."]);
            match job.submission.source_location.as_str() {
                "nul.md" => version.title = "a\0b".to_owned(),
                "early.md" => version.updated_at = chrono::DateTime::from_timestamp(-300_000_000_000, 0).unwrap(),
                "address.md" => version.address = Some((0..4_500).map(|number| format!("{number} ")).collect()),
                _ => {}
            }
            (job.clone(), version)
        });
        let outcomes = Intake::commit(&store, versions.collect()).await.unwrap();
        for (job, outcome) in jobs.iter().zip(outcomes) {
            let is_good = matches!(job.submission.source_location.as_str(), "a.md" | "z.md");
            match outcome {
                Committed::Done => assert!(is_good, "{}", job.submission.source_location),
                Committed::Refused(reason) => {
                    assert!(!is_good, "{}", job.submission.source_location);
                    // What it complains of must not keep the job from failing.
                    let reason = format!("{reason} \0");
                    assert_eq!(store.fail(job, &reason, Failure::Permanent).await.unwrap(), Failed::GivenUp);
                }
                Committed::LeaseLost => panic!("{}", job.submission.source_location),
            }
        }
        assert_eq!(store.passage_count().await.unwrap(), 2);
        let progress = store.batch_progress(batch).await.unwrap();
        assert_eq!((progress.waiting, progress.failed.len()), (0, 3));
    })
    .await;
}

fn many(tenant: TenantId, count: usize) -> Vec<ibidem_ports::intake::Submission> {
    (0..count).map(|number| submission(tenant, &format!("{number}.md"), "x", &["public"])).collect()
}

#[tokio::test]
async fn a_tenant_with_many_jobs_does_not_delay_anothers_beyond_one_round() {
    with_store(|store, busy| async move {
        let quiet = store.ensure_tenant("quiet").await.unwrap();
        store.submit(busy, Uuid::now_v7(), READING, &many(busy, 200)).await.unwrap();
        assert_eq!(Intake::claim(&store, 32).await.unwrap().len(), 32);
        store.submit(quiet, Uuid::now_v7(), READING, &many(quiet, 1)).await.unwrap();
        let next = Intake::claim(&store, 32).await.unwrap();
        assert_eq!(next.len(), 32, "places that the quiet tenant has no use for are the busy one's");
        assert_eq!(next.iter().filter(|job| job.submission.tenant == quiet).count(), 1);

        // What is under way counts: a tenant that has none goes first, until both have as many.
        let third = store.ensure_tenant("third").await.unwrap();
        store.submit(third, Uuid::now_v7(), READING, &many(third, 200)).await.unwrap();
        let next = Intake::claim(&store, 32).await.unwrap();
        assert!(next.iter().all(|job| job.submission.tenant == third));
    })
    .await;
}

#[tokio::test]
async fn more_tenants_than_places_all_get_their_turn() {
    with_store(|store, _| async move {
        for name in ["a", "b", "c", "d", "e"] {
            let tenant = store.ensure_tenant(name).await.unwrap();
            store.submit(tenant, Uuid::now_v7(), READING, &many(tenant, 10)).await.unwrap();
        }
        let mut served = std::collections::BTreeMap::new();
        for round in 1..=5 {
            let jobs = Intake::claim(&store, 3).await.unwrap();
            for job in &jobs {
                *served.entry(job.submission.tenant).or_insert(0) += 1;
            }
            assert_eq!(jobs.len(), 3);
            let (most, least) = (*served.values().max().unwrap(), *served.values().min().unwrap());
            assert!(most - if served.len() == 5 { least } else { 0 } <= 1, "round {round}: {served:?}");
        }
        assert_eq!(served.into_values().collect::<Vec<_>>(), [3; 5]);
    })
    .await;
}
