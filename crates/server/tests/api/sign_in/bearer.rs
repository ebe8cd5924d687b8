//! Access tokens of people on the API: what is taken, and everything that is not.

use axum::http::StatusCode;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::Utc;
use ibidem_store::NewGroup;
use ibidem_words::Role;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use super::issuer::{CLIENT, Issuer, Pair};
use super::{let_in, signing_in};
use crate::world::{Reply, World};

async fn me(world: &World, token: &str) -> Reply {
    world.call("GET", "/auth/me", Some(&format!("Bearer {token}")), "").await
}

async fn assert_refused(world: &World, token: &str, what: &str) {
    let reply = me(world, token).await;
    assert_eq!(
        (reply.status, reply.body["type"].as_str()),
        (StatusCode::UNAUTHORIZED, Some("unauthenticated")),
        "{what}: {}",
        reply.text
    );
}

#[tokio::test]
async fn a_token_of_the_provider_speaks_for_a_person_with_the_rights_of_their_groups() {
    for pair in [Pair::es256("one"), Pair::ed25519("one")] {
        let issuer = Issuer::start(&[&pair]).await;
        let world = signing_in(issuer.provider()).await;
        let_in(&world).await;
        let reply = me(&world, &pair.sign(&issuer.claims(json!({})))).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        assert!(reply.body["subject_id"].as_str().unwrap().starts_with("person:"), "{}", reply.text);
        assert_eq!((&reply.body["name"], &reply.body["role"]), (&json!("Ada"), &json!("curator")));
        assert_eq!(reply.body["tags"], json!(["finance", "internal"]));
        let again = me(&world, &pair.sign(&issuer.claims(json!({"name": "Ada B."})))).await;
        assert_eq!(again.body["subject_id"], reply.body["subject_id"], "the person is the provider's id, not a name");
        world.end().await;
    }
}

#[tokio::test]
async fn a_token_for_several_audiences_is_for_each_of_them() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    let claims = issuer.claims(json!({"aud": ["urn:other", super::issuer::AUDIENCE]}));
    assert_eq!(me(&world, &pair.sign(&claims)).await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn wrong_audience_wrong_issuer_expired_not_yet_valid_and_nobodys_tokens_are_refused() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    let now = Utc::now().timestamp();
    let wrong = [
        ("wrong audience", json!({"aud": "urn:other"})),
        ("audience of the sign-in client", json!({"aud": CLIENT})),
        ("no audience", json!({"aud": null})),
        ("wrong issuer", json!({"iss": "https://other.example"})),
        ("issuer with a slash", json!({"iss": format!("{}/", issuer.url())})),
        ("no issuer", json!({"iss": null})),
        ("expired", json!({"exp": now - 60})),
        ("no expiry", json!({"exp": null})),
        ("not yet valid", json!({"nbf": now + 120})),
        ("issued in the future", json!({"iat": now + 120})),
        ("issued never", json!({"iat": null})),
        ("nobody's", json!({"sub": null})),
        ("nobody's by an empty id", json!({"sub": ""})),
        ("a logout token", json!({"events": {"http://schemas.openid.net/event/backchannel-logout": {}}})),
    ];
    for (what, others) in wrong {
        assert_refused(&world, &pair.sign(&issuer.claims(others)), what).await;
    }
    for (what, others) in
        [("a little late", json!({"exp": now - 5})), ("a little early", json!({"nbf": now + 5, "iat": now + 5}))]
    {
        assert_eq!(
            me(&world, &pair.sign(&issuer.claims(others))).await.status,
            StatusCode::OK,
            "{what}: clocks differ"
        );
    }
    world.end().await;
}

