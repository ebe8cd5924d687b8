//! The documents that a golden set is about: those it names must be there, and those it calls missing must not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ibidem_engine::policy::AddressRules;
use ibidem_engine::policy::DocumentClasses;
use ibidem_engine::route::addresses::mentions;
use ibidem_words::AddressKey;

use super::{COLLECTIONS, Category, NumberedQuery, Problem, VOCABULARY};

#[derive(Debug, thiserror::Error)]
#[error("the corpus {0} cannot be read: {1}")]
pub struct CorpusError(String, std::io::Error);

/// The addresses of a folder's documents, by collection.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Corpus(BTreeMap<String, BTreeSet<AddressKey>>);

impl Corpus {
    /// Reads a folder that has one for each collection, called as its documents are: `adr`, `principles`, `policies`.
    ///
    /// A document's address is what its file's name begins with: `ADR-0021` of `ADR-0021-kafka-event-backbone.md`.
    pub fn load(folder: &Path) -> Result<Self, CorpusError> {
        let classes = DocumentClasses::named(COLLECTIONS);
        let mut corpus = Self::default();
        for inside in names(folder)? {
            let Some(collection) = classes.collection(&inside.to_lowercase()) else { continue };
            let documents = corpus.0.entry(collection.to_owned()).or_default();
            for file in names(&folder.join(&inside))? {
                documents.extend(AddressKey::of(address_of(&file)));
            }
        }
        Ok(corpus)
    }

    /// The collection that has a document of this address.
    fn collection_of(&self, address: &AddressKey) -> Option<&str> {
        let mut found = self.0.iter().filter(|(_, documents)| documents.contains(address));
        found.next().map(|(collection, _)| collection.as_str())
    }

    /// What the set says of documents that the folder does not bear out. Concepts are the vocabulary's.
    pub fn check(&self, queries: &[NumberedQuery], addresses: Option<&AddressRules>) -> Vec<Problem> {
        let mut problems = Vec::new();
        for collection in COLLECTIONS.iter().filter(|name| **name != VOCABULARY && !self.0.contains_key(**name)) {
            problems.push(Problem::of_the_set(format!("the corpus has no folder of {collection}")));
        }
        for placed in queries {
            let found = if placed.query.category == Category::EntityNotFound {
                self.existing(placed, addresses)
            } else {
                self.missing(placed)
            };
            problems.extend(found.into_iter().map(|what| Problem::of(placed, what)));
        }
        problems
    }

    fn missing(&self, placed: &NumberedQuery) -> Vec<String> {
        let expected = &placed.query.expected;
        let mut named = BTreeSet::new();
        let mut problems = Vec::new();
        for id in expected.doc_ids.iter().filter(|id| !id.contains("://")) {
            match AddressKey::of(id).and_then(|address| self.collection_of(&address)) {
                None => problems.push(format!("{id} is not in the corpus")),
                Some(collection) if !expected.doc_types.iter().any(|name| name == collection) => {
                    problems.push(format!("{id} belongs to {collection}, which is not among `doc_types`"));
                }
                Some(collection) => {
                    named.insert(collection);
                }
            }
        }
        let documents = expected.doc_types.iter().filter(|name| *name != VOCABULARY);
        for collection in documents.filter(|name| !named.contains(name.as_str())) {
            problems.push(format!("none of `doc_ids` belongs to {collection}"));
        }
        problems
    }

    /// An address that is called missing must be one that the policy sees, and that nothing has.
    fn existing(&self, placed: &NumberedQuery, addresses: Option<&AddressRules>) -> Vec<String> {
        let Some(addresses) = addresses else { return Vec::new() };
        let mentioned = mentions(&placed.query.query, addresses);
        if mentioned.is_empty() {
            return vec!["the policy sees no address in it".to_owned()];
        }
        let keys = mentioned.iter().flat_map(|mention| &mention.keys);
        let there = keys.filter(|key| self.collection_of(key).is_some());
        there.map(|key| format!("{key} is in the corpus")).collect()
    }
}

/// The names in a folder, without hidden ones.
fn names(folder: &Path) -> Result<Vec<String>, CorpusError> {
    let unreadable = |error: std::io::Error| CorpusError(folder.display().to_string(), error);
    let mut names = Vec::new();
    if !folder.is_dir() && folder.exists() {
        return Ok(names);
    }
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            names.push(name);
        }
    }
    Ok(names)
}

/// The name up to the end of its first number.
fn address_of(name: &str) -> &str {
    let start = name.find(|sign: char| sign.is_ascii_digit()).unwrap_or(0);
    let end = name[start..].find(|sign: char| !sign.is_ascii_digit()).map_or(name.len(), |length| start + length);
    &name[..end]
}
