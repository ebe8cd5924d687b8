//! What a decision was made of, as far as it must be known to make it again.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::speech::Speech;
use crate::ports::catalogue::CataloguePassage;
use crate::sift::Pool;
use crate::speak::Draft;
use crate::turn::{Gathered, SearchRecord};
use crate::words::{
    Action, Answer, Candidate, CharSpan, CollectionName, DocumentKind, GateRecord, PassageKey, PresentTerms, Reading,
    Reason, Sha256Hash, Terms,
};

/// A decision with everything that it depended on: the scores, never the texts.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct DecisionRecord {
    pub action: Action,
    pub reason: Option<Reason>,
    pub trace: Vec<GateRecord>,
    /// None where a rule decided before anything was searched.
    pub searched: Option<Searched>,
    /// What each round of gathering brought to the gates. Empty where no gate decided: a rule did, or a part failed.
    pub rounds: Vec<PoolRecord>,
    /// What was written, and how it was found; none when nothing was.
    pub speech: Option<Speech>,
    /// A model answered from what it knows, under a disclaimer.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_general: bool,
}

/// How it was searched.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Searched {
    /// Only these collections; empty means all.
    pub collections: Vec<CollectionName>,
    /// The question and what a planner made of it: each with its kind.
    pub variants: Vec<(String, String)>,
    /// Passages that were found and that the catalogue confirmed.
    pub hits: usize,
    /// Of the similarities that the gates looked at; none where there was no passage.
    pub mean_similarity: Option<f64>,
    /// Read, and left out before any gate.
    pub left_out: Vec<CandidateRecord>,
}

/// A pool as the gates saw it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PoolRecord {
    pub round: u32,
    pub reranked: bool,
    pub max_context_chunks: usize,
    /// How many words the question has that say what it is about.
    pub terms: usize,
    pub fallback_reasons: Vec<String>,
    /// Best first.
    pub candidates: Vec<CandidateRecord>,
    /// The places of those that the gates left, in order.
    pub kept: Vec<u32>,
}

/// A candidate with every score it earned.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct CandidateRecord {
    pub passage: PassageKey,
    pub collection: CollectionName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<DocumentKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bm25: Option<f32>,
    pub fused: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank: Option<f32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curated: Option<f64>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub addressed: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub forced: bool,
    /// The share of the question's words that it has, and which.
    pub coverage: f64,
    pub present: PresentTerms,
    /// The places of better ones that are alike, and how much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alike: Vec<(u32, f64)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_false(value: &bool) -> bool {
    !value
}

impl DecisionRecord {
    pub(crate) fn of(answer: &Answer, draft: Option<&Draft>, search: Option<SearchRecord>, least_support: f64) -> Self {
        // Where a part failed, or the time was over, what was gathered until then decided nothing.
        let is_failure = matches!(answer.reason, Some(Reason::RetrievalUnavailable | Reason::Deadline));
        let searched = search.as_ref().map(Searched::of);
        let rounds = search.filter(|_| !is_failure).map_or_else(Vec::new, |search| search.pools);
        let speech = rounds.last().and_then(|pool| Speech::of(answer, draft, pool, least_support));
        Self {
            action: answer.action,
            reason: answer.reason,
            trace: answer.trace.clone(),
            searched,
            is_general: !rounds.is_empty() && speech.is_none() && answer.action == Action::Route,
            rounds,
            speech,
        }
    }
}

impl Searched {
    fn of(search: &SearchRecord) -> Self {
        let of_last = search.pools.last().map_or(&[][..], |pool| &pool.candidates);
        let similarities: Vec<f64> =
            of_last.iter().enumerate().map(|(place, candidate)| candidate.restored(place).similarity()).collect();
        let mean = similarities.iter().sum::<f64>() / similarities.len() as f64;
        Self {
            collections: search.collections.clone(),
            variants: search.variants.iter().map(|one| (one.kind.as_str().to_owned(), one.text.clone())).collect(),
            hits: search.found,
            mean_similarity: (!similarities.is_empty()).then_some(mean),
            left_out: search.left_out.iter().map(|one| CandidateRecord::of(one, one.reading.as_ref())).collect(),
        }
    }
}

