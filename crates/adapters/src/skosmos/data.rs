//! A concept's definitions, out of all that a server has about it.

use ibidem_words::ports::vocabulary::{Definition, VocabularyError};
use serde_json::{Map, Value};

use super::fetch::unavailable;

const DEFINITION: [&str; 3] = ["skos:definition", "definition", "http://www.w3.org/2004/02/skos/core#definition"];
const VALUE: [&str; 2] = ["rdf:value", "http://www.w3.org/1999/02/22-rdf-syntax-ns#value"];

/// All definitions of the concept, in every language.
pub(super) fn definitions(reply: &Value, uri: &str) -> Result<Vec<Definition>, VocabularyError> {
    let nodes = Nodes::of(reply);
    let concept = nodes.find(uri).ok_or_else(|| unavailable("the answer is not about the concept".to_owned()))?;
    let mut definitions = Vec::new();
    for value in values(concept, &DEFINITION) {
        match as_text(value) {
            Some(definition) => definitions.push(definition),
            None => definitions.extend(nodes.kept_apart(value)),
        }
    }
    Ok(definitions)
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
