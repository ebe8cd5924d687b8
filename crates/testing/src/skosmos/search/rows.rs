//! The rows of a search, chosen and ordered as a Skosmos does.

use ibidem_ports::thesaurus::{Entry, Label, Value as Stated, WordList};
use ibidem_ports::vocabulary::{LabelKind, in_language};
use serde_json::{Map, Value, json};

use super::pattern::Pattern;
use crate::skosmos::names::{SKOS, local, short};

/// What is searched for.
pub(in crate::skosmos) struct Wanted<'a> {
    pub(in crate::skosmos) pattern: Pattern,
    /// The language that labels must be in to match; any, when none.
    pub(in crate::skosmos) matched_in: Option<&'a str>,
    /// The language of the labels and texts that are returned.
    pub(in crate::skosmos) shown_in: &'a str,
    /// For each concept only the best of its labels that match.
    pub(in crate::skosmos) unique: bool,
}

/// A label that matches, with the label that its concept is shown by.
#[derive(Clone, Copy)]
pub(in crate::skosmos) struct Row<'a> {
    list: &'a WordList,
    entry: &'a Entry,
    pub(in crate::skosmos) matched: &'a Label,
    shown: Option<&'a Label>,
}

pub(in crate::skosmos) fn found<'a>(lists: &[&'a WordList], wanted: &Wanted<'_>) -> Vec<Row<'a>> {
    let entries = lists.iter().flat_map(|list| list.entries.values().map(|entry| (*list, entry)));
    let current = entries.filter(|(_, entry)| !entry.deprecated);
    let mut rows: Vec<Row<'a>> = current.flat_map(|(list, entry)| rows_of(list, entry, wanted)).collect();
    rows.sort_by_cached_key(|row| {
        let language = row.matched.language.clone().unwrap_or_default();
        (row.matched.text.to_lowercase(), language, row.list.id.clone(), row.entry.uri.clone())
    });
    rows
}

fn rows_of<'a>(list: &'a WordList, entry: &'a Entry, wanted: &Wanted<'_>) -> Vec<Row<'a>> {
    let matching = entry.labels.iter().filter(|label| {
        wanted.matched_in.is_none_or(|language| label.is_in(language)) && wanted.pattern.matches(&label.text)
    });
    let mut rows = Vec::new();
    for matched in matching {
        let shown = preferred_labels(entry, matched, wanted.shown_in);
        if shown.is_empty() {
            rows.push(Row { list, entry, matched, shown: None });
        }
        rows.extend(shown.into_iter().map(|shown| Row { list, entry, matched, shown: Some(shown) }));
    }
    if wanted.unique {
        // Of the rows that show a concept by the same label, the first in this order stays.
        rows.sort_by_key(|row| (shown_key(row), rank(row, wanted.shown_in)));
        rows.dedup_by_key(|row| shown_key(row));
    }
    rows
}

fn shown_key<'a>(row: &Row<'a>) -> Option<(&'a str, Option<&'a str>)> {
    row.shown.map(|label| (label.text.as_str(), label.language.as_deref()))
}

/// Kind first; within a kind, the language that is shown; then as the alphabet has it.
fn rank<'a>(row: &Row<'a>, language: &str) -> (LabelKind, bool, &'a str, &'a str) {
    let tag = row.matched.language.as_deref().unwrap_or_default();
    (row.matched.kind, !row.matched.is_in(language), tag, row.matched.text.as_str())
}

/// Preferred labels in the language to show, otherwise in that of the label that matched. There may be regional ones.
fn preferred_labels<'a>(entry: &'a Entry, matched: &Label, language: &str) -> Vec<&'a Label> {
    let preferred = || entry.labels.iter().filter(|label| label.kind == LabelKind::Preferred);
    let in_language: Vec<&Label> = preferred().filter(|label| label.is_in(language)).collect();
    if in_language.is_empty() {
        preferred().filter(|label| label.language == matched.language).collect()
    } else {
        in_language
    }
}

impl Row<'_> {
    /// `named` gives the local name as well.
    pub(in crate::skosmos) fn json(&self, named: bool, fields: &[&str], language: &str) -> Value {
        let mut row = Map::new();
        let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
        put("uri", self.entry.uri.as_str().into());
        put("type", self.entry.types.iter().map(|name| short(name)).collect());
        if named {
            put("localname", local(&self.entry.uri).into());
        }
        if let Some(shown) = self.shown {
            put("prefLabel", shown.text.as_str().into());
        }
        put("lang", self.matched.language.as_deref().into());
        if let Some(notation) = self.entry.notations.first() {
            put("notation", notation.as_str().into());
        }
        let matched = match self.matched.kind {
            LabelKind::Preferred if self.shown == Some(self.matched) => None,
            LabelKind::Preferred => Some("matchedPrefLabel"),
            LabelKind::Alternative => Some("altLabel"),
            LabelKind::Hidden => Some("hiddenLabel"),
        };
        if let Some(matched) = matched {
            put(matched, self.matched.text.as_str().into());
        }
        put("vocab", self.list.id.as_str().into());
        for field in fields {
            let values = self.values(field, language);
            if !values.is_empty() {
                put(field, values.into());
            }
        }
        row.into()
    }

    /// What is said with a property of SKOS: texts of one language, and nodes. A nameless node is an empty list.
    fn values(&self, property: &str, language: &str) -> Vec<Value> {
        let statements = self.list.statements.get(&self.entry.uri).into_iter().flatten();
        let of_property = statements.filter(|statement| statement.property.strip_prefix(SKOS) == Some(property));
        let values = of_property.filter_map(|statement| match &statement.value {
            Stated::Text { text, language: Some(tag), .. } if in_language(tag, language) => Some(text.as_str().into()),
            Stated::Text { .. } => None,
            Stated::Node(node) if node.starts_with("_:") => Some(json!([])),
            Stated::Node(node) => Some(self.node(node, language)),
        });
        values.collect()
    }

    fn node(&self, uri: &str, language: &str) -> Value {
        let labels = self.list.entries.get(uri).map(|entry| entry.labels.as_slice()).unwrap_or_default();
        let preferred = labels.iter().find(|label| label.kind == LabelKind::Preferred && label.is_in(language));
        match preferred {
            Some(label) => json!({ "uri": uri, "prefLabel": label.text }),
            None => json!({ "uri": uri }),
        }
    }
}
