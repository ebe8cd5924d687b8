//! What went out is held against the catalogue once more, when nobody waits for it.

use ibidem_store::{CitationCheck, Store};
use ibidem_words::{Answer, CitedSource, PassageKey, Scope};

use crate::metrics::Metrics;

/// Whether every passage that an answer cites is there for its asker; none when the catalogue could not say. A concept
/// is its vocabulary's and a result its tool's: they are not looked at.
pub(super) async fn check_citations(
    store: &Store,
    metrics: &Metrics,
    scope: &Scope,
    answer: &Answer,
) -> Option<CitationCheck> {
    let cited: Vec<PassageKey> = answer
        .citations
        .iter()
        .filter_map(|citation| match &citation.source_id {
            CitedSource::Passage(id) => {
                Some(PassageKey { document: id.document, version: citation.version, chunk_index: id.chunk_index })
            }
            CitedSource::Concept(_) | CitedSource::Tool(_) => None,
        })
        .collect();
    if cited.is_empty() {
        return Some(CitationCheck::default());
    }
    let there = match store.still_visible(scope, &cited).await {
        Ok(there) => there,
        Err(error) => {
            tracing::warn!(%error, citations = cited.len(), "citations could not be checked");
            return None;
        }
    };
    let broken: Vec<String> =
        cited.iter().filter(|key| !there.contains(key)).map(|key| key.source_id().to_string()).collect();
    metrics.citations(cited.len(), broken.len());
    if !broken.is_empty() {
        tracing::error!(source_ids = broken.join(" "), "an answer cites what the catalogue does not have");
    }
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Some(CitationCheck { checked: count(cited.len()), broken: count(broken.len()) })
}
