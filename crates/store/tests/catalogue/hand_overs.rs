//! Questions on their way to owners: queued once, taken by one worker, tried again, given up, and erased.

use chrono::{DateTime, TimeDelta, Utc};
use ibidem_store::{LeasedHandOver, NewHandOver, Retries, Talker};
use ibidem_words::{FoundPassage, HandOver, PinDraft, PinHere, Reference, SourceId, Subject, hand_over_id};

use super::*;

const RETRIES: Retries = Retries { most: 3, first_pause: Duration::from_secs(30) };

fn asker(number: u128) -> Subject {
    Subject::of_key(Uuid::from_u128(number), "desk".to_owned())
}

fn question(tenant: TenantId, asker: &Subject, text: &str) -> NewHandOver {
    let source_id = SourceId { document: DocumentId(Uuid::from_u128(9)), chunk_index: 0 };
    let asked_at = "2026-05-04T09:00:00Z".parse().unwrap();
    NewHandOver {
        tenant,
        asker: asker.id(),
        target: "hr".to_owned(),
        message: HandOver {
            id: hand_over_id(tenant, asker.id(), "hr@example.org", text, asked_at),
            request_id: Uuid::now_v7(),
            asked_at,
            tenant: "default".to_owned(),
            question: text.to_owned(),
            rewritten_question: None,
            topic: "hr".to_owned(),
            owner: "hr@example.org".to_owned(),
            reason: "not certain enough".to_owned(),
            found: vec![FoundPassage {
                source_id,
                document_id: source_id.document,
                title: "The okapi rule".to_owned(),
                section: None,
                address: None,
                link: source_id.link(),
                why: None,
            }],
            pin: PinHere {
                page: None,
                endpoint: "/v1/memory/pins".to_owned(),
                body: PinDraft {
                    triggers: vec![text.to_owned()],
                    references: vec![Reference::Passage(source_id)],
                    tags: vec!["hr".to_owned()],
                },
            },
        },
        most_in_a_day: 3,
    }
}

async fn claimed(store: &Store, tenant: TenantId) -> Vec<LeasedHandOver> {
    store.claim_hand_overs(&[(tenant, "hr".to_owned())], 10).await.unwrap()
}

async fn counts(store: &Store) -> Vec<(u64, u64, u64)> {
    let counts = store.hand_over_counts().await.unwrap();
    counts.into_iter().map(|it| (it.waiting, it.sent, it.failed)).collect()
}

#[tokio::test]
async fn the_same_question_is_queued_once_and_an_asker_has_a_share_of_the_day() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    let (anna, ben) = (asker(1), asker(2));
    for text in ["Who pays?", "who  pays?", "Who pays the train?", "Who pays the bus?"] {
        assert!(store.queue_hand_over(&question(tenant, &anna, text)).await.unwrap(), "{text}");
    }
    assert!(!store.queue_hand_over(&question(tenant, &anna, "Who pays the ferry?")).await.unwrap(), "a fourth one");
    assert!(store.queue_hand_over(&question(tenant, &anna, "Who pays?")).await.unwrap(), "it is on its way already");
    assert!(store.queue_hand_over(&question(tenant, &ben, "Who pays?")).await.unwrap());
    assert_eq!(counts(store).await, [(4, 0, 0)]);

    let held = claimed(store, tenant).await;
    assert_eq!(held.len(), 4);
    store.hand_over_sent(&held[0]).await.unwrap();
    assert_eq!(counts(store).await, [(3, 1, 0)]);
    let sent = question(tenant, &anna, "Who pays?");
    assert!(store.queue_hand_over(&sent).await.unwrap());
    assert_eq!(counts(store).await, [(3, 1, 0)], "what was sent today is not sent again");
    database.drop_database().await;
}

#[tokio::test]
async fn a_worker_that_dies_leaves_its_question_to_another_under_the_same_id() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    store.queue_hand_over(&question(tenant, &asker(1), "Who pays?")).await.unwrap();
    let dead = claimed(store, tenant).await;
    assert!(claimed(store, tenant).await.is_empty(), "one worker holds it");
    database.pass(Duration::from_secs(61)).await;
    let again = claimed(store, tenant).await;
    assert_eq!((again[0].message.id, again[0].attempt), (dead[0].message.id, 2));
    assert_eq!(again[0].message, dead[0].message);
    store.hand_over_failed(&dead[0], "too late to say", RETRIES).await.unwrap();
    store.hand_over_sent(&again[0]).await.unwrap();
    assert_eq!(counts(store).await, [(0, 1, 0)]);
    assert!(database.columns_with("Who pays").await.is_empty(), "what was sent keeps no words");
    database.drop_database().await;
}

