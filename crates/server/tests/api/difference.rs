//! By difference nothing hidden shows over HTTP: with and without documents that the key may not see, every reply has
//! the same status and the same bytes, but for ids and times.

use serde_json::{Value, json};

use crate::world::World;

const SUBJECTS: [&str; 6] = ["leave", "travel", "salaries", "carried over days", "hotel nights", "the annual bonus"];

/// What is public in both worlds.
async fn take_in_public(world: &World) {
    for (number, subject) in SUBJECTS.iter().enumerate() {
        let text = format!("The rule on {subject} is reviewed in March. Five days of {subject} are the limit.");
        world.take_in_public(&format!("{number}.md"), &format!("Rule {number}"), &text).await;
    }
}

/// What only one of them has: of another tenant, and of this one for others, some of it in a collection of its own.
async fn take_in_hidden(world: &World) {
    let other = world.store().ensure_tenant("other").await.unwrap();
    for number in 0..12 {
        let subject = SUBJECTS[number % SUBJECTS.len()];
        let text = format!("Secretly the rule on {subject} is another: leave, leave and leave for hotel nights.");
        let location = format!("hidden {number}.md");
        let collection = if number % 3 == 0 { "Secret" } else { "Policy" };
        let (tenant, tag) = if number % 2 == 0 { (other, "public") } else { (world.tenant, "finance") };
        world.take_in_to(collection, tenant, &location, tag, ["Hidden rule", &text]).await;
    }
}

/// Without what is different each time: ids of requests, times, and the digests that hold them.
fn comparable(value: Value) -> Value {
    let changes =
        |name: &str| name.ends_with("_ms") || ["request_id", "asked_at", "receipt_sha256", "signature"].contains(&name);
    match value {
        Value::Object(mut fields) => {
            if let Some(receipt) = fields.get_mut("receipt").and_then(Value::as_object_mut) {
                receipt.remove("sha256");
                receipt.remove("shown_sha256");
            }
            let kept = fields.into_iter().filter(|(name, _)| !changes(name));
            kept.map(|(name, value)| (name, comparable(value))).collect()
        }
        Value::Array(values) => values.into_iter().map(comparable).collect(),
        other => other,
    }
}

#[tokio::test]
async fn with_and_without_what_is_hidden_every_reply_over_http_is_the_same() {
    let (with, without) = (World::create().await, World::create().await);
    for world in [&with, &without] {
        take_in_public(world).await;
    }
    take_in_hidden(&with).await;
    let mut requests = Vec::new();
    for subject in SUBJECTS {
        for query in
            [subject.to_owned(), format!("What is the rule on {subject}?"), format!("List policies about {subject}")]
        {
            for collections in [json!([]), json!(["Policy"]), json!(["Secret"]), json!(["Nowhere"])] {
                let search = json!({ "query": query, "collections": collections, "limit": 5 });
                requests.push(("/v1/search", search));
                requests.push(("/v1/answers", json!({ "query": query, "collections": collections })));
            }
        }
    }
    let keys = [&with, &without].map(|world| world.key("asker", &[]));
    let [with_key, without_key]: [String; 2] =
        futures::future::join_all(keys).await.try_into().unwrap_or_else(|_| panic!("two keys"));
    let mut found = 0;
    for (path, body) in requests {
        let one = with.call("POST", path, Some(&with_key), &body.to_string()).await;
        let other = without.call("POST", path, Some(&without_key), &body.to_string()).await;
        assert_eq!(one.status, other.status, "{path} {body}");
        found += one.body["hits"].as_array().map_or(0, Vec::len) + one.body["citations"].as_array().map_or(0, Vec::len);
        assert_eq!(comparable(one.body).to_string(), comparable(other.body).to_string(), "{path} {body}");
    }
    assert!(found > 100, "what finds nothing shows nothing: {found}");
    with.end().await;
    without.end().await;
}
