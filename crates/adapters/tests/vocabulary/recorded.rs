//! Every response that was recorded of a real Skosmos ends in the right outcome.

use std::collections::HashMap;

use ibidem_ports::vocabulary::{Concept, Connected, Lookup, Vocabulary as _, VocabularyError};
use serde_json::Value;

use crate::client;
use crate::server::{Asked, Reply, Server};

const RECORDED: &str = include_str!("../data/vocabulary/recorded.jsonl");

/// A row that names the busbar but says nothing of its definition, so that it must be fetched.
const UNDEFINED: &str =
    r#"{"uri":"http://example.org/gridterms/busbar","prefLabel":"busbar section","lang":"en","vocab":"gridterms"}"#;
/// What `data` says about the definition that the recorded search broke in two.
const MULTILINE: &str = r#"{"uri":"http://example.org/gridterms3/BusbarSection","skos:definition":{"lang":"en","value":"A rigid conductor. \nIts voltage is measured."}}"#;

const BUSBAR: &str = "http://example.org/gridterms/busbar";
/// A withdrawn concept with its family, in the forms that servers write. Nothing has a name of `urn:nameless`.
const FAMILY: &str = r#"{"graph":[
  {"uri":"urn:line","prefLabel":{"lang":"en","value":"line"},"broader":{"uri":"urn:conductor"},
   "narrower":[{"uri":"urn:cable"},{"uri":"urn:nameless"}],"owl:deprecated":{"type":"xsd:boolean","value":"true"}},
  {"uri":"urn:conductor","prefLabel":[{"lang":"de","value":"Leiter"},{"lang":"en","value":"Conductor"}]},
  {"uri":"urn:cable","skos:prefLabel":"Cable","broader":"urn:line"},
  {"uri":"urn:tap","prefLabel":{"lang":"en-GB","value":"tap"},"skos:broader":{"uri":"urn:line"}},
  {"uri":"urn:tower","prefLabel":"Tower","related":[{"uri":"urn:line"},{"uri":"urn:cable"}]}]}"#;

/// The recorded response, the term to ask for, what must come of it, and in how many requests.
const OUTCOMES: [(&str, &str, &str, usize); 26] = [
    ("exact_preflabel", "busbar section", "found busbar:Preferred:A", 1),
    ("exact_case_insensitive", "BUSBAR SECTION", "found busbar:Preferred:A", 1),
    ("altlabel", "busbar", "found busbar:Alternative:A", 1),
    ("miss", "foobarbaz", "unknown", 2),
    ("ambiguous_preflabel", "tap", "ambiguous tap1:Preferred:Connection tap2:Preferred:Teed-off", 1),
    ("ambiguous_across_vocabularies", "line", "found multimatch:Preferred:AC also line:Alternative:People", 1),
    ("global_search", "tap", "ambiguous tap1:Preferred:Connection tap2:Preferred:Teed-off tap:Preferred:Water", 1),
    ("hidden_label", "busbar-section", "found busbar:Hidden:A", 1),
    // Given rows that merely begin like the term, only those that are the term count.
    ("wildcard", "bus", "found databus:Alternative:Shared", 1),
    ("no_unique", "bus", "ambiguous busbar:Alternative:A databus:Alternative:Shared", 1),
    ("no_lang", "busbar section", "found busbar:Preferred:A", 1),
    ("multiline_definition_split", "busbar section", "found BusbarSection:Alternative:A+lines", 2),
    ("missing_query", "tap", "unavailable", 1),
    ("bad_maxhits", "tap", "unavailable", 1),
    ("unknown_vocabulary", "tap", "unavailable", 1),
    ("unknown_vocabulary_global", "tap", "unavailable", 1),
    ("newline_in_query", "tap", "unavailable", 1),
    // JSON with status 200, but not an answer to a search.
    ("lookup_hit", "busbar section", "unavailable", 1),
    ("lookup_miss", "foobarbaz", "unavailable", 1),
    ("vocabularies", "busbar section", "unavailable", 1),
    ("vocabularies_missing_lang", "busbar section", "unavailable", 1),
    ("data_json", "busbar section", "found busbar:Preferred:A", 2),
    ("data_unknown_uri", "busbar section", "unavailable", 2),
    ("data_unsupported_format", "busbar section", "unavailable", 2),
    ("label_hit", "busbar section", "unavailable", 1),
    ("label_miss", "busbar section", "unavailable", 1),
];

fn recorded() -> HashMap<String, Reply> {
    let lines = RECORDED.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let replies = lines.map(|line| {
        let text = |field: &str| line[field].as_str().unwrap().to_owned();
        let status = u16::try_from(line["status"].as_u64().unwrap()).unwrap();
        (text("name"), Reply::new(status, &text("content_type"), &text("body")))
    });
    replies.collect()
}

/// Answers with the recorded response where its kind is asked for; `data` about the broken definition with its whole.
fn answer(name: &str, reply: &Reply, asked: &Asked) -> Reply {
    match (name.starts_with("data_"), asked.is_search()) {
        (true, true) => Reply::rows(UNDEFINED),
        (true, false) | (false, true) => reply.clone(),
        (false, false) => Reply::json(MULTILINE),
    }
}

