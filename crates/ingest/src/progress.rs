//! What has been done so far, for whoever waits and watches.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of one process's work. They only grow.
#[derive(Debug, Default)]
pub struct Progress {
    documents: AtomicU64,
    passages: AtomicU64,
    embedded: AtomicU64,
    published: AtomicU64,
}

/// A reading of [`Progress`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Done {
    /// Document versions committed.
    pub documents: u64,
    /// Passages of those versions.
    pub passages: u64,
    /// Passages that needed the embedding model.
    pub embedded: u64,
    /// Documents brought up to date in the index.
    pub published: u64,
}

impl Progress {
    pub(crate) fn committed(&self, passages: usize) {
        self.documents.fetch_add(1, Ordering::Relaxed);
        self.passages.fetch_add(passages as u64, Ordering::Relaxed);
    }

    pub(crate) fn embedded(&self, passages: usize) {
        self.embedded.fetch_add(passages as u64, Ordering::Relaxed);
    }

    pub(crate) fn published(&self, documents: usize) {
        self.published.fetch_add(documents as u64, Ordering::Relaxed);
    }

    pub fn done(&self) -> Done {
        Done {
            documents: self.documents.load(Ordering::Relaxed),
            passages: self.passages.load(Ordering::Relaxed),
            embedded: self.embedded.load(Ordering::Relaxed),
            published: self.published.load(Ordering::Relaxed),
        }
    }
}
