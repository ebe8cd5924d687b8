//! What admins do with keys, groups and people, and that nobody reaches another tenant's.

use axum::http::StatusCode;
use chrono::{DateTime, Duration, Utc};
use ibidem_ports::identity_provider::PersonClaims;
use ibidem_store::{ActionsOf, PersonError};
use ibidem_words::{Identity, Role, SubjectId};
use serde_json::json;

use super::world::World;

fn said(subject: &str, groups: &[&str], issued_at: DateTime<Utc>) -> PersonClaims {
    PersonClaims {
        issuer: "https://provider.example".to_owned(),
        subject: subject.to_owned(),
        name: Some("Ada".to_owned()),
        email: Some("Ada@Example.test".to_owned()),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        issued_at,
    }
}

async fn map(world: &World, admin: &str, name: &str, role: &str, tags: &[&str]) -> String {
    let body = json!({ "name": name, "role": role, "tags": tags }).to_string();
    let reply = world.call("PUT", "/v1/groups", Some(admin), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body["id"].as_str().unwrap().to_owned()
}

fn tags(identity: &Identity) -> Vec<&str> {
    identity.tags().iter().map(ibidem_words::Tag::as_str).collect()
}

#[tokio::test]
async fn groups_give_a_role_and_tags_from_the_next_request_on_and_a_removed_one_takes_them_away() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    let now = Utc::now();
    let ada = said("ada", &["Staff", "Finance", "Golf"], now);
    assert!(
        matches!(world.store().admit_person(world.tenant, &ada).await, Err(PersonError::NotAdmitted)),
        "no group gives anything yet"
    );
    map(&world, &admin, "Staff", "asker", &["internal"]).await;
    let finance = map(&world, &admin, "Finance", "curator", &["finance", "internal"]).await;
    map(&world, &admin, "staff", "admin", &["other"]).await;
    let identity = world.store().admit_person(world.tenant, &ada).await.unwrap();
    assert_eq!((identity.role(), tags(&identity)), (Role::Curator, vec!["finance", "internal"]));
    let SubjectId::Person(id) = identity.subject().id() else { panic!("{identity:?}") };

    let removed = world.call("DELETE", &format!("/v1/groups/{finance}"), Some(&admin), "").await;
    assert_eq!(removed.status, StatusCode::NO_CONTENT);
    let identity = world.store().person(world.tenant, id).await.unwrap();
    assert_eq!((identity.role(), tags(&identity)), (Role::Asker, vec!["internal"]));

    let again = world.call("DELETE", &format!("/v1/groups/{finance}"), Some(&admin), "").await;
    assert_eq!((again.status, again.body["type"].as_str()), (StatusCode::NOT_FOUND, Some("not_found")));
    let listed = world.call("GET", "/v1/groups", Some(&admin), "").await;
    let names: Vec<_> = listed.body["groups"].as_array().unwrap().iter().map(|group| group["name"].clone()).collect();
    assert_eq!(names, ["Staff", "staff"]);
    world.stop().await;
    let acts = world.store().actions(&ActionsOf::all(Some(world.tenant), 100)).await.unwrap();
    let mapped = acts.iter().filter(|act| act.action == "group.map" && act.outcome == "done").count();
    assert_eq!(mapped, 3, "the mapping is audited");
    world.end().await;
}

#[tokio::test]
async fn what_the_provider_said_earlier_brings_no_group_back() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    map(&world, &admin, "staff", "asker", &["internal"]).await;
    map(&world, &admin, "finance", "asker", &["finance"]).await;
    let now = Utc::now();
    let admit = async |groups: &[&str], at: DateTime<Utc>| {
        let identity = world.store().admit_person(world.tenant, &said("ada", groups, at)).await.unwrap();
        tags(&identity).join(" ")
    };
    assert_eq!(admit(&["staff", "finance"], now).await, "finance internal");
    assert_eq!(admit(&["staff"], now + Duration::seconds(5)).await, "internal", "the group is lost");
    assert_eq!(admit(&["staff", "finance"], now).await, "internal", "an older token");
    assert_eq!(admit(&["staff", "finance"], now + Duration::seconds(5)).await, "internal", "one of the same second");
    assert_eq!(admit(&["staff", "finance"], now + Duration::seconds(6)).await, "finance internal", "it is given again");
    world.end().await;
}

