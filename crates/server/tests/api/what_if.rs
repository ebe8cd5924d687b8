//! `POST /v1/policies/what-if`: which of the last decisions other thresholds would flip.

use axum::http::StatusCode;
use ibidem_store::{HashKey, Texts};
use serde_json::{Value, json};

use crate::world::{Extras, POLICY, World, policy};

const ANSWERED: &str = "How many days of leave may be carried over?";
const REFUSED: &str = "Who painted the ceiling of the chapel?";

async fn ask(world: &World, key: &str, query: &str) -> Value {
    let reply = world.call("POST", "/v1/answers", Some(key), &json!({ "query": query }).to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

async fn what_if(world: &World, key: &str, body: &Value) -> Value {
    let reply = world.call("POST", "/v1/policies/what-if", Some(key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

#[tokio::test]
async fn a_moved_threshold_flips_what_it_flips_when_it_is_in_force() {
    let world = World::create().await;
    let (asker, admin) = (world.key("asker", &[]).await, world.key("admin", &[]).await);
    let answered = ask(&world, &asker, ANSWERED).await;
    assert_eq!(answered["action"], "cite", "{answered}");
    let refused = ask(&world, &asker, REFUSED).await;
    assert_eq!(refused["action"], "refuse", "{refused}");
    world.written(2).await;

    let still = what_if(&world, &admin, &json!({})).await;
    assert_eq!((&still["decisions"], &still["replayed"]), (&json!(2), &json!(2)), "{still}");
    assert_eq!((&still["flips"], &still["policy_text"]), (&json!([]), &Value::Null));
    let similarity = json!({ "setting": "sift.top1_similarity", "value": 0.3, "most": 1.0 });
    assert!(still["thresholds"].as_array().unwrap().contains(&similarity), "{still}");

    let strict = what_if(&world, &admin, &json!({ "changes": { "sift.top1_similarity": 0.999 } })).await;
    assert_eq!((&strict["lost"], &strict["won"], &strict["replayed"]), (&json!(1), &json!(0), &json!(2)), "{strict}");
    let flip = &strict["flips"][0];
    assert_eq!((&flip["question"], &flip["request_id"]), (&json!(ANSWERED), &answered["request_id"]));
    assert_eq!(flip["before"], json!({ "action": "cite", "reason": null }));
    assert_eq!(flip["after"], json!({ "action": "refuse", "reason": "low_similarity" }));
    assert_eq!((&flip["gate"], &flip["would_be"]["threshold"]), (&json!("top1_similarity"), &json!(0.999)));
    assert_eq!(flip["was"]["threshold"], 0.3);

    // What would be refused is answered when the gate is open; how that ends only the model knows.
    let open = what_if(&world, &admin, &json!({ "changes": { "sift.top1_similarity": 0 } })).await;
    let flips: Vec<_> =
        open["flips"].as_array().unwrap().iter().map(|flip| (&flip["question"], &flip["after"])).collect();
    if refused["reason"] == "low_similarity" {
        assert_eq!((&open["won"], flips[0].0), (&json!(1), &json!(REFUSED)), "{open}");
    }

    // Nothing was put in force by trying; what comes with the reply can be, and decides so.
    assert_eq!(ask(&world, &asker, ANSWERED).await["action"], "cite");
    let body = json!({ "policy": strict["policy_text"] }).to_string();
    let set = world.call("PUT", "/v1/policies", Some(&admin), &body).await;
    assert_eq!(set.status, StatusCode::OK, "{}", set.text);
    let now = ask(&world, &asker, ANSWERED).await;
    assert_eq!((&now["action"], &now["reason"]), (&json!("refuse"), &json!("low_similarity")));
    world.written(4).await;
    let after = what_if(&world, &admin, &json!({ "changes": { "sift.top1_similarity": 0.3 } })).await;
    assert_eq!((&after["replayed"], &after["not_replayed"]["other_policy"]), (&json!(1), &json!(3)), "{after}");
    assert_eq!((&after["won"], &after["flips"][0]["after"]["action"]), (&json!(1), &Value::Null), "{after}");
    world.end().await;
}

#[tokio::test]
async fn nothing_of_another_tenant_and_no_question_that_is_not_kept_is_shown() {
    let texts = Texts::Hashed(HashKey::of(b"a secret of the operator, long enough"));
    let world = World::create_with(policy(POLICY), Extras { texts: Some(texts), ..Extras::default() }).await;
    let (asker, admin) = (world.key("asker", &[]).await, world.key("admin", &[]).await);
    ask(&world, &asker, ANSWERED).await;
    world.written(1).await;
    let strict = json!({ "changes": { "sift.top1_similarity": 0.999 } });
    let own = what_if(&world, &admin, &strict).await;
    assert_eq!((&own["lost"], &own["flips"][0]["question"]), (&json!(1), &Value::Null), "{own}");
    let elsewhere = what_if(&world, &world.key_of("other", "admin").await, &strict).await;
    assert_eq!((&elsewhere["decisions"], &elsewhere["flips"]), (&json!(0), &json!([])), "{elsewhere}");
    let curator = world.key("curator", &[]).await;
    let reply = world.call("POST", "/v1/policies/what-if", Some(&curator), "{}").await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN);
    world.end().await;
}

#[tokio::test]
async fn what_cannot_be_tried_is_said_and_what_cannot_be_made_again_is_counted() {
    let world = World::create().await;
    let (asker, admin) = (world.key("asker", &[]).await, world.key("admin", &[]).await);
    for (body, said) in [
        (json!({ "changes": { "sift.top1_similarity": 1.5 } }), "must be between 0 and 1"),
        (json!({ "changes": { "speak.temperature": 0.5 } }), "no threshold of the policy file"),
        (json!({ "changes": { "sift.duplicates": 0.1 } }), "choose a higher number"),
        (json!({ "changes": { "sift.top1_similarity": "0.5" } }), "invalid type"),
        (json!({ "changes": {}, "tenant": "other" }), "tenant"),
    ] {
        let reply = world.call("POST", "/v1/policies/what-if", Some(&admin), &body.to_string()).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}: {}", reply.text);
        assert!(reply.body["detail"].as_str().unwrap().contains(said), "{body}: {}", reply.text);
    }
    for _ in 0..3 {
        ask(&world, &asker, ANSWERED).await;
    }
    world.written(3).await;
    world
        .run_sql(
            "UPDATE audit SET decision = '{\"odd\": 1}' WHERE id = (SELECT id FROM audit ORDER BY asked_at LIMIT 1)",
        )
        .await;
    world
        .run_sql(
            "UPDATE audit SET decision = jsonb_set(decision, '{trace,0,observed}', '0.123456')
             WHERE id = (SELECT id FROM audit ORDER BY asked_at DESC LIMIT 1)",
        )
        .await;
    let reply = what_if(&world, &admin, &json!({})).await;
    let not_replayed = json!({ "other_policy": 0, "unreadable": 1, "not_the_same": 1, "out_of_time": 0 });
    assert_eq!((&reply["decisions"], &reply["replayed"]), (&json!(3), &json!(1)), "{reply}");
    assert_eq!(reply["not_replayed"], not_replayed);
    world.end().await;
}
