//! Keys for pages of other sites: they ask and nothing else, and only for their own pages.

use axum::http::StatusCode;
use ibidem_server::{Least, Rules, endpoints};
use ibidem_server::{QuotaSettings, Quotas, UseLimits};
use serde_json::{Value, json};

use crate::world::{Extras, POLICY, Reply, World, policy};

const PAGE: &str = "https://intranet.example.org";
const QUESTION: &str = r#"{"query": "How many days of leave may be carried over?"}"#;

/// A key for pages, with its id.
async fn key_for(world: &World, admin: &str, rest: Value) -> (String, String) {
    let mut body = json!({ "name": "intranet", "role": "asker", "tags": [], "origins": [PAGE] });
    body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    let reply = world.call("POST", "/v1/keys", Some(admin), &body.to_string()).await;
    assert_eq!(reply.status, StatusCode::CREATED, "{}", reply.text);
    let text = |name: &str| reply.body[name].as_str().unwrap().to_owned();
    (format!("Bearer {}", text("secret")), text("id"))
}

async fn call_from(world: &World, page: Option<&str>, method: &str, path: &str, key: &str, body: &str) -> Reply {
    let mut headers = vec![("content-type", "application/json"), ("authorization", key)];
    headers.extend(page.map(|page| ("origin", page)));
    world.call_with(method, path, &headers, body).await
}

async fn asks_first(world: &World, page: &str) -> Reply {
    let headers = [
        ("origin", page),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type"),
    ];
    world.call_with("OPTIONS", "/v1/answers", &headers, "").await
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_asks_and_reads_the_reply_and_no_other_page_does() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    assert_eq!(asks_first(&world, PAGE).await.status, StatusCode::FORBIDDEN, "before there is a key for it");
    let (key, id) = key_for(&world, &admin, json!({})).await;

    let first = asks_first(&world, PAGE).await;
    assert_eq!((first.status, first.header("access-control-allow-origin")), (StatusCode::NO_CONTENT, Some(PAGE)));
    assert_eq!(first.header("access-control-allow-methods"), Some("POST"));
    assert_eq!(first.header("access-control-allow-headers"), Some("authorization, content-type"));
    assert_eq!(first.header("access-control-allow-credentials"), None, "never with cookies");
    let answer = call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, QUESTION).await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (StatusCode::OK, Some(PAGE)));
    assert_eq!(answer.header("vary"), Some("origin"));
    assert!(answer.body["citations"].as_array().is_some_and(|cited| !cited.is_empty()), "{}", answer.text);
    let wrong = call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, "{}").await;
    assert_eq!(wrong.header("access-control-allow-origin"), Some(PAGE), "the page learns what is wrong");

    for page in [
        Some("https://stranger.example.net"),
        Some("http://intranet.example.org"),
        Some("https://intranet.example.org:8443"),
        Some("https://intranet.example.org.stranger.example.net"),
        Some("HTTPS://INTRANET.EXAMPLE.ORG"),
        Some("null"),
        Some("*"),
        None,
    ] {
        let reply = call_from(&world, page, "POST", "/v1/answers", &key, QUESTION).await;
        assert_eq!((reply.status, &reply.body["type"]), (StatusCode::FORBIDDEN, &"foreign_page".into()), "{page:?}");
        assert_eq!(reply.header("access-control-allow-origin"), None, "{page:?}");
        if let Some(page) = page {
            let reply = asks_first(&world, page).await;
            assert_eq!((reply.status, reply.header("access-control-allow-origin")), (StatusCode::FORBIDDEN, None));
        }
    }
    let twice = [("origin", PAGE), ("origin", PAGE), ("authorization", key.as_str())];
    assert_eq!(world.call_with("POST", "/v1/answers", &twice, QUESTION).await.status, StatusCode::FORBIDDEN);
    // No other key makes a reply readable for a page, and no other route.
    let asker = world.key("asker", &[]).await;
    let reply = call_from(&world, Some(PAGE), "POST", "/v1/answers", &asker, QUESTION).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (StatusCode::OK, None));

    let revoked = world.call("DELETE", &format!("/v1/keys/{id}"), Some(&admin), "").await;
    assert_eq!(revoked.status, StatusCode::NO_CONTENT);
    assert_eq!(asks_first(&world, PAGE).await.status, StatusCode::FORBIDDEN);
    let reply = call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, QUESTION).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (StatusCode::UNAUTHORIZED, None));
    world.end().await;
}