#[tokio::test]
async fn a_disabled_person_is_let_in_nowhere_and_a_list_shows_them() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    map(&world, &admin, "staff", "asker", &[]).await;
    let identity = world.store().admit_person(world.tenant, &said("ada", &["staff"], Utc::now())).await.unwrap();
    world.store().admit_person(world.tenant, &said("bob", &["staff"], Utc::now())).await.unwrap();
    let SubjectId::Person(id) = identity.subject().id() else { panic!("{identity:?}") };
    for (disabled, is_let_in) in [(true, false), (false, true)] {
        let body = json!({ "disabled": disabled }).to_string();
        let set = world.call("PUT", &format!("/v1/people/{id}"), Some(&admin), &body).await;
        assert_eq!(set.status, StatusCode::NO_CONTENT, "{}", set.text);
        assert_eq!(world.store().person(world.tenant, id).await.is_ok(), is_let_in);
    }
    let first = world.call("GET", "/v1/people?limit=1", Some(&admin), "").await;
    assert_eq!(first.body["people"][0]["email"], "ada@example.test");
    assert_eq!(first.body["people"][0]["groups"], json!(["staff"]));
    let next = first.body["next"].as_str().unwrap();
    let second = world.call("GET", &format!("/v1/people?limit=1&after={next}"), Some(&admin), "").await;
    assert_eq!((second.body["people"].as_array().unwrap().len(), &second.body["next"]), (1, &serde_json::Value::Null));
    world.end().await;
}

#[tokio::test]
async fn an_admin_makes_lists_and_revokes_keys_and_a_key_made_so_works() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    let body = json!({ "name": "page", "role": "asker", "tags": ["finance"], "expires_in_days": 7 }).to_string();
    let made = world.call("POST", "/v1/keys", Some(&admin), &body).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    let key = format!("Bearer {}", made.body["secret"].as_str().unwrap());
    let me = world.call("GET", "/auth/me", Some(&key), "").await.body;
    let id = made.body["id"].as_str().unwrap();
    assert_eq!((&me["subject_id"], &me["name"]), (&json!(format!("key:{id}")), &json!("page")));
    assert_eq!((&me["role"], &me["tags"]), (&json!("asker"), &json!(["finance"])));
    let listed = world.call("GET", "/v1/keys", Some(&admin), "").await;
    assert_eq!(listed.body["keys"].as_array().unwrap().len(), 2);
    assert!(!listed.text.contains("ibk_"), "a list shows no secret");
    let revoked = world.call("DELETE", &format!("/v1/keys/{id}"), Some(&admin), "").await;
    assert_eq!(revoked.status, StatusCode::NO_CONTENT);
    assert_eq!(world.call("GET", "/auth/me", Some(&key), "").await.status, StatusCode::UNAUTHORIZED);
    for wrong in [
        json!({ "name": "", "role": "asker" }),
        json!({ "name": "x", "role": "operator" }),
        json!({ "name": "x", "role": "asker", "expires_in_days": 0 }),
        json!({ "name": "x", "role": "asker", "tags": ["a b"] }),
    ] {
        let reply = world.call("POST", "/v1/keys", Some(&admin), &wrong.to_string()).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}: {}", reply.text);
    }
    world.end().await;
}

#[tokio::test]
async fn no_admin_reaches_another_tenants_keys_groups_or_people() {
    let world = World::create().await;
    let (admin, stranger) = (world.key("admin", &[]).await, world.key_of("other", "admin").await);
    let group = map(&world, &admin, "staff", "asker", &[]).await;
    let identity = world.store().admit_person(world.tenant, &said("ada", &["staff"], Utc::now())).await.unwrap();
    let SubjectId::Person(person) = identity.subject().id() else { panic!("{identity:?}") };
    let key = world.call("GET", "/v1/keys", Some(&admin), "").await.body["keys"][0]["id"].as_str().unwrap().to_owned();
    for (path, list, own) in [("/v1/keys", "keys", 1), ("/v1/groups", "groups", 0), ("/v1/people", "people", 0)] {
        let reply = world.call("GET", path, Some(&stranger), "").await;
        assert_eq!(reply.body[list].as_array().unwrap().len(), own, "{path}: {}", reply.text);
    }
    let disable = r#"{"disabled": true}"#;
    for (method, path, body) in [
        ("DELETE", format!("/v1/keys/{key}"), ""),
        ("DELETE", format!("/v1/groups/{group}"), ""),
        ("PUT", format!("/v1/people/{person}"), disable),
    ] {
        let theirs = world.call(method, &path, Some(&stranger), body).await;
        let absent = path.rsplit_once('/').unwrap().0.to_owned() + "/00000000-0000-0000-0000-000000000007";
        let nobodys = world.call(method, &absent, Some(&stranger), body).await;
        assert_eq!(theirs.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!((&theirs.body["detail"], &theirs.body["title"]), (&nobodys.body["detail"], &nobodys.body["title"]));
    }
    assert!(world.store().person(world.tenant, person).await.is_ok());
    world.end().await;
}
