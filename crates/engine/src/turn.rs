//! A turn's stages, as types: what was not gathered cannot be sifted, what was not sifted cannot be spoken.

use std::time::Duration;

use chrono::{DateTime, Utc};
use ibidem_words::ports::records::PoolRecord;
use ibidem_words::{Candidate, CollectionName, GateRecord, MemoryId, Question, Refusal, Scope};
use uuid::Uuid;

use crate::policy::Policy;
use crate::search::SearchError;

/// A question, by somebody, under a policy. Time and id come from outside.
#[derive(Clone, Debug)]
pub struct Asked {
    pub request_id: Uuid,
    pub at: DateTime<Utc>,
    pub scope: Scope,
    pub question: Question,
    pub policy: std::sync::Arc<Policy>,
}

/// What the lanes brought, confirmed by the catalogue, best first.
#[derive(Clone, Debug)]
pub struct Gathered {
    pub asked: Asked,
    pub candidates: Vec<Candidate>,
    /// A reranker has read the candidates, and its order is theirs.
    pub reranked: bool,
    /// Curators' notes that shape the answer. They are never quoted and never cited.
    pub background: Vec<String>,
    /// Why the search was simpler than it should have been.
    pub fallback_reasons: Vec<String>,
    pub warnings: Vec<String>,
    pub search: SearchRecord,
}

/// How the search went: for records, and for whoever tunes it.
#[derive(Clone, Debug, Default)]
pub struct SearchRecord {
    /// Only these collections were searched; empty means all.
    pub collections: Vec<CollectionName>,
    /// The question and what the planner made of it.
    pub variants: Vec<Variant>,
    pub curated: Vec<CuratedMatch>,
    /// Curated memory was enough: what the lanes brought was not looked at.
    pub curated_suffices: bool,
    /// Read, and left out before any gate: beyond what is kept.
    pub left_out: Vec<Candidate>,
    /// 0, or 1 where the first round brought too little and a wider one followed.
    pub round: u32,
    /// How often the index was asked, in this round.
    pub index_calls: u32,
    /// How often the embedding model was asked for the vectors of the variants, and how often in vain.
    pub embedding_requests: u32,
    pub embedding_failures: u32,
    pub stages: Vec<(&'static str, Duration)>,
    /// Candidates that the catalogue confirmed, in this round.
    pub found: usize,
    /// The whole of gathering, all rounds together.
    pub took: Duration,
    /// What went wrong with a part, in its own words: for the operator, never for the asker.
    pub failures: Vec<String>,
    /// What each round brought to the gates.
    pub pools: Vec<PoolRecord>,
}

impl SearchRecord {
    /// Adds what an earlier round took: it was spent too.
    pub(crate) fn follow(&mut self, mut earlier: Self) {
        earlier.stages.append(&mut self.stages);
        self.stages = earlier.stages;
        earlier.pools.append(&mut self.pools);
        self.pools = earlier.pools;
        self.took += earlier.took;
        self.embedding_requests += earlier.embedding_requests;
        self.embedding_failures += earlier.embedding_failures;
    }
}

/// A search that failed, as far as it got: without evidence nothing is answered.
#[derive(Clone, Debug)]
pub struct Unsearchable {
    pub asked: Asked,
    pub error: SearchError,
    pub search: SearchRecord,
}

/// A form of the question that is searched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    pub kind: VariantKind,
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VariantKind {
    /// As it was asked.
    Question,
    /// A part of it.
    SubQuestion,
    /// The whole in other words.
    Paraphrase,
}

impl VariantKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::SubQuestion => "sub_question",
            Self::Paraphrase => "paraphrase",
        }
    }
}

/// How close a curated entry came to the question, and what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct CuratedMatch {
    pub entry: MemoryId,
    pub pinned: bool,
    /// The curator's words that came closest.
    pub phrase: String,
    pub similarity: f64,
    /// What the judge gave it, where one was asked.
    pub judged: Option<f32>,
    pub accepted: bool,
    /// References that resolve for this asker.
    pub references: usize,
}

/// The evidence that survived, and every gate's record. Only this can be spoken from.
#[derive(Clone, Debug)]
pub struct Sifted {
    pub asked: Asked,
    pub evidence: Vec<Candidate>,
    /// What a gate dropped, with the gate's name, in the order of dropping.
    pub dropped: Vec<(&'static str, Candidate)>,
    pub background: Vec<String>,
    pub fallback_reasons: Vec<String>,
    pub trace: Vec<GateRecord>,
    pub warnings: Vec<String>,
}

impl Sifted {
    /// Nothing was searched: for what is answered, or refused, before.
    pub fn unsearched(asked: Asked) -> Self {
        Self {
            asked,
            evidence: Vec::new(),
            dropped: Vec::new(),
            background: Vec::new(),
            fallback_reasons: Vec::new(),
            trace: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// What sifting ends in: evidence to speak from, or a refusal before any model runs.
#[derive(Clone, Debug)]
pub enum Sieve {
    Through(Sifted),
    Stopped {
        sifted: Sifted,
        refusal: Refusal,
    },
    /// The asker is asked for more.
    Unclear {
        sifted: Sifted,
        refusal: Refusal,
        text: String,
    },
    /// Too thin, and worth another, wider round of gathering; refused if there is none.
    Thin {
        sifted: Sifted,
        refusal: Refusal,
    },
}

impl Sieve {
    pub fn sifted(&self) -> &Sifted {
        match self {
            Self::Through(sifted)
            | Self::Stopped { sifted, .. }
            | Self::Unclear { sifted, .. }
            | Self::Thin { sifted, .. } => sifted,
        }
    }
}
