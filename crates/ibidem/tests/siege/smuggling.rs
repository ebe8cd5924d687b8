//! Requests that mean one thing to one reader and another to the next: each has its status, and none an effect.

use ibidem_words::Role;
use uuid::Uuid;

use crate::installation::{Installation, NO_MODEL, with_installation};
use crate::wire::{Reply, call, request, send};
use crate::world::{SALARIES, key, take_in};

/// The keys that attempts are made with.
struct Keys {
    asker: String,
    curator: String,
    admin: String,
}

/// One attempt: what it is, its bytes, and the statuses that are right.
struct Attempt {
    name: &'static str,
    bytes: Vec<u8>,
    right: &'static [u16],
}

fn attempt(name: &'static str, bytes: impl Into<Vec<u8>>, right: &'static [u16]) -> Attempt {
    Attempt { name, bytes: bytes.into(), right }
}

const JSON: (&str, &str) = ("content-type", "application/json");
const QUERY: &str = r#"{"query": "salary band"}"#;

/// A head as it is given, and a body.
fn raw(head: &str, body: &[u8]) -> Vec<u8> {
    [head.replace('\n', "\r\n").as_bytes(), b"\r\n\r\n", body].concat()
}

/// A search by somebody, with these headers beside the usual ones.
fn search(key: &str, headers: &[(&str, &str)], body: &str) -> String {
    let authorization = format!("Bearer {key}");
    let headers = [&[("authorization", authorization.as_str()), JSON], headers].concat();
    request("POST", "/v1/search", &headers, body)
}

fn with_body(key: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /v1/search HTTP/1.1\nhost: siege\nconnection: close\nauthorization: Bearer {key}\n\
         content-type: application/json\ncontent-length: {}",
        body.len()
    );
    raw(&head, body)
}

/// A search whose body is framed by these headers.
fn framed(key: &str, framing: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /v1/search HTTP/1.1\nhost: siege\nconnection: close\nauthorization: Bearer {key}\n\
         content-type: application/json\n{framing}"
    );
    raw(&head, body)
}

/// Who is asking, told in ways that do not count.
fn about_identity(keys: &Keys, record: &str) -> Vec<Attempt> {
    let Keys { asker, admin, .. } = keys;
    let audit = |headers: &[(&str, &str)]| request("GET", record, headers, "");
    let (as_asker, as_admin) = (format!("Bearer {asker}"), format!("Bearer {admin}"));
    let both = format!("Bearer {asker}, Bearer {admin}");
    let cookie = format!("authorization=Bearer {admin}; key={admin}");
    let claims = [
        ("authorization", as_asker.as_str()),
        ("x-forwarded-user", "admin"),
        ("x-tenant", "default"),
        ("x-role", "admin"),
        ("x-tags", "alpha"),
    ];
    let basic = format!("Basic {admin}");
    let override_method = [("authorization", as_asker.as_str()), ("x-http-method-override", "DELETE")];
    let entry = format!("/v1/memory/{}", Uuid::new_v4());
    let in_query = format!("{record}?authorization=Bearer%20{admin}&api_key={admin}");
    let spaced = format!("GET {record} HTTP/1.1\nhost: siege\nconnection: close\nauthorization : Bearer {admin}");
    let folded = format!("GET {record} HTTP/1.1\nhost: siege\nconnection: close\nauthorization:\n Bearer {admin}");
    let nul = format!("GET {record} HTTP/1.1\nhost: siege\nconnection: close\nauthorization: Bearer {admin}\0");
    let wide = format!("Bearer {}", asker.replacen('i', "\u{456}", 1));
    vec![
        attempt(
            "two keys, the lesser first",
            audit(&[("authorization", &as_asker), ("authorization", &as_admin)]),
            &[401],
        ),
        attempt(
            "two keys, the greater first",
            audit(&[("authorization", &as_admin), ("authorization", &as_asker)]),
            &[401],
        ),
        attempt("two keys in one header", audit(&[("authorization", &both)]), &[401]),
        attempt("another scheme", audit(&[("authorization", &basic)]), &[401]),
        attempt("a key in the query", request("GET", &in_query, &[], ""), &[401]),
        attempt("a key in a cookie", audit(&[("cookie", &cookie)]), &[401]),
        attempt("headers that claim a role", audit(&claims), &[403]),
        attempt("a method in a header", request("GET", &entry, &override_method, ""), &[403]),
        attempt("a space before the colon", raw(&spaced, b""), &[400]),
        attempt("a folded header", raw(&folded, b""), &[400]),
        attempt("a NUL in a header", raw(&nul, b""), &[400]),
        attempt("a letter that looks like another", audit(&[("authorization", &wide)]), &[401]),
        attempt(
            "a key among the trailers",
            raw(
                &format!(
                    "POST {record} HTTP/1.1\nhost: siege\nconnection: close\ntransfer-encoding: chunked\ntrailer: authorization"
                ),
                format!("0\r\nauthorization: Bearer {admin}\r\n\r\n").as_bytes(),
            ),
            &[401, 405],
        ),
    ]
}

