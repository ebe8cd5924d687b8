//! The pages: anybody may load them, they come with a strict policy, and nothing else of the disk does.

use axum::http::StatusCode;

use super::world::World;

#[tokio::test]
async fn the_page_comes_without_a_key_or_says_how_it_is_built() {
    let world = World::create().await;
    let reply = world.call("GET", "/", None, "").await;
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    if std::fs::exists(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/dist/index.html")).unwrap() {
        assert_eq!((reply.status, reply.header("content-type")), (StatusCode::OK, Some("text/html; charset=utf-8")));
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        let known = [("if-none-match", reply.header("etag").unwrap())];
        assert_eq!(world.call_with("GET", "/", &known, "").await.status, StatusCode::NOT_MODIFIED);
    } else {
        assert_eq!(reply.status, StatusCode::NOT_FOUND);
        assert!(reply.text.contains("just web"), "{}", reply.text);
    }
    world.end().await;
}

#[tokio::test]
async fn nothing_but_the_built_files_is_served() {
    let world = World::create().await;
    for path in [
        "/assets/none.js",
        "/assets/.gitignore",
        "/assets/..%2findex.html",
        "/assets/..%2f..%2fpackage.json",
        "/assets/..%5c..%5cpackage.json",
        "/assets/%2fetc%2fpasswd",
        "/assets/..%2f..%2fvite.config.js",
        "/assets/..%2f.gitignore",
        "/index.html",
    ] {
        let reply = world.call("GET", path, None, "").await;
        assert_eq!((reply.status, &reply.body["type"]), (StatusCode::NOT_FOUND, &"not_found".into()), "{path}");
    }
    world.end().await;
}
