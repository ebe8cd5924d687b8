//! Everything that somebody can call, as requests: one of each route, and then any of them.

use rand::RngExt as _;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use serde_json::{Value, json};

use super::documents::{ADDRESSES, Marked};
use crate::asking::{COLLECTIONS, TAGS, random_words};

/// How two replies are held against each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Held {
    /// They are the same bytes, and have no mark of anything hidden.
    Same,
    /// They have no mark of anything hidden. What is listed is written a moment after it happens.
    Unmarked,
}

/// A request. `@name@` is the id of something that was made before.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// As the table of permissions has it.
    pub(super) route: (&'static str, &'static str),
    pub(super) path: String,
    pub(super) body: Option<Value>,
    pub(super) held: Held,
}

impl Request {
    fn new(method: &'static str, route: &'static str) -> Self {
        Self { route: (method, route), path: route.to_owned(), body: None, held: Held::Same }
    }

    fn at(self, path: impl Into<String>) -> Self {
        Self { path: path.into(), ..self }
    }

    fn with(self, body: Value) -> Self {
        Self { body: Some(body), ..self }
    }
}

/// What an asker may call, what a curator may beside it, and what an admin may beside that.
const OF_ASKERS: usize = 43;
const OF_CURATORS: usize = OF_ASKERS + 4;
pub(super) const OF_ADMINS: usize = OF_CURATORS + 11;

pub(super) fn how_many_kinds(role: ibidem_words::Role) -> usize {
    match role {
        ibidem_words::Role::Asker => OF_ASKERS,
        ibidem_words::Role::Curator => OF_CURATORS,
        ibidem_words::Role::Admin => OF_ADMINS,
    }
}

fn query(random: &mut StdRng, documents: &[Marked]) -> String {
    let count = random.random_range(1..=4);
    let words = random_words(random, count).join(" ");
    let address = format!("DOC-{:03}", random.random_range(0..ADDRESSES));
    match random.random_range(0..9) {
        0 => address,
        1 => format!("What does {address} say about {words}?"),
        2 => format!("Which principles are there about {words}?"),
        3 => "List all policies".to_owned(),
        4 => format!("How many minutes mention {words}?"),
        5 => format!("What about penguins and {words}?"),
        6 => {
            let text = &documents.choose(random).unwrap().handed.1.passages[0].text;
            // A whole sentence of a document, hidden or not, without its mark.
            text.split(". ").next().unwrap_or_default().to_owned()
        }
        7 => format!("How long is the {words} kept?"),
        _ => words,
    }
}

fn collections(random: &mut StdRng) -> Value {
    match random.random_range(0..5) {
        0 => json!([COLLECTIONS.choose(random).unwrap()]),
        1 => json!(["Nowhere"]),
        _ => json!([]),
    }
}

/// A document that is there, hidden or not, or one that is nowhere.
fn document(random: &mut StdRng, documents: &[Marked]) -> String {
    let known = random.random_bool(0.9);
    let id = known.then(|| documents.choose(random).unwrap().handed.0.document_id().0);
    format!("/v1/documents/{}", id.unwrap_or(uuid::Uuid::from_u128(7)))
}

fn listing(random: &mut StdRng) -> String {
    let collection = COLLECTIONS.choose(random).unwrap();
    let (tag, word) = (TAGS.choose(random).unwrap(), random_words(random, 1)[0]);
    match random.random_range(0..7) {
        0 => format!("?collection={collection}"),
        1 => format!("?tag={tag}"),
        2 => format!("?words={word}"),
        3 => format!("?words=DOC-{:03}", random.random_range(0..ADDRESSES)),
        4 => "?status=in_force&limit=2".to_owned(),
        5 => format!("?limit=1&collection={collection}&tag=public"),
        _ => String::new(),
    }
}

fn chat(random: &mut StdRng, documents: &[Marked], stream: bool) -> Value {
    let model = match random.random_range(0..3) {
        0 => format!("ibidem/{}", COLLECTIONS.choose(random).unwrap()),
        1 => "ibidem/Nowhere".to_owned(),
        _ => "ibidem".to_owned(),
    };
    json!({ "model": model, "stream": stream, "messages": [{ "role": "user", "content": query(random, documents) }] })
}

