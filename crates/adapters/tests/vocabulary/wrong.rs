//! Answers that are none, and definitions in every form that servers have for them.

use std::time::{Duration, Instant};

use ibidem_adapters::skosmos::{Skosmos, SkosmosSettings};
use ibidem_ports::vocabulary::{Concept, LabelKind, Lookup, Vocabulary as _, VocabularyError};

use crate::server::{Reply, Server, nobody, raw};
use crate::{client, connected, settings};

const ROW: &str = r#"{"uri":"http://x/tap","prefLabel":"tap","lang":"en","vocab":"x","definition":["Valve."]}"#;

#[tokio::test]
async fn whatever_is_not_an_answer_is_unavailable_and_never_unknown() {
    let long = format!("{{\"results\":[],\"padding\":\"{}\"}}", "x".repeat(3 * 1024 * 1024));
    let json = |body: &str| Reply::json(body);
    let cases = [
        ("a page with status 200", Reply::new(200, "text/html; charset=UTF-8", "<b>Warning</b>: Undefined index")),
        ("JSON that is called a page", Reply::new(200, "text/html", "{\"results\":[]}")),
        ("no content type", Reply::new(200, "", "{\"results\":[]}")),
        ("an empty 500", Reply::new(500, "text/html; charset=UTF-8", "")),
        ("a 503 with rows", Reply { status: 503, ..Reply::rows(ROW) }),
        ("a 404 for the vocabulary", Reply::new(404, "text/plain", "404 Not Found : Vocabulary id 'x' not found.")),
        ("a 206 with rows", Reply { status: 206, ..Reply::rows(ROW) }),
        ("JSON that breaks off", json("{\"uri\":\"\",\"results\":[{\"uri\":\"http://x/tap\"")),
        ("nothing at all", json("")),
        ("no results", json("{\"uri\":\"\"}")),
        ("results that are no list", json("{\"results\":{}}")),
        ("results that are null", json("{\"results\":null}")),
        ("a row without an address", json("{\"results\":[{\"prefLabel\":\"tap\"}]}")),
        ("a list", json("[]")),
        ("an endless answer", json(&long)),
    ];
    for (what, reply) in cases {
        let server = Server::start(move |_| reply.clone()).await;
        let outcome = client(&server.url, &["x"]).lookup("tap").await;
        assert!(matches!(outcome, Err(VocabularyError::Unavailable(_))), "{what}: {outcome:?}");
        let closest = client(&server.url, &["x"]).closest("tap", 3).await;
        assert!(what == "a row without an address" || closest.is_err(), "{what}: {closest:?}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = Server::start(|_| Reply::rows(ROW)).await;
    let location = format!("HTTP/1.1 302 Found\r\nlocation: {}/search\r\ncontent-length: 0\r\n\r\n", elsewhere.url);
    let url = raw(location.leak(), false).await;
    let outcome = client(&url, &["x"]).lookup("tap").await;
    assert!(matches!(outcome, Err(VocabularyError::Unavailable(_))), "{outcome:?}");
    assert!(elsewhere.asked().is_empty());
}

#[tokio::test]
async fn broken_connections_are_unavailable() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"results\":[]}";
    for (what, url) in [
        ("breaks off", raw(head, false).await),
        ("hangs up", raw("", false).await),
        ("is no HTTP server", raw("SSH-2.0-x\r\n", false).await),
        ("is not there", nobody().await),
    ] {
        let outcome = client(&url, &["x"]).lookup("tap").await;
        assert!(matches!(outcome, Err(VocabularyError::Unavailable(_))), "{what}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_anywhere_is_late() {
    let limit = Duration::from_millis(200);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"results\":";
    for (what, reply) in [("at once", ""), ("in the body", head)] {
        let url = raw(reply, true).await;
        let client = connected(SkosmosSettings { timeout: limit, ..settings(&url, &["x"]) });
        let started = Instant::now();
        assert_eq!(client.lookup("tap").await, Err(VocabularyError::Timeout(200)), "{what}");
        assert_eq!(client.closest("tap", 3).await, Err(VocabularyError::Timeout(200)), "{what}");
        assert!(started.elapsed() < Duration::from_secs(60), "{what}: {:?}", started.elapsed());
    }
}

#[test]
fn an_address_that_is_none_is_refused_at_once() {
    for url in ["", "skosmos", "ftp://host/rest/v1", "http://"] {
        assert!(Skosmos::new(settings(url, &[])).is_err(), "{url:?}");
    }
}

/// What a lookup finds when the search brings this as the definition, and `data` this.
async fn found(definition: &str, data: &str) -> (Concept, usize) {
    let row = format!(
        r#"{{"uri":"http://x/tap","prefLabel":"tap","lang":"en","vocab":"x"{}{definition}}}"#,
        if definition.is_empty() { "" } else { ",\"definition\":" }
    );
    let data = data.to_owned();
    let server =
        Server::start(move |asked| if asked.is_search() { Reply::rows(&row) } else { Reply::json(&data) }).await;
    match client(&server.url, &["x"]).lookup("tap").await {
        Ok(Lookup::Found { concept, .. }) => (concept, server.asked().len()),
        other => panic!("{definition}: {other:?}"),
    }
}

#[tokio::test]
async fn a_definition_is_taken_from_the_search_only_when_it_is_surely_whole() {
    let data = r#"{"uri":"http://x/tap","skos:definition":{"lang":"en","value":"From data."}}"#;
    for (definition, expected) in [
        (r#"["Whole."]"#, "Whole."),
        // Pieces of lines look like addresses, and pieces with commas like texts of their own.
        (r#"["First line",{"uri":"second line\""}]"#, "From data."),
        (r#"["First line","third field of the second line\""]"#, "From data."),
        ("[[]]", "From data."),
        (r#"[{"uri":"http://x/definition"}]"#, "From data."),
        (r#"[""]"#, "From data."),
        (r#""text""#, "From data."),
        ("null", "From data."),
        ("[]", "From data."),
        ("", "From data."),
    ] {
        let (concept, requests) = found(definition, data).await;
        assert_eq!(concept.definition.unwrap().text, expected, "{definition}");
        assert_eq!(requests, if expected == "Whole." { 1 } else { 2 }, "{definition}");
    }
}

#[tokio::test]
async fn data_is_understood_in_every_form() {
    let value = "http://www.w3.org/1999/02/22-rdf-syntax-ns#value";
    let nodes = |definition: &str, other: &str| {
        format!(r#"{{"graph":[{{"uri":"http://x/tap","skos:definition":{definition}}},{other}]}}"#)
    };
    let cases = [
        (nodes(r#""Untagged.""#, "{}"), Some(("Untagged.", None))),
        (nodes(r#"{"lang":"en-GB","value":"Regional."}"#, "{}"), Some(("Regional.", Some("en-GB")))),
        (nodes(r#"[{"lang":"de","value":"Deutsch, lang."},"Untagged."]"#, "{}"), Some(("Untagged.", None))),
        (
            nodes(r#"[{"lang":"de","value":"D."},{"lang":"en","value":"Two\nlines."}]"#, "{}"),
            Some(("Two\nlines.", Some("en"))),
        ),
        (
            nodes(r#"{"uri":"_:b0"}"#, &format!(r#"{{"uri":"_:b0","{value}":{{"lang":"en","value":"Blank."}}}}"#)),
            Some(("Blank.", Some("en"))),
        ),
        (
            nodes(
                r#"{"uri":"http://x/d"}"#,
                r#"{"uri":"http://x/d","rdf:value":["Named.",{"lang":"de","value":"N."}]}"#,
            ),
            Some(("Named.", None)),
        ),
        (nodes(r#"{"rdf:value":{"lang":"en","value":"Nested."}}"#, "{}"), Some(("Nested.", Some("en")))),
        (nodes(r#"{"uri":"http://x/elsewhere"}"#, "{}"), None),
        (nodes(r#"[{"lang":"fr","value":"Robinet."}]"#, "{}"), None),
        // A single node is not in a graph.
        (
            r#"{"uri":"http://x/tap","skos:definition":{"lang":"en","value":"Alone."}}"#.to_owned(),
            Some(("Alone.", Some("en"))),
        ),
        (r#"{"uri":"http://x/tap","prefLabel":"tap"}"#.to_owned(), None),
    ];
    for (data, expected) in cases {
        let definition = found("", &data).await.0.definition;
        let told = definition.as_ref().map(|found| (found.text.as_str(), found.language.as_deref()));
        assert_eq!(told, expected, "{data}");
    }
}

#[tokio::test]
async fn data_about_something_else_is_unavailable() {
    let row = r#"{"uri":"http://x/tap","prefLabel":"tap","lang":"en","vocab":"x"}"#;
    for data in ["{}", "[]", r#"{"graph":[]}"#, r#"{"uri":"http://x/other","skos:definition":"Other."}"#] {
        let server =
            Server::start(move |asked| if asked.is_search() { Reply::rows(row) } else { Reply::json(data) }).await;
        let outcome = client(&server.url, &["x"]).lookup("tap").await;
        assert!(matches!(outcome, Err(VocabularyError::Unavailable(_))), "{data}: {outcome:?}");
    }
}

#[tokio::test]
async fn rows_doubled_by_regional_labels_are_one_concept_called_as_it_was_asked_for() {
    let rows = r#"{"uri":"http://x/e","prefLabel":"grounding","lang":"en-GB","matchedPrefLabel":"earthing","vocab":"x","definition":["Connection to earth."]},
        {"uri":"http://x/e","prefLabel":"earthing","lang":"en-GB","vocab":"x","definition":["Connection to earth."]}"#;
    let server = Server::start(move |_| Reply::rows(rows)).await;
    let Ok(Lookup::Found { concept, see_also }) = client(&server.url, &["x"]).lookup("earthing").await else {
        panic!("it is one concept");
    };
    assert_eq!((concept.label.as_str(), concept.matched, see_also.len()), ("earthing", LabelKind::Preferred, 0));
}

#[tokio::test]
async fn the_closest_terms_are_asked_for_by_a_beginning() {
    let rows = r#"{"uri":"http://x/b","prefLabel":"busbar section","vocab":"x"},
        {"uri":"http://x/b","prefLabel":"busbar section","hiddenLabel":"busbarsectoin","vocab":"x"},
        {"uri":"http://x/c","prefLabel":"coach","altLabel":"busbar selection","vocab":"x"},
        {"uri":"http://x/d","prefLabel":"busy","vocab":"x"}"#;
    let server = Server::start(move |asked| Reply::rows(if asked.term() == "bus*" { rows } else { "" })).await;
    let closest = client(&server.url, &["x"]).closest("busbar sektion", 3).await.unwrap();
    assert_eq!(closest, ["busbar section", "busbar selection"]);
    let queries: Vec<String> = server.asked().iter().map(|asked| asked.term().to_owned()).collect();
    assert_eq!(queries, ["busbar*", "bus*"]);
}