/// Where a body ends, told twice or wrongly.
fn about_framing(keys: &Keys) -> Vec<Attempt> {
    let key = &keys.asker;
    let length = QUERY.len();
    let chunked = format!("{length:x}\r\n{QUERY}\r\n0\r\n\r\n");
    let smuggled = format!("0\r\n\r\nDELETE /v1/memory/{} HTTP/1.1\r\nhost: siege\r\n\r\n", Uuid::new_v4());
    let extended = format!("{length:x};{}\r\n{QUERY}\r\n0\r\n\r\n", "x".repeat(40_000));
    let bare = format!("{length:x}\n{QUERY}\n0\n\n");
    let old = format!(
        "POST /v1/search HTTP/1.0\nauthorization: Bearer {key}\ncontent-type: application/json\ntransfer-encoding: chunked"
    );
    vec![
        attempt(
            "a length and chunks",
            framed(key, &format!("content-length: {length}\ntransfer-encoding: chunked"), chunked.as_bytes()),
            &[200, 400],
        ),
        attempt(
            "chunks that end before the length",
            framed(key, "content-length: 200\ntransfer-encoding: chunked", smuggled.as_bytes()),
            &[400],
        ),
        attempt(
            "two lengths",
            framed(key, &format!("content-length: {length}\ncontent-length: 4"), QUERY.as_bytes()),
            &[400],
        ),
        attempt("a length with a sign", framed(key, &format!("content-length: +{length}"), QUERY.as_bytes()), &[400]),
        attempt("a length below nothing", framed(key, "content-length: -1", QUERY.as_bytes()), &[400]),
        attempt(
            "a list of lengths",
            framed(key, &format!("content-length: {length}, {length}"), QUERY.as_bytes()),
            &[400],
        ),
        attempt(
            "a length beyond numbers",
            framed(key, "content-length: 99999999999999999999999", QUERY.as_bytes()),
            &[400],
        ),
        attempt("another transfer coding", framed(key, "transfer-encoding: xchunked", chunked.as_bytes()), &[400]),
        attempt(
            "chunks and then something else",
            framed(key, "transfer-encoding: chunked, identity", chunked.as_bytes()),
            &[400],
        ),
        attempt("chunks in HTTP/1.0", raw(&old, chunked.as_bytes()), &[400]),
        attempt(
            "a chunk beyond numbers",
            framed(key, "transfer-encoding: chunked", b"FFFFFFFFFFFFFFFFF\r\nx\r\n0\r\n\r\n"),
            &[400],
        ),
        attempt(
            "a chunk of a negative size",
            framed(key, "transfer-encoding: chunked", b"-5\r\nhello\r\n0\r\n\r\n"),
            &[400],
        ),
        attempt(
            "a chunk with an endless extension",
            framed(key, "transfer-encoding: chunked", extended.as_bytes()),
            &[400],
        ),
        attempt("chunks with bare line feeds", framed(key, "transfer-encoding: chunked", bare.as_bytes()), &[400]),
        attempt(
            "a body that is not there, announced",
            framed(key, "content-length: 99999999\nexpect: 100-continue", b""),
            &[413],
        ),
        attempt("a compressed body", search(key, &[("content-encoding", "gzip")], QUERY), &[200, 400, 415]),
    ]
}

