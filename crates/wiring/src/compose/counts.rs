//! What the parts count themselves, for the metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ibidem_adapters::watched_vocabulary::WatchedVocabulary;
use ibidem_ports::degrade::BreakerStates;
use ibidem_server::metrics::{PartCounts, ToolCalls, VocabularyCounts};

#[derive(Default)]
pub struct Counts {
    pub vocabulary: Option<WatchedVocabulary>,
    pub breakers: BreakerStates,
    pub spans_lost: Arc<AtomicU64>,
}

impl PartCounts for Counts {
    fn vocabulary(&self) -> VocabularyCounts {
        let counts = self.vocabulary.as_ref().map(WatchedVocabulary::counts).unwrap_or_default();
        VocabularyCounts {
            lookup: counts.lookup,
            hit: counts.hit,
            miss: counts.miss,
            timeout: counts.timeout,
            error: counts.error,
            cache_hit: counts.cache_hit,
        }
    }

    fn breakers(&self) -> BreakerStates {
        self.breakers.clone()
    }

    /// All calls are in the records of turns.
    fn tool_calls(&self) -> Vec<ToolCalls> {
        Vec::new()
    }

    fn spans_lost(&self) -> u64 {
        self.spans_lost.load(Ordering::Relaxed)
    }
}