#[tokio::test]
async fn a_failure_is_tried_again_ever_later_and_then_given_up_until_somebody_asks() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    store.queue_hand_over(&question(tenant, &asker(1), "Who pays?")).await.unwrap();
    for (attempt, pause) in [(1, 30), (2, 60), (3, 120)] {
        let held = claimed(store, tenant).await;
        assert_eq!(held[0].attempt, attempt);
        let is_given_up = store.hand_over_failed(&held[0], "status 500\u{202e}", RETRIES).await.unwrap();
        assert_eq!(is_given_up, attempt == 3);
        database.pass(Duration::from_secs(pause - 2)).await;
        assert!(claimed(store, tenant).await.is_empty(), "before its pause of {pause} seconds is over");
        database.pass(Duration::from_secs(3)).await;
    }
    assert!(claimed(store, tenant).await.is_empty());
    assert_eq!(counts(store).await, [(0, 0, 1)]);
    let unsent = store.unsent_hand_overs(10).await.unwrap();
    assert_eq!((unsent[0].attempts, unsent[0].failure.as_deref()), (3, Some("status 500")));
    assert!(!store.queue_hand_over(&question(tenant, &asker(1), "Who pays?")).await.unwrap(), "nobody is told it goes");
    assert_eq!(store.retry_hand_overs().await.unwrap(), 1);
    assert_eq!(claimed(store, tenant).await[0].attempt, 1);
    database.drop_database().await;
}

#[tokio::test]
async fn a_target_gets_its_own_tenants_questions_alone() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let (ours, theirs) = (store.ensure_tenant("ours").await.unwrap(), store.ensure_tenant("theirs").await.unwrap());
    for tenant in [ours, theirs] {
        store.queue_hand_over(&question(tenant, &asker(1), "Who pays?")).await.unwrap();
    }
    let other_name = store.claim_hand_overs(&[(ours, "it".to_owned())], 10).await.unwrap();
    assert!(other_name.is_empty());
    let held = claimed(store, ours).await;
    assert_eq!(held.iter().map(|held| held.tenant).collect::<Vec<_>>(), [ours]);
    assert_eq!(claimed(store, theirs).await.len(), 1);
    database.drop_database().await;
}

#[tokio::test]
async fn what_is_erased_is_not_handed_over() {
    let database = TestDatabase::create().await;
    let store = &database.store;
    let tenant = store.ensure_tenant("default").await.unwrap();
    let anna = asker(1);
    let talker = Talker::of(&Identity::of_key(tenant, anna.clone(), Role::Asker, tags(&[]).into_iter().collect()));
    let conversation = store.create_conversation(&talker, None).await.unwrap().id;
    let new = question(tenant, &anna, "Who pays?");
    let turn = ibidem_store::NewTurn {
        request_id: new.message.request_id,
        asked_at: new.message.asked_at,
        question: new.message.question.clone(),
        rewritten: None,
        answer: serde_json::json!({}),
    };
    store.add_turn(&talker, conversation, turn).await.unwrap();
    store.queue_hand_over(&new).await.unwrap();
    store.queue_hand_over(&question(tenant, &asker(2), "Who pays?")).await.unwrap();
    store.delete_conversation(&talker, conversation).await.unwrap().unwrap();
    assert_eq!(counts(store).await, [(1, 0, 0)], "the other asker's stays");
    // A turn that ends after its conversation was deleted.
    store.queue_hand_over(&new).await.unwrap();
    store.finish_conversation_erasures(DateTime::UNIX_EPOCH).await.unwrap();
    assert_eq!(counts(store).await, [(1, 0, 0)]);

    store.sweep_hand_overs(Utc::now() - TimeDelta::days(30)).await.unwrap();
    assert_eq!(counts(store).await, [(1, 0, 0)], "it is young");
    store.sweep_hand_overs(Utc::now() + TimeDelta::days(1)).await.unwrap();
    assert!(database.columns_with("Who pays").await.is_empty());
    database.drop_database().await;
}
