//! Conversations: whose they are, what goes on with what, and that a deletion leaves no word behind.

use axum::http::StatusCode;
use ibidem_store::Retention;
use ibidem_words::{DocumentId, Tag};
use serde_json::{Value, json};

use super::world::{Reply, World};

const QUESTION: &str = "How many days of leave may be carried over, by the okapi rule?";
/// Only in the document that is not for everybody.
const SECRET: &str = "okapi rule of the board";

async fn world_with_a_secret() -> (World, DocumentId, String) {
    let world = World::create().await;
    let text = format!("Five days of leave may be carried over by the {SECRET}.");
    let secret = world.take_in(world.tenant, "okapi.md", "board", "Board okapi", &text).await;
    let key = world.key_named("desk", "asker", &["board"]).await;
    (world, secret, key)
}

async fn begun(world: &World, key: &str) -> String {
    let reply = world.call("POST", "/v1/conversations", Some(key), "{}").await;
    assert_eq!(reply.status, StatusCode::CREATED, "{}", reply.text);
    reply.body["id"].as_str().unwrap().to_owned()
}

async fn asked(world: &World, key: &str, conversation: &str, query: &str) -> Value {
    let body = json!({ "query": query, "conversation_id": conversation }).to_string();
    let reply = world.call("POST", "/v1/answers", Some(key), &body).await;
    assert_eq!(reply.status, StatusCode::OK, "{}", reply.text);
    reply.body
}

async fn read(world: &World, key: &str, conversation: &str) -> Reply {
    world.call("GET", &format!("/v1/conversations/{conversation}"), Some(key), "").await
}