/// Where a request goes, written in other ways.
fn about_targets(keys: &Keys, record: &str) -> Vec<Attempt> {
    let authorization = format!("Bearer {}", keys.asker);
    let get = |path: &str| request("GET", path, &[("authorization", &authorization)], "");
    let id = record.rsplit('/').next().unwrap();
    let with_fragment = format!("{record}#/v1/answers");
    vec![
        attempt("an absolute target elsewhere", get(&format!("http://127.0.0.1:1{record}")), &[403]),
        attempt("dots in a path", get(&format!("/v1/answers/../audit/{id}")), &[404]),
        attempt("encoded dots in a path", get(&format!("/v1/answers/%2e%2e/audit/{id}")), &[404]),
        attempt("encoded slashes in a path", get(&format!("/v1%2faudit%2f{id}")), &[404]),
        attempt("a doubled slash", get(&format!("//v1/audit/{id}")), &[404]),
        attempt("capitals in a path", get(&format!("/V1/AUDIT/{id}")), &[404]),
        attempt("a NUL in a path", get(&format!("/v1/audit/{id}%00")), &[403, 404]),
        attempt("a parameter in a path", get(&format!("/v1/audit;x=/v1/answers/{id}")), &[404]),
        attempt("a fragment in a target", get(&with_fragment), &[400, 403]),
        attempt("a backslash in a path", get(&format!("/v1\\audit\\{id}")), &[400, 404]),
        attempt("TRACE", request("TRACE", "/v1/search", &[("authorization", &authorization)], ""), &[405]),
        attempt(
            "CONNECT",
            "CONNECT 127.0.0.1:5432 HTTP/1.1\r\nhost: siege\r\nconnection: close\r\n\r\n",
            &[400, 404, 405],
        ),
        attempt("no method that there is", "GE T /healthz HTTP/1.1\r\nhost: siege\r\n\r\n", &[400]),
        attempt("no version", "GET /healthz\r\n\r\n", &[400]),
        attempt("a version that is not there", "GET /healthz HTTP/9.9\r\nhost: siege\r\n\r\n", &[400, 505]),
    ]
}

