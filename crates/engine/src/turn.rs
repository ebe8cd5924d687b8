//! A turn's stages, as types: what was not gathered cannot be sifted, what was not sifted cannot be spoken.

use std::time::Duration;

use crate::candidate::Candidate;
use chrono::{DateTime, Utc};
use ibidem_ports::catalogue::AddressedDocument;
use ibidem_ports::clock::Instant;
use ibidem_ports::degrade::{Deadline, Fault};
use ibidem_ports::records::PoolRecord;
use ibidem_words::Fallback;
use ibidem_words::{CollectionName, GateRecord, MemoryId, Question, Scope};
use uuid::Uuid;

use crate::policy::Policy;
use crate::search::SearchError;

/// A question that somebody asked under a policy. Time and id come from outside, so that the engine has no clock.
#[derive(Clone, Debug)]
pub struct Asked {
    pub request_id: Uuid,
    pub at: DateTime<Utc>,
    pub scope: Scope,
    pub question: Question,
    pub policy: std::sync::Arc<Policy>,
    /// What is left of it limits every part that is asked for this question.
    pub deadline: Deadline,
}

impl Asked {
    /// What the question asks for, each part by itself, where the policy wants it taken apart; none where it asks for one
    /// thing.
    pub(crate) fn parts(&self) -> Vec<String> {
        self.policy.parts_of(&self.question.query)
    }
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
    /// The catalogue has confirmed every candidate since then; none where not all of them are its own.
    pub confirmed_since: Option<Instant>,
    pub log: TurnLog,
    pub search: SearchRecord,
}

/// What is noted of a turn on its way, apart from its evidence.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TurnLog {
    /// The flags of parts that were skipped or stood in for another, in the order of what happened.
    pub fallback_reasons: Vec<Fallback>,
    /// What the asker is told beside the answer.
    pub warnings: Vec<String>,
    /// What each gate found.
    pub trace: Vec<GateRecord>,
    /// Why the configured reader has read nothing of what was found, as the asker is told; none where it read, or nobody
    /// is there to read.
    pub unread: Option<String>,
}

impl TurnLog {
    /// Begins a log with the record of one gate.
    pub fn of(gate: GateRecord) -> Self {
        Self { trace: vec![gate], ..Self::default() }
    }

    /// A part was skipped: a flag for that, and one more where it was not even asked.
    pub fn fall_back(&mut self, flag: Fallback, failure: &impl Fault) {
        failure.raise(flag, &mut self.fallback_reasons);
    }

    /// Says so where a part was not asked.
    pub fn not_asked(&mut self, failure: &impl Fault) {
        failure.raise_if_not_asked(&mut self.fallback_reasons);
    }

    /// Raises a flag, once.
    pub fn raise(&mut self, flag: Fallback) {
        flag.raise(&mut self.fallback_reasons);
    }
}

/// The documents that the addresses of a question stand for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NamedDocuments {
    /// Lists the documents in the order in which the question names them.
    pub documents: Vec<AddressedDocument>,
    /// Addresses of no document that the asker may see, as the asker wrote them; of a range, the numbers that are missing.
    pub missing: Vec<String>,
    /// Ranges with more addresses than were looked up, and how many were.
    pub shortened: Vec<(String, usize)>,
    /// What is said of them beside an answer.
    pub warnings: Vec<String>,
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
    /// What read the question together with each candidate; none where nothing did.
    pub read_by: Option<String>,
    /// Left out before any gate: read and beyond what is kept, or not read because there was no time.
    pub left_out: Vec<Candidate>,
    /// Found, and left out because the reranker had no time for it, until it is counted to `left_out`.
    pub unread: Vec<Candidate>,
    /// 0, or 1 where the first round brought too little and a wider one followed.
    pub round: u32,
    /// How often the index was asked, in this round.
    pub index_calls: u32,
    /// How often the embedding model was asked for the vectors of the variants, and how often in vain.
    pub embedding_requests: u32,
    pub embedding_failures: u32,
    pub stages: Vec<(&'static str, Duration)>,
    /// Counts the candidates that the catalogue confirmed in this round.
    pub found: usize,
    /// How long gathering took, all rounds together.
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
pub struct SearchFailed {
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
    /// What the reranker gave it, where it was asked.
    pub reranked: Option<f32>,
    pub accepted: bool,
    /// Counts the references that resolve for this asker.
    pub references: usize,
}
