//! What can be counted of a turn, for whoever watches many of them.

use std::time::Duration;

use ibidem_words::{CollectionName, SentenceVerdict};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct TurnNumbers {
    /// How long each stage took, in order; one that ran twice is there twice. The last is the whole turn.
    pub stages: Vec<(&'static str, Duration)>,
    /// None when nothing was searched.
    pub search: Option<SearchNumbers>,
    /// What became of the markers that a model wrote.
    pub markers: MarkerCounts,
    /// What was found of the sentences, said or not.
    pub sentences: SentenceCounts,
}

/// How many markers went which way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MarkerCounts {
    pub expanded: u32,
    pub not_minted: u32,
    pub malformed: u32,
    pub repeated: u32,
    pub internal: u32,
}

impl MarkerCounts {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            expanded: self.expanded + other.expanded,
            not_minted: self.not_minted + other.not_minted,
            malformed: self.malformed + other.malformed,
            repeated: self.repeated + other.repeated,
            internal: self.internal + other.internal,
        }
    }

    pub fn dropped(&self) -> u32 {
        self.not_minted + self.malformed + self.repeated + self.internal
    }
}

/// What a search cost.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchNumbers {
    /// Restricts the search to these collections. An empty list means all.
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
    pub fn add(&mut self, verdict: SentenceVerdict) {
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
    pub const STAGES: [&'static str; 13] = [
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
        "offer",
        "turn",
    ];

    /// Returns the share of a model's markers that named a note; 1 when it wrote none.
    pub fn marker_score(&self) -> f64 {
        share(self.markers.expanded, self.markers.expanded + self.markers.dropped())
    }

    /// Returns the share of the written sentences that their sources support; 1 when there were none.
    pub fn sentence_score(&self) -> f64 {
        share(self.sentences.supported, self.sentences.all())
    }
}

fn share(part: u32, whole: u32) -> f64 {
    if whole == 0 { 1.0 } else { f64::from(part) / f64::from(whole) }
}
