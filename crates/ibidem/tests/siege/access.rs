//! Who reads what: every key, every query, every form of asking; hidden and absent are the same bytes.

use std::collections::HashMap;
use std::sync::Mutex;

use futures::{StreamExt as _, stream};
use ibidem_words::Role;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::installation::{Installation, NO_MODEL, Served, with_installation};
use crate::share;
use crate::wire::PATIENCE;
use crate::world::{ASKERS, Asker, QUERIES, key, take_in, useless_keys};

/// How many are asked side by side.
const AT_ONCE: usize = 4;

/// What was looked at, so that a run can be seen not to have looked at nothing.
#[derive(Default)]
struct Checks {
    made: usize,
    failed: Vec<String>,
}

impl Checks {
    fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        self.made += 1;
        if !holds {
            self.failed.push(what());
        }
    }

    fn end(self, what: &str) {
        eprintln!("siege: {what}: {} checks, {} failed", self.made, self.failed.len());
        assert!(self.failed.is_empty(), "{} of {} failed:\n{}", self.failed.len(), self.made, self.failed.join("\n"));
    }
}

/// A reply: its status and its text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct HttpReply {
    status: u16,
    text: String,
}

struct Door<'a> {
    client: reqwest::Client,
    served: &'a Served,
    /// By tenant, tags and query.
    explanations: Mutex<HashMap<(String, String, String), String>>,
}

