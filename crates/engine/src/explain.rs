//! A search laid open: the lanes, every candidate with every score it earned, and what dropped it. No model answers.

use crate::candidate::Candidate;
use ibidem_words::Fallback;
use ibidem_words::{Action, Answer, GateRecord, Promise, Reason, SourceId};
use serde::Serialize;

use crate::evidence::SiftedSearch;
use crate::sift::SiftOutcome;
use crate::turn::{NamedDocuments, SearchRecord};

/// What a question went through before anything was said.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Explanation {
    pub question: String,
    pub policy: String,
    /// Where the question went.
    pub route: &'static str,
    pub variants: Vec<ExplainedVariant>,
    pub curated: Vec<ExplainedEntry>,
    pub curated_suffices: bool,
    /// 1 where a first round brought too little.
    pub round: u32,
    pub reranked: bool,
    /// The weights that read the candidates together with the question, by name; none where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_by: Option<String>,
    pub fallback_reasons: Vec<Fallback>,
    /// How often the index was asked.
    pub index_calls: u32,
    pub stages: Vec<ExplainedStage>,
    /// What is spoken from first, in order; then what was dropped, in the order of dropping.
    pub candidates: Vec<ExplainedCandidate>,
    pub trace: Vec<GateRecord>,
    pub warnings: Vec<String>,
    pub decision: ExplainedDecision,
    /// Tells the operator what went wrong with a part.
    pub failures: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExplainedVariant {
    pub kind: &'static str,
    pub text: String,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedEntry {
    pub entry: String,
    pub kind: &'static str,
    pub phrase: String,
    pub similarity: f64,
    pub judged: Option<f32>,
    pub accepted: bool,
    pub references: usize,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedStage {
    pub stage: &'static str,
    pub milliseconds: f64,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedCandidate {
    /// Its number among the notes that are spoken from, counted from 1.
    pub note: Option<usize>,
    /// The gate that dropped it.
    pub dropped_by: Option<&'static str>,
    pub source_id: SourceId,
    /// Where its document came from: for measuring, and not for whoever asks.
    #[serde(skip)]
    pub source_location: String,
    pub title: String,
    pub address: Option<String>,
    pub section: Option<String>,
    pub kind: Option<String>,
    pub cosine: Option<f32>,
    pub bm25: Option<f32>,
    pub fused: f64,
    pub rerank: Option<f32>,
    /// What the first reader gave it, where a second one decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_first: Option<f32>,
    pub curated: Option<f64>,
    pub similarity: f64,
    pub addressed: bool,
    pub forced: bool,
    /// Says why gathering promised it a place.
    pub promised: Option<Promise>,
    pub text: String,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedDecision {
    /// None when it goes on to be spoken.
    pub action: Option<Action>,
    pub reason: Option<Reason>,
    pub explanation: Option<String>,
    pub suggestions: Vec<String>,
}

/// What is told whatever happened.
pub(crate) struct ExplanationHead {
    pub(crate) question: String,
    pub(crate) policy: String,
}

impl ExplanationHead {
    /// What was found, and what the gates left of it.
    pub(crate) fn searched(self, named: &NamedDocuments, found: SiftedSearch) -> Explanation {
        let SiftedSearch { outcome, search, reranked } = found;
        let (sifted, action, refusal) = match outcome {
            SiftOutcome::Enough(sifted) => (sifted, None, None),
            SiftOutcome::Refused { sifted, refusal } | SiftOutcome::TooThin { sifted, refusal } => {
                (sifted, Some(Action::Refuse), Some(refusal))
            }
            SiftOutcome::Unclear { sifted, refusal, .. } => (sifted, Some(Action::Clarify), Some(refusal)),
        };
        let kept = (1..).zip(&sifted.evidence).map(|(note, kept)| candidate(kept, Some(note), None));
        let dropped = sifted.dropped().iter().map(|(gate, dropped)| candidate(dropped, None, Some(gate)));
        let left_out = search.left_out.iter().map(|left| candidate(left, None, Some("keep")));
        let decision = ExplainedDecision {
            action,
            reason: refusal.as_ref().map(|refusal| refusal.reason),
            explanation: refusal.as_ref().map(|refusal| refusal.explanation.clone()),
            suggestions: refusal.map_or_else(Vec::new, |refusal| refusal.suggestions),
        };
        Explanation {
            question: self.question,
            policy: self.policy,
            route: if named.documents.is_empty() { "search" } else { "search with addresses" },
            candidates: kept.chain(dropped).chain(left_out).collect(),
            reranked,
            trace: sifted.log.trace,
            warnings: sifted.log.warnings,
            fallback_reasons: sifted.log.fallback_reasons,
            decision,
            ..searched(search)
        }
    }

    /// What a rule answered: nothing was searched.
    pub(crate) fn by_rule(self, answer: Answer) -> Explanation {
        let route = match answer.trace.first().map(|record| record.gate.as_str()) {
            Some("address") => "address",
            Some("list") => "list",
            Some("small_talk") => "small talk",
            Some("terminology") => "terminology",
            Some("topic_confidence" | "topic_similarity") => "topic",
            _ => "rule",
        };
        Explanation {
            question: self.question,
            policy: self.policy,
            route,
            trace: answer.trace,
            warnings: answer.warnings,
            fallback_reasons: answer.retrieval_quality.fallback_reasons,
            decision: ExplainedDecision {
                action: Some(answer.action),
                reason: answer.reason,
                explanation: answer.refusal_reason,
                suggestions: answer.suggestions,
            },
            ..searched(SearchRecord::default())
        }
    }
}

fn searched(search: SearchRecord) -> Explanation {
    let variant = |variant: crate::turn::Variant| ExplainedVariant { kind: variant.kind.as_str(), text: variant.text };
    let entry = |matched: crate::turn::CuratedMatch| ExplainedEntry {
        entry: matched.entry.to_string(),
        kind: if matched.pinned { "pin" } else { "note" },
        phrase: matched.phrase,
        similarity: matched.similarity,
        judged: matched.reranked,
        accepted: matched.accepted,
        references: matched.references,
    };
    let stages = search
        .stages
        .iter()
        .map(|(stage, took)| ExplainedStage { stage, milliseconds: (took.as_secs_f64() * 1e6).round() / 1e3 });
    Explanation {
        question: String::new(),
        policy: String::new(),
        route: "",
        variants: search.variants.into_iter().map(variant).collect(),
        curated: search.curated.into_iter().map(entry).collect(),
        curated_suffices: search.curated_suffices,
        round: search.round,
        reranked: false,
        read_by: search.read_by,
        fallback_reasons: Vec::new(),
        index_calls: search.index_calls,
        stages: stages.collect(),
        candidates: Vec::new(),
        trace: Vec::new(),
        warnings: Vec::new(),
        decision: ExplainedDecision { action: None, reason: None, explanation: None, suggestions: Vec::new() },
        failures: search.failures,
    }
}

fn candidate(candidate: &Candidate, note: Option<usize>, dropped_by: Option<&'static str>) -> ExplainedCandidate {
    let passage = &candidate.passage;
    ExplainedCandidate {
        note,
        dropped_by,
        source_id: passage.passage.source_id(),
        source_location: passage.source_location.clone(),
        title: passage.title.clone(),
        address: passage.address.clone(),
        section: passage.section.clone(),
        kind: passage.kind.as_ref().map(ToString::to_string),
        cosine: candidate.cosine,
        bm25: candidate.bm25,
        fused: candidate.fused,
        rerank: candidate.rerank,
        read_first: candidate.read_first,
        curated: candidate.curated,
        similarity: candidate.similarity(),
        addressed: candidate.addressed,
        forced: candidate.forced,
        promised: candidate.promised,
        text: passage.text.clone(),
    }
}
