//! Signing in by code, at an issuer of the test's own: what is forged, replayed or planted opens nothing.

use axum::http::StatusCode;
use reqwest::Url;
use serde_json::{Value, json};

use super::issuer::{CLIENT, Issuer, Pair};
use super::{let_in, signing_in, signing_in_at};
use crate::world::{Reply, World};

/// A sign-in that has begun: what the provider was sent, and the browser's cookie.
struct Begun {
    state: String,
    nonce: String,
    cookie: String,
}

fn parameter(address: &str, name: &str) -> String {
    let address = Url::parse(address).unwrap();
    address
        .query_pairs()
        .find(|(found, _)| found == name)
        .unwrap_or_else(|| panic!("{address} has no {name}"))
        .1
        .into_owned()
}

/// Name and value of the cookie that a reply sets.
pub(super) fn cookie(reply: &Reply, name: &str) -> String {
    let set = reply.header_values("set-cookie");
    let found = set.iter().find(|cookie| cookie.split('=').next().is_some_and(|found| found.ends_with(name)));
    found.unwrap_or_else(|| panic!("{set:?} has no {name}")).split(';').next().unwrap().to_owned()
}

async fn begin(world: &World) -> Begun {
    let reply = world.call("GET", "/auth/login?return_to=/ask", None, "").await;
    assert_eq!(reply.status, StatusCode::FOUND, "{}", reply.text);
    let address = reply.header("location").unwrap();
    assert_eq!(parameter(address, "code_challenge_method"), "S256");
    Begun { state: parameter(address, "state"), nonce: parameter(address, "nonce"), cookie: cookie(&reply, "sign-in") }
}

async fn come_back(world: &World, state: &str, cookies: &str) -> Reply {
    let path = format!("/auth/callback?code=any&state={state}");
    world.call_with("GET", &path, &[("cookie", cookies)], "").await
}

/// What an ID token for this sign-in says.
#[expect(clippy::needless_pass_by_value, reason = "made for it, and read better so")]
fn id_claims(issuer: &Issuer, nonce: &str, others: Value) -> Value {
    let mut claims = issuer.claims(json!({ "aud": CLIENT, "nonce": nonce, "sid": "there" }));
    for (name, value) in others.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

async fn ready() -> (World, Issuer, Pair) {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    (world, issuer, pair)
}

/// Signs in with what the issuer says by itself.
async fn signed_in(world: &World, issuer: &Issuer, pair: &Pair, others: Value) -> (Reply, Begun) {
    let begun = begin(world).await;
    let id_token = pair.sign(&id_claims(issuer, &begun.nonce, others));
    issuer.reply_with_tokens(json!({ "id_token": id_token, "access_token": "opaque", "token_type": "Bearer" }));
    (come_back(world, &begun.state, &begun.cookie).await, begun)
}

async fn status_of(world: &World, cookies: &str) -> StatusCode {
    world.call_with("GET", "/auth/me", &[("cookie", cookies)], "").await.status
}

fn assert_failed(reply: &Reply, what: &str) {
    assert_eq!(
        (reply.status, reply.body["type"].as_str()),
        (StatusCode::UNAUTHORIZED, Some("sign_in_failed")),
        "{what}: {}",
        reply.text
    );
    assert!(reply.header_values("set-cookie").iter().all(|cookie| !cookie.contains("session=")), "{what}: no session");
}

#[tokio::test]
async fn a_code_becomes_a_session_in_a_cookie_that_pages_cannot_read() {
    let (world, issuer, pair) = ready().await;
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({})).await;
    assert_eq!((reply.status, reply.header("location")), (StatusCode::FOUND, Some("/ask")), "{}", reply.text);
    let set = reply.header_values("set-cookie").join("\n");
    assert!(
        set.contains("ibidem-session=")
            && set.contains("HttpOnly")
            && set.contains("SameSite=Lax")
            && set.contains("Path=/"),
        "{set}"
    );
    let session = cookie(&reply, "session");
    let me = world.call_with("GET", "/auth/me", &[("cookie", &session)], "").await;
    assert_eq!(
        (me.status, &me.body["name"], &me.body["role"]),
        (StatusCode::OK, &json!("Ada"), &json!("curator")),
        "{}",
        me.text
    );
    for (column, values) in world.columns_of("sessions").await {
        assert!(!values.contains(session.split_once('=').unwrap().1), "the secret stands in {column}");
    }
    world.stop().await;
    let acts = world.store().actions(&ibidem_store::ActionsOf::all(Some(world.tenant), 10)).await.unwrap();
    assert!(
        acts.iter().any(|act| act.action == "person.sign_in" && act.subject_name.as_deref() == Some("Ada")),
        "{acts:?}"
    );
    world.end().await;
}

