//! `GET /v1/documents` and `PATCH /v1/documents/{id}`.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use ibidem_ports::outbox::Outbox;
use serde_json::{Value, json};

use crate::world::{Reply, World};

fn names(reply: &Reply) -> BTreeSet<String> {
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    let name = |document: &Value| document["document_name"].as_str().unwrap().to_owned();
    reply.body["documents"].as_array().unwrap().iter().map(name).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn a_list_has_what_the_caller_may_see_and_its_filters_take_from_it() {
    let world = World::create().await;
    world.take_in_public("travel.md", "Travel by train", "Trains are booked by the desk.").await;
    world.take_in_to("Guide", world.tenant, "desk.md", "public", ["Desk guide", "The desk is open."]).await;
    let stranger = world.key("asker", &[]).await;
    let member = world.key("asker", &["finance"]).await;
    let admin = world.key("admin", &[]).await;
    let list = async |key: &str, query: &str| world.call("GET", &format!("/v1/documents{query}"), Some(key), "").await;

    assert_eq!(names(&list(&stranger, "").await), set(&["Leave", "Travel by train", "Desk guide"]));
    assert_eq!(names(&list(&member, "").await), set(&["Leave", "Salaries", "Travel by train", "Desk guide"]));
    for (query, expected) in [
        ("?collection=guide", &["Desk guide"][..]),
        ("?collection=Nowhere", &[]),
        ("?words=TRAIN%20travel", &["Travel by train"]),
        ("?words=train%20leave", &[]),
        ("?words=%20", &["Leave", "Salaries", "Travel by train", "Desk guide"]),
        ("?tag=finance", &["Salaries"]),
        ("?tag=public&collection=Policy", &["Leave", "Travel by train"]),
        ("?status=in_force&tag=finance", &["Salaries"]),
        ("?status=draft", &[]),
    ] {
        assert_eq!(names(&list(&member, query).await), set(expected), "{query}");
    }
    assert_eq!(names(&list(&stranger, "?tag=finance").await), set(&[]), "a tag of others says nothing");
    assert_eq!(names(&list(&admin, "?tag=finance").await), set(&[]), "an admin reads what their own tags show");

    let of_other = world.key_of("other", "admin").await;
    assert_eq!(names(&list(&of_other, "").await), set(&["Leave"]), "the other tenant's own");

    let first = list(&member, "?tag=finance").await.body["documents"][0].clone();
    let read = world.call("GET", first["document"].as_str().unwrap(), Some(&member), "").await;
    for field in ["document_id", "version", "document_name", "collection", "file", "status", "passages", "updated_at"] {
        assert_eq!(read.body[field], first[field], "{field}");
    }
    for (query, field) in [
        ("?limit=0", "limit"),
        ("?limit=201", "limit"),
        ("?cursor=x", "cursor"),
        ("?tag=a%20b", "tag"),
        ("?collection=a%2Fb", "collection"),
        ("?words=%00", "words"),
        (&format!("?words={}", "x".repeat(201)), "words"),
    ] {
        let reply = list(&member, query).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{query}");
        assert!(reply.body["detail"].as_str().unwrap().starts_with(field), "{query}: {}", reply.text);
    }
    for query in ["?status=lost", "?tenant=other"] {
        assert_eq!(list(&member, query).await.status, StatusCode::BAD_REQUEST, "{query}");
    }
    world.end().await;
}

#[tokio::test]
async fn page_after_page_brings_every_document_once() {
    let world = World::create().await;
    for number in 0..7 {
        world.take_in_public(&format!("{number}.md"), &format!("Rule {number}"), "A rule.").await;
    }
    let key = world.key("asker", &[]).await;
    let (mut seen, mut cursor, mut pages) = (Vec::new(), String::new(), 0);
    loop {
        let page = world.call("GET", &format!("/v1/documents?limit=3{cursor}"), Some(&key), "").await;
        seen.extend(names(&page));
        pages += 1;
        match page.body["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!((pages, seen.len(), seen.iter().collect::<BTreeSet<_>>().len()), (3, 8, 8), "{seen:?}");
    world.end().await;
}

#[tokio::test]
async fn a_retag_counts_at_once_and_a_curator_changes_only_tags_of_their_own() {
    let world = World::create().await;
    let text = "The plan is kept by the board.";
    let plan = world.take_in(world.tenant, "plan.md", "board", "Plan", text).await;
    let path = format!("/v1/documents/{plan}");
    let retag = async |key: &str, tags: &[&str]| {
        let body = json!({ "tags": tags }).to_string();
        world.call("PATCH", &path, Some(key), &body).await.status
    };
    let [board, support, both] = [&["board"][..], &["support"], &["board", "support"]];
    let (asker, of_board) = (world.key("asker", board).await, world.key("curator", board).await);
    let (of_support, of_both) = (world.key("curator", support).await, world.key("curator", both).await);
    let (admin, outside) = (world.key("admin", &[]).await, world.key_of("other", "admin").await);
    let reader = world.key("asker", support).await;
    let reads = async || world.call("GET", &path, Some(&reader), "").await.status == StatusCode::OK;

    assert_eq!(retag(&asker, &["board"]).await, StatusCode::FORBIDDEN);
    assert_eq!(retag(&of_board, &["support"]).await, StatusCode::FORBIDDEN, "a tag that they do not carry");
    assert_eq!(retag(&of_support, &["support"]).await, StatusCode::NOT_FOUND, "it is not there for them");
    assert_eq!(retag(&outside, &["public"]).await, StatusCode::NOT_FOUND, "nor for another tenant's admin");
    assert_eq!(retag(&of_board, &[]).await, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(!reads().await);

    assert_eq!(retag(&of_both, &["board", "support"]).await, StatusCode::NO_CONTENT);
    assert!(reads().await, "at the next request");
    assert_eq!(retag(&of_support, &["public"]).await, StatusCode::NO_CONTENT);
    let listed = world.call("GET", "/v1/documents?words=plan", Some(&of_board), "").await;
    assert_eq!(listed.body["documents"][0]["tags"], json!(["board", "public"]), "the tag of the others stayed");
    let listed = world.call("GET", "/v1/documents?words=plan", Some(&reader), "").await;
    assert_eq!(listed.body["documents"][0]["tags"], json!(["public"]), "other audiences are not told");
    assert_eq!(retag(&of_support, &["support"]).await, StatusCode::FORBIDDEN, "it is public, and not of their tag");

    assert_eq!(retag(&admin, &["chair"]).await, StatusCode::NO_CONTENT, "an admin gives any");
    assert!(!reads().await, "gone at the next request");
    let question = r#"{"query": "Who keeps the plan?"}"#;
    let found = world.call("POST", "/v1/search", Some(&of_board), question).await;
    assert!(!found.text.contains(text), "the search too: {}", found.text);
    world.end().await;
}

#[tokio::test]
async fn a_document_is_read_with_its_versions() {
    let world = World::create().await;
    world.take_in_public("rule.md", "Rule", "Four days.").await;
    world.take_in_public("rule.md", "Rule", "Five days.").await;
    let key = world.key("asker", &[]).await;
    let listed = world.call("GET", "/v1/documents?words=rule", Some(&key), "").await;
    let place = listed.body["documents"][0]["document"].as_str().unwrap().to_owned();
    let read = world.call("GET", &place, Some(&key), "").await;
    assert_eq!(read.body["version"], 1, "until the index has the new one");
    assert!(read.text.contains("Four days"));

    // As a worker does once the index has it.
    let held = Outbox::claim(world.store(), 10).await.unwrap();
    Outbox::acknowledge(world.store(), &held).await.unwrap();
    let read = world.call("GET", &place, Some(&key), "").await;
    let versions = read.body["versions"].as_array().unwrap();
    let numbers: Vec<_> = versions.iter().map(|version| version["version"].as_u64().unwrap()).collect();
    assert_eq!((numbers, &read.body["version"]), (vec![2, 1], &2.into()));
    assert_eq!(versions[0]["document_sha256"], read.body["document_sha256"]);
    assert_ne!(versions[1]["document_sha256"], read.body["document_sha256"]);
    assert!(!read.text.contains("Four days"), "what it said before may have been for others");
    world.end().await;
}