#[tokio::test]
async fn every_recorded_response_ends_in_the_right_outcome() {
    let recorded = recorded();
    assert_eq!(recorded.len(), OUTCOMES.len());
    for (name, term, expected, requests) in OUTCOMES {
        let reply = recorded[name].clone();
        let server = Server::start(move |asked| answer(name, &reply, asked)).await;
        let outcome = client(&server.url, &["gridterms"]).lookup(term).await;
        assert_eq!(told(&outcome), expected, "{name}");
        assert_eq!(server.asked().len(), requests, "{name}: {:?}", server.asked());
    }
}

/// The outcome in a few words; of a definition its first one, and whether it has several lines.
fn told(outcome: &Result<Lookup, VocabularyError>) -> String {
    let concept = |concept: &Concept| {
        let name = concept.uri.rsplit('/').next().unwrap_or_default().to_owned();
        let definition = concept.definition.as_ref().map_or("-", |definition| definition.text.as_str());
        let (first, lines) = (definition.split(' ').next().unwrap_or_default(), definition.contains('\n'));
        format!("{name}:{:?}:{first}{}", concept.matched, if lines { "+lines" } else { "" })
    };
    let all = |concepts: &[Concept]| concepts.iter().map(concept).collect::<Vec<_>>().join(" ");
    match outcome {
        Ok(Lookup::Found { concept: found, see_also }) if see_also.is_empty() => format!("found {}", concept(found)),
        Ok(Lookup::Found { concept: found, see_also }) => format!("found {} also {}", concept(found), all(see_also)),
        Ok(Lookup::Ambiguous(concepts)) => format!("ambiguous {}", all(concepts)),
        Ok(Lookup::Unknown) => "unknown".to_owned(),
        Err(VocabularyError::Unavailable(_)) => "unavailable".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn a_concept_is_described_from_what_was_recorded_of_it() {
    let recorded = recorded();
    let (there, not_there) = (recorded["data_json"].clone(), recorded["data_unknown_uri"].clone());
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/gridterms/data" if asked.query["uri"] == BUSBAR => there.clone(),
        _ => not_there.clone(),
    })
    .await;
    let client = client(&server.url, &["gridterms2", "gridterms"]);
    let busbar = client.describe(BUSBAR, "de").await.unwrap().unwrap();
    assert_eq!((busbar.vocabulary.as_str(), busbar.label.as_str()), ("gridterms", "Sammelschienenabschnitt"));
    let others: Vec<_> = busbar.other_labels.iter().map(|(text, tag)| (text.as_str(), tag.as_deref())).collect();
    assert_eq!(others, [("busbar section", Some("en")), ("Busbar", Some("en")), ("bus", Some("en"))]);
    assert_eq!(busbar.definitions.len(), 2);
    assert!(busbar.broader.is_empty() && !busbar.deprecated);
    assert_eq!(client.describe("http://example.org/gridterms/nope", "en").await, Ok(None));
    let asked: Vec<_> = server.asked().into_iter().map(|asked| asked.path).collect();
    assert_eq!(asked, ["/gridterms2/data", "/gridterms/data", "/gridterms2/data", "/gridterms/data"]);
}

#[tokio::test]
async fn what_points_at_a_concept_is_connected_to_it_as_what_it_points_at() {
    let server = Server::start(|_| Reply::json(FAMILY)).await;
    let line = client(&server.url, &[]).describe("urn:line", "en").await.unwrap().unwrap();
    let names = |all: &[Connected]| all.iter().map(|one| one.label.clone()).collect::<Vec<_>>();
    assert_eq!(names(&line.broader), ["Conductor"]);
    assert_eq!(names(&line.narrower), ["Cable", "tap"], "one that the line names, and one that names it");
    assert_eq!(names(&line.related), ["Tower"]);
    assert!(line.deprecated);
    let asked = &server.asked()[0];
    assert_eq!((asked.path.as_str(), asked.query["uri"].as_str()), ("/data", "urn:line"));
}

#[tokio::test]
async fn requests_are_made_as_they_were_recorded() {
    let server = Server::start(|asked| if asked.is_search() { Reply::rows("") } else { Reply::json("{}") }).await;
    let _ = client(&server.url, &["gridterms"]).lookup("Busbar \n section*").await;
    let _ = client(&server.url, &["gridterms", "gridterms2"]).lookup("line").await;
    let _ = client(&server.url, &[]).lookup("tap").await;
    let told: Vec<String> = server
        .asked()
        .iter()
        .map(|asked| {
            let mut query: Vec<_> = asked.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
            query.sort();
            format!("{} {}", asked.path, query.join("&"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "/gridterms/search fields=definition&labellang=en&lang=en&query=busbar section&unique=true",
            "/gridterms/search fields=definition&labellang=en&query=busbar section&unique=true",
            "/search fields=definition&labellang=en&lang=en&query=line&unique=true&vocab=gridterms gridterms2",
            "/search fields=definition&labellang=en&query=line&unique=true&vocab=gridterms gridterms2",
            "/search fields=definition&labellang=en&lang=en&query=tap&unique=true",
            "/search fields=definition&labellang=en&query=tap&unique=true",
        ]
    );
}