#[tokio::test]
async fn over_https_cookies_are_bound_to_this_host() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in_at(issuer.provider(), "https://ibidem.example.test").await;
    let_in(&world).await;
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({})).await;
    let set = reply.header_values("set-cookie").join("\n");
    assert!(set.contains("__Host-ibidem-session=") && set.contains("Secure"), "{set}");
    let session = cookie(&reply, "session");
    assert_eq!(status_of(&world, &session).await, StatusCode::OK);
    assert_eq!(status_of(&world, session.trim_start_matches("__Host-")).await, StatusCode::UNAUTHORIZED);
    world.end().await;
}

#[tokio::test]
async fn a_forged_state_another_browser_and_a_second_return_open_nothing() {
    let (world, issuer, pair) = ready().await;
    let (mine, theirs) = (begin(&world).await, begin(&world).await);
    let id_token = pair.sign(&id_claims(&issuer, &mine.nonce, json!({})));
    issuer.reply_with_tokens(json!({ "id_token": id_token, "access_token": "opaque" }));
    assert_failed(&come_back(&world, "forged", &mine.cookie).await, "forged state");
    assert_failed(&come_back(&world, &mine.state, "").await, "no cookie");
    assert_failed(&come_back(&world, &mine.state, &theirs.cookie).await, "another browser's cookie");
    assert_failed(&come_back(&world, &mine.state, &format!("{}; {}", theirs.cookie, mine.cookie)).await, "two cookies");
    let good = come_back(&world, &mine.state, &mine.cookie).await;
    assert_eq!(good.status, StatusCode::FOUND, "{}", good.text);
    assert_failed(&come_back(&world, &mine.state, &mine.cookie).await, "replayed code and state");
    world.end().await;
}

#[tokio::test]
async fn a_wrong_nonce_or_an_id_token_for_another_opens_nothing() {
    let (world, issuer, pair) = ready().await;
    let now = chrono::Utc::now().timestamp();
    for (what, others) in [
        ("wrong nonce", json!({"nonce": "another sign-in's"})),
        ("no nonce", json!({"nonce": null})),
        ("for another client", json!({"aud": "another"})),
        ("for the API", json!({"aud": super::issuer::AUDIENCE})),
        ("for two, made for the other", json!({"aud": [CLIENT, "another"], "azp": "another"})),
        ("for two, made for nobody", json!({"aud": [CLIENT, "another"]})),
        ("of another issuer", json!({"iss": "https://other.example"})),
        ("expired", json!({"exp": now - 60})),
    ] {
        let (reply, _) = signed_in(&world, &issuer, &pair, others).await;
        assert_failed(&reply, what);
    }
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({"aud": [CLIENT, "another"], "azp": CLIENT})).await;
    assert_eq!(reply.status, StatusCode::FOUND, "{}", reply.text);
    world.end().await;
}

#[tokio::test]
async fn a_refusal_of_the_provider_and_a_reply_of_another_open_nothing() {
    let (world, issuer, pair) = ready().await;
    let begun = begin(&world).await;
    let path = format!("/auth/callback?error=access_denied&state={}", begun.state);
    assert_failed(&world.call_with("GET", &path, &[("cookie", &begun.cookie)], "").await, "denied");
    let begun = begin(&world).await;
    let path = format!("/auth/callback?error=access_denied&state={}", begun.state);
    let browser = [("cookie", begun.cookie.as_str()), ("accept", "text/html,application/xhtml+xml")];
    let reply = world.call_with("GET", &path, &browser, "").await;
    assert_eq!(reply.status, StatusCode::FOUND, "{}", reply.text);
    assert_eq!(reply.header("location"), Some("/?problem=sign_in_failed"), "people get a page");
    assert!(reply.header("set-cookie").is_none(), "nobody is signed in");
    let begun = begin(&world).await;
    issuer.reply_with_tokens(json!({ "error": "invalid_grant" }));
    assert_failed(&come_back(&world, &begun.state, &begun.cookie).await, "a code that is not taken");
    let begun = begin(&world).await;
    let id_token = pair.sign(&id_claims(&issuer, &begun.nonce, json!({})));
    issuer.reply_with_tokens(json!({ "id_token": id_token, "access_token": "opaque" }));
    let path = format!("/auth/callback?code=any&state={}&iss=https%3A%2F%2Fother.example", begun.state);
    assert_failed(&world.call_with("GET", &path, &[("cookie", &begun.cookie)], "").await, "mixed up");
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({"groups": ["golf"]})).await;
    assert_eq!(
        (reply.status, reply.body["type"].as_str()),
        (StatusCode::FORBIDDEN, Some("not_admitted")),
        "{}",
        reply.text
    );
    world.end().await;
}

