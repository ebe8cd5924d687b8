//! Sign-in at a real provider (`stack/up --with oidc`): by code, by device code and by bearer token.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use ibidem_adapters::oidc::{Oidc, OidcSettings};
use ibidem_ports::identity_provider::IdentityProvider as _;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use uuid::Uuid;

use super::browser::{Browser, Led};
use super::code::cookie;
use super::{PUBLIC_URL, issuer, let_in, signing_in_at};
use crate::world::World;

fn provider_url() -> String {
    let address = std::env::var("IBIDEM_STACK_OIDC");
    address.unwrap_or_else(|_| panic!("the provider is not up: stack/up --with oidc, then eval \"$(stack/env)\""))
}

/// Somebody whom no other test knows, with what the provider says of them.
async fn somebody(claims: Value) -> String {
    let name = format!("person-{}", Uuid::new_v4().simple());
    say(&name, claims).await;
    name
}

async fn say(name: &str, claims: Value) {
    let address = format!("{}/people/{name}", provider_url());
    let reply = super::http_client().put(address).body(claims.to_string()).send().await.unwrap();
    assert!(reply.status().is_success());
}

/// A client of its own for each test, as the provider registers it.
async fn registered(described: Value) -> OidcSettings {
    let reply = super::http_client().post(format!("{}/reg", provider_url())).json(&described).send().await.unwrap();
    let (status, client) = (reply.status(), reply.json::<Value>().await.unwrap());
    assert!(status.is_success(), "{client}");
    OidcSettings {
        client_id: client["client_id"].as_str().unwrap().to_owned(),
        client_secret: client["client_secret"].as_str().map(str::to_owned),
        ..issuer::settings(&provider_url())
    }
}

fn web_client(public_url: &str, name: &str) -> Value {
    json!({
        "client_name": name,
        "redirect_uris": [format!("{public_url}/auth/callback")],
        "post_logout_redirect_uris": [format!("{public_url}/")],
        "backchannel_logout_uri": format!("{public_url}/auth/backchannel-logout"),
        "backchannel_logout_session_required": true,
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_basic",
    })
}

async fn world_of(settings: OidcSettings, public_url: &str) -> (World, Arc<Oidc>) {
    let provider = Arc::new(Oidc::new(settings).unwrap());
    let world = signing_in_at(provider.clone(), public_url).await;
    let_in(&world).await;
    (world, provider)
}

/// Signs in through the provider's pages: the path that the browser comes back with, and the cookie that it began with.
async fn through_the_pages(world: &World, browser: &mut Browser) -> (String, String) {
    let reply = world.call("GET", "/auth/login", None, "").await;
    assert_eq!(reply.status, StatusCode::FOUND, "{}", reply.text);
    let address = reply.header("location").unwrap().to_owned();
    let back = browser.visit(&address, &provider_url()).await.away();
    (format!("{}?{}", back.path(), back.query().unwrap()), cookie(&reply, "sign-in"))
}

async fn session_of(world: &World, browser: &mut Browser) -> String {
    let (path, begun) = through_the_pages(world, browser).await;
    let reply = world.call_with("GET", &path, &[("cookie", &begun)], "").await;
    assert_eq!(reply.status, StatusCode::FOUND, "{}", reply.text);
    cookie(&reply, "session")
}

async fn me(world: &World, session: &str) -> crate::world::Reply {
    world.call_with("GET", "/auth/me", &[("cookie", session)], "").await
}

#[tokio::test]
async fn a_person_signs_in_by_code_and_the_code_cannot_be_replayed() {
    let settings = registered(web_client(PUBLIC_URL, "web")).await;
    let (world, provider) = world_of(settings, PUBLIC_URL).await;
    let name =
        somebody(json!({"name": "Ada", "email": "ada@example.test", "email_verified": true, "groups": ["staff"]}))
            .await;
    let mut browser = Browser::of(&name);
    let (path, begun) = through_the_pages(&world, &mut browser).await;
    let reply = world.call_with("GET", &path, &[("cookie", &begun)], "").await;
    assert_eq!(reply.status, StatusCode::FOUND, "{}", reply.text);
    let me = me(&world, &cookie(&reply, "session")).await;
    assert_eq!((&me.body["name"], &me.body["tags"]), (&json!("Ada"), &json!(["internal"])), "{}", me.text);
    let again = world.call_with("GET", &path, &[("cookie", &begun)], "").await;
    assert_eq!(again.body["type"], "sign_in_failed", "{}", again.text);
    // The provider does not take it twice either, whoever brings it.
    let code = path.split("code=").nth(1).unwrap().split('&').next().unwrap();
    let returned = ibidem_ports::identity_provider::Returned {
        code: code.to_owned(),
        issuer: Some(provider_url()),
        redirect_uri: format!("{PUBLIC_URL}/auth/callback"),
        nonce: "n".to_owned(),
        verifier: "v".repeat(43),
    };
    let refused = provider.redeem(&returned).await;
    assert!(refused.is_err_and(|error| error.to_string().contains("invalid_grant")));
    world.end().await;
}

#[tokio::test]
async fn groups_come_from_userinfo_where_the_id_token_has_none() {
    let settings = registered(web_client(PUBLIC_URL, "web, opaque")).await;
    let (world, _) = world_of(settings, PUBLIC_URL).await;
    let name = somebody(json!({"name": "Ada", "groups": ["finance"], "only_in_userinfo": true})).await;
    let session = session_of(&world, &mut Browser::of(&name)).await;
    let me = me(&world, &session).await;
    assert_eq!((&me.body["role"], &me.body["tags"]), (&json!("curator"), &json!(["finance"])), "{}", me.text);
    world.end().await;
}

