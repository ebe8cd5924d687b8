//! The documents that a receipt names, as whoever checks it may see them.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use ibidem_words::DocumentId;

/// Maps ids to documents. One that is missing does not exist, or not for this reader.
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