#[tokio::test]
async fn a_planted_session_is_never_taken_over() {
    let (world, issuer, pair) = ready().await;
    let planted = "ibidem-session=planted-by-somebody-else";
    let begun = begin(&world).await;
    let id_token = pair.sign(&id_claims(&issuer, &begun.nonce, json!({})));
    issuer.reply_with_tokens(json!({ "id_token": id_token, "access_token": "opaque" }));
    let reply = come_back(&world, &begun.state, &format!("{}; {planted}", begun.cookie)).await;
    let session = cookie(&reply, "session");
    assert_ne!(session, planted);
    assert_eq!(status_of(&world, planted).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status_of(&world, &session).await, StatusCode::OK);
    let (again, _) = signed_in(&world, &issuer, &pair, json!({})).await;
    assert_ne!(cookie(&again, "session"), session, "each sign-in has a session of its own");
    world.end().await;
}

#[tokio::test]
async fn a_request_that_changes_something_by_cookie_needs_the_header_of_our_own_pages() {
    let (world, issuer, pair) = ready().await;
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({})).await;
    let session = cookie(&reply, "session");
    let body = r#"{"query": "leave"}"#;
    let headers = [("cookie", session.as_str()), ("content-type", "application/json")];
    let forged = world.call_with("POST", "/v1/search", &headers, body).await;
    assert_eq!(
        (forged.status, forged.body["type"].as_str()),
        (StatusCode::FORBIDDEN, Some("cross_site")),
        "{}",
        forged.text
    );
    let headers = [headers[0], headers[1], ("x-ibidem-request", "1")];
    assert_eq!(world.call_with("POST", "/v1/search", &headers, body).await.status, StatusCode::OK);
    let beside = [("cookie", session.as_str()), ("authorization", "Basic YTpi"), ("x-ibidem-request", "1")];
    let mixed = world.call_with("GET", "/auth/me", &beside, "").await;
    assert_eq!(mixed.status, StatusCode::UNAUTHORIZED, "other credentials are not passed over for the cookie");
    world.end().await;
}

#[tokio::test]
async fn sessions_end_one_by_one_by_idleness_and_by_age() {
    let (world, issuer, pair) = ready().await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let (reply, _) = signed_in(&world, &issuer, &pair, json!({})).await;
        sessions.push(cookie(&reply, "session"));
    }
    let own = [("cookie", sessions[0].as_str()), ("x-ibidem-request", "1")];
    let listed = world.call_with("GET", "/auth/sessions", &own, "").await;
    let ids: Vec<_> = listed.body["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids.len(), 3, "{}", listed.text);
    let (other, _) = signed_in(&world, &issuer, &pair, json!({"sub": "bob"})).await;
    let others = cookie(&other, "session");
    let theirs = [("cookie", others.as_str()), ("x-ibidem-request", "1")];
    let path = format!("/auth/sessions/{}", ids[1]);
    assert_eq!(world.call_with("DELETE", &path, &theirs, "").await.status, StatusCode::NOT_FOUND, "another's session");
    assert_eq!(world.call_with("DELETE", &path, &own, "").await.status, StatusCode::NO_CONTENT);
    assert_eq!(status_of(&world, &sessions[1]).await, StatusCode::UNAUTHORIZED);
    assert_eq!(status_of(&world, &sessions[2]).await, StatusCode::OK);
    world.run_sql("UPDATE sessions SET last_used_at = now() - interval '61 minutes'").await;
    assert_eq!(status_of(&world, &sessions[2]).await, StatusCode::UNAUTHORIZED, "idle");
    world.run_sql("UPDATE sessions SET last_used_at = now() - interval '59 minutes'").await;
    assert_eq!(status_of(&world, &sessions[2]).await, StatusCode::OK, "used in time");
    world.run_sql("UPDATE sessions SET expires_at = now() - interval '1 second'").await;
    assert_eq!(status_of(&world, &sessions[2]).await, StatusCode::UNAUTHORIZED, "too old, however busy");
    world.end().await;
}

