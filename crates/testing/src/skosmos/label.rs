//! `label`: what a concept is called.

use axum::response::Response;
use ibidem_ports::thesaurus::{Value as Stated, WordList};
use ibidem_ports::vocabulary::in_language;
use serde_json::json;

use super::names::{SKOS, TYPE};
use super::reply::{self, Refusal};
use super::{Parameters, Served, given};

pub(super) fn of(served: &Served, list: &WordList, parameters: &Parameters) -> Result<Response, Refusal> {
    let uri = given(parameters, "uri").ok_or_else(|| Refusal::missing("uri"))?;
    let language = served.language(parameters, &["lang"]);
    let statements = list.statements.get(uri).map(Vec::as_slice).unwrap_or_default();
    if !statements.iter().any(|statement| statement.property == TYPE) {
        return Err(Refusal::NotFound(format!("Could not find concept <{uri}>")));
    }
    let mut body = json!({
        "@context": {
            "skos": SKOS,
            "uri": "@id",
            "type": "@type",
            "prefLabel": "skos:prefLabel",
            "altLabel": "skos:altLabel",
            "hiddenLabel": "skos:hiddenLabel",
            "@language": language,
        },
        "uri": uri,
    });
    for property in ["prefLabel", "altLabel", "hiddenLabel"] {
        let stated = statements.iter().filter(|statement| statement.property.strip_prefix(SKOS) == Some(property));
        let labels = stated.filter_map(|statement| match &statement.value {
            Stated::Text { text, language: Some(tag), .. } if in_language(tag, language) => Some(text.as_str()),
            _ => None,
        });
        let labels: Vec<&str> = labels.collect();
        match (property, labels.first()) {
            (_, None) => {}
            ("prefLabel", Some(first)) => body[property] = (*first).into(),
            _ => body[property] = labels.into(),
        }
    }
    Ok(reply::json(&body))
}
