//! Whole vocabularies as plain data, for those who show or serve them.

use std::collections::BTreeMap;

use super::vocabulary::{Connected, Definition, Description, LabelKind, in_language, name_in};

const SKOS: &str = "http://www.w3.org/2004/02/skos/core#";

/// A name of a concept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub kind: LabelKind,
    pub text: String,
    /// How the vocabulary tags the label's language; none when it does not.
    pub language: Option<String>,
}

impl Label {
    pub fn is_in(&self, language: &str) -> bool {
        self.language.as_deref().is_some_and(|tag| in_language(tag, language))
    }
}

/// A concept with everything a lookup needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub uri: String,
    /// Names its classes by their full IRIs.
    pub types: Vec<String>,
    /// Lists its labels in the order of the source.
    pub labels: Vec<Label>,
    pub notations: Vec<String>,
    pub definitions: Vec<Definition>,
    /// Whether it was withdrawn: it is kept for those who have its address, and no search finds it.
    pub deprecated: bool,
}

impl Entry {
    /// What the concept is called for somebody who reads this language.
    pub fn label_in(&self, language: &str) -> &str {
        let preferred = self.labels.iter().filter(|label| label.kind == LabelKind::Preferred);
        let named: Vec<_> = preferred.map(|label| (label.text.as_str(), label.language.as_deref())).collect();
        let any = || self.labels.iter().find(|label| label.kind != LabelKind::Hidden).map(|label| label.text.as_str());
        name_in(language, &named).or_else(any).unwrap_or(&self.uri)
    }
}

/// What a statement is about, or what it says.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// The address of a node; of a nameless one it begins with `_:`.
    Node(String),
    Text {
        text: String,
        language: Option<String>,
        datatype: Option<String>,
    },
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Statement {
    /// Names the property by its full IRI.
    pub property: String,
    pub value: Value,
}

/// A word list is a vocabulary in memory: its concepts, and all statements about any node in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordList {
    pub id: String,
    /// What the vocabulary is called, with the language of each title.
    pub titles: Vec<(String, Option<String>)>,
    /// Maps the addresses of concepts to their entries.
    pub entries: BTreeMap<String, Entry>,
    /// Maps the addresses of nodes to the statements about them; each statement once.
    pub statements: BTreeMap<String, Vec<Statement>>,
}

impl WordList {
    pub fn title(&self, language: &str) -> Option<&str> {
        let fits = |tag: &Option<String>| tag.as_deref().is_none_or(|tag| in_language(tag, language));
        self.titles.iter().find(|(_, tag)| fits(tag)).map(|(title, _)| title.as_str())
    }
}

/// All that one of these vocabularies says of a concept.
pub fn described(lists: &[WordList], uri: &str, language: &str) -> Option<Description> {
    let (list, entry) = lists.iter().find_map(|list| Some((list, list.entries.get(uri)?)))?;
    let label = entry.label_in(language);
    let others = entry.labels.iter().filter(|other| other.kind != LabelKind::Hidden && other.text != label);
    Some(Description {
        uri: entry.uri.clone(),
        vocabulary: list.id.clone(),
        label: label.to_owned(),
        other_labels: others.map(|other| (other.text.clone(), other.language.clone())).collect(),
        definitions: entry.definitions.clone(),
        broader: connected(list, uri, "broader", "narrower", language),
        narrower: connected(list, uri, "narrower", "broader", language),
        related: connected(list, uri, "related", "related", language),
        deprecated: entry.deprecated,
    })
}

/// What a concept points at by a property, and what points at it by the inverse one: vocabularies write either.
fn connected(list: &WordList, uri: &str, property: &str, inverse: &str, language: &str) -> Vec<Connected> {
    let is_of = |statement: &Statement, name: &str| statement.property.strip_prefix(SKOS) == Some(name);
    let own = list.statements.get(uri).into_iter().flatten().filter(|statement| is_of(statement, property));
    let own = own.filter_map(|statement| match &statement.value {
        Value::Node(node) => Some(node.as_str()),
        Value::Text { .. } => None,
    });
    let points_here = |statements: &[Statement]| {
        let here = |statement: &Statement| matches!(&statement.value, Value::Node(node) if node == uri);
        statements.iter().any(|statement| is_of(statement, inverse) && here(statement))
    };
    let others =
        list.statements.iter().filter(|(_, statements)| points_here(statements)).map(|(node, _)| node.as_str());
    let entries = own.chain(others).filter(|node| *node != uri).filter_map(|node| list.entries.get(node));
    let seen = entries.filter(|entry| !entry.deprecated);
    let named = seen.map(|entry| Connected { uri: entry.uri.clone(), label: entry.label_in(language).to_owned() });
    Connected::in_order(named.collect())
}

/// Vocabularies that are here in full.
pub trait Thesaurus: Send + Sync {
    /// Ordered by id.
    fn word_lists(&self) -> &[WordList];
}
