//! What a real Skosmos was asked and answered.

use serde_json::Value;

use crate::{Reply, get, gridterms};

const RECORDED: &str = include_str!("../data/vocabulary/recorded.jsonl");

/// Of the 26 recorded, these are compared in status and form alone.
const BY_FORM: [&str; 2] = [
    // The real server had other vocabularies beside these, and titles of its own for them.
    "vocabularies",
    // It has formats that are not served here, and names them.
    "data_unsupported_format",
];
/// It is about a vocabulary that is not here.
const NOT_HERE: &str = "multiline_definition_split";

struct Entry {
    name: String,
    path: String,
    recorded: Reply,
}

fn entries() -> Vec<Entry> {
    let lines = RECORDED.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let entries = lines.map(|line| {
        let text = |field: &str| line[field].as_str().map(str::to_owned);
        let recorded = Reply {
            status: u16::try_from(line["status"].as_u64().unwrap()).unwrap(),
            content_type: text("content_type").unwrap(),
            vary: text("vary"),
            body: text("body").unwrap(),
        };
        let path = text("request").unwrap().strip_prefix("GET ").unwrap().to_owned();
        Entry { name: text("name").unwrap(), path, recorded }
    });
    entries.collect()
}

#[tokio::test]
async fn recorded_requests_get_the_recorded_responses() {
    let router = gridterms();
    let mut compared = 0;
    for Entry { name, path, recorded } in entries().into_iter().filter(|entry| entry.name != NOT_HERE) {
        let reply = get(&router, &path).await;
        assert_eq!(reply.status, recorded.status, "{name}: {}", reply.body);
        assert_eq!(reply.content_type, recorded.content_type, "{name}");
        assert_eq!(reply.vary, recorded.vary, "{name}");
        if BY_FORM.contains(&name.as_str()) {
            continue;
        }
        if recorded.content_type.starts_with("application/json") {
            assert_eq!(comparable(&name, reply.json()), comparable(&name, recorded.json()), "{name}");
        } else {
            assert_eq!(reply.body, recorded.body, "{name}");
        }
        compared += 1;
    }
    assert_eq!(compared, 23);
}

/// The body, with whatever the real server leaves to chance put in order: rows of equal labels, and in `data` the
/// values of a property and the nodes of the graph.
fn comparable(name: &str, mut body: Value) -> Value {
    match name {
        "no_unique" => {
            let rows = body["results"].as_array_mut().unwrap();
            let key = |row: &Value| {
                let label = ["altLabel", "hiddenLabel", "prefLabel"].iter().find_map(|field| row[*field].as_str());
                (label.unwrap().to_lowercase(), row["uri"].as_str().unwrap().to_owned())
            };
            let labels: Vec<String> = rows.iter().map(|row| key(row).0).collect();
            assert!(labels.is_sorted(), "rows come in the order of the labels that match: {labels:?}");
            rows.sort_by_key(key);
            body
        }
        "data_json" => in_order(body),
        _ => body,
    }
}

fn in_order(value: Value) -> Value {
    match value {
        Value::Array(values) => {
            let mut values: Vec<Value> = values.into_iter().map(in_order).collect();
            values.sort_by_key(Value::to_string);
            Value::Array(values)
        }
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, in_order(value))).collect(),
        other => other,
    }
}

#[tokio::test]
async fn the_list_of_vocabularies_has_the_recorded_form() {
    let recorded = entries().into_iter().find(|entry| entry.name == "vocabularies").unwrap();
    let (ours, theirs) = (get(&gridterms(), &recorded.path).await.json(), recorded.recorded.json());
    assert_eq!(ours["@context"], theirs["@context"]);
    assert_eq!(ours["uri"], theirs["uri"]);
    assert_eq!(
        ours["vocabularies"],
        serde_json::json!([
            { "uri": "gridterms", "id": "gridterms", "title": "Grid terms" },
            { "uri": "gridterms2", "id": "gridterms2", "title": "Grid terms two" },
        ])
    );
    let first = theirs["vocabularies"].as_array().unwrap().iter().find(|listed| listed["id"] == "gridterms");
    assert_eq!(first, Some(&ours["vocabularies"][0]));
    let in_german = get(&gridterms(), "/rest/v1/vocabularies?lang=de").await.json();
    assert_eq!(in_german["vocabularies"][0]["title"], Value::Null);
}

#[tokio::test]
async fn a_format_that_is_not_served_is_refused_in_the_recorded_words() {
    let recorded = entries().into_iter().find(|entry| entry.name == "data_unsupported_format").unwrap();
    let reply = get(&gridterms(), &recorded.path).await;
    let words = "406 Not Acceptable : Unsupported format. Supported MIME types are: ";
    assert!(recorded.recorded.body.starts_with(words));
    assert_eq!(reply.body, format!("{words}application/json application/ld+json"));
}

#[tokio::test]
async fn a_vocabulary_that_is_not_here_is_not_found_in_the_recorded_words() {
    let recorded = entries().into_iter().find(|entry| entry.name == NOT_HERE).unwrap();
    let reply = get(&gridterms(), &recorded.path).await;
    assert_eq!((reply.status, reply.body.as_str()), (404, "404 Not Found : Vocabulary id 'gridterms3' not found."));
}