#[tokio::test]
async fn logging_out_ends_the_session_here_and_says_where_to_log_out_there() {
    let (world, issuer, pair) = ready().await;
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({})).await;
    let session = cookie(&reply, "session");
    let headers = [("cookie", session.as_str()), ("x-ibidem-request", "1")];
    let out = world.call_with("POST", "/auth/logout", &headers, "").await;
    assert_eq!(out.status, StatusCode::OK, "{}", out.text);
    let there = out.body["provider_url"].as_str().unwrap();
    assert!(there.starts_with(&format!("{}/logout?", issuer.url())), "{there}");
    assert_eq!(parameter(there, "post_logout_redirect_uri"), format!("{}/", super::PUBLIC_URL));
    assert!(out.header_values("set-cookie")[0].contains("Max-Age=0"));
    assert_eq!(status_of(&world, &session).await, StatusCode::UNAUTHORIZED);
    let key = world.key("asker", &[]).await;
    assert_eq!(world.call("POST", "/auth/logout", Some(&key), "").await.status, StatusCode::NOT_FOUND);
    world.end().await;
}

#[tokio::test]
async fn a_logout_token_ends_its_sessions_and_nothing_else_passes_for_one() {
    const EVENT: &str = "http://schemas.openid.net/event/backchannel-logout";
    let (world, issuer, pair) = ready().await;
    let now = chrono::Utc::now().timestamp();
    let good = json!({"aud": CLIENT, "events": {EVENT: {}}, "groups": null, "sid": "there", "jti": "1"});
    let told = async |others: Value| {
        let mut claims = issuer.claims(good.clone());
        for (name, value) in others.as_object().unwrap() {
            claims[name] = value.clone();
            if value.is_null() {
                claims.as_object_mut().unwrap().remove(name);
            }
        }
        let form = format!("logout_token={}", pair.sign(&claims));
        let headers = [("content-type", "application/x-www-form-urlencoded")];
        world.call_with("POST", "/auth/backchannel-logout", &headers, &form).await
    };
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({})).await;
    let session = cookie(&reply, "session");
    let stranger = Pair::es256("one");
    let forged = format!("logout_token={}", stranger.sign(&issuer.claims(good.clone())));
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(
        world.call_with("POST", "/auth/backchannel-logout", &headers, &forged).await.status,
        StatusCode::BAD_REQUEST
    );
    for (what, others) in [
        ("no event", json!({"events": null})),
        ("another event", json!({"events": {"urn:other": {}}})),
        ("an ID token", json!({"nonce": "n"})),
        ("another client's", json!({"aud": "another"})),
        ("old", json!({"exp": null, "iat": now - 3_600})),
        ("expired", json!({"exp": now - 60})),
        ("of nobody", json!({"sub": null, "sid": null})),
    ] {
        assert_eq!(told(others).await.status, StatusCode::BAD_REQUEST, "{what}");
        assert_eq!(status_of(&world, &session).await, StatusCode::OK, "{what}");
    }
    assert_eq!(told(json!({"sid": "another"})).await.status, StatusCode::OK);
    assert_eq!(status_of(&world, &session).await, StatusCode::OK, "another session's end");
    assert_eq!(told(json!({"sub": null, "exp": null})).await.status, StatusCode::OK, "by the session alone");
    assert_eq!(status_of(&world, &session).await, StatusCode::UNAUTHORIZED);
    let (reply, _) = signed_in(&world, &issuer, &pair, json!({})).await;
    let session = cookie(&reply, "session");
    assert_eq!(told(json!({"sid": null})).await.status, StatusCode::OK, "by the person alone");
    assert_eq!(status_of(&world, &session).await, StatusCode::UNAUTHORIZED);
    world.end().await;
}

#[tokio::test]
async fn without_a_provider_there_is_no_sign_in() {
    let world = World::create().await;
    for path in ["/auth/login", "/auth/callback?code=a&state=b"] {
        let reply = world.call("GET", path, None, "").await;
        assert_eq!((reply.status, reply.body["type"].as_str()), (StatusCode::NOT_FOUND, Some("no_sign_in")), "{path}");
    }
    assert_eq!(status_of(&world, "ibidem-session=any").await, StatusCode::UNAUTHORIZED);
    world.end().await;
}
