//! How many of the passages that an asker may see have a term: what BM25 weighs a query's words by.

use async_trait::async_trait;
use ibidem_language::bm25::{Analysis, TermCounts, TermId};

use crate::catalogue::CatalogueError;
use ibidem_words::Scope;

#[async_trait]
pub trait WordStatistics: Send + Sync {
    /// How texts were cut into the terms that are counted; queries are cut in the same way.
    fn analysis(&self) -> &Analysis;

    /// Counts over the current passages of all documents that are visible in this scope, and over nothing else.
    /// `None` while not all documents are counted: a count of some of them would be wrong.
    async fn counts(&self, scope: &Scope, terms: &[TermId]) -> Result<Option<TermCounts>, CatalogueError>;
}
