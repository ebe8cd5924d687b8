//! Jobs: leased, renewed, committed once, given up with a reason.

use ibidem_engine::ports::intake::{Committed, Failed, Failure, Intake};

use super::*;

#[tokio::test]
async fn a_job_is_taken_by_one_worker_and_again_only_when_its_lease_ran_out() {
    let database = TestDatabase::create().await;
    let store = with_lease(&database, Duration::from_millis(1_500));
    let tenant = store.ensure_tenant("default").await.unwrap();
    store.submit(tenant, Uuid::now_v7(), READING, &[submission(tenant, "a.md", "one", &["public"])]).await.unwrap();

    let first = Intake::claim(&store, 5).await.unwrap();
    assert_eq!(first.len(), 1);
    assert!(Intake::claim(&store, 5).await.unwrap().is_empty());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(store.renew(&[(first[0].id, first[0].lease)]).await.unwrap().is_empty());
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(Intake::claim(&store, 5).await.unwrap().is_empty(), "the lease was renewed");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let second = Intake::claim(&store, 5).await.unwrap();
    assert_eq!(second.len(), 1);

    // The first worker was only slow: it must not store anything now.
    assert_eq!(store.renew(&[(first[0].id, first[0].lease)]).await.unwrap(), [first[0].id]);
    let late = Intake::commit(&store, vec![(first[0].clone(), version(&["Late."]))]).await.unwrap();
    assert_eq!(late, [Committed::LeaseLost]);
    let done = Intake::commit(&store, vec![(second[0].clone(), version(&["In time."]))]).await.unwrap();
    assert_eq!(done, [Committed::Done]);
    assert_eq!(store.passage_count().await.unwrap(), 1);
    store.close().await;
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
    with_store(|store, tenant| async move {
        let handed_in = submission(tenant, "a.md", "one", &["public"]);
        store.submit(tenant, Uuid::now_v7(), READING, &[handed_in]).await.unwrap();
        let job = Intake::claim(&store, 1).await.unwrap().remove(0);
        assert_eq!(store.fail(&job, "the originals are away", Failure::Outage).await.unwrap(), Failed::WillRetry);
        assert!(Intake::claim(&store, 1).await.unwrap().is_empty(), "it waits a few seconds");
        tokio::time::sleep(Duration::from_millis(4_200)).await;
        assert_eq!(Intake::claim(&store, 1).await.unwrap()[0].attempts, 0);
    })
    .await;
}
