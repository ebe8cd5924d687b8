//! `POST /v1/documents`.

use axum::http::StatusCode;
use ibidem_ports::intake::Intake;
use ibidem_words::SubjectId;

use crate::world::{Reply, World};

fn form(fields: &[(&str, &str)], file: Option<(&str, &str)>) -> String {
    let mut body = String::new();
    for (name, value) in fields {
        body.push_str(&format!("--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"));
    }
    if let Some((name, content)) = file {
        body.push_str(&format!(
            "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{content}\r\n"
        ));
    }
    body.push_str("--b--\r\n");
    body
}

async fn submit(world: &World, key: &str, body: &str) -> Reply {
    let headers = [("authorization", key), ("content-type", "multipart/form-data; boundary=b")];
    world.call_with("POST", "/v1/documents", &headers, body).await
}

#[tokio::test]
async fn a_document_is_queued_once_under_the_keys_own_id() {
    let world = World::create().await;
    let key = world.key("curator", &["finance"]).await;
    let body =
        form(&[("collection", "Policy"), ("tags", "finance"), ("address", "P-7")], Some(("travel.md", "# Travel")));
    let reply = submit(&world, &key, &body).await;
    assert_eq!(
        (reply.status, reply.body["outcome"].as_str()),
        (StatusCode::ACCEPTED, Some("queued")),
        "{}",
        reply.body
    );
    let job = Intake::claim(world.store(), 1).await.unwrap().remove(0);
    let location = &job.submission.source_location;
    let id = location.strip_prefix("api:").and_then(|rest| rest.strip_suffix("/travel.md")).unwrap();
    assert!(matches!(id.parse(), Ok(SubjectId::Key(_))), "{location}");
    assert_eq!(job.submission.address.as_deref(), Some("P-7"));
    assert_eq!(job.submission.document_id().0.to_string(), reply.body["document_id"].as_str().unwrap());
    world.end().await;
}

