//! `data`: all that is said about a concept, with the names of what it is connected to.

use std::collections::BTreeMap;

use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use ibidem_ports::thesaurus::{Statement, Value as Stated, WordList};
use serde_json::{Map, Value, json};

use super::names::{PREFIXES, SKOS, TYPE, short};
use super::reply::Refusal;
use super::{Parameters, given};

const FORMATS: [&str; 2] = ["application/json", "application/ld+json"];

/// Properties of SKOS that need no prefix.
const BARE: [&str; 12] = [
    "prefLabel",
    "altLabel",
    "hiddenLabel",
    "broader",
    "narrower",
    "related",
    "inScheme",
    "exactMatch",
    "closeMatch",
    "broadMatch",
    "narrowMatch",
    "relatedMatch",
];

pub(super) fn about(list: &WordList, parameters: &Parameters) -> Result<Response, Refusal> {
    let Some(uri) = given(parameters, "uri") else {
        let reason = format!("No download source URL known for vocabulary {}", list.id);
        return Err(Refusal::NotFound(reason));
    };
    let format = given(parameters, "format").unwrap_or(FORMATS[0]);
    let Some(format) = FORMATS.into_iter().find(|known| *known == format) else {
        let reason = format!("Unsupported format. Supported MIME types are: {}", FORMATS.join(" "));
        return Err(Refusal::NotAcceptable(reason));
    };
    let Some(statements) = list.statements.get(uri).filter(|_| !uri.starts_with("_:")) else {
        return Err(Refusal::NoConcept);
    };
    let headers = [(header::CONTENT_TYPE, format!("{format}; charset=utf-8"))];
    Ok((headers, body(list, uri, statements).to_string()).into_response())
}

fn body(list: &WordList, uri: &str, statements: &[Statement]) -> Value {
    let mut nodes = vec![node(uri, statements.iter())];
    for (uri, statements) in connected(list, uri, statements) {
        // Of something with a type of its own, its name is enough; anything else is part of the concept.
        let own = statements.iter().any(|statement| statement.property == TYPE);
        let named = statements.iter().filter(|statement| !own || is_name(statement));
        nodes.push(node(uri, named));
    }
    let context = context();
    match <[Map<String, Value>; 1]>::try_from(nodes) {
        // A single node is the answer itself.
        Ok([mut only]) => {
            only.insert("@context".to_owned(), context);
            only.into()
        }
        Err(several) => json!({ "@context": context, "graph": several }),
    }
}

/// The nodes that a concept points at and that something is known of.
fn connected<'a>(list: &'a WordList, uri: &str, statements: &'a [Statement]) -> BTreeMap<&'a str, &'a [Statement]> {
    let nodes = statements.iter().filter(|statement| statement.property != TYPE).filter_map(|statement| {
        let Stated::Node(node) = &statement.value else { return None };
        let (node, of_node) = list.statements.get_key_value(node)?;
        (node != uri).then_some((node.as_str(), of_node.as_slice()))
    });
    nodes.collect()
}

fn is_name(statement: &Statement) -> bool {
    statement.property == TYPE || statement.property.strip_prefix(SKOS) == Some("prefLabel")
}

fn node<'a>(uri: &str, statements: impl Iterator<Item = &'a Statement>) -> Map<String, Value> {
    let mut properties = BTreeMap::<String, Vec<Value>>::new();
    for statement in statements {
        let value = match &statement.value {
            Stated::Node(class) if statement.property == TYPE => short(class).into(),
            value => stated(value),
        };
        properties.entry(name(&statement.property)).or_default().push(value);
    }
    let mut node = Map::new();
    node.insert("uri".to_owned(), uri.into());
    for (name, mut values) in properties {
        // Several values are a list; a single one is itself.
        let value = if values.len() == 1 { values.remove(0) } else { values.into() };
        node.insert(name, value);
    }
    node
}

fn stated(value: &Stated) -> Value {
    match value {
        Stated::Node(uri) => json!({ "uri": uri }),
        Stated::Text { text, language: Some(language), .. } => json!({ "lang": language, "value": text }),
        Stated::Text { text, datatype: Some(datatype), .. } => json!({ "type": datatype, "value": text }),
        Stated::Text { text, .. } => text.as_str().into(),
    }
}

fn name(property: &str) -> String {
    if property == TYPE {
        return "type".to_owned();
    }
    match short(property) {
        label if label == "rdfs:label" => "label".to_owned(),
        name => match name.strip_prefix("skos:").filter(|bare| BARE.contains(bare)) {
            Some(bare) => bare.to_owned(),
            None => name,
        },
    }
}

fn context() -> Value {
    let mut context = Map::new();
    let mut put = |name: &str, meaning: String| context.insert(name.to_owned(), meaning.into());
    for (prefix, long) in PREFIXES {
        put(prefix, long.to_owned());
    }
    for (name, meaning) in [
        ("uri", "@id"),
        ("type", "@type"),
        ("lang", "@language"),
        ("value", "@value"),
        ("graph", "@graph"),
        ("label", "rdfs:label"),
    ] {
        put(name, meaning.to_owned());
    }
    for name in BARE {
        put(name, format!("skos:{name}"));
    }
    context.into()
}
