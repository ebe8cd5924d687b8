//! The documents that a receipt names, as whoever checks it may see them.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};

use crate::{CitedSource, DocumentId, Receipt};

/// Documents by their id. One that is not here does not exist, or not for this reader.
pub type Corpus = BTreeMap<DocumentId, KeptDocument>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptDocument {
    pub current_version: u32,
    /// What people call it by; none where it has no such name.
    pub address: Option<String>,
    /// It was taken away; the texts of its versions are kept for this.
    pub is_removed: bool,
    /// The versions that were asked for, and the current one.
    pub versions: BTreeMap<u32, KeptVersion>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptVersion {
    pub title: String,
    pub text: String,
    /// When the document says it was updated last.
    pub updated_at: DateTime<Utc>,
}

impl Receipt {
    /// The versions of documents that are needed to check it.
    pub fn documents(&self) -> BTreeSet<(DocumentId, u32)> {
        let sources = self.stretches.iter().flat_map(|stretch| &stretch.sources);
        let passages = sources.filter_map(|source| match &source.source_id {
            CitedSource::Passage(id) => Some((id.document, source.version)),
            CitedSource::Concept(_) | CitedSource::Tool(_) => None,
        });
        passages.collect()
    }
}