#[tokio::test]
async fn alg_none_shared_secrets_and_changed_tokens_are_refused() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    let claims = issuer.claims(json!({}));
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    for algorithm in ["none", "None", "NONE", "nOnE"] {
        let header = part(&json!({"alg": algorithm, "typ": "JWT", "kid": "one"}));
        for signature in ["", "AA"] {
            let token = format!("{header}.{}.{signature}", part(&claims));
            assert_refused(&world, &token, &format!("alg: {algorithm}")).await;
        }
    }
    // The public key is known to everybody: taken for a shared secret, it would let everybody sign.
    let public = URL_SAFE_NO_PAD.decode(pair.public()["x"].as_str().unwrap()).unwrap();
    for algorithm in [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512] {
        let header = Header { kid: Some("one".to_owned()), ..Header::new(algorithm) };
        let token = encode(&header, &claims, &EncodingKey::from_secret(&public)).unwrap();
        assert_refused(&world, &token, &format!("{algorithm:?}")).await;
    }
    let good = pair.sign(&claims);
    let [header, _, signature] = good.split('.').collect::<Vec<_>>()[..] else { panic!("{good}") };
    let changed = part(&issuer.claims(json!({"sub": "boss"})));
    assert_refused(&world, &format!("{header}.{changed}.{signature}"), "other claims under a good signature").await;
    assert_refused(&world, &good[..good.len() - 4], "a cut signature").await;
    let stranger = Pair::es256("one");
    assert_refused(&world, &stranger.sign(&claims), "another's key under the same name").await;
    let critical = part(&json!({"alg": "ES256", "kid": "one", "crit": ["b64"], "b64": false}));
    assert_refused(&world, &format!("{critical}.{}.{signature}", part(&claims)), "an extension that is not known")
        .await;
    for junk in ["a.b.c", "..", "eyJhbGciOiJFUzI1NiJ9..", &format!("{}.a.b", "e".repeat(40_000))] {
        assert_refused(&world, junk, "junk").await;
    }
    assert_eq!(me(&world, &good).await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn rotated_keys_are_found_and_the_old_ones_no_longer_count() {
    let (old, new) = (Pair::es256("old"), Pair::es256("new"));
    let issuer = Issuer::start(&[&old]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    let claims = issuer.claims(json!({}));
    assert_eq!(me(&world, &old.sign(&claims)).await.status, StatusCode::OK);
    issuer.rotate_to(&[&new]);
    assert_eq!(me(&world, &new.sign(&claims)).await.status, StatusCode::OK, "an unknown key id is looked up");
    assert_refused(&world, &old.sign(&claims), "the provider's former key").await;
    assert_eq!(me(&world, &new.sign_as(None, &claims)).await.status, StatusCode::OK, "the one key there is");
    issuer.rotate_to(&[&new, &old]);
    assert_eq!(me(&world, &old.sign(&claims)).await.status, StatusCode::OK);
    assert_refused(&world, &new.sign_as(None, &claims), "one of two keys").await;
    world.end().await;
}

#[tokio::test]
async fn unknown_key_ids_do_not_make_the_server_ask_the_provider_for_ever() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    let claims = issuer.claims(json!({}));
    assert_eq!(me(&world, &pair.sign(&claims)).await.status, StatusCode::OK);
    for number in 0..50 {
        assert_refused(&world, &pair.sign_as(Some(&format!("invented-{number}")), &claims), "unknown key id").await;
    }
    assert!(issuer.key_fetches() <= 6, "{} fetches", issuer.key_fetches());
    assert_eq!(me(&world, &pair.sign(&claims)).await.status, StatusCode::OK, "known keys go on to work");
    world.end().await;
}

#[tokio::test]
async fn a_published_shared_secret_or_encryption_key_checks_nothing() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let mut encrypts = pair.public().clone();
    encrypts["use"] = json!("enc");
    let secret = URL_SAFE_NO_PAD.encode(b"a secret that everybody can read");
    issuer.publish(vec![
        json!({"kty": "oct", "kid": "shared", "k": secret, "alg": "HS256"}),
        encrypts,
        json!({"kty": "new"}),
    ]);
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    let claims = issuer.claims(json!({}));
    let header = Header { kid: Some("shared".to_owned()), ..Header::new(Algorithm::HS256) };
    let token = encode(&header, &claims, &EncodingKey::from_secret(b"a secret that everybody can read")).unwrap();
    assert_refused(&world, &token, "a shared secret").await;
    assert_refused(&world, &pair.sign(&claims), "a key for encryption").await;
    world.end().await;
}

#[tokio::test]
async fn groups_come_from_userinfo_where_the_token_has_none_and_only_of_the_same_person() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    issuer.say_of_users(json!({"sub": "ada", "groups": ["staff"]}));
    let reply = me(&world, &pair.sign(&issuer.claims(json!({"groups": null, "jti": "1"})))).await;
    assert_eq!((reply.status, &reply.body["tags"]), (StatusCode::OK, &json!(["internal"])), "{}", reply.text);
    issuer.say_of_users(json!({"sub": "somebody else", "groups": ["staff", "finance"]}));
    assert_refused(&world, &pair.sign(&issuer.claims(json!({"groups": null, "jti": "2"}))), "another's userinfo").await;
    world.end().await;
}

#[tokio::test]
async fn somebody_whose_groups_give_nothing_is_not_let_in() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    for groups in [json!([]), json!(["golf"]), json!(["Staff"])] {
        let reply = me(&world, &pair.sign(&issuer.claims(json!({"groups": groups})))).await;
        assert_eq!(
            (reply.status, reply.body["type"].as_str()),
            (StatusCode::FORBIDDEN, Some("not_admitted")),
            "{}",
            reply.text
        );
    }
    world.end().await;
}

#[tokio::test]
async fn a_lost_group_takes_its_documents_away_at_the_next_request_and_an_older_token_does_not_bring_it_back() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    let now = Utc::now().timestamp();
    let found = async |token: &str| {
        let body = r#"{"query": "When are salaries reviewed?"}"#;
        let reply = world.call("POST", "/v1/search", Some(&format!("Bearer {token}")), body).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        reply.text.contains("Salaries are reviewed in March")
    };
    let before = pair.sign(&issuer.claims(json!({"iat": now - 20})));
    assert!(found(&before).await);
    let after = pair.sign(&issuer.claims(json!({"iat": now - 10, "groups": ["staff"]})));
    assert!(!found(&after).await);
    assert!(!found(&before).await, "the provider has said since that the group is lost");
    let regained = pair.sign(&issuer.claims(json!({"iat": now})));
    assert!(found(&regained).await);
    let group = NewGroup::new("finance", Role::Asker, Vec::new()).unwrap();
    world.store().map_group(world.tenant, &group).await.unwrap();
    assert!(!found(&regained).await, "what the group gives is read at every request");
    world.end().await;
}

#[tokio::test]
async fn a_provider_that_is_away_is_said_to_be_and_keys_go_on_to_work() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let settings = super::issuer::settings(&format!("http://{nobody}"));
    let world = signing_in(std::sync::Arc::new(ibidem_adapters::oidc::Oidc::new(settings).unwrap())).await;
    let reply = me(&world, &pair.sign(&issuer.claims(json!({})))).await;
    assert_eq!(
        (reply.status, reply.body["type"].as_str()),
        (StatusCode::SERVICE_UNAVAILABLE, Some("provider_unavailable"))
    );
    let key = world.key("asker", &[]).await;
    assert_eq!(world.call("GET", "/auth/me", Some(&key), "").await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn without_a_provider_a_token_is_an_unknown_key() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = World::create().await;
    assert_refused(&world, &pair.sign(&issuer.claims(json!({}))), "no provider").await;
    world.end().await;
}