impl PoolRecord {
    /// Of what was gathered, with what the gates left of it.
    pub(crate) fn of(gathered: &Gathered, left: &[Candidate]) -> Self {
        let question = &gathered.asked.question;
        let terms = Terms::of(&question.query);
        let reading = |candidate: &Candidate| Reading::of(&candidate.passage, &terms);
        let readings: Vec<Cow<'_, Reading>> = gathered
            .candidates
            .iter()
            .map(|one| one.reading.as_ref().map_or_else(|| Cow::Owned(reading(one)), Cow::Borrowed))
            .collect();
        let read = gathered.candidates.iter().zip(&readings);
        let mut candidates: Vec<CandidateRecord> =
            read.map(|(one, reading)| CandidateRecord::of(one, Some(reading))).collect();
        for (place, candidate) in candidates.iter_mut().enumerate() {
            let better = readings[..place].iter().enumerate();
            let alike =
                better.filter_map(|(other, reading)| Some((as_place(other), readings[place].likeness(reading)?)));
            candidate.alike = alike.collect();
        }
        let mut record = Self {
            round: gathered.search.round,
            reranked: gathered.reranked,
            max_context_chunks: question.max_context_chunks,
            terms: terms.len(),
            fallback_reasons: gathered.fallback_reasons.clone(),
            candidates,
            kept: Vec::new(),
        };
        record.kept = record.places(left.iter().map(|candidate| candidate.passage.passage));
        record
    }

    /// Where these passages stand in the pool.
    pub(super) fn places(&self, passages: impl Iterator<Item = PassageKey>) -> Vec<u32> {
        let place = |key: PassageKey| self.candidates.iter().position(|candidate| candidate.passage == key);
        passages.filter_map(place).map(as_place).collect()
    }

    /// As the gates saw it.
    pub(super) fn restored(&self) -> Pool<'_> {
        let candidates = self.candidates.iter().enumerate();
        Pool {
            terms: Terms::unknown(self.terms),
            most_kept: self.max_context_chunks,
            reranked: self.reranked,
            round: self.round,
            fallback_reasons: &self.fallback_reasons,
            candidates: candidates.map(|(place, candidate)| candidate.restored(place)).collect(),
        }
    }
}

impl CandidateRecord {
    fn of(candidate: &Candidate, reading: Option<&Reading>) -> Self {
        let unread = || (PresentTerms::default(), 0.0);
        let (present, coverage) = reading.map_or_else(unread, |read| (read.present.clone(), read.coverage));
        Self {
            passage: candidate.passage.passage,
            collection: candidate.passage.collection.clone(),
            kind: candidate.passage.kind.clone(),
            cosine: candidate.cosine,
            bm25: candidate.bm25,
            fused: candidate.fused,
            rerank: candidate.rerank,
            curated: candidate.curated,
            addressed: candidate.addressed,
            forced: candidate.forced,
            coverage,
            present,
            alike: Vec::new(),
        }
    }

    /// Without its texts: no gate reads one that was read before.
    pub(super) fn restored(&self, place: usize) -> Candidate {
        let passage = CataloguePassage {
            passage: self.passage,
            collection: self.collection.clone(),
            kind: self.kind.clone(),
            title: String::new(),
            address: None,
            source_location: String::new(),
            updated_at: chrono::DateTime::UNIX_EPOCH,
            section: None,
            page: None,
            span: CharSpan { start: 0, end: 0 },
            text: String::new(),
            tokens: 0,
            document_sha256: Sha256Hash::from_bytes([0; 32]),
        };
        let reading = Reading::recorded(as_place(place), self.alike.clone(), self.present.clone(), self.coverage);
        Candidate {
            cosine: self.cosine,
            bm25: self.bm25,
            fused: self.fused,
            rerank: self.rerank,
            curated: self.curated,
            addressed: self.addressed,
            forced: self.forced,
            reading: Some(reading),
            ..Candidate::unscored(passage)
        }
    }
}

pub(super) fn as_place(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
