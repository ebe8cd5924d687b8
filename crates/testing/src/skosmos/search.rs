//! `search`: concepts by their labels, whole or with asterisks for any letters.

mod pattern;
mod rows;

use axum::response::Response;
use ibidem_ports::thesaurus::WordList;
use serde_json::{Map, Value, json};

use super::reply::{self, Refusal};
use super::{Parameters, Served, given};
pub(super) use pattern::Pattern;
pub(super) use rows::{Wanted, found};

/// Ways to narrow a search that a Skosmos has and this has not: better to say so than to find too much.
const UNSUPPORTED: [&str; 4] = ["group", "parent", "scheme", "type"];

pub(super) fn in_one(served: &Served, list: &WordList, parameters: &Parameters) -> Result<Response, Refusal> {
    answered(served, &[list], true, parameters)
}

pub(super) fn in_several(served: &Served, parameters: &Parameters) -> Result<Response, Refusal> {
    let all = served.thesaurus.word_lists();
    let Some(named) = given(parameters, "vocab") else {
        return answered(served, &all.iter().collect::<Vec<_>>(), false, parameters);
    };
    let lists = named.split(' ').map(|id| all.iter().find(|list| list.id == id)).collect::<Option<Vec<_>>>();
    // A Skosmos fails at a vocabulary it does not have, without a word.
    answered(served, &lists.ok_or(Refusal::Failed(""))?, true, parameters)
}

/// `named` tells whether the vocabularies were asked for by their ids: only then are local names given.
fn answered(served: &Served, lists: &[&WordList], named: bool, parameters: &Parameters) -> Result<Response, Refusal> {
    let query = parameters.get("query").map(|query| query.trim()).filter(|query| !query.is_empty());
    let query = query.ok_or_else(|| Refusal::missing("query"))?;
    let most = number(parameters, "maxhits", 1)?.unwrap_or(usize::MAX);
    let offset = number(parameters, "offset", 0)?.unwrap_or(0);
    if let Some(name) = UNSUPPORTED.into_iter().find(|name| given(parameters, name).is_some()) {
        return Err(Refusal::BadRequest(format!("{name} parameter is not supported")));
    }
    if query.contains(['\n', '\r']) {
        return Err(Refusal::Failed("ERROR: HTTP request for SPARQL query failed"));
    }
    let fields = fields(parameters)?;
    let wanted = Wanted {
        pattern: Pattern::new(query),
        matched_in: given(parameters, "lang"),
        shown_in: served.language(parameters, &["labellang", "lang"]),
        unique: matches!(given(parameters, "unique"), Some("true" | "1" | "yes" | "on")),
    };
    let rows = found(lists, &wanted);
    let results: Vec<Value> =
        rows.iter().skip(offset).take(most).map(|row| row.json(named, &fields, wanted.shown_in)).collect();
    Ok(reply::json(&body(&results, &fields, parameters)))
}

fn number(parameters: &Parameters, name: &str, least: usize) -> Result<Option<usize>, Refusal> {
    let Some(value) = given(parameters, name) else { return Ok(None) };
    let number = value.parse::<usize>().ok().filter(|number| *number >= least);
    number.map(Some).ok_or_else(|| Refusal::invalid(name))
}

/// Further properties of SKOS that are to be in each row.
fn fields(parameters: &Parameters) -> Result<Vec<&str>, Refusal> {
    let fields: Vec<&str> = given(parameters, "fields").unwrap_or_default().split_whitespace().collect();
    let odd = |field: &&str| !field.chars().all(|letter| letter.is_ascii_alphabetic());
    if fields.iter().any(odd) {
        Err(Refusal::Failed("ERROR: HTTP request for SPARQL query failed"))
    } else {
        Ok(fields)
    }
}

fn body(results: &[Value], fields: &[&str], parameters: &Parameters) -> Value {
    let mut context = Map::new();
    for (name, meaning) in [
        ("skos", "http://www.w3.org/2004/02/skos/core#"),
        ("isothes", "http://purl.org/iso25964/skos-thes#"),
        ("onki", "http://schema.onki.fi/onki#"),
        ("uri", "@id"),
        ("type", "@type"),
        ("prefLabel", "skos:prefLabel"),
        ("altLabel", "skos:altLabel"),
        ("hiddenLabel", "skos:hiddenLabel"),
    ] {
        context.insert(name.to_owned(), meaning.into());
    }
    context.insert("results".to_owned(), json!({ "@id": "onki:results", "@container": "@list" }));
    for field in fields {
        context.insert((*field).to_owned(), format!("skos:{field}").into());
    }
    if let Some(language) = given(parameters, "labellang").or_else(|| given(parameters, "lang")) {
        context.insert("@language".to_owned(), language.into());
    }
    json!({ "@context": context, "uri": "", "results": results })
}
