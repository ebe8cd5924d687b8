//! Whole vocabularies as plain data, for those who show or serve them.

use std::collections::BTreeMap;

use super::vocabulary::{Definition, LabelKind, in_language};

/// A name of a concept.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    pub kind: LabelKind,
    pub text: String,
    /// As tagged; none when it is not.
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
    /// Full IRIs of its classes.
    pub types: Vec<String>,
    /// In the order of the source.
    pub labels: Vec<Label>,
    pub notations: Vec<String>,
    pub definitions: Vec<Definition>,
    /// Withdrawn: kept for those who have its address, found by nobody.
    pub deprecated: bool,
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
    /// The full IRI.
    pub property: String,
    pub value: Value,
}

/// A vocabulary: its concepts, and all that is said about any node in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WordList {
    pub id: String,
    /// With their languages.
    pub titles: Vec<(String, Option<String>)>,
    /// By address.
    pub entries: BTreeMap<String, Entry>,
    /// By the address of the node they are about; each statement once.
    pub statements: BTreeMap<String, Vec<Statement>>,
}

impl WordList {
    pub fn title(&self, language: &str) -> Option<&str> {
        let fits = |tag: &Option<String>| tag.as_deref().is_none_or(|tag| in_language(tag, language));
        self.titles.iter().find(|(_, tag)| fits(tag)).map(|(title, _)| title.as_str())
    }
}

/// Vocabularies that are here in full.
pub trait Thesaurus: Send + Sync {
    /// Ordered by id.
    fn word_lists(&self) -> &[WordList];
}