impl Door<'_> {
    async fn call(&self, method: &str, path: &str, key: Option<&str>, body: Option<&Value>) -> HttpReply {
        let method = method.parse().unwrap();
        let mut request = self.client.request(method, format!("{}{path}", self.served.url)).timeout(PATIENCE);
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let reply = request.send().await.unwrap();
        HttpReply { status: reply.status().as_u16(), text: reply.text().await.unwrap() }
    }

    /// What is told of a query to somebody with these tags, whichever key they come with.
    async fn explained(&self, installation: &Installation, tenant: &str, tags: &[&str], query: &str) -> HttpReply {
        let tags = tags.join(",");
        let access = (tenant.to_owned(), tags.clone(), query.to_owned());
        if let Some(text) = self.explanations.lock().unwrap().get(&access) {
            return HttpReply { status: 200, text: text.clone() };
        }
        let mut arguments = vec!["explain", query, "--json", "--tenant", tenant];
        if !tags.is_empty() {
            arguments.extend(["--tags", &tags]);
        }
        let text = installation.succeed(&arguments).await.out;
        self.explanations.lock().unwrap().insert(access, text.clone());
        HttpReply { status: 200, text }
    }

    /// The answer on record, which appears a moment after it was given.
    async fn stored(&self, request_id: &str, key: &str) -> HttpReply {
        let reading = async {
            loop {
                let reply = self.call("GET", &format!("/v1/answers/{request_id}"), Some(key), None).await;
                if reply.status != 404 {
                    return reply;
                }
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("the answer is on record")
    }
}

/// The ways in by which a query is asked; the answer that is read again is the last.
const FORMS: [&str; 5] = ["search", "answer", "stream", "explain", "stored"];

/// A query in one form; `stored` is asked with the id of an answer.
async fn asked(door: &Door<'_>, form: &str, key: &str, query: &str, answered: &str) -> HttpReply {
    match form {
        "search" => door.call("POST", "/v1/search", Some(key), Some(&json!({ "query": query, "limit": 50 }))).await,
        "answer" => door.call("POST", "/v1/answers", Some(key), Some(&json!({ "query": query }))).await,
        "stream" => door.call("POST", "/v1/answers", Some(key), Some(&json!({ "query": query, "stream": true }))).await,
        "stored" => door.stored(answered, key).await,
        other => panic!("{other}"),
    }
}

/// An explanation is a process of its own, with a model to load: a slice asks for few.
fn is_explained(query: &str) -> bool {
    QUERIES[..share(2, QUERIES.len())].contains(&query)
}

/// Without what differs between any two requests and any two tenants: ids, times, durations, digests over them; and
/// without BM25's scores, whose independence of what is hidden has a property of its own.
fn comparable(text: &str) -> String {
    let mut ids = HashMap::new();
    let documents = text.lines().map(|line| {
        let line = line.strip_prefix("data: ").or_else(|| line.strip_prefix("data:")).unwrap_or(line);
        match serde_json::from_str::<Value>(line) {
            Ok(mut value) if value.is_object() => {
                mask(&mut value);
                value.to_string()
            }
            _ => line.to_owned(),
        }
    });
    let whole = serde_json::from_str::<Value>(text).ok().map(|mut value| {
        mask(&mut value);
        value.to_string()
    });
    let text = whole.unwrap_or_else(|| documents.collect::<Vec<_>>().join("\n"));
    without_ids(&text, &mut ids)
}

fn mask(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_duration = name.ends_with("_ms") || name == "milliseconds";
                let is_of_this_reply =
                    ["bm25", "receipt", "public_key", "signature", "updated_at"].contains(&name.as_str());
                if is_duration || is_of_this_reply {
                    *value = Value::Null;
                } else {
                    mask(value);
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(mask),
        Value::String(text) if chrono::DateTime::parse_from_rfc3339(text).is_ok() => *text = "<time>".to_owned(),
        _ => {}
    }
}

fn without_ids(text: &str, ids: &mut HashMap<String, usize>) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let id = rest.get(..36).filter(|id| id.as_bytes()[8] == b'-' && Uuid::try_parse(id).is_ok());
        let digest = rest.get(..64).filter(|digest| digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let length = match (id, digest) {
            (Some(id), _) => {
                let next = ids.len();
                kept.push_str(&format!("<id {}>", ids.entry(id.to_owned()).or_insert(next)));
                36
            }
            (None, Some(_)) => {
                kept.push_str("<digest>");
                64
            }
            (None, None) => {
                kept.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    kept
}

/// Everything that one asker is told about the queries, by form and query.
async fn told(
    installation: &Installation,
    door: &Door<'_>,
    (tenant, tags): (&str, &[&str]),
    key: &str,
    queries: &[&'static str],
) -> HashMap<(&'static str, &'static str), HttpReply> {
    let asking = queries.iter().map(|query| async move {
        let answer = asked(door, "answer", key, query, "").await;
        let body: Value = serde_json::from_str(&answer.text).unwrap_or_default();
        let id = body["request_id"].as_str().unwrap_or_default().to_owned();
        let mut told = Vec::new();
        for form in FORMS {
            let reply = match form {
                "answer" => answer.clone(),
                "explain" if !is_explained(query) => continue,
                "explain" => door.explained(installation, tenant, tags, query).await,
                form => asked(door, form, key, query, &id).await,
            };
            told.push(((form, *query), reply));
        }
        told
    });
    let told: Vec<Vec<_>> = stream::iter(asking).buffer_unordered(AT_ONCE).collect().await;
    told.into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reads_what_is_not_theirs_and_what_is_hidden_looks_absent() {
    let queries = &QUERIES[..share(0, QUERIES.len())];
    // A slice has one query of each sort: by meaning, by a word, by an address, and as a list.
    let queries =
        if queries.is_empty() { &[QUERIES[0], QUERIES[1], QUERIES[6], QUERIES[8], QUERIES[14]] } else { queries };
    with_installation(async |installation| {
        take_in(installation).await;
        let served = installation.serve(&NO_MODEL).await;
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let door = Door { client, served: &served, explanations: Mutex::default() };
        let mut checks = Checks::default();
        let mut keys = Vec::new();
        let mut twins: HashMap<&str, HashMap<_, HttpReply>> = HashMap::new();
        for asker in &ASKERS {
            keys.push(key(installation, asker.tenant, asker.role, asker.tags).await);
            if !twins.contains_key(asker.twin) {
                let twin = key(installation, asker.twin, Role::Asker, asker.tags).await;
                let told = told(installation, &door, (asker.twin, asker.tags), &twin, queries).await;
                twins.insert(asker.twin, told);
            }
        }
        let mut answers = Vec::new();
        for (asker, key) in ASKERS.iter().zip(&keys) {
            let told = told(installation, &door, (asker.tenant, asker.tags), key, queries).await;
            for ((form, query), reply) in &told {
                look_at(&mut checks, asker, form, query, reply, &twins[asker.twin][&(*form, *query)]);
            }
            let of_asker = told.iter().filter(|((form, _), _)| *form == "answer").map(|(_, reply)| {
                let body: Value = serde_json::from_str(&reply.text).unwrap_or_default();
                body["request_id"].as_str().unwrap_or_default().to_owned()
            });
            answers.push(of_asker.collect::<Vec<_>>());
        }
        let found = sees_something(&door, &keys).await;
        checks.check(found, || "an asker does not find what is theirs".to_owned());
        stored_answers(&mut checks, &door, &keys, &answers).await;
        useless(&mut checks, &door, &useless_keys(installation).await, queries, &answers[0][0]).await;
        roles(&mut checks, &door, &keys).await;
        entries_and_records(&mut checks, &door, &keys, &answers[0][0]).await;
        let least = share(600, 3_157);
        assert!(checks.made >= least, "{} of {least}", checks.made);
        checks.end("access");
        served.stop().await;
    })
    .await;
}

fn look_at(checks: &mut Checks, asker: &Asker, form: &str, query: &str, reply: &HttpReply, twin: &HttpReply) {
    let place = || format!("{} by {form}: {query:?}", asker.name);
    checks.check(reply.status == 200, || format!("{}: status {}", place(), reply.status));
    // What was asked may be said again; what only a hidden document says may not.
    let leaked = asker.hidden().find(|hidden| reply.text.contains(hidden.own_word) && !query.contains(hidden.own_word));
    checks.check(leaked.is_none(), || format!("{}: {} of {}", place(), leaked.unwrap().own_word, leaked.unwrap().name));
    let text = reply.text.replace(query, "");
    let leaked = asker.hidden().find(|hidden| {
        let stem = hidden.name.trim_end_matches(".md");
        text.contains(&format!("{stem}.md")) || hidden.text.lines().skip(2).any(|line| text.contains(line.trim()))
    });
    checks.check(leaked.is_none(), || format!("{}: the text or place of {}", place(), leaked.unwrap().name));
    let (ours, theirs) = (comparable(&reply.text), comparable(&twin.text));
    checks.check(ours == theirs, || {
        let same = ours.bytes().zip(theirs.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
        let around = |text: &str| text.chars().skip(same.saturating_sub(80)).take(240).collect::<String>();
        format!("{}: differs where nothing is hidden:\n  {}\n  {}", place(), around(&ours), around(&theirs))
    });
}

/// Those with a tag find what it opens: otherwise all of the above would be true of a server that finds nothing.
async fn sees_something(door: &Door<'_>, keys: &[String]) -> bool {
    let mut found = true;
    for (asker, key) in ASKERS.iter().zip(keys) {
        for document in asker.sees {
            let body = json!({ "query": document.own_word });
            found &= door.call("POST", "/v1/search", Some(key), Some(&body)).await.text.contains(document.own_word);
        }
    }
    found
}

/// Nobody but who asked reads an answer again; what there is of others' answers looks as if there were none.
async fn stored_answers(checks: &mut Checks, door: &Door<'_>, keys: &[String], answers: &[Vec<String>]) {
    let absent = door.call("GET", &format!("/v1/answers/{}", Uuid::new_v4()), Some(&keys[0]), None).await;
    for (owner, ids) in answers.iter().enumerate() {
        for (reader, key) in keys.iter().enumerate().filter(|(reader, _)| *reader != owner) {
            for id in ids {
                let reply = door.call("GET", &format!("/v1/answers/{id}"), Some(key), None).await;
                let is_absent = reply.status == 404 && comparable(&reply.text) == comparable(&absent.text);
                let place = || format!("{} reads an answer of {}: {reply:?}", ASKERS[reader].name, ASKERS[owner].name);
                checks.check(is_absent, place);
            }
        }
    }
}

/// Keys that open nothing look alike, whatever they are, at every address.
async fn useless(
    checks: &mut Checks,
    door: &Door<'_>,
    keys: &[(&str, Option<String>)],
    queries: &[&'static str],
    answer: &str,
) {
    let stored = format!("/v1/answers/{answer}");
    let audit = format!("/v1/audit/{answer}");
    let mut requests: Vec<(&str, &str, Option<Value>)> = vec![
        ("GET", &stored, None),
        ("GET", &audit, None),
        ("GET", "/v1/memory", None),
        ("POST", "/v1/memory/pins", Some(json!({}))),
        ("POST", "/v1/documents", Some(json!({}))),
        ("GET", "/v1/documents/00000000-0000-0000-0000-000000000000", None),
        ("GET", "/openapi.json", None),
    ];
    for query in queries {
        requests.push(("POST", "/v1/search", Some(json!({ "query": query }))));
        requests.push(("POST", "/v1/answers", Some(json!({ "query": query }))));
        requests.push(("POST", "/v1/answers", Some(json!({ "query": query, "stream": true }))));
    }
    let mut first: Option<String> = None;
    for (method, path, body) in &requests {
        for (name, key) in keys {
            let reply = door.call(method, path, key.as_deref(), body.as_ref()).await;
            let place = || format!("a {name} key at {method} {path}: {reply:?}");
            checks.check(reply.status == 401, place);
            let text = comparable(&reply.text);
            let alike = *first.get_or_insert_with(|| text.clone()) == text;
            checks.check(alike, place);
        }
    }
}

/// What each role may do; nothing here changes anything.
async fn roles(checks: &mut Checks, door: &Door<'_>, keys: &[String]) {
    let nothing = Some(json!({}));
    let entry = format!("/v1/memory/{}", Uuid::new_v4());
    let (answer, audit) = (format!("/v1/answers/{}", Uuid::new_v4()), format!("/v1/audit/{}", Uuid::new_v4()));
    let document = format!("/v1/documents/{}", Uuid::new_v4());
    let (passage, original) = (format!("{document}/passages/0"), format!("{document}/original"));
    let table: [(&str, &str, &Option<Value>, [u16; 3]); 13] = [
        ("GET", "/v1/memory", &None, [403, 200, 200]),
        ("GET", &entry, &None, [403, 404, 404]),
        ("POST", "/v1/memory/pins", &nothing, [403, 422, 422]),
        ("POST", "/v1/memory/notes", &nothing, [403, 422, 422]),
        ("PUT", &entry, &nothing, [403, 422, 422]),
        ("DELETE", &entry, &None, [403, 404, 404]),
        ("POST", "/v1/documents", &nothing, [403, 400, 400]),
        ("GET", &document, &None, [404, 404, 404]),
        ("GET", &passage, &None, [404, 404, 404]),
        ("GET", &original, &None, [404, 404, 404]),
        ("GET", &audit, &None, [403, 403, 404]),
        ("GET", &answer, &None, [404, 404, 404]),
        ("GET", "/openapi.json", &None, [200, 200, 200]),
    ];
    for (method, path, body, expected) in table {
        for (asker, key) in ASKERS.iter().zip(keys) {
            let expected = match asker.role {
                Role::Asker => expected[0],
                Role::Curator => expected[1],
                _ => expected[2],
            };
            let reply = door.call(method, path, Some(key), body.as_ref()).await;
            checks.check(reply.status == expected, || format!("{} at {method} {path}: {reply:?}", asker.name));
        }
    }
}

/// An entry of curated memory and a record of the audit, as those see them who may not.
async fn entries_and_records(checks: &mut Checks, door: &Door<'_>, keys: &[String], answer: &str) {
    let by_name = |name: &str| keys[ASKERS.iter().position(|asker| asker.name == name).unwrap()].as_str();
    let pin = json!({ "triggers": ["What is planned for Kassel?"], "references": [{ "address": "ADR-0012" }], "tags": ["alpha"] });
    let made = door.call("POST", "/v1/memory/pins", Some(by_name("curator")), Some(&pin)).await;
    checks.check(made.status == 201, || format!("a curator pins: {made:?}"));
    let id = serde_json::from_str::<Value>(&made.text).unwrap_or_default();
    let id = id["id"].as_str().or_else(|| id["entry"]["id"].as_str()).unwrap_or_default().to_owned();
    let own = door.call("GET", &format!("/v1/memory/{id}"), Some(by_name("curator")), None).await;
    checks.check(own.status == 200, || format!("a curator reads their own entry: {own:?}"));
    for (method, body) in [("GET", None), ("DELETE", None)] {
        let hidden = door.call(method, &format!("/v1/memory/{id}"), Some(by_name("other admin")), body).await;
        let absent =
            door.call(method, &format!("/v1/memory/{}", Uuid::new_v4()), Some(by_name("other admin")), body).await;
        let alike = hidden.status == 404 && comparable(&hidden.text) == comparable(&absent.text);
        checks.check(alike, || format!("another tenant's admin, {method} of an entry: {hidden:?} {absent:?}"));
    }
    let path = format!("/v1/audit/{answer}");
    let own = door.call("GET", &path, Some(by_name("admin")), None).await;
    checks.check(own.status == 200, || format!("an admin reads the record: {own:?}"));
    let hidden = door.call("GET", &path, Some(by_name("other admin")), None).await;
    let absent = door.call("GET", &format!("/v1/audit/{}", Uuid::new_v4()), Some(by_name("other admin")), None).await;
    let alike = hidden.status == 404 && comparable(&hidden.text) == comparable(&absent.text);
    checks.check(alike, || format!("another tenant's admin and the record: {hidden:?} {absent:?}"));
}
