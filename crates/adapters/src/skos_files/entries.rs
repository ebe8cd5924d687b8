//! From statements to concepts.

use std::collections::BTreeMap;

use ibidem_ports::thesaurus::{Entry, Label, Statement, Value, WordList};
use ibidem_ports::vocabulary::{Definition, LabelKind};

const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";
const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const VALUE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#value";
const DEPRECATED: &str = "http://www.w3.org/2002/07/owl#deprecated";

/// What titles of a scheme are called, best first.
const TITLES: [&str; 4] = [
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2000/01/rdf-schema#label",
];

pub(super) fn word_list(id: String, statements: BTreeMap<String, Vec<Statement>>) -> WordList {
    let about = About(&statements);
    let concepts = statements.keys().filter(|node| about.is_a(node, "Concept"));
    let entries = concepts.map(|uri| (uri.clone(), entry(uri, &about))).collect();
    let schemes = statements.keys().filter(|node| about.is_a(node, "ConceptScheme"));
    let titles = schemes.flat_map(|scheme| TITLES.iter().flat_map(|title| about.texts(scheme, title))).collect();
    WordList { id, titles, entries, statements }
}

fn entry(uri: &str, about: &About<'_>) -> Entry {
    let kinds =
        [("prefLabel", LabelKind::Preferred), ("altLabel", LabelKind::Alternative), ("hiddenLabel", LabelKind::Hidden)];
    let labels = kinds.into_iter().flat_map(|(property, kind)| {
        let texts = about.texts(uri, &format!("{SKOS}{property}"));
        texts.into_iter().map(move |(text, language)| Label { kind, text, language })
    });
    let withdrawn = about.texts(uri, DEPRECATED);
    Entry {
        uri: uri.to_owned(),
        types: about.nodes(uri, TYPE).map(str::to_owned).collect(),
        labels: labels.collect(),
        notations: about.texts(uri, &format!("{SKOS}notation")).into_iter().map(|(text, _)| text).collect(),
        definitions: definitions(uri, about),
        deprecated: withdrawn.iter().any(|(text, _)| text == "true" || text == "1"),
    }
}

/// A definition is a text, or a node that has one as its value.
fn definitions(uri: &str, about: &About<'_>) -> Vec<Definition> {
    let property = format!("{SKOS}definition");
    let texts = about.texts(uri, &property);
    let kept_apart = about.nodes(uri, &property).flat_map(|node| about.texts(node, VALUE));
    texts.into_iter().chain(kept_apart).map(|(text, language)| Definition { text, language }).collect()
}

struct About<'a>(&'a BTreeMap<String, Vec<Statement>>);

impl<'a> About<'a> {
    fn values(&self, node: &str, property: &str) -> impl Iterator<Item = &'a Value> {
        let statements = self.0.get(node).into_iter().flatten();
        let property = property.to_owned();
        statements.filter(move |statement| statement.property == property).map(|statement| &statement.value)
    }

    fn texts(&self, node: &str, property: &str) -> Vec<(String, Option<String>)> {
        let texts = self.values(node, property).filter_map(|value| match value {
            Value::Text { text, language, .. } => Some((text.clone(), language.clone())),
            Value::Node(_) => None,
        });
        texts.collect()
    }

    fn nodes(&self, node: &str, property: &str) -> impl Iterator<Item = &'a str> {
        self.values(node, property).filter_map(|value| match value {
            Value::Node(node) => Some(node.as_str()),
            Value::Text { .. } => None,
        })
    }

    fn is_a(&self, node: &str, class: &str) -> bool {
        self.nodes(node, TYPE).any(|name| name.strip_prefix(SKOS) == Some(class))
    }
}
