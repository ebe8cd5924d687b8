//! How an agent without a key finds out where it gets an access token.

use axum::http::StatusCode;
use serde_json::json;

use super::issuer::{Issuer, Pair};
use super::{PUBLIC_URL, let_in, signing_in};
use crate::world::{ISSUER, Reply, World};

const OF_API: &str = "/.well-known/oauth-protected-resource";
const OF_AGENTS: &str = "/.well-known/oauth-protected-resource/mcp";

async fn list_tools(world: &World, credentials: Option<&str>) -> Reply {
    let mut headers = vec![
        ("content-type", "application/json"),
        ("host", "127.0.0.1"),
        ("accept", "application/json, text/event-stream"),
    ];
    headers.extend(credentials.map(|credentials| ("authorization", credentials)));
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    world.call_with("POST", "/mcp", &headers, &list.to_string()).await
}

#[tokio::test]
async fn an_agent_without_a_key_is_told_where_tokens_are_and_comes_back_with_one() {
    let pair = Pair::es256("one");
    let issuer = Issuer::start(&[&pair]).await;
    let world = signing_in(issuer.provider()).await;
    let_in(&world).await;
    for credentials in [None, Some("Bearer wrong"), Some("Bearer not.a.token")] {
        let reply = list_tools(&world, credentials).await;
        assert_eq!(reply.status, StatusCode::UNAUTHORIZED, "{}", reply.text);
        let challenge = format!("Bearer resource_metadata=\"{PUBLIC_URL}{OF_AGENTS}\"");
        assert_eq!(reply.header_values("www-authenticate"), [challenge], "{credentials:?}");
        assert_eq!(reply.body["type"], "unauthenticated", "{}", reply.text);
    }
    for (path, resource) in [(OF_AGENTS, format!("{PUBLIC_URL}/mcp")), (OF_API, PUBLIC_URL.to_owned())] {
        let reply = world.call("GET", path, None, "").await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        let described = json!({
            "resource": resource, "resource_name": "Ibidem", "authorization_servers": [ISSUER],
            "scopes_supported": ["openid"], "bearer_methods_supported": ["header"]
        });
        assert_eq!(reply.body, described);
    }
    let token = format!("Bearer {}", pair.sign(&issuer.claims(json!({}))));
    let reply = list_tools(&world, Some(&token)).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    assert!(reply.header("www-authenticate").is_none());
    // Those who call the API itself have a key or a session.
    let reply = world.call("GET", "/auth/me", None, "").await;
    assert_eq!(reply.header_values("www-authenticate"), ["Bearer"]);
    world.end().await;
}

#[tokio::test]
async fn where_nobody_signs_in_no_provider_is_named() {
    let world = World::create().await;
    let reply = list_tools(&world, None).await;
    assert_eq!((reply.status, reply.header_values("www-authenticate")), (StatusCode::UNAUTHORIZED, vec!["Bearer"]));
    for path in [OF_API, OF_AGENTS] {
        let reply = world.call("GET", path, None, "").await;
        assert_eq!((reply.status, &reply.body["type"]), (StatusCode::NOT_FOUND, &json!("no_sign_in")), "{path}");
    }
    world.end().await;
}