#[tokio::test]
async fn such_a_key_opens_no_other_route() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    let (key, _) = key_for(&world, &admin, json!({})).await;
    let opened = endpoints().iter().filter(|row| row.is_for_foreign_pages).map(|row| (row.method, row.path.as_str()));
    assert_eq!(opened.collect::<Vec<_>>(), [("POST", "/v1/answers")]);
    for Rules { method, path, least, is_for_foreign_pages, .. } in endpoints() {
        if *is_for_foreign_pages || matches!(least, Least::Anybody | Least::Operator) {
            continue;
        }
        let nobody = "00000000-0000-0000-0000-000000000007";
        let path = path.replace("{request_id}", nobody).replace("{id}", nobody).replace("{chunk_index}", "0");
        let reply = call_from(&world, Some(PAGE), method, &path, &key, "{}").await;
        assert_eq!(reply.status, StatusCode::FORBIDDEN, "{method} {path}: {}", reply.text);
    }
    world.end().await;
}

#[tokio::test]
async fn its_questions_keep_to_its_tags_collections_and_policy_file() {
    let world = World::create().await;
    world.take_in_to("Guide", world.tenant, "guide.md", "public", ["Guide", "Leave of guides is carried over."]).await;
    let admin = world.key("admin", &[]).await;
    let own = POLICY.replace("top1_similarity: 0.7", "top1_similarity: 0.3").replacen("name: book", "name: widget", 1);
    let rest = json!({ "collections": ["Guide"], "policy": own });
    let (key, id) = key_for(&world, &admin, rest).await;
    let listed = world.call("GET", "/v1/keys", Some(&admin), "").await.body["keys"].clone();
    let listed = listed.as_array().unwrap().iter().find(|one| one["id"] == id.as_str()).unwrap().clone();
    assert_eq!((&listed["origins"], &listed["collections"]), (&json!([PAGE]), &json!(["Guide"])));

    let answer = call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, QUESTION).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text);
    assert_eq!(answer.body["receipt"]["policy_sha256"], listed["policy_sha256"], "{}", answer.text);
    let cited = answer.body["citations"].as_array().unwrap().clone();
    assert!(cited.iter().all(|one| one["document_name"] == "Guide"), "{}", answer.text);

    let elsewhere = json!({ "query": "Leave?", "collections": ["Policy"] }).to_string();
    let reply = call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, &elsewhere).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "{}", reply.text);
    let model = json!({ "query": "Leave?", "model": "dearest" }).to_string();
    let reply = call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, &model).await;
    assert_eq!(reply.status, StatusCode::FORBIDDEN, "{}", reply.text);
    world.end().await;
}

#[tokio::test]
async fn it_is_limited_as_other_keys_are_and_the_page_reads_for_how_long() {
    let key = UseLimits { requests_per_minute: 1, ..UseLimits::default() };
    let quotas = Quotas::new(QuotaSettings { key, ..QuotaSettings::default() });
    let world = World::create_with(policy(POLICY), Extras { quotas, ..Extras::default() }).await;
    let admin = world.key("admin", &[]).await;
    let (key, _) = key_for(&world, &admin, json!({})).await;
    assert_eq!(call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, QUESTION).await.status, StatusCode::OK);
    let reply = call_from(&world, Some(PAGE), "POST", "/v1/answers", &key, QUESTION).await;
    assert_eq!(
        (reply.status, reply.header("access-control-allow-origin")),
        (StatusCode::TOO_MANY_REQUESTS, Some(PAGE))
    );
    assert_eq!(reply.header("access-control-expose-headers"), Some("retry-after"));

    let limits = world.call("GET", "/v1/limits", Some(&world.key("admin", &[]).await), "").await;
    assert_eq!(limits.status, StatusCode::OK, "{}", limits.text);
    assert_eq!(limits.body["key"]["requests_per_minute"], 1);
    let used = limits.body["used"].as_array().unwrap();
    assert_eq!(used[0]["holder"], "tenant");
    assert!(used.iter().any(|one| one["name"] == "intranet"), "{}", limits.text);
    world.end().await;
}

#[tokio::test]
async fn what_is_no_key_for_pages_is_not_made() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    for (wrong, says) in [
        (json!({ "role": "curator", "origins": [PAGE] }), "role"),
        (json!({ "role": "asker", "origins": ["*"] }), "origins"),
        (json!({ "role": "asker", "origins": ["https://a.example.org/help"] }), "origins"),
        (json!({ "role": "asker", "origins": vec![PAGE; 21] }), "origins"),
        (json!({ "role": "asker", "collections": ["Guide"] }), "collections"),
        (json!({ "role": "asker", "policy": POLICY }), "policy"),
        (json!({ "role": "asker", "origins": [PAGE], "policy": "no policy" }), "policy"),
    ] {
        let mut body = json!({ "name": "intranet" });
        body.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let reply = world.call("POST", "/v1/keys", Some(&admin), &body.to_string()).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{wrong}: {}", reply.text);
        assert!(reply.body["detail"].as_str().unwrap().contains(says), "{}", reply.text);
    }
    world.end().await;
}