/// All that a table holds.
async fn texts_of(world: &World, table: &str) -> String {
    world.columns_of(table).await.into_iter().map(|(_, values)| values).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_conversation_keeps_its_questions_with_their_answers_and_is_called_by_the_first() {
    let (world, _, key) = world_with_a_secret().await;
    let id = begun(&world, &key).await;
    let answer = asked(&world, &key, &id, QUESTION).await;
    assert_eq!(answer["action"], "cite", "{answer}");
    assert!(answer.get("rewritten_question").is_none(), "it stands by itself");
    let second = asked(&world, &key, &id, "Who decides on them?").await;
    let rewritten = second["rewritten_question"].as_str().unwrap();
    assert!(rewritten.contains("leave") && rewritten.starts_with("Who decides on"), "{rewritten}");

    let whole = read(&world, &key, &id).await.body;
    assert_eq!(whole["title"], QUESTION);
    assert_eq!(whole["questions"][0]["answer"], answer, "as it was given, receipt included");
    assert_eq!(whole["questions"][1]["question"], "Who decides on them?");
    assert_eq!(whole["questions"][1]["rewritten_question"], rewritten);
    let list = world.call("GET", "/v1/conversations", Some(&key), "").await.body;
    assert_eq!((&list["conversations"][0]["id"], &list["conversations"][0]["turns"]), (&json!(id), &json!(2)));

    let renamed = world.call("PATCH", &format!("/v1/conversations/{id}"), Some(&key), r#"{"title": "Leave"}"#).await;
    assert_eq!(renamed.body["title"], "Leave", "{}", renamed.text);
    let export = world.call("GET", &format!("/v1/conversations/{id}/export?format=markdown"), Some(&key), "").await;
    assert!(export.text.starts_with("# Leave\n") && export.text.contains("- [1] Board okapi"), "{}", export.text);
    assert!(export.header("content-disposition").unwrap().contains(&id));
    world.end().await;
}

#[tokio::test]
async fn nobody_elses_conversation_is_there() {
    let (world, _, key) = world_with_a_secret().await;
    let id = begun(&world, &key).await;
    asked(&world, &key, &id, QUESTION).await;
    for role in ["asker", "curator", "admin"] {
        let namesake = world.key_named("desk", role, &["board"]).await;
        let nobodys = "00000000-0000-0000-0000-000000000007";
        for (method, path, body) in [
            ("GET", "/v1/conversations/{id}", ""),
            ("GET", "/v1/conversations/{id}/export", ""),
            ("PATCH", "/v1/conversations/{id}", r#"{"title": "Mine"}"#),
            ("DELETE", "/v1/conversations/{id}", ""),
        ] {
            let bare = |mut reply: Reply| {
                reply.body.as_object_mut().unwrap().remove("request_id");
                (reply.status, reply.body)
            };
            let theirs = bare(world.call(method, &path.replace("{id}", &id), Some(&namesake), body).await);
            assert_eq!(theirs.0, StatusCode::NOT_FOUND, "{role} {method} {path}");
            let absent = bare(world.call(method, &path.replace("{id}", nobodys), Some(&namesake), body).await);
            assert_eq!(theirs, absent, "{role} {method} {path}");
        }
        let ask = json!({ "query": "And who decides?", "conversation_id": id }).to_string();
        assert_eq!(world.call("POST", "/v1/answers", Some(&namesake), &ask).await.status, StatusCode::NOT_FOUND);
        let list = world.call("GET", "/v1/conversations", Some(&namesake), "").await.body;
        assert_eq!(list["conversations"], json!([]), "{role}");
    }
    assert_eq!(read(&world, &key, &id).await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn what_the_asker_may_no_longer_see_is_in_no_conversation_and_in_no_question_after_it() {
    let (world, secret, key) = world_with_a_secret().await;
    let id = begun(&world, &key).await;
    asked(&world, &key, &id, QUESTION).await;
    world.store().retag(world.tenant, secret, &["chair".parse::<Tag>().unwrap()]).await.unwrap();
    let without_question = |text: &str| text.replace("by the okapi rule?", "");
    for path in ["", "/export", "/export?format=markdown"] {
        let reply = world.call("GET", &format!("/v1/conversations/{id}{path}"), Some(&key), "").await;
        let said = without_question(&reply.text);
        assert!(!said.contains("okapi") && !said.contains("Five days"), "{path}: {said}");
    }
    let before = world.model.prompts().len();
    asked(&world, &key, &id, "How many days of leave are there in a year?").await;
    let prompts = format!("{:?}", &world.model.prompts()[before..]);
    assert!(!without_question(&prompts).contains("okapi"), "{prompts}");
    world.end().await;
}

#[tokio::test]
async fn a_deleted_conversation_leaves_no_word_behind() {
    let (world, _, key) = world_with_a_secret().await;
    let id = begun(&world, &key).await;
    let answer = asked(&world, &key, &id, QUESTION).await;
    let request = answer["request_id"].as_str().unwrap().to_owned();
    let feedback = json!({ "thumb": "down", "reason": "wrong", "comment": "the okapi sleeps" }).to_string();
    world.written(1).await;
    let given = world.call("POST", &format!("/v1/answers/{request}/feedback"), Some(&key), &feedback).await;
    assert_eq!(given.status, StatusCode::NO_CONTENT, "{}", given.text);
    let deleted = world.call("DELETE", &format!("/v1/conversations/{id}"), Some(&key), "").await;
    assert_eq!((deleted.status, &deleted.body["turns"]), (StatusCode::OK, &json!(1)), "{}", deleted.text);
    assert_eq!(read(&world, &key, &id).await.status, StatusCode::NOT_FOUND);
    // Records that were on their way when it was deleted.
    world.stop().await;
    world.store().finish_conversation_erasures(chrono::DateTime::UNIX_EPOCH).await.unwrap();
    for table in ["audit", "actions", "conversations", "conversation_turns", "feedback"] {
        let rows = texts_of(&world, table).await;
        assert!(!rows.contains("okapi") && !rows.contains("Five days"), "{table}: {rows}");
    }
    world.end().await;
}

#[tokio::test]
async fn a_tenants_term_decides_how_long_its_conversations_are_kept() {
    let (world, _, key) = world_with_a_secret().await;
    let old = begun(&world, &key).await;
    let young = begun(&world, &key).await;
    world
        .run_sql(
            "UPDATE conversations SET changed_at = now() - interval '40 days'
             WHERE id = (SELECT id FROM conversations ORDER BY created_at, id LIMIT 1)",
        )
        .await;
    let now = chrono::Utc::now();
    for (days, of_tenant, gone) in
        [(None, None, 0), (Some(50), None, 0), (Some(30), Some(None), 0), (None, Some(Some(30)), 1)]
    {
        let of_tenants = of_tenant.map(|days| (world.tenant, days)).into_iter().collect();
        let swept = world.store().sweep_conversations(&Retention { days, of_tenants }, now).await.unwrap();
        assert_eq!(swept, gone, "{days:?} {of_tenant:?}");
    }
    assert_eq!(read(&world, &key, &old).await.status, StatusCode::NOT_FOUND);
    assert_eq!(read(&world, &key, &young).await.status, StatusCode::OK);
    world.end().await;
}

#[tokio::test]
async fn an_erased_document_is_erased_from_conversations_too() {
    let (world, secret, key) = world_with_a_secret().await;
    let id = begun(&world, &key).await;
    asked(&world, &key, &id, QUESTION).await;
    let admin = world.key("admin", &[]).await;
    let erased = world.call("DELETE", &format!("/v1/documents/{secret}?erase=true"), Some(&admin), "").await;
    assert_eq!(erased.status, StatusCode::OK, "{}", erased.text);
    let rows = texts_of(&world, "conversation_turns").await;
    assert!(!rows.contains(SECRET) && !rows.contains("Five days"), "{rows}");
    world.end().await;
}

#[tokio::test]
async fn a_conversation_has_its_own_history_and_titles_stand_on_one_line() {
    let (world, _, key) = world_with_a_secret().await;
    let id = begun(&world, &key).await;
    let both =
        json!({ "query": "x", "conversation_id": id, "history": [{"role": "user", "content": "y"}] }).to_string();
    let cases = [
        ("POST", "/v1/answers".to_owned(), both.as_str()),
        ("POST", "/v1/conversations".to_owned(), r#"{"title": "two\nlines"}"#),
        ("PATCH", format!("/v1/conversations/{id}"), r#"{"title": " "}"#),
    ];
    for (method, path, body) in cases {
        let reply = world.call(method, &path, Some(&key), body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{method} {path}: {}", reply.text);
    }
    world.end().await;
}
