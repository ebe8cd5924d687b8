//! Routed questions: queued for their owner with what the asker was shown, once a day, and said only if it is so.

use axum::http::StatusCode;
use ibidem_server::{HandOverPlace, HandOverRules};
use ibidem_store::Retries;
use ibidem_words::{HandOver, TenantId};
use serde_json::{Value, json};

use super::receipts::is_whole;
use super::world::{Extras, METRICS_TOKEN, World, policy};

const HANDBOOK: &str = include_str!("../../../../policies/handbook.yaml");
const QUESTION: &str = "How many days of leave may be carried over?";
const OWNER: &str = "HR@example.org";
const LINK: &str = "https://ibidem.example.org";

/// No answer is certain enough, and the owner of what everybody sees has a place to be told.
async fn world(targets: bool) -> World {
    let place = HandOverPlace { tenant: "default".to_owned(), target: "hr".to_owned() };
    let key = (TenantId::named("default"), OWNER.to_lowercase());
    let hand_over = HandOverRules {
        targets: targets.then_some((key, place)).into_iter().collect(),
        most_in_a_day: 20,
        public_url: Some(LINK.to_owned()),
    };
    let unsure = HANDBOOK.replace("cite_from: 60", "cite_from: 100");
    assert_ne!(unsure, HANDBOOK);
    let world = World::create_with(policy(&unsure), Extras { hand_over, ..Extras::default() }).await;
    for tenant in ["default", "other"] {
        world.store().set_tag_owner(TenantId::named(tenant), &"public".parse().unwrap(), OWNER).await.unwrap();
    }
    world
}

