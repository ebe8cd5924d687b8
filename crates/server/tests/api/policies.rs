//! `/v1/policies`: which policy is in force for a tenant and for its collections.

use axum::http::StatusCode;
use ibidem_engine::policy::{Policy, PolicyLimits, VerificationMode};
use ibidem_store::NewPlacedPolicy;
use ibidem_words::{PolicyTexts, SubjectId};
use serde_json::{Value, json};

use crate::world::{Extras, POLICY, World, policy};

/// The policy of these tests under another name, with a refusal of its own.
fn written(name: &str) -> String {
    let text = POLICY.replace("top1_similarity: 0.7", "top1_similarity: 0.3");
    let named = text.replacen("name: book", &format!("name: {name}"), 1);
    assert_ne!(named, text, "the policy file calls itself otherwise");
    named
}

async fn set(world: &World, key: &str, collection: Option<&str>, name: &str) -> Value {
    let body = json!({ "collection": collection, "policy": written(name) }).to_string();
    let reply = world.call("PUT", "/v1/policies", Some(key), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

/// The place and the hash that the receipt of a question names.
async fn receipt(world: &World, key: &str, collections: &[&str]) -> (Value, Value) {
    let body = json!({ "query": "How many days of leave may be carried over?", "collections": collections });
    let reply = world.call("POST", "/v1/answers", Some(key), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    (reply.body["receipt"]["policy_place"].clone(), reply.body["receipt"]["policy_sha256"].clone())
}

#[tokio::test]
async fn a_question_is_answered_under_the_policy_of_its_collections_from_the_next_one_on() {
    let world = World::create().await;
    let text = "Leave of guides is carried over.";
    world.take_in_to("Guide", world.tenant, "guide.md", "public", ["Guide", text]).await;
    let (admin, asker) = (world.key("admin", &[]).await, world.key("asker", &[]).await);
    let (place, installation) = receipt(&world, &asker, &[]).await;
    assert_eq!(place, Value::Null, "the installation's has no place");

    let of_tenant = set(&world, &admin, None, "house").await;
    let of_guides = set(&world, &admin, Some("Guide"), "guides").await;
    let house = json!({ "policy": "house", "collection": null, "version": 1 });
    let guides = json!({ "policy": "guides", "collection": "Guide", "version": 1 });
    for (collections, place, set) in [
        (&[][..], &house, &of_tenant),
        (&["Policy"], &house, &of_tenant),
        (&["Guide"], &guides, &of_guides),
        (&["guide"], &guides, &of_guides),
        (&["Guide", "Policy"], &house, &of_tenant),
    ] {
        let found = receipt(&world, &asker, collections).await;
        assert_eq!(found, (place.clone(), set["policy_sha256"].clone()), "{collections:?}");
    }
    let elsewhere = world.key_of("other", "asker").await;
    assert_eq!(receipt(&world, &elsewhere, &[]).await, (Value::Null, installation.clone()), "no other tenant's");

    let again = set(&world, &admin, Some("Guide"), "guides-again").await;
    assert_eq!(again["version"], 2);
    let (place, _) = receipt(&world, &asker, &["Guide"]).await;
    assert_eq!((&place["policy"], &place["version"]), (&"guides-again".into(), &2.into()));
    for (path, left) in [("/v1/policies?collection=Guide", Some(house)), ("/v1/policies", None)] {
        assert_eq!(world.call("DELETE", path, Some(&admin), "").await.status, StatusCode::NO_CONTENT);
        let (place, sha256) = receipt(&world, &asker, &["Guide"]).await;
        assert_eq!(place, left.clone().unwrap_or(Value::Null), "{path}");
        assert_eq!(sha256 == installation, left.is_none());
        assert_eq!(world.call("DELETE", path, Some(&admin), "").await.status, StatusCode::NOT_FOUND);
    }
    world.end().await;
}

#[tokio::test]
async fn every_setting_is_kept_with_who_set_it_and_only_the_own_tenants_are_shown() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    set(&world, &admin, None, "one").await;
    set(&world, &admin, None, "two").await;
    world.call("DELETE", "/v1/policies", Some(&admin), "").await;
    set(&world, &admin, Some("Policy"), "three").await;
    let list = async |key: &str, query: &str| {
        let reply = world.call("GET", &format!("/v1/policies{query}"), Some(key), "").await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let places = reply.body["places"].as_array().unwrap().clone();
        let shown = |place: &Value| {
            assert!(place["set_by"].as_str().unwrap().starts_with("key:"), "{place}");
            (place["collection"].clone(), place["version"].as_u64().unwrap(), place["policy"].clone())
        };
        (reply.body["installation"]["policy"].clone(), places.iter().map(shown).collect::<Vec<_>>())
    };
    let three = (json!("Policy"), 1, json!("three"));
    assert_eq!(list(&admin, "").await, (json!("book"), vec![three.clone()]));
    let history =
        ["", "two", "one"].into_iter().zip([3, 2, 1]).map(|(name, version)| (Value::Null, version, json!(name)));
    let history: Vec<_> = history.chain([three]).collect();
    assert_eq!(list(&admin, "?history=true").await.1, history);
    let outside = world.key_of("other", "admin").await;
    assert_eq!(list(&outside, "?history=true").await.1, Vec::new());
    world.end().await;
}

#[tokio::test]
async fn a_policy_that_cannot_be_used_is_not_set() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    let unknown_gate = written("odd").replace("sift:", "sift:\n  nonsense: 1");
    for policy in ["", "name: half", "{", "\u{0}", &unknown_gate] {
        let body = json!({ "policy": policy }).to_string();
        let reply = world.call("PUT", "/v1/policies", Some(&admin), &body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{policy:?}: {}", reply.text);
        assert!(reply.body["detail"].as_str().unwrap().starts_with("policy: "), "{}", reply.text);
    }
    let places = world.call("GET", "/v1/policies?history=true", Some(&admin), "").await.body["places"].clone();
    assert_eq!(places, json!([]));
    world.end().await;
}

#[tokio::test]
async fn no_tenant_sets_a_policy_that_could_take_the_machine() {
    let policy_limits = PolicyLimits { verification: VerificationMode::Mark, ..PolicyLimits::default() };
    let world = World::create_with(policy(POLICY), Extras { policy_limits, ..Extras::default() }).await;
    let admin = world.key("admin", &[]).await;
    let hits = "gather.hits_per_lane is 10000000; it must be from 1 to 200";
    let tokens = "speak.max_answer_tokens is 4000000000; it must be from 1 to 16384";
    let mode = "does not allow it: speak.verification.mode is off; it must be at least as strict as mark";
    for (old, new, said) in [
        ("hits_per_lane: 15", "hits_per_lane: 10000000", hits),
        ("max_answer_tokens: 512", "max_answer_tokens: 4000000000", tokens),
        ("max_answer_tokens: 512", "max_answer_tokens: 512\n  verification: {mode: off}", mode),
    ] {
        let text = written("greedy").replacen(old, new, 1);
        assert!(text.contains(new), "{old} is not in the policy file any more");
        let body = json!({ "policy": text }).to_string();
        let reply = world.call("PUT", "/v1/policies", Some(&admin), &body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", reply.text);
        assert!(reply.body["detail"].as_str().unwrap().contains(said), "{}", reply.text);
    }
    world.end().await;
}

#[tokio::test]
async fn a_policy_that_was_stored_before_the_bounds_is_in_force_within_them_and_its_own_in_the_receipt() {
    let policy_limits = PolicyLimits { most_passages: 60, ..PolicyLimits::default() };
    let world = World::create_with(policy(POLICY), Extras { policy_limits, ..Extras::default() }).await;
    let asker = world.key("asker", &[]).await;
    let stored = written("greedy").replacen("hits_per_lane: 15", "hits_per_lane: 10000000", 1);
    let texts = PolicyTexts { policy: stored, thresholds: None };
    let sha256 = Policy::as_recorded(&texts).unwrap().hash;
    let new = NewPlacedPolicy { sha256, texts: &texts, name: "greedy" };
    world.store().place_policy(world.tenant, None, &new, SubjectId::Operator).await.unwrap();

    let (place, in_force) = receipt(&world, &asker, &[]).await;
    assert_eq!(place["policy"], "greedy");
    assert_ne!(in_force, json!(sha256), "it is not what was decided by");
    let kept = world.store().policies().await.unwrap();
    let kept = kept.iter().map(|texts| Policy::as_recorded(texts).unwrap());
    let kept = kept.into_iter().find(|policy| json!(policy.hash) == in_force).expect("what decided is kept");
    assert_eq!(kept.rules.gather.hits_per_lane, 60);
    let of_tenants = world.store().policies_of_tenants().await.unwrap();
    assert_eq!((of_tenants.len(), of_tenants[0].name.as_str()), (1, "greedy"));
    world.end().await;
}