/// What a body says, and in what form.
fn about_bodies(keys: &Keys) -> Vec<Attempt> {
    let (key, curator) = (&keys.asker, &keys.curator);
    let authorization = format!("Bearer {key}");
    let typed =
        |kind: &str| request("POST", "/v1/search", &[("authorization", &authorization), ("content-type", kind)], QUERY);
    let says = |body: &str| search(key, &[], body);
    let deep = format!("{{\"query\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let form = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.md\"\r\n\r\nx\r\n--b\r\n\
                content-disposition: form-data; name=\"collection\"\r\n\r\nADR\r\n--b\r\n\
                content-disposition: form-data; name=\"tags\"\r\n\r\nbeta\r\n--b--\r\n";
    let as_curator = format!("Bearer {curator}");
    let multipart =
        |kind: &str| request("POST", "/v1/documents", &[("authorization", &as_curator), ("content-type", kind)], form);
    let many = format!("{{\"query\": \"x\", \"collections\": [{}]}}", vec!["\"ADR\""; 101].join(","));
    vec![
        attempt("a body of another type", typed("text/plain"), &[415]),
        attempt("a body of a form's type", typed("application/x-www-form-urlencoded"), &[415]),
        attempt("the same field twice", says(r#"{"query": "leave", "query": "salary band"}"#), &[422]),
        attempt("a body that claims a tenant", says(r#"{"query": "salary band", "tenant": "default"}"#), &[422]),
        attempt("a body that claims tags", says(r#"{"query": "salary band", "tags": ["alpha"]}"#), &[422]),
        attempt("a body that claims a role", says(r#"{"query": "salary band", "role": "admin"}"#), &[422]),
        attempt(
            "a body that claims a scope",
            says(r#"{"query": "salary band", "scope": {"tags": ["alpha"]}}"#),
            &[422],
        ),
        attempt("a field of the prototype", says(r#"{"query": "x", "__proto__": {"role": "admin"}}"#), &[422]),
        attempt("a hundred thousand brackets", says(&deep), &[400, 422]),
        attempt("a number beyond numbers", says(r#"{"query": "x", "limit": 1e999}"#), &[400, 422]),
        attempt("a number below nothing", says(r#"{"query": "x", "limit": -1}"#), &[422]),
        attempt("bytes that are no text", with_body(key, b"{\"query\": \"\xff\xfe\"}"), &[400]),
        attempt("half of a character", says(r#"{"query": "\ud800"}"#), &[400]),
        attempt("nothing but NULs", says(r#"{"query": "\u0000\u0000"}"#), &[422]),
        attempt("nothing that is seen", says("{\"query\": \"\u{200b}\u{202e}\u{feff}\"}"), &[422]),
        attempt("a mark before the body", with_body(key, b"\xef\xbb\xbf{\"query\": \"x\"}"), &[400]),
        attempt("two bodies in one", says(r#"{"query": "x"}{"query": "y"}"#), &[400]),
        attempt(
            "a collection with a letter that shows nothing",
            says("{\"query\": \"x\", \"collections\": [\"ADR\u{3164}\"]}"),
            &[422],
        ),
        attempt("a collection that leads elsewhere", says(r#"{"query": "x", "collections": ["../ADR"]}"#), &[422]),
        attempt("too many collections", says(&many), &[422]),
        attempt("a form without a boundary", multipart("multipart/form-data"), &[400]),
        attempt("a tag that the key does not carry", multipart("multipart/form-data; boundary=b"), &[403]),
        attempt("a head that is too large", search(key, &[("x-large", &"x".repeat(200_000))], QUERY), &[431]),
        attempt("two hundred headers", search(key, &[("x-many", "x"); 200], QUERY), &[431]),
    ]
}

/// How many rows there are of what an attempt could have made.
async fn effects(installation: &Installation) -> Vec<(String, i64)> {
    installation.rows_of(&["documents", "jobs", "api_keys", "memory_entries", "tenants"]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_mean_two_things_mean_nothing() {
    with_installation(async |installation| {
        take_in(installation).await;
        let served = installation.serve(&NO_MODEL).await;
        let keys = Keys {
            asker: key(installation, "default", Role::Asker, &[]).await,
            curator: key(installation, "default", Role::Curator, &["alpha"]).await,
            admin: key(installation, "default", Role::Admin, &[]).await,
        };
        let id = Uuid::new_v4().to_string();
        let asked = send(
            &served.url,
            request(
                "POST",
                "/v1/answers",
                &[("authorization", &format!("Bearer {}", keys.asker)), JSON, ("x-request-id", &id)],
                QUERY,
            )
            .as_bytes(),
        )
        .await;
        assert_eq!((asked.status, asked.header("x-request-id")), (Some(200), Some(id.as_str())), "{asked:?}");
        let record = format!("/v1/audit/{id}");
        let before = effects(installation).await;
        let mut attempts = about_identity(&keys, &record);
        attempts.extend(about_framing(&keys));
        attempts.extend(about_targets(&keys, &record));
        attempts.extend(about_bodies(&keys));
        let mut wrong = Vec::new();
        for attempt in &attempts {
            let reply = send(&served.url, &attempt.bytes).await;
            let is_right = reply.status.is_some_and(|status| attempt.right.contains(&status));
            let says_hidden = reply.text().contains(SALARIES.own_word);
            if !is_right || says_hidden {
                let beginning = reply.text().chars().take(300).collect::<String>();
                wrong.push(format!("{}: {:?} and not {:?}: {beginning}", attempt.name, reply.status, attempt.right));
            }
        }
        wrong.extend(names_of_requests(&served.url, &keys).await);
        let after = effects(installation).await;
        assert_eq!(before, after, "an attempt had an effect");
        let well: Reply = call(&served.url, "POST", "/v1/search", Some(&keys.asker), QUERY).await;
        assert_eq!(well.status, Some(200));
        eprintln!("siege: smuggling: {} attempts, {} not as expected", attempts.len() + 3, wrong.len());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(attempts.len() >= 40);
        served.stop().await;
    })
    .await;
}

/// A request's id is a UUID or one of ours: nothing else is said again, in a header or in a body.
async fn names_of_requests(url: &str, keys: &Keys) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in ["x\u{1b}[31m", "00000000-0000-0000-0000-00000000000g", &"a".repeat(5_000)] {
        let reply = send(url, search(&keys.asker, &[("x-request-id", name)], QUERY).as_bytes()).await;
        let given = reply.header("x-request-id").map(|id| id.parse::<Uuid>().is_ok());
        let is_right = match reply.status {
            Some(200) => given == Some(true) && !reply.head.contains(name) && !reply.text().contains(name),
            status => status == Some(400),
        };
        if !is_right {
            wrong.push(format!("a request called {name:?}: {reply:?}"));
        }
    }
    wrong
}
