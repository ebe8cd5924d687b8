//! What was not recorded: forms of definitions, and requests that ask for nothing.

use serde_json::{Value, json};

use crate::{get, gridterms};

const SEARCH: &str = "/rest/v1/gridterms/search?lang=en&labellang=en&fields=definition&unique=true&query=";

#[tokio::test]
async fn a_definition_in_a_search_has_the_form_that_a_skosmos_gives_it() {
    let router = gridterms();
    for (term, expected) in [
        // Whole, where a Skosmos breaks it at the end of each line.
        (
            "islanding",
            json!([
                "First line, with \"quotes\".\nSecond line, of the same definition.\n\nFourth line.",
                "Second definition.",
            ]),
        ),
        ("recloser", json!([[]])),
        ("breaker", json!([{ "uri": "http://example.org/gridterms/breaker_def" }])),
        ("feeder", Value::Null),
        ("no+definition+term", Value::Null),
    ] {
        let reply = get(&router, &format!("{SEARCH}{term}")).await.json();
        assert_eq!(reply["results"].as_array().unwrap().len(), 1, "{term}");
        assert_eq!(reply["results"][0]["definition"], expected, "{term}");
    }
}

#[tokio::test]
async fn collections_and_withdrawn_concepts_are_not_found_but_can_be_fetched() {
    let router = gridterms();
    for term in ["old+switch", "switchgear"] {
        assert_eq!(get(&router, &format!("{SEARCH}{term}")).await.json()["results"], json!([]), "{term}");
    }
    let old = "/rest/v1/gridterms/data?uri=http://example.org/gridterms/old&format=application/json";
    assert_eq!(get(&router, old).await.status, 200);
}

#[tokio::test]
async fn regional_labels_give_two_rows_for_one_concept() {
    let reply = get(&gridterms(), &format!("{SEARCH}earthing")).await.json();
    let rows = reply["results"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert!(rows.iter().any(|row| row["prefLabel"] == "earthing" && row.get("matchedPrefLabel").is_none()));
    assert!(rows.iter().any(|row| row["prefLabel"] == "grounding" && row["matchedPrefLabel"] == "earthing"));
}

#[tokio::test]
async fn a_single_node_has_no_graph() {
    let lonely = "/rest/v1/gridterms2/data?uri=http://example.org/gridterms2/lonely&format=application/json";
    let reply = get(&gridterms(), lonely).await.json();
    assert!(reply.get("graph").is_none());
    assert_eq!(reply["skos:definition"], json!({ "lang": "en", "value": "No links at all." }));
    assert_eq!(reply["type"], "skos:Concept");
}

#[tokio::test]
async fn rows_can_be_counted_off() {
    let router = gridterms();
    let all = get(&router, "/rest/v1/search?query=*&lang=en&unique=true").await.json();
    let all = all["results"].as_array().unwrap().clone();
    let some = get(&router, "/rest/v1/search?query=*&lang=en&unique=true&offset=2&maxhits=3").await.json();
    assert_eq!(some["results"].as_array().unwrap().as_slice(), &all[2..5]);
}

#[tokio::test]
async fn requests_that_ask_for_nothing_are_refused_in_words() {
    let router = gridterms();
    for (path, status, words) in [
        ("/rest/v1/search", 400, "400 Bad Request : query parameter missing"),
        ("/rest/v1/search?query=+", 400, "400 Bad Request : query parameter missing"),
        ("/rest/v1/search?query=tap&maxhits=0", 400, "400 Bad Request : maxhits parameter is invalid"),
        ("/rest/v1/search?query=tap&offset=-1", 400, "400 Bad Request : offset parameter is invalid"),
        ("/rest/v1/search?query=tap&parent=x", 400, "400 Bad Request : parent parameter is not supported"),
        ("/rest/v1/gridterms/lookup?lang=en", 400, "400 Bad Request : label parameter missing"),
        ("/rest/v1/gridterms/label?lang=en", 400, "400 Bad Request : uri parameter missing"),
        ("/rest/v1/gridterms/data", 404, "404 Not Found : No download source URL known for vocabulary gridterms"),
        ("/rest/v1/nosuch/data?uri=x", 404, "404 Not Found : Vocabulary id 'nosuch' not found."),
        ("/rest/v1/nosuch/label?uri=x", 404, "404 Not Found : Vocabulary id 'nosuch' not found."),
        ("/rest/v1/nosuch/lookup?label=x", 404, "404 Not Found : Vocabulary id 'nosuch' not found."),
        ("/rest/v1/search?query=tap&fields=a-b", 500, "ERROR: HTTP request for SPARQL query failed"),
    ] {
        let reply = get(&router, path).await;
        assert_eq!((reply.status, reply.body.as_str()), (status, words), "{path}");
    }
}

#[tokio::test]
async fn a_lookup_ignores_hidden_labels_and_prefers_exact_ones() {
    let router = gridterms();
    let reply = get(&router, "/rest/v1/gridterms/lookup?label=BusbarSection&lang=en").await;
    assert_eq!((reply.status, reply.body.as_str()), (404, "404 Not Found : Could not find label 'BusbarSection'"));
    let reply = get(&router, "/rest/v1/gridterms/lookup?label=BUS&lang=en").await.json();
    let found: Vec<&str> = reply["result"].as_array().unwrap().iter().map(|row| row["uri"].as_str().unwrap()).collect();
    assert_eq!(found, ["http://example.org/gridterms/busbar", "http://example.org/gridterms/databus"]);
}
