//! A front end's key speaks for a person: only where the key may, and only with what the front end signed.

use axum::http::StatusCode;
use chrono::Utc;
use ibidem_ports::identity_provider::PersonClaims;
use ibidem_store::{ActionsOf, NewGroup, NewKey};
use ibidem_words::{HandIn, Role};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::let_in;
use crate::world::{Reply, World};

const HEADER: &str = "x-openwebui-user-jwt";

/// As Open WebUI writes it.
fn said(email: &str) -> Value {
    let now = Utc::now().timestamp();
    json!({"sub": "there", "email": email, "name": "Ada", "role": "admin", "iss": "open-webui", "iat": now, "exp": now + 300})
}

fn signed(secret: &str, claims: &Value) -> String {
    encode(&Header::new(Algorithm::HS256), claims, &EncodingKey::from_secret(secret.as_bytes())).unwrap()
}

struct FrontEnd {
    key: String,
    secret: String,
}

async fn front_end(world: &World, role: Role) -> FrontEnd {
    let new = NewKey {
        tenant: world.tenant,
        name: "chat page".to_owned(),
        role,
        tags: Vec::new(),
        hand_in: HandIn::Everywhere,
        expires_at: None,
    };
    let created = world.store().create_key(&new).await.unwrap();
    let secret = world.store().let_key_speak(world.tenant, created.id).await.unwrap().unwrap();
    FrontEnd { key: format!("Bearer {}", created.secret), secret }
}

async fn know(world: &World, subject: &str, email: &str, groups: &[&str]) {
    let claims = PersonClaims {
        issuer: "https://provider.example".to_owned(),
        subject: subject.to_owned(),
        name: None,
        email: Some(email.to_owned()),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        issued_at: Utc::now(),
    };
    world.store().admit_person(world.tenant, &claims).await.unwrap();
}

async fn me(world: &World, key: &str, token: &str) -> Reply {
    world.call_with("GET", "/auth/me", &[("authorization", key), (HEADER, token)], "").await
}

#[tokio::test]
async fn a_key_that_may_speaks_for_the_person_it_signs_for_and_never_above_its_own_role() {
    let world = World::create().await;
    let_in(&world).await;
    know(&world, "ada", "Ada@Example.test", &["finance"]).await;
    let page = front_end(&world, Role::Asker).await;
    let reply = me(&world, &page.key, &signed(&page.secret, &said("ada@example.TEST"))).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert!(reply.body["subject_id"].as_str().unwrap().starts_with("person:"));
    assert_eq!(
        (&reply.body["tags"], &reply.body["role"]),
        (&json!(["finance"]), &json!("asker")),
        "a curator by her groups"
    );
    let plain = world.call("GET", "/auth/me", Some(&page.key), "").await;
    assert!(plain.body["subject_id"].as_str().unwrap().starts_with("key:"), "for nobody, it is itself");
    world.stop().await;
    let acts = world.store().actions(&ActionsOf::all(Some(world.tenant), 10)).await.unwrap();
    let spoken = acts.iter().find(|act| act.subject_id.as_ref().is_some_and(|id| id.starts_with("person:"))).unwrap();
    assert!(spoken.details["spoken_by"].as_str().unwrap().starts_with("key:"), "{spoken:?}");
    world.end().await;
}

#[tokio::test]
async fn unsigned_foreign_expired_and_long_lived_words_and_keys_that_may_not_speak_are_refused() {
    let world = World::create().await;
    let_in(&world).await;
    know(&world, "ada", "ada@example.test", &["finance"]).await;
    let (page, other) = (front_end(&world, Role::Asker).await, front_end(&world, Role::Asker).await);
    let (good, now) = (said("ada@example.test"), Utc::now().timestamp());
    let with = |name: &str, value: Value| {
        let mut claims = good.clone();
        claims[name] = value;
        claims
    };
    // Made out for five minutes, as it should be, from so many seconds on.
    let ahead = |seconds: i64| {
        let mut claims = good.clone();
        (claims["iat"], claims["exp"]) = (json!(now + seconds), json!(now + seconds + 300));
        claims
    };
    let unsigned = "eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImFkYUBleGFtcGxlLnRlc3QiLCJpYXQiOjEsImV4cCI6OTk5OTk5OTk5OX0.";
    for (what, token) in [
        ("another key's secret", signed(&other.secret, &good)),
        ("a guess", signed("secret", &good)),
        ("alg: none", unsigned.to_owned()),
        ("expired", signed(&page.secret, &with("exp", json!(now - 120)))),
        ("for a day", signed(&page.secret, &with("exp", json!(now + 86_400)))),
        ("from a time to come", signed(&page.secret, &ahead(90))),
        ("from tomorrow", signed(&page.secret, &ahead(86_400))),
        ("from the end of time", signed(&page.secret, &with("iat", json!(i64::MAX)))),
        ("from the beginning of time", signed(&page.secret, &with("iat", json!(i64::MIN)))),
        ("no expiry", signed(&page.secret, &with("exp", Value::Null))),
        ("no address", signed(&page.secret, &with("email", Value::Null))),
        (
            "another algorithm",
            encode(&Header::new(Algorithm::HS512), &good, &EncodingKey::from_secret(page.secret.as_bytes())).unwrap(),
        ),
        ("junk", "ada@example.test".to_owned()),
        ("nothing", String::new()),
    ] {
        let reply = me(&world, &page.key, &token).await;
        assert_eq!(
            (reply.status, reply.body["type"].as_str()),
            (StatusCode::FORBIDDEN, Some("not_spoken_for")),
            "{what}: {}",
            reply.text
        );
    }
    let token = signed(&page.secret, &good);
    let twice = [("authorization", page.key.as_str()), (HEADER, token.as_str()), (HEADER, token.as_str())];
    assert_eq!(world.call_with("GET", "/auth/me", &twice, "").await.body["type"], "not_spoken_for");
    let plain = world.key("asker", &[]).await;
    assert_eq!(me(&world, &plain, &token).await.body["type"], "may_not_speak");
    assert_eq!(me(&world, &page.key, &token).await.status, StatusCode::OK);
    let fast_clock = signed(&page.secret, &ahead(15));
    assert_eq!(me(&world, &page.key, &fast_clock).await.status, StatusCode::OK, "clocks differ by some seconds");
    world.end().await;
}

#[tokio::test]
async fn nobody_is_spoken_for_by_an_address_that_is_unknown_or_two_peoples() {
    let world = World::create().await;
    let_in(&world).await;
    know(&world, "ada", "shared@example.test", &["finance"]).await;
    know(&world, "bob", "shared@example.test", &["staff"]).await;
    let elsewhere = world.store().ensure_tenant("other").await.unwrap();
    let group = NewGroup::new("staff", Role::Asker, Vec::new()).unwrap();
    world.store().map_group(elsewhere, &group).await.unwrap();
    let page = front_end(&world, Role::Asker).await;
    for email in ["shared@example.test", "unknown@example.test", ""] {
        let reply = me(&world, &page.key, &signed(&page.secret, &said(email))).await;
        assert_eq!(
            (reply.status, reply.body["type"].as_str()),
            (StatusCode::FORBIDDEN, Some("not_admitted")),
            "{email}: {}",
            reply.text
        );
    }
    world.end().await;
}