async fn asked(world: &World, key: &str, body: Value) -> Value {
    let reply = world.call("POST", "/v1/answers", Some(key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert_eq!(reply.body["action"], "route", "{}", reply.text);
    reply.body
}

async fn queued(world: &World) -> Vec<HandOver> {
    let targets = ["default", "other"].map(|tenant| (TenantId::named(tenant), "hr".to_owned()));
    let held = world.store().claim_hand_overs(&targets, 10).await.unwrap();
    held.into_iter().map(|held| held.message).collect()
}

#[tokio::test]
async fn an_owner_gets_the_question_with_what_the_asker_was_shown_and_can_pin_it() {
    let world = world(true).await;
    let key = world.key("asker", &[]).await;
    let answer = asked(&world, &key, json!({ "query": QUESTION })).await;
    assert_eq!(answer["route_to"]["handed_over"], true, "{answer}");
    assert!(is_whole(&answer), "the receipt says so too: {answer}");
    let messages = queued(&world).await;
    let [message] = messages.as_slice() else { panic!("{messages:?}") };
    assert_eq!((message.question.as_str(), message.topic.as_str()), (QUESTION, "public"));
    assert_eq!((message.owner.as_str(), message.tenant.as_str()), (OWNER, "default"));
    assert_eq!(json!(message.request_id), answer["request_id"]);
    let shown: Vec<&Value> = answer["nearest"].as_array().unwrap().iter().map(|miss| &miss["source_id"]).collect();
    let found: Vec<Value> = message.found.iter().map(|found| json!(found.source_id)).collect();
    assert_eq!(found.iter().collect::<Vec<_>>(), shown);
    assert!(!found.is_empty() && message.found[0].link.starts_with(&format!("{LINK}/#/passage/")));
    let whole = serde_json::to_string(message).unwrap();
    assert!(!whole.contains("Salaries"), "what the asker may not see is not in it: {whole}");
    assert!(!whole.contains(&key), "{whole}");
    let page = message.pin.page.as_deref().unwrap();
    assert_eq!(page, format!("{LINK}/#/curating/memory?question=How+many+days+of+leave+may+be+carried+over%3F"));

    // The owner pins what answers it, from what the message holds.
    let curator = world.key_named("owner", "curator", &[]).await;
    let path = message.pin.endpoint.strip_prefix(LINK).unwrap();
    let pinned = world.call("POST", path, Some(&curator), &serde_json::to_string(&message.pin.body).unwrap()).await;
    assert_eq!(pinned.status, StatusCode::CREATED, "{}", pinned.text);
    assert_eq!(pinned.body["triggers"], json!([QUESTION]));
    world.end().await;
}

#[tokio::test]
async fn the_same_question_is_handed_over_once_and_other_tenants_questions_are_not() {
    let world = world(true).await;
    let (key, other) = (world.key("asker", &[]).await, world.key_of("other", "asker").await);
    for _ in 0..2 {
        let answer = asked(&world, &key, json!({ "query": QUESTION })).await;
        assert_eq!(answer["route_to"]["handed_over"], true);
    }
    let answer = asked(&world, &other, json!({ "query": QUESTION })).await;
    assert_eq!(answer["route_to"]["owner_email"], OWNER);
    assert!(answer["route_to"].get("handed_over").is_none(), "no target is that tenant's: {answer}");
    assert_eq!(queued(&world).await.len(), 1);
    world.end().await;
}

#[tokio::test]
async fn nobody_is_told_of_a_hand_over_that_is_not_queued() {
    let without = world(false).await;
    let key = without.key("asker", &[]).await;
    let answer = asked(&without, &key, json!({ "query": QUESTION })).await;
    assert!(answer["route_to"].get("handed_over").is_none(), "{answer}");
    assert!(queued(&without).await.is_empty());
    without.end().await;

    let broken = world(true).await;
    broken.run_sql("ALTER TABLE hand_overs RENAME TO elsewhere").await;
    let key = broken.key("asker", &[]).await;
    let answer = asked(&broken, &key, json!({ "query": QUESTION })).await;
    assert!(answer["route_to"].get("handed_over").is_none(), "it is answered all the same: {answer}");
    broken.end().await;
}

#[tokio::test]
async fn a_deleted_conversation_and_an_erased_document_leave_the_queue() {
    let world = world(true).await;
    let (key, admin) = (world.key("asker", &[]).await, world.key_named("boss", "admin", &[]).await);
    let begun = world.call("POST", "/v1/conversations", Some(&key), "{}").await.body;
    let conversation = begun["id"].as_str().unwrap();
    let kept = asked(&world, &key, json!({ "query": QUESTION, "conversation_id": conversation })).await;
    assert_eq!(kept["route_to"]["handed_over"], true);
    let again = world.call("GET", &format!("/v1/conversations/{conversation}"), Some(&key), "").await.body;
    assert_eq!(again["questions"][0]["question"], QUESTION);
    let deleted = world.call("DELETE", &format!("/v1/conversations/{conversation}"), Some(&key), "").await;
    assert!(deleted.status.is_success(), "{}", deleted.text);
    assert!(queued(&world).await.is_empty(), "what its asker took back is not sent");

    asked(&world, &key, json!({ "query": QUESTION })).await;
    let document = kept["nearest"][0]["source_id"].as_str().unwrap().split(':').next().unwrap();
    let erased = world.call("DELETE", &format!("/v1/documents/{document}?erase=true"), Some(&admin), "").await;
    assert!(erased.status.is_success(), "{}", erased.text);
    let messages = queued(&world).await;
    let whole = serde_json::to_string(&messages).unwrap();
    assert!(messages.len() == 1 && !whole.contains(document), "the question stays, the document goes: {whole}");
    world.end().await;
}

#[tokio::test]
async fn the_operator_sees_how_many_wait_were_sent_and_were_given_up() {
    let world = world(true).await;
    let (key, other) = (world.key("asker", &[]).await, world.key_named("other", "asker", &[]).await);
    let numbers = async || {
        let operator = format!("Bearer {METRICS_TOKEN}");
        let text = world.call("GET", "/metrics", Some(&operator), "").await.text;
        ["waiting", "sent", "given_up"].map(|state| {
            let begins = format!("hand_over_questions{{state=\"{state}\"}} ");
            let found = text.lines().find_map(|line| line.strip_prefix(&begins).map(str::to_owned));
            found.unwrap_or_else(|| panic!("no {begins}: {text}")).parse::<u64>().unwrap()
        })
    };
    assert_eq!(numbers().await, [0, 0, 0]);
    for key in [&key, &other] {
        asked(&world, key, json!({ "query": QUESTION })).await;
    }
    assert_eq!(numbers().await, [2, 0, 0]);
    let targets = [(TenantId::named("default"), "hr".to_owned())];
    let held = world.store().claim_hand_overs(&targets, 10).await.unwrap();
    world.store().hand_over_sent(&held[0]).await.unwrap();
    let once = Retries { most: 1, first_pause: std::time::Duration::from_secs(1) };
    assert!(world.store().hand_over_failed(&held[1], "away", once).await.unwrap());
    assert_eq!(numbers().await, [0, 1, 1]);
    // A queue that cannot be read leaves the other numbers, and the last ones of this.
    world.run_sql("ALTER TABLE hand_overs RENAME TO elsewhere").await;
    assert_eq!(numbers().await, [0, 1, 1]);
    world.end().await;
}
