//! `vocabularies`: which there are.

use axum::http::{HeaderMap, header};
use axum::response::Response;
use serde_json::{Value, json};

use super::reply::{self, Refusal};
use super::{Parameters, Served, given};

pub(super) fn listed(served: &Served, headers: &HeaderMap, parameters: &Parameters) -> Result<Response, Refusal> {
    let language = given(parameters, "lang").ok_or_else(|| Refusal::missing("lang"))?;
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let vocabularies: Vec<Value> = served
        .thesaurus
        .word_lists()
        .iter()
        .map(|list| json!({ "uri": list.id, "id": list.id, "title": list.title(language) }))
        .collect();
    Ok(reply::json(&json!({
        "@context": {
            "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
            "onki": "http://schema.onki.fi/onki#",
            "title": { "@id": "rdfs:label", "@language": language },
            "vocabularies": "onki:hasVocabulary",
            "id": "onki:vocabularyIdentifier",
            "uri": "@id",
            "@base": format!("http://{host}/rest/v1/vocabularies"),
        },
        "uri": "",
        "vocabularies": vocabularies,
    })))
}
