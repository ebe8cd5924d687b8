//! A concept's definitions, names and connections, out of all that a server has about it.

use ibidem_ports::vocabulary::{Connected, Definition, Description, VocabularyError, name_in};
use serde_json::{Map, Value};

use super::fetch::unavailable;

const DEFINITION: [&str; 3] = ["skos:definition", "definition", "http://www.w3.org/2004/02/skos/core#definition"];
const PREFERRED: [&str; 3] = ["prefLabel", "skos:prefLabel", "http://www.w3.org/2004/02/skos/core#prefLabel"];
const ALTERNATIVE: [&str; 3] = ["altLabel", "skos:altLabel", "http://www.w3.org/2004/02/skos/core#altLabel"];
const BROADER: [&str; 3] = ["broader", "skos:broader", "http://www.w3.org/2004/02/skos/core#broader"];
const NARROWER: [&str; 3] = ["narrower", "skos:narrower", "http://www.w3.org/2004/02/skos/core#narrower"];
const RELATED: [&str; 3] = ["related", "skos:related", "http://www.w3.org/2004/02/skos/core#related"];
const DEPRECATED: [&str; 2] = ["owl:deprecated", "http://www.w3.org/2002/07/owl#deprecated"];
const VALUE: [&str; 2] = ["rdf:value", "http://www.w3.org/1999/02/22-rdf-syntax-ns#value"];

/// All definitions of the concept, in every language.
pub(super) fn definitions(reply: &Value, uri: &str) -> Result<Vec<Definition>, VocabularyError> {
    let nodes = Nodes::of(reply);
    Ok(nodes.definitions(nodes.about(uri)?))
}

/// All that is said of the concept, with names in this language where there are any.
pub(super) fn description(
    reply: &Value,
    uri: &str,
    vocabulary: &str,
    language: &str,
) -> Result<Description, VocabularyError> {
    let nodes = Nodes::of(reply);
    let concept = nodes.about(uri)?;
    let label = name(concept, language).unwrap_or_else(|| uri.to_owned());
    let names = [values(concept, &PREFERRED), values(concept, &ALTERNATIVE)].concat();
    let others = names.into_iter().filter_map(as_text).filter(|other| other.text != label);
    let is_withdrawn = |value: &Value| {
        let plain = value.get("value").or_else(|| value.get("@value")).unwrap_or(value);
        plain.as_bool() == Some(true) || plain.as_str() == Some("true")
    };
    Ok(Description {
        uri: uri.to_owned(),
        vocabulary: vocabulary.to_owned(),
        other_labels: others.map(|other| (other.text, other.language)).collect(),
        definitions: nodes.definitions(concept),
        broader: nodes.connected(concept, uri, &BROADER, &NARROWER, language),
        narrower: nodes.connected(concept, uri, &NARROWER, &BROADER, language),
        related: nodes.connected(concept, uri, &RELATED, &RELATED, language),
        deprecated: values(concept, &DEPRECATED).into_iter().any(is_withdrawn),
        label,
    })
}

/// What a node is called: in this language, in English, or as it comes.
fn name(node: &Map<String, Value>, language: &str) -> Option<String> {
    let names: Vec<Definition> = values(node, &PREFERRED).into_iter().filter_map(as_text).collect();
    let tagged: Vec<_> = names.iter().map(|name| (name.text.as_str(), name.language.as_deref())).collect();
    name_in(language, &tagged).map(str::to_owned)
}

struct Nodes<'a>(Vec<&'a Map<String, Value>>);

impl<'a> Nodes<'a> {
    /// Several nodes come as a graph; a single one is the answer itself.
    fn of(reply: &'a Value) -> Self {
        let graph = reply.get("graph").or_else(|| reply.get("@graph"));
        match graph.and_then(Value::as_array) {
            Some(graph) => Self(graph.iter().filter_map(Value::as_object).collect()),
            None => Self(reply.as_object().into_iter().collect()),
        }
    }

    fn find(&self, uri: &str) -> Option<&'a Map<String, Value>> {
        self.0.iter().find(|node| address(node) == Some(uri)).copied()
    }

    fn about(&self, uri: &str) -> Result<&'a Map<String, Value>, VocabularyError> {
        self.find(uri).ok_or_else(|| unavailable("the answer is not about the concept".to_owned()))
    }

    fn definitions(&self, concept: &'a Map<String, Value>) -> Vec<Definition> {
        let mut definitions = Vec::new();
        for value in values(concept, &DEFINITION) {
            match as_text(value) {
                Some(definition) => definitions.push(definition),
                None => definitions.extend(self.kept_apart(value)),
            }
        }
        definitions
    }

    /// What the concept points at by a property, and what points at it by the inverse one. What the answer has no name
    /// of is left out: an address is nothing to read.
    fn connected(
        &self,
        concept: &'a Map<String, Value>,
        uri: &str,
        property: &[&str],
        inverse: &[&str],
        language: &str,
    ) -> Vec<Connected> {
        let own = values(concept, property).into_iter().filter_map(pointed_at);
        let points_here = |node: &&&Map<String, Value>| {
            values(node, inverse).into_iter().filter_map(pointed_at).any(|other| other == uri)
        };
        let others = self.0.iter().filter(points_here).filter_map(|node| address(node));
        let named = own.chain(others).filter(|other| *other != uri).filter_map(|other| {
            let label = name(self.find(other)?, language)?;
            Some(Connected { uri: other.to_owned(), label })
        });
        Connected::in_order(named.collect())
    }

    /// The texts of a node that holds a definition: nested here, or elsewhere in the answer by its address.
    fn kept_apart(&self, value: &'a Value) -> Vec<Definition> {
        let Some(node) = value.as_object() else { return Vec::new() };
        let nested = values(node, &VALUE);
        let elsewhere = address(node).and_then(|uri| self.find(uri));
        let elsewhere = elsewhere.map(|node| values(node, &VALUE)).unwrap_or_default();
        nested.into_iter().chain(elsewhere).filter_map(as_text).collect()
    }
}

fn address(node: &Map<String, Value>) -> Option<&str> {
    node.get("uri").or_else(|| node.get("@id"))?.as_str()
}

/// The address that a value is: in a node of its own, or alone.
fn pointed_at(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| address(value.as_object()?))
}

/// One value, or each of several: they are an array only when there are several.
fn values<'a>(node: &'a Map<String, Value>, names: &[&str]) -> Vec<&'a Value> {
    let of_any = names.iter().filter_map(|name| node.get(*name));
    let each =
        of_any.flat_map(|value| value.as_array().map_or_else(|| vec![value], |several| several.iter().collect()));
    each.collect()
}

fn as_text(value: &Value) -> Option<Definition> {
    if let Some(text) = value.as_str() {
        return Some(Definition { text: text.to_owned(), language: None });
    }
    let text = value.get("value").or_else(|| value.get("@value"))?.as_str()?;
    let language = value.get("lang").or_else(|| value.get("@language")).and_then(Value::as_str);
    Some(Definition { text: text.to_owned(), language: language.map(str::to_owned) })
}