#[tokio::test]
async fn what_is_uploaded_without_tags_is_seen_by_nobody_else_until_they_say_so() {
    let world = World::create().await;
    let uploader = world.key("curator", &["board", "hr", "staff"]).await;
    let file = Some(("salaries.md", "# Salaries"));
    let body = form(&[("collection", "Policy")], file);
    let reply = submit(&world, &uploader, &body).await;
    assert_eq!((reply.status, &reply.body["visible_to"]), (StatusCode::ACCEPTED, &"Only you can see it.".into()));
    let blank = submit(&world, &uploader, &form(&[("collection", "Policy"), ("tags", " , ")], file)).await;
    assert_eq!(blank.body["tags"], reply.body["tags"], "an empty field shares nothing either");
    let job = Intake::claim(world.store(), 1).await.unwrap().remove(0).submission;
    let own = job.tags.iter().map(|tag| tag.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!((reply.body["tags"].clone(), own.len()), (own.clone().into(), 1));
    let text = ["Salaries", "The salaries of everybody are listed here."];
    let id = world.take_in_to("Policy", world.tenant, &job.source_location, &own[0], text).await;
    let path = format!("/v1/documents/{}", id.0);
    let sees = async |key: &str| {
        let found = world.call("POST", "/v1/search", Some(key), r#"{"query": "salaries of everybody"}"#).await;
        let read = world.call("GET", &path, Some(key), "").await;
        let listed = world.call("GET", "/v1/documents?words=salaries", Some(key), "").await;
        let of_it = [&found, &listed].map(|reply| reply.text.contains(&id.0.to_string()));
        assert_eq!(of_it, [read.status == StatusCode::OK; 2], "{} {}", found.text, listed.text);
        of_it[0]
    };
    assert!(sees(&uploader).await);
    let mut others = Vec::new();
    for (role, tags) in [
        ("curator", &["board", "hr", "staff"][..]),
        ("admin", &["board", "hr", "staff"]),
        ("asker", &["hr"]),
        ("asker", &["staff"]),
        ("admin", &[own[0].as_str()]),
    ] {
        others.push(world.key(role, tags).await);
    }
    for other in &others {
        assert!(!sees(other).await);
    }
    let to_hr = world.call("PATCH", &path, Some(&uploader), r#"{"tags": ["hr"]}"#).await;
    assert_eq!(to_hr.status, StatusCode::NO_CONTENT, "{}", to_hr.text);
    // The index of this test follows nobody; what is read and listed comes from the catalogue.
    for (other, expected) in others.iter().zip([true, true, true, false, false]) {
        let read = world.call("GET", &path, Some(other), "").await;
        assert_eq!(read.status == StatusCode::OK, expected, "{}", read.text);
    }
    world.end().await;
}

#[tokio::test]
async fn two_keys_of_one_name_do_not_replace_each_others_documents() {
    let world = World::create().await;
    let body = form(&[("collection", "Policy"), ("tags", "public")], Some(("travel.md", "# Travel")));
    let mut ids = Vec::new();
    for _ in 0..2 {
        let key = world.key("curator", &[]).await;
        ids.push(submit(&world, &key, &body).await.body["document_id"].clone());
    }
    assert_ne!(ids[0], ids[1]);
    world.end().await;
}

#[tokio::test]
async fn a_curator_hands_in_for_its_own_audiences_an_admin_for_any_and_an_asker_not_at_all() {
    let world = World::create().await;
    let body = form(&[("collection", "Policy"), ("tags", "finance, public")], Some(("a.md", "x")));
    for (role, tags, status) in [
        ("asker", &["finance"][..], StatusCode::FORBIDDEN),
        ("curator", &["security"], StatusCode::FORBIDDEN),
        ("curator", &["finance"], StatusCode::ACCEPTED),
        ("admin", &[], StatusCode::ACCEPTED),
    ] {
        let key = world.key(role, tags).await;
        assert_eq!(submit(&world, &key, &body).await.status, status, "{role} {tags:?}");
    }
    world.end().await;
}

#[tokio::test]
async fn a_form_that_lacks_something_says_what() {
    let world = World::create().await;
    let key = world.key("admin", &[]).await;
    let file = Some(("a.md", "x"));
    let cases = [
        (form(&[("tags", "public")], file), "`collection` is missing"),
        (form(&[("collection", "Policy"), ("tags", "public")], None), "`file` is missing"),
        (form(&[("collection", "Policy"), ("tags", "public")], Some(("a.exe", "x"))), "of no kind that can be read"),
        (form(&[("collection", "Po/licy"), ("tags", "public")], file), "is not a name"),
        (form(&[("collection", "Policy"), ("tags", "a b")], file), "is not a tag"),
        (form(&[("collection", "Policy"), ("tags", "public"), ("tenant", "x")], file), "no form field \"tenant\""),
    ];
    for (body, expected) in cases {
        let reply = submit(&world, &key, &body).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{expected}");
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.contains(expected), "{detail:?} should contain {expected:?}");
    }
    world.end().await;
}

#[tokio::test]
async fn a_file_with_each_ending_that_is_told_can_be_handed_in() {
    let world = World::create().await;
    let key = world.key("admin", &[]).await;
    let me = world.call("GET", "/auth/me", Some(&key), "").await;
    let endings = me.body["file_endings"].as_array().unwrap();
    assert!(endings.contains(&".md".into()) && endings.contains(&".xhtml".into()), "{endings:?}");
    for ending in endings {
        let name = format!("a{}", ending.as_str().unwrap());
        let body = form(&[("collection", "Policy"), ("tags", "public")], Some((&name, "x")));
        assert_eq!(submit(&world, &key, &body).await.status, StatusCode::ACCEPTED, "{name}");
    }
    world.end().await;
}

#[tokio::test]
async fn a_document_that_is_too_large_is_refused() {
    let world = World::create().await;
    let key = world.key("admin", &[]).await;
    let body = form(&[("collection", "Policy"), ("tags", "public")], Some(("a.md", &"x".repeat(20_000))));
    let reply = submit(&world, &key, &body).await;
    assert_eq!((reply.status, reply.body["type"].as_str()), (StatusCode::PAYLOAD_TOO_LARGE, Some("malformed_request")));
    world.end().await;
}

#[tokio::test]
async fn a_field_that_cannot_be_kept_is_named_and_nothing_is_queued() {
    let world = World::create().await;
    let key = world.key("admin", &[]).await;
    let long = "x".repeat(600);
    let address = "9 ".repeat(2_000);
    let tags: Vec<_> = (0..101).map(|number| format!("t{number}")).collect();
    let tags = tags.join(",");
    for (field, value) in [
        ("title", "a\0b"),
        ("title", "\u{1b}[31m"),
        ("title", &long),
        ("address", &address),
        ("address", "P\u{7}-7"),
        ("name", "a\nb.md"),
        ("name", "a\0.md"),
        ("name", "../../secrets.md"),
        ("name", "a\u{202e}fdp.md"),
        ("name", &long.repeat(2)),
        ("kind", "a\0b"),
        ("kind", &long),
        ("tags", &tags),
        ("tags", "a\0"),
        ("collection", "Po\0licy"),
    ] {
        let mut fields = vec![("collection", "Policy"), ("tags", "public")];
        fields.retain(|(name, _)| *name != field);
        fields.push((field, value));
        let reply = submit(&world, &key, &form(&fields, Some(("a.md", "x")))).await;
        assert_eq!(reply.status, StatusCode::UNPROCESSABLE_ENTITY, "{field} {value:?}: {}", reply.body);
        let detail = reply.body["detail"].as_str().unwrap();
        assert!(detail.starts_with(&format!("{field}: ")), "{detail}");
    }
    assert!(Intake::claim(world.store(), 10).await.unwrap().is_empty());
    world.end().await;
}

#[tokio::test]
async fn what_cannot_be_seen_in_a_title_or_an_address_is_taken_out() {
    let world = World::create().await;
    let key = world.key("admin", &[]).await;
    let fields =
        [("collection", "Policy"), ("tags", "public"), ("title", "Oil\u{202e}\n change"), ("address", "P-\u{200b}7")];
    let reply = submit(&world, &key, &form(&fields, Some(("a.md", "x")))).await;
    assert_eq!(reply.status, StatusCode::ACCEPTED, "{}", reply.body);
    let job = Intake::claim(world.store(), 1).await.unwrap().remove(0);
    assert_eq!(job.submission.title.as_deref(), Some("Oil change"));
    assert_eq!(job.submission.address.as_deref(), Some("P-7"));
    world.end().await;
}

#[tokio::test]
async fn what_an_answer_cites_can_be_read_and_what_is_not_for_the_key_is_not_there() {
    let world = World::create().await;
    let text = "Six days of leave may be carried over by the okapi rule of the board.";
    let document = world.take_in(world.tenant, "okapi.md", "board", "Board okapi", text).await;
    world.keep_original(text).await;
    let (member, stranger) = (world.key("asker", &["board"]).await, world.key("asker", &["others"]).await);
    let of_other = format!("/v1/documents/{}", uuid::Uuid::new_v4());
    let path = format!("/v1/documents/{document}");

    let read = world.call("GET", &path, Some(&member), "").await;
    assert_eq!(read.status, StatusCode::OK, "{}", read.text);
    for (field, expected) in
        [("text", text), ("document_name", "Board okapi"), ("file", "okapi.md"), ("status", "in_force")]
    {
        assert_eq!(read.body[field], expected, "{field}");
    }
    let passage = world.call("GET", &format!("{path}/passages/0"), Some(&member), "").await;
    assert_eq!((passage.status, &passage.body["text"]), (StatusCode::OK, &text.into()), "{}", passage.text);
    assert_eq!((&passage.body["section"], &passage.body["page_number"]), (&"Rules".into(), &2.into()));
    assert_eq!(passage.body["document"], path.as_str());
    let original = world.call("GET", &format!("{path}/original"), Some(&member), "").await;
    assert_eq!((original.status, original.text.as_str()), (StatusCode::OK, text));

    let question = r#"{"query": "How many days of leave may be carried over, by the okapi rule?"}"#;
    let answer = world.call("POST", "/v1/answers", Some(&member), question).await.body;
    let citations = answer["citations"].as_array().unwrap();
    let cited = citations.iter().find(|cited| cited["document_id"] == document.to_string()).unwrap();
    assert_eq!((&cited["file"], &cited["status"]), (&"okapi.md".into(), &"in_force".into()), "{cited}");
    let followed = world.call("GET", cited["link"].as_str().unwrap(), Some(&member), "").await;
    assert_eq!(followed.body["text"], cited["snippet_full"]);

    for below in ["", "/passages/0", "/passages/7", "/passages/x", "/original"] {
        let bare = |mut reply: Reply| {
            reply.body.as_object_mut().unwrap().remove("request_id");
            (reply.status, reply.body.to_string())
        };
        let hidden = bare(world.call("GET", &format!("{path}{below}"), Some(&stranger), "").await);
        let absent = bare(world.call("GET", &format!("{of_other}{below}"), Some(&stranger), "").await);
        assert_eq!((hidden.0, &hidden), (StatusCode::NOT_FOUND, &absent), "{below}");
    }
    let past = world.call("GET", &format!("{path}/passages/7"), Some(&member), "").await;
    assert_eq!(past.status, StatusCode::NOT_FOUND);
    world.end().await;
}

#[tokio::test]
async fn a_curator_hands_in_to_the_collections_that_their_key_names() {
    let world = World::create().await;
    let id = world.take_in_to("Minutes", world.tenant, "m.md", "finance", ["Minutes", "Of March."]).await;
    let body = |collection: &str| form(&[("collection", collection), ("tags", "public")], Some(("a.md", "x")));
    for (hand_in, collection, status) in [
        (&["Policy"][..], "Policy", StatusCode::ACCEPTED),
        (&["Policy"], "ADR", StatusCode::FORBIDDEN),
        (&["Policy"], "policy", StatusCode::FORBIDDEN),
        (&["*"], "ADR", StatusCode::ACCEPTED),
        (&[], "Policy", StatusCode::FORBIDDEN),
    ] {
        let key = world.key_handing_in(&["finance"], hand_in).await;
        let reply = submit(&world, &key, &body(collection)).await;
        assert_eq!(reply.status, status, "{hand_in:?} {collection}: {}", reply.body);
        if status == StatusCode::FORBIDDEN {
            assert_eq!(reply.body["type"], "not_your_collection");
            assert!(reply.body["detail"].as_str().unwrap().contains(collection), "{}", reply.body);
        }
    }
    assert_eq!(submit(&world, &world.key("admin", &[]).await, &body("ADR")).await.status, StatusCode::ACCEPTED);
    // What they may not hand in to they do not change either.
    for (hand_in, status) in [(&["Policy"][..], StatusCode::FORBIDDEN), (&["Minutes"], StatusCode::NO_CONTENT)] {
        let key = world.key_handing_in(&["finance"], hand_in).await;
        let tags = r#"{"tags": ["finance", "public"]}"#;
        let reply = world.call("PATCH", &format!("/v1/documents/{}", id.0), Some(&key), tags).await;
        assert_eq!(reply.status, status, "{}", reply.body);
    }
    world.end().await;
}

#[tokio::test]
async fn an_address_that_anothers_document_has_is_a_conflict_for_whoever_sees_that_one() {
    let world = World::create().await;
    world
        .run_sql(
            "UPDATE documents SET address = 'P-7', address_key = 'p 000000007' WHERE source_location = 'leave.md';
             UPDATE documents SET address = 'P-8', address_key = 'p 000000008' WHERE source_location = 'salaries.md'",
        )
        .await;
    let body = |address: &str| {
        form(
            &[("collection", "Policy"), ("tags", "public"), ("address", address)],
            Some((&format!("{address}.md"), "x")),
        )
    };
    for (role, tags, address, status) in [
        ("curator", &[][..], "p 7", StatusCode::CONFLICT),
        ("curator", &["staff"], "P-7", StatusCode::CONFLICT),
        ("curator", &["staff"], "P-8", StatusCode::ACCEPTED),
        ("curator", &["staff"], "P-9", StatusCode::ACCEPTED),
        ("curator", &["finance"], "P-8", StatusCode::ACCEPTED),
        ("admin", &[], "P-7", StatusCode::ACCEPTED),
    ] {
        let key = world.key(role, tags).await;
        let reply = submit(&world, &key, &body(address)).await;
        assert_eq!(reply.status, status, "{role} {tags:?} {address}: {}", reply.body);
        if status == StatusCode::CONFLICT {
            assert_eq!(reply.body["type"], "address_taken");
        }
    }
    world.end().await;
}

#[tokio::test]
async fn keys_and_groups_say_where_documents_may_be_handed_in() {
    let world = World::create().await;
    let admin = world.key("admin", &[]).await;
    for (given, kept) in [
        (serde_json::json!(["ADR", "Staff handbook"]), serde_json::json!(["ADR", "Staff handbook"])),
        (serde_json::json!(["*", "ADR"]), serde_json::json!(["*"])),
        (serde_json::Value::Null, serde_json::json!([])),
    ] {
        let mut body = serde_json::json!({ "name": "desk", "role": "curator" });
        if !given.is_null() {
            body["hand_in"] = given;
        }
        let made = world.call("POST", "/v1/keys", Some(&admin), &body.to_string()).await;
        assert_eq!(made.status, StatusCode::CREATED, "{}", made.body);
        let listed = world.call("GET", "/v1/keys", Some(&admin), "").await.body;
        let listed =
            listed["keys"].as_array().unwrap().iter().find(|key| key["id"] == made.body["id"]).unwrap().clone();
        assert_eq!(listed["hand_in"], kept);
        let given = world.call("PUT", "/v1/groups", Some(&admin), &body.to_string()).await;
        assert_eq!(given.status, StatusCode::OK, "{}", given.body);
        let listed = world.call("GET", "/v1/groups", Some(&admin), "").await.body;
        assert_eq!(listed["groups"][0]["hand_in"], kept);
    }
    let wrong = serde_json::json!({ "name": "desk", "role": "curator", "hand_in": ["a/b"] }).to_string();
    let refused = world.call("POST", "/v1/keys", Some(&admin), &wrong).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.body["detail"].as_str().unwrap().starts_with("hand_in: "), "{}", refused.body);
    world.end().await;
}