/// What an agent sends: a call of one of the tools, or a document's text.
fn agent(random: &mut StdRng, documents: &[Marked]) -> Value {
    let query = query(random, documents);
    let id = documents.choose(random).unwrap().handed.0.document_id();
    let (tool, arguments) = match random.random_range(0..7) {
        0 => ("ask", json!({ "query": query, "collections": collections(random) })),
        1 => ("search", json!({ "query": query, "limit": random.random_range(1..=20) })),
        2 => ("define_term", json!({ "term": query })),
        3 => ("verify_claim", json!({ "claim": query })),
        4 => ("read_passage", json!({ "source_id": format!("{id}:{}", random.random_range(0..3)) })),
        5 => ("list_documents", json!({ "words": random_words(random, 1)[0] })),
        _ => {
            let params = json!({ "uri": format!("ibidem://documents/{id}") });
            return json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": params });
        }
    };
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

/// What cannot be asked: what is wrong is said, and nothing else.
fn malformed(random: &mut StdRng) -> Request {
    let ask = Request::new("POST", "/v1/answers");
    match random.random_range(0..5) {
        0 => ask.with(json!({ "query": "" })),
        1 => ask.with(json!({ "query": "leave", "model": "another" })),
        2 => ask.with(json!({ "query": "leave", "tenant": "acme" })),
        3 => Request::new("POST", "/v1/search").with(json!({ "query": "leave", "limit": 0 })),
        _ => Request::new("GET", "/v1/documents").at("/v1/documents?cursor=x"),
    }
}

/// A request of this kind, of those that a role may make.
pub(super) fn request(random: &mut StdRng, kind: usize, documents: &[Marked]) -> Request {
    let new = Request::new;
    let up = json!({ "thumb": "up" });
    match kind {
        0 => new("POST", "/v1/conversations").with(json!({})),
        1 => {
            let body = json!({ "query": query(random, documents), "collections": collections(random) });
            new("POST", "/v1/answers").with(body)
        }
        2 => new("GET", "/v1/answers/{request_id}").at("/v1/answers/@answer@"),
        3 => {
            let body = json!({ "query": query(random, documents), "collections": collections(random), "stream": true });
            new("POST", "/v1/answers").with(body)
        }
        4 => {
            let body = json!({ "query": query(random, documents), "conversation_id": "@conversation@" });
            new("POST", "/v1/answers").with(body)
        }
        5 => {
            let body = json!({ "query": "And for how many days?", "conversation_id": "@conversation@" });
            new("POST", "/v1/answers").with(body)
        }
        6 => new("POST", "/v1/answers/{request_id}/feedback").at("/v1/answers/@answer@/feedback").with(up),
        7 => new("POST", "/v1/answers/{request_id}/feedback").at("/v1/answers/@foreign answer@/feedback").with(up),
        8 => new("GET", "/v1/answers/{request_id}").at("/v1/answers/@foreign answer@"),
        9 => {
            let lanes = ["both", "dense", "lexical"].choose(random).unwrap();
            let limit = random.random_range(1..=20);
            let query = query(random, documents);
            let body = json!({ "query": query, "collections": collections(random), "limit": limit, "lanes": lanes });
            new("POST", "/v1/search").with(body)
        }
        10 => new("GET", "/v1/conversations"),
        11 => new("GET", "/v1/conversations/{id}").at("/v1/conversations/@conversation@"),
        12 => new("GET", "/v1/conversations/{id}").at("/v1/conversations/@foreign conversation@"),
        13 => {
            let path = "/v1/conversations/@conversation@";
            new("PATCH", "/v1/conversations/{id}").at(path).with(json!({ "title": "Another title" }))
        }
        14 => {
            let path = "/v1/conversations/@foreign conversation@";
            new("PATCH", "/v1/conversations/{id}").at(path).with(json!({ "title": "Another title" }))
        }
        15 => new("GET", "/v1/conversations/{id}/export").at("/v1/conversations/@conversation@/export"),
        16 => {
            let path = "/v1/conversations/@conversation@/export?format=markdown";
            new("GET", "/v1/conversations/{id}/export").at(path)
        }
        17 => new("GET", "/v1/conversations/{id}/export").at("/v1/conversations/@foreign conversation@/export"),
        18 => new("DELETE", "/v1/conversations/{id}").at("/v1/conversations/@foreign conversation@"),
        19 => new("POST", "/v1/chat/completions").with(chat(random, documents, false)),
        20 => new("POST", "/v1/chat/completions").with(chat(random, documents, true)),
        21 => new("GET", "/v1/models"),
        22 => new("GET", "/v1/documents").at(format!("/v1/documents{}", listing(random))),
        23 => new("GET", "/v1/documents/{id}").at(document(random, documents)),
        24 => {
            let path = format!("{}/passages/{}", document(random, documents), random.random_range(0..3));
            new("GET", "/v1/documents/{id}/passages/{chunk_index}").at(path)
        }
        25 => new("GET", "/v1/documents/{id}/original").at(format!("{}/original", document(random, documents))),
        26 => new("GET", "/auth/me"),
        27 => new("GET", "/auth/sessions"),
        28 => new("DELETE", "/auth/sessions/{id}").at("/auth/sessions/@foreign session@"),
        29 => new("GET", "/openapi.json"),
        30 => malformed(random),
        31 => new("GET", "/healthz"),
        32 => new("GET", "/readyz"),
        33 => new("GET", "/.well-known/ibidem-receipt-keys.json"),
        34 => new("GET", "/auth/login"),
        35 => match random.random_range(0..2) {
            0 => new("GET", "/auth/callback").at("/auth/callback?code=x&state=y"),
            _ => new("POST", "/auth/backchannel-logout").with(json!({})),
        },
        36 => {
            let body = json!({ "claim": query(random, documents), "collections": collections(random) });
            new("POST", "/v1/claims").with(body)
        }
        37 => new("POST", "/mcp").with(agent(random, documents)),
        38 => new("GET", "/"),
        39 => new("GET", "/assets/{file}").at("/assets/absent.js"),
        40 => new("GET", "/v1/terms").at("/v1/terms?query=grid"),
        41 => new("GET", "/v1/concepts").at("/v1/concepts?uri=https://example.org/absent"),
        42 => new("GET", "/embed.js"),
        43 => new("GET", "/v1/memory"),
        44 => new("GET", "/v1/memory/{id}").at("/v1/memory/@foreign entry@"),
        45 => new("GET", "/v1/feedback"),
        46 => {
            let hidden = "/v1/documents/00000000-0000-0000-0000-000000000007";
            new("PATCH", "/v1/documents/{id}").at(hidden).with(json!({ "tags": ["public"] }))
        }
        47 => new("GET", "/v1/audit/{request_id}").at("/v1/audit/@answer@"),
        48 => new("GET", "/v1/audit/{request_id}").at("/v1/audit/@foreign answer@"),
        49 => Request { held: Held::Unmarked, ..new("GET", "/v1/audit/actions").at("/v1/audit/actions?limit=100") },
        50 => new("GET", "/v1/keys"),
        51 => new("GET", "/v1/groups"),
        53 => Request { held: Held::Unmarked, ..new("GET", "/v1/metrics") },
        54 => Request { held: Held::Unmarked, ..new("GET", "/v1/queue") },
        52 => new("GET", "/v1/policies").at("/v1/policies?history=true"),
        55 => Request { held: Held::Unmarked, ..new("GET", "/v1/limits") },
        56 => Request { held: Held::Unmarked, ..new("GET", "/v1/evaluations") },
        _ => new("GET", "/v1/people"),
    }
}

/// The last of all: after it a person is not in any more.
pub(super) fn sign_out() -> Request {
    Request::new("POST", "/auth/logout")
}

/// Both of the routes that only a provider is sent to, a link that nobody gave out, conversations that are erased, and where
/// tokens come from.
pub(super) fn rest() -> [Request; 6] {
    [
        Request::new("GET", "/.well-known/oauth-protected-resource"),
        Request::new("GET", "/.well-known/oauth-protected-resource/mcp"),
        Request::new("GET", "/auth/callback").at("/auth/callback?code=x&state=y"),
        Request::new("POST", "/auth/backchannel-logout").with(json!({})),
        Request::new("POST", "/auth/link").with(json!({ "token": "guessed" })),
        Request::new("DELETE", "/v1/conversations/{id}").at("/v1/conversations/@conversation@"),
    ]
}