#[tokio::test]
async fn a_program_signs_in_by_device_code_and_its_token_opens_the_api_until_the_group_is_gone() {
    let described = json!({
        "client_name": "terminal",
        "grant_types": ["urn:ietf:params:oauth:grant-type:device_code"],
        "response_types": [], "redirect_uris": [],
        "token_endpoint_auth_method": "none",
    });
    let (world, provider) = world_of(registered(described).await, PUBLIC_URL).await;
    let name = somebody(json!({"name": "Ada", "groups": ["finance"]})).await;
    let mut browser = Browser::of(&name);
    let begun = provider.begin_on_device().await.unwrap().asking_every(Duration::from_millis(200));
    let (address, home) = (begun.address_with_code.clone().unwrap(), provider_url());
    let (token, led) = tokio::join!(provider.await_confirmation(&begun), browser.visit(&address, &home));
    assert!(matches!(led, Led::Page(_)), "the provider's last page");
    let authorization = format!("Bearer {}", token.unwrap());
    let search = async || {
        let body = r#"{"query": "When are salaries reviewed?"}"#;
        world.call("POST", "/v1/search", Some(&authorization), body).await
    };
    let found = search().await;
    assert!(found.text.contains("Salaries are reviewed in March"), "{}", found.text);
    let groups = world.store().list_groups(world.tenant).await.unwrap();
    let finance = groups.iter().find(|group| group.name == "finance").unwrap();
    assert!(world.store().unmap_group(world.tenant, finance.id).await.unwrap());
    assert_eq!(search().await.body["type"], "not_admitted", "the group gives nothing any more");
    world.end().await;
}

#[tokio::test]
async fn an_opaque_access_token_of_the_provider_opens_nothing() {
    let described = json!({
        "client_name": "terminal, opaque",
        "grant_types": ["urn:ietf:params:oauth:grant-type:device_code"],
        "response_types": [], "redirect_uris": [],
        "token_endpoint_auth_method": "none",
    });
    let (world, provider) = world_of(registered(described).await, PUBLIC_URL).await;
    let name = somebody(json!({"groups": ["staff"]})).await;
    let begun = provider.begin_on_device().await.unwrap().asking_every(Duration::from_millis(200));
    let (address, home) = (begun.address_with_code.clone().unwrap(), provider_url());
    let mut browser = Browser::of(&name);
    let (token, _) = tokio::join!(provider.await_confirmation(&begun), browser.visit(&address, &home));
    let reply = world.call("GET", "/auth/me", Some(&format!("Bearer {}", token.unwrap())), "").await;
    assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{}", reply.text);
    world.end().await;
}

#[tokio::test]
async fn who_lost_a_group_at_the_provider_has_lost_it_here_with_the_next_sign_in_in_every_session() {
    let settings = registered(web_client(PUBLIC_URL, "web")).await;
    let (world, _) = world_of(settings, PUBLIC_URL).await;
    let name = somebody(json!({"groups": ["staff", "finance"]})).await;
    let mut browser = Browser::of(&name);
    let before = session_of(&world, &mut browser).await;
    assert_eq!(me(&world, &before).await.body["tags"], json!(["finance", "internal"]));
    say(&name, json!({"groups": ["staff"]})).await;
    let after = session_of(&world, &mut browser).await;
    for session in [&after, &before] {
        assert_eq!(me(&world, session).await.body["tags"], json!(["internal"]));
    }
    world.end().await;
}

#[tokio::test]
async fn logout_there_logs_out_here() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let public_url = format!("http://{}", listener.local_addr().unwrap());
    let settings = registered(web_client(&public_url, "web")).await;
    let client_id = settings.client_id.clone();
    let (world, _) = world_of(settings, &public_url).await;
    // The provider itself must reach it.
    let router = world.router.clone();
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let (name, stranger) = (somebody(json!({"groups": ["staff"]})).await, somebody(json!({"groups": ["staff"]})).await);
    let mut browser = Browser::of(&name);
    let session = session_of(&world, &mut browser).await;
    let another = session_of(&world, &mut Browser::of(&stranger)).await;
    assert_eq!(me(&world, &session).await.status, StatusCode::OK);
    let there = format!("{}/session/end?client_id={client_id}", provider_url());
    browser.visit(&there, &provider_url()).await;
    assert_eq!(me(&world, &session).await.status, StatusCode::UNAUTHORIZED, "the provider has told us");
    assert_eq!(me(&world, &another).await.status, StatusCode::OK, "somebody else's session goes on");
    serving.abort();
    world.end().await;
}

#[tokio::test]
async fn logging_out_here_leads_to_the_providers_page_and_back() {
    let settings = registered(web_client(PUBLIC_URL, "web")).await;
    let (world, _) = world_of(settings, PUBLIC_URL).await;
    let name = somebody(json!({"groups": ["staff"]})).await;
    let mut browser = Browser::of(&name);
    let session = session_of(&world, &mut browser).await;
    let headers = [("cookie", session.as_str()), ("x-ibidem-request", "1")];
    let out = world.call_with("POST", "/auth/logout", &headers, "").await;
    let there = out.body["provider_url"].as_str().unwrap_or_else(|| panic!("{}", out.text));
    let back = browser.visit(there, &provider_url()).await.away();
    assert_eq!(back.as_str(), format!("{PUBLIC_URL}/"));
    world.end().await;
}
