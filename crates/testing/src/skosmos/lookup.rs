//! `lookup`: concepts that are called exactly so.

use axum::response::Response;
use ibidem_ports::thesaurus::WordList;
use serde_json::{Value, json};

use super::reply::{self, Refusal};
use super::search::{Pattern, Wanted, found};
use super::{Parameters, Served, given};

/// What a label must be, best first: hidden labels do not count, and only letters of ASCII have a case.
const RANKS: [(&str, bool); 6] = [
    ("prefLabel", true),
    ("prefLabel", false),
    ("matchedPrefLabel", true),
    ("matchedPrefLabel", false),
    ("altLabel", true),
    ("altLabel", false),
];

pub(super) fn looked_up(served: &Served, list: &WordList, parameters: &Parameters) -> Result<Response, Refusal> {
    let label = given(parameters, "label").ok_or_else(|| Refusal::missing("label"))?;
    let language = given(parameters, "lang");
    let wanted = Wanted {
        pattern: Pattern::new(label),
        matched_in: language,
        shown_in: served.language(parameters, &["lang"]),
        unique: false,
    };
    let rows: Vec<Value> = found(&[list], &wanted).iter().map(|row| row.json(true, &[], wanted.shown_in)).collect();
    let hits = RANKS.into_iter().map(|(field, exact)| called(&rows, field, label, exact)).find(|hits| !hits.is_empty());
    let hits = hits.ok_or_else(|| Refusal::NotFound(format!("Could not find label '{label}'")))?;
    Ok(reply::json(&body(&hits, language)))
}

fn called(rows: &[Value], field: &str, label: &str, exact: bool) -> Vec<Value> {
    let same = |row: &&Value| {
        let found = row.get(field).and_then(Value::as_str);
        found.is_some_and(|found| if exact { found == label } else { found.eq_ignore_ascii_case(label) })
    };
    rows.iter().filter(same).cloned().collect()
}

fn body(hits: &[Value], language: Option<&str>) -> Value {
    let mut body = json!({
        "@context": {
            "skos": "http://www.w3.org/2004/02/skos/core#",
            "uri": "@id",
            "type": "@type",
            "onki": "http://schema.onki.fi/onki#",
            "results": { "@id": "onki:results" },
            "prefLabel": "skos:prefLabel",
            "altLabel": "skos:altLabel",
            "hiddenLabel": "skos:hiddenLabel",
        },
        "result": hits,
    });
    if let Some(language) = language {
        body["@context"]["@language"] = language.into();
    }
    body
}
