//! What can be counted of a turn, for whoever watches many of them.

use std::time::Duration;

use crate::degrade::flags;
use crate::speak::Draft;
use crate::speak::gauntlet::Counts;
use crate::speak::sentences::Kind;
use crate::turn::SearchRecord;
use crate::words::{Answer, CollectionName, Receipt, SentenceVerdict};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct TurnNumbers {
    /// How long each stage took, in order; one that ran twice is there twice. The last is the whole turn.
    pub stages: Vec<(&'static str, Duration)>,
    /// None when nothing was searched.
    pub search: Option<SearchNumbers>,
    /// What became of the markers that a model wrote.
    pub markers: Counts,
    /// What was found of the sentences, said or not.
    pub sentences: SentenceCounts,
}

/// What a search cost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchNumbers {
    /// Only these collections; empty means all.
    pub collections: Vec<CollectionName>,
    pub took: Duration,
    /// Passages that were found and that the catalogue confirmed.
    pub found: usize,
    pub embedding_requests: u32,
    pub embedding_failures: u32,
    /// The search went on by words alone.
    pub by_words_alone: bool,
}

/// Sentences by what was found of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SentenceCounts {
    pub supported: u32,
    pub contradicted: u32,
    pub unsupported: u32,
    pub unchecked: u32,
}

impl SentenceCounts {
    fn add(&mut self, verdict: SentenceVerdict) {
        *match verdict {
            SentenceVerdict::Supported => &mut self.supported,
            SentenceVerdict::Contradicted => &mut self.contradicted,
            SentenceVerdict::Unsupported => &mut self.unsupported,
            SentenceVerdict::Unchecked => &mut self.unchecked,
        } += 1;
    }

    pub fn of(self, verdict: SentenceVerdict) -> u32 {
        match verdict {
            SentenceVerdict::Supported => self.supported,
            SentenceVerdict::Contradicted => self.contradicted,
            SentenceVerdict::Unsupported => self.unsupported,
            SentenceVerdict::Unchecked => self.unchecked,
        }
    }

    pub fn all(self) -> u32 {
        self.supported + self.contradicted + self.unsupported + self.unchecked
    }
}

impl TurnNumbers {
    /// Every stage that a turn can go through.
    pub const STAGES: [&'static str; 12] = [
        "route",
        "rewrite",
        "embed",
        "index",
        "memory",
        "catalogue",
        "rerank",
        "read",
        "sift",
        "speak",
        "generate",
        "turn",
    ];

    pub(crate) fn of(
        answer: &Answer,
        draft: Option<&Draft>,
        mut stages: Vec<(&'static str, Duration)>,
        search: Option<&SearchRecord>,
        took: Duration,
    ) -> Self {
        stages.extend(draft.map(|draft| ("generate", Duration::from_millis(draft.took_ms))));
        stages.push(("turn", took));
        let is_by_words = |flag: &String| flag == flags::BM25_ONLY;
        let search = search.map(|search| SearchNumbers {
            collections: search.collections.clone(),
            took: search.took,
            found: search.found,
            embedding_requests: search.embedding_requests,
            embedding_failures: search.embedding_failures,
            by_words_alone: answer.retrieval_quality.fallback_reasons.iter().any(is_by_words)
                || search.embedding_failures > 0,
        });
        let markers = draft.map_or_else(Counts::default, |draft| draft.markers);
        Self { stages, search, markers, sentences: sentences(answer, draft) }
    }

    /// Of the markers that a model wrote, the share that named a note; 1 when it wrote none.
    pub fn marker_score(&self) -> f64 {
        share(self.markers.expanded, self.markers.expanded + self.markers.dropped())
    }

    /// Of the sentences that were written, the share that their sources support; 1 when there were none.
    pub fn sentence_score(&self) -> f64 {
        share(self.sentences.supported, self.sentences.all())
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { f64::from(part) / f64::from(whole) }
}

/// What went out is in the receipt; what a model wrote besides is in its draft.
fn sentences(answer: &Answer, draft: Option<&Draft>) -> SentenceCounts {
    let mut counts = SentenceCounts::default();
    for sentence in answer.receipt.iter().flat_map(Receipt::claims) {
        counts.add(sentence.check.verdict);
    }
    let Some(draft) = draft else { return counts };
    // A draft that is shown all the same has its sentences in the receipt already.
    let is_shown = draft.said.is_empty() && counts.all() > 0;
    let withheld = if is_shown { &[] } else { draft.withheld.as_slice() };
    for said in draft.dropped.iter().chain(withheld).filter(|said| said.sentence.kind == Kind::Claim) {
        counts.add(said.check.verdict);
    }
    counts
}
