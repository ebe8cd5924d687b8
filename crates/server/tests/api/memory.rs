//! `/v1/memory`.

use axum::http::StatusCode;
use ibidem_ports::memory::Memory as _;
use ibidem_ports::outbox::Outbox as _;
use ibidem_words::{DocumentId, Identity, MemoryId, Scope};
use serde_json::{Value, json};

use crate::world::{Reply, World};

fn leave() -> Value {
    json!({ "triggers": ["How many days of leave can I carry over?"], "references": [{ "address": "P-1" }],
            "tags": ["public"] })
}

fn note(tags: &[&str]) -> Value {
    json!({ "text": "Salaries are a matter of the works agreement.", "triggers": ["When is pay reviewed?"],
            "tags": tags })
}

async fn send(world: &World, key: &str, method: &str, path: &str, body: &Value) -> Reply {
    world.call(method, path, Some(key), &body.to_string()).await
}

fn path_of(reply: &Reply) -> String {
    format!("/v1/memory/{}", reply.body["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_pin_is_kept_read_reworded_and_removed() {
    let world = World::create().await;
    let key = world.key("curator", &[]).await;
    let made = send(&world, &key, "POST", "/v1/memory/pins", &leave()).await;
    assert_eq!(made.status, StatusCode::CREATED, "{}", made.text);
    assert_eq!((made.body["kind"].as_str(), made.body["version"].as_u64()), (Some("pin"), Some(1)));
    assert_eq!((&made.body["created_by"], &made.body["text"]), (&json!("desk"), &Value::Null));
    assert_eq!(made.body["unresolved"], json!([{ "address": "P-1" }]), "no document has that address");

    let collection = "Policy".parse().unwrap();
    let document = DocumentId::at(world.tenant, &collection, "leave.md");
    let mut body = leave();
    body["references"] = json!([{ "document": document }, { "passage": format!("{document}:0") }]);
    let reworded = send(&world, &key, "PUT", &path_of(&made), &body).await;
    assert_eq!((reworded.status, reworded.body["version"].as_u64()), (StatusCode::OK, Some(2)), "{}", reworded.text);
    assert_eq!((&reworded.body["references"], &reworded.body["unresolved"]), (&body["references"], &json!([])));
    assert_eq!(send(&world, &key, "GET", &path_of(&made), &Value::Null).await.body, reworded.body);

    // As the engine recalls it.
    let id = MemoryId(made.body["id"].as_str().unwrap().parse().unwrap());
    let asker = Identity::for_tests(world.tenant, "nobody", [].into());
    let recalled = world.store().recall(&Scope::of(&asker), &[id]).await.unwrap().remove(0);
    assert_eq!((recalled.version, recalled.resolved, recalled.passages.len()), (2, 2, 1));
    assert!(world.store().claim(10).await.unwrap().iter().any(|waiting| waiting.document == id.as_document()));

    let gone = send(&world, &key, "DELETE", &path_of(&made), &Value::Null).await;
    assert_eq!((gone.status, gone.text.as_str()), (StatusCode::NO_CONTENT, ""));
    for method in ["GET", "PUT", "DELETE"] {
        let reply = send(&world, &key, method, &path_of(&made), &leave()).await;
        assert_eq!((reply.status, &reply.body["type"]), (StatusCode::NOT_FOUND, &json!("not_found")), "{method}");
    }
    world.end().await;
}

#[tokio::test]
async fn curators_write_for_their_own_audiences_and_see_no_others() {
    let world = World::create().await;
    let asker = world.key("asker", &["finance"]).await;
    let finance = world.key("curator", &["finance"]).await;
    let both = world.key("curator", &["finance", "legal"]).await;
    let admin = world.key("admin", &[]).await;
    let path = "/v1/memory/notes";
    for (key, tags, status) in [
        (&asker, &["finance"][..], StatusCode::FORBIDDEN),
        (&finance, &["legal"], StatusCode::FORBIDDEN),
        (&finance, &["finance", "legal"], StatusCode::FORBIDDEN),
        (&admin, &["finance"], StatusCode::FORBIDDEN),
        (&finance, &["finance"], StatusCode::CREATED),
        (&both, &["finance", "legal"], StatusCode::CREATED),
        (&both, &["legal"], StatusCode::CREATED),
        (&admin, &["public"], StatusCode::CREATED),
    ] {
        assert_eq!(send(&world, key, "POST", path, &note(tags)).await.status, status, "{tags:?}");
    }
    // An asker is told so before anything of the body is looked at.
    assert_eq!(world.call("POST", path, Some(&asker), "{").await.status, StatusCode::FORBIDDEN);
    assert_eq!(send(&world, &asker, "GET", "/v1/memory", &Value::Null).await.status, StatusCode::FORBIDDEN);

    let list = async |key: &str| {
        let reply = send(&world, key, "GET", "/v1/memory", &Value::Null).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
        reply.body["entries"].as_array().unwrap().clone()
    };
    let all = list(&both).await;
    let tags = |entries: &[Value]| entries.iter().map(|entry| entry["tags"].clone()).collect::<Vec<_>>();
    assert_eq!(tags(&all), [json!(["finance"]), json!(["finance", "legal"]), json!(["legal"]), json!(["public"])]);
    // Who else an entry is for is not said to those who do not carry the tag.
    assert_eq!(tags(&list(&finance).await), [json!(["finance"]), json!(["finance"]), json!(["public"])]);
    assert_eq!(tags(&list(&admin).await), [json!(["public"])]);

    for (entry, get, change) in [
        (&all[1], StatusCode::OK, StatusCode::FORBIDDEN),
        (&all[2], StatusCode::NOT_FOUND, StatusCode::NOT_FOUND),
        (&all[0], StatusCode::OK, StatusCode::OK),
    ] {
        let path = format!("/v1/memory/{}", entry["id"].as_str().unwrap());
        assert_eq!(send(&world, &finance, "GET", &path, &Value::Null).await.status, get, "{entry}");
        let changed = send(&world, &finance, "PUT", &path, &note(&["finance"])).await;
        assert_eq!(changed.status, change, "{entry}");
        assert!(!changed.text.contains("legal"), "{}", changed.text);
        let removed = send(&world, &finance, "DELETE", &path, &Value::Null).await.status;
        assert_eq!(removed == StatusCode::NO_CONTENT, change == StatusCode::OK, "{entry}");
    }
    world.end().await;
}

#[tokio::test]
async fn entries_are_listed_page_by_page() {
    let world = World::create().await;
    let key = world.key("curator", &[]).await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(send(&world, &key, "POST", "/v1/memory/notes", &note(&["public"])).await.body["id"].clone());
    }
    let ids = |reply: &Reply| {
        let entries = reply.body["entries"].as_array().unwrap();
        entries.iter().map(|entry| entry["id"].clone()).collect::<Vec<_>>()
    };
    let first = send(&world, &key, "GET", "/v1/memory?limit=2", &Value::Null).await;
    assert_eq!((ids(&first), &first.body["next"]), (made[..2].to_vec(), &made[1]));
    let path = format!("/v1/memory?limit=2&after={}", made[1].as_str().unwrap());
    let rest = send(&world, &key, "GET", &path, &Value::Null).await;
    assert_eq!((ids(&rest), &rest.body["next"]), (made[2..].to_vec(), &Value::Null));
    let exact = send(&world, &key, "GET", "/v1/memory?limit=3", &Value::Null).await;
    assert_eq!((ids(&exact), &exact.body["next"]), (made, &Value::Null));
    world.end().await;
}

#[tokio::test]
async fn an_entry_that_cannot_be_kept_is_refused_with_what_to_do() {
    let world = World::create().await;
    let key = world.key("curator", &[]).await;
    let with = |field: &str, value: Value| {
        let mut body = leave();
        body[field] = value;
        body
    };
    let pins = "/v1/memory/pins";
    let cases = [
        (pins, with("triggers", json!([])), "no trigger"),
        (pins, with("triggers", json!(["x".repeat(501)])), "more than 500 characters"),
        (pins, with("triggers", json!(["x ".repeat(250) + "y?"])), "more than 500 characters"),
        (pins, with("references", json!([])), "a pin needs at least one source"),
        (pins, with("references", json!([{ "passage": "P-1" }])), "is not a source id"),
        (pins, with("references", json!([{ "address": "--" }])), "is no address"),
        (pins, with("references", json!([{ "chapter": "1" }])), "unknown variant `chapter`"),
        (pins, with("tags", json!([])), "there is no tag"),
        (pins, with("tags", json!(["a b"])), "is not a tag"),
        (pins, with("text", json!("A pin has none.")), "unknown field `text`"),
        ("/v1/memory/notes", leave(), "missing field `text`"),
        ("/v1/memory/notes", json!({ "text": " ", "triggers": ["x"], "tags": ["public"] }), "the note is blank"),
    ];
    for (path, body, expected) in cases {
        let reply = send(&world, &key, "POST", path, &body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{body}");
        assert_eq!(reply.header("content-type"), Some("application/problem+json"));
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains(expected), "{detail:?} should contain {expected:?}");
    }

    let pin = path_of(&send(&world, &key, "POST", pins, &leave()).await);
    let note = path_of(&send(&world, &key, "POST", "/v1/memory/notes", &note(&["public"])).await);
    let turned = send(&world, &key, "PUT", &pin, &with("text", json!("Text."))).await;
    assert!(turned.body["detail"].as_str().unwrap().contains("is a pin, which has none"), "{}", turned.text);
    let turned = send(&world, &key, "PUT", &note, &leave()).await;
    assert!(turned.body["detail"].as_str().unwrap().contains("send its text"), "{}", turned.text);

    for (path, status) in [
        ("/v1/memory?limit=0", StatusCode::UNPROCESSABLE_ENTITY),
        ("/v1/memory?limit=101", StatusCode::UNPROCESSABLE_ENTITY),
        ("/v1/memory?limit=x", StatusCode::BAD_REQUEST),
        ("/v1/memory?tenant=x", StatusCode::BAD_REQUEST),
        ("/v1/memory/none", StatusCode::NOT_FOUND),
    ] {
        let reply = send(&world, &key, "GET", path, &Value::Null).await;
        assert_eq!((reply.status, reply.header("content-type")), (status, Some("application/problem+json")), "{path}");
    }
    world.end().await;
}
