//! What the asker gets: an answer, a refusal, a question back, or somebody who may know.

use std::collections::BTreeSet;

use ibidem_words::{
    Action, Answer, Confidence, GateRecord, Reason, Receipt, Refusal, RetrievalQuality, Stretch, Transparency,
};

use super::Listener;
use super::confidence::retrieval_base;
use super::footnotes::Footnotes;
use super::said::{Said, receipt};
use super::transparency::{stale, transparency};
use crate::policy::Policy;
use crate::turn::{Asked, Sifted};

/// Who wrote what is said, in how long, and from how many tokens.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Writing {
    pub(super) model: Option<String>,
    pub(super) took_ms: u64,
    pub(super) context_tokens: u64,
}

/// What is said, each sentence with its source.
pub(super) fn cite(
    sifted: Sifted,
    footnotes: &Footnotes<'_>,
    said: &[Said],
    writing: Writing,
    confidence: Confidence,
) -> Answer {
    let policy = sifted.asked.policy.clone();
    let receipt = receipt(footnotes, said);
    let cited: BTreeSet<u32> = said.iter().flat_map(|said| said.sentence.citations.iter().copied()).collect();
    let citations: Vec<_> = cited.into_iter().filter_map(|number| footnotes.citation(number)).collect();
    let base = retrieval_base(&policy, footnotes.evidence());
    let retrieval_quality = RetrievalQuality::of(base, sifted.fallback_reasons);
    let mut warnings = sifted.warnings;
    warnings.extend(stale(&policy, &citations, sifted.asked.at));
    Answer {
        request_id: sifted.asked.request_id,
        action: Action::Cite,
        answer: receipt.text(),
        refused: false,
        refusal_reason: None,
        reason: None,
        grounded: !citations.is_empty(),
        receipt: Some(receipt),
        citations,
        confidence: Some(confidence),
        transparency: transparency(&retrieval_quality),
        retrieval_quality,
        route_to: None,
        suggestions: Vec::new(),
        warnings,
        model_used: writing.model,
        context_chunks_used: footnotes.evidence().len(),
        context_tokens_used: writing.context_tokens,
        generation_time_ms: writing.took_ms,
        trace: sifted.trace,
    }
}

/// A refusal: the policy's words, the reason with its numbers, and a next step. No model has run, or none is believed.
pub fn refuse(sifted: Sifted, refusal: &Refusal) -> Answer {
    let base = retrieval_base(&sifted.asked.policy, &sifted.evidence);
    let retrieval_quality = RetrievalQuality::of(base, sifted.fallback_reasons);
    Answer {
        request_id: sifted.asked.request_id,
        action: Action::Refuse,
        answer: sifted.asked.policy.rules.wording.refusal_for(refusal.reason).trim().to_owned(),
        refused: true,
        refusal_reason: Some(refusal.explanation.clone()),
        reason: Some(refusal.reason),
        citations: Vec::new(),
        confidence: None,
        transparency: transparency(&retrieval_quality),
        retrieval_quality,
        route_to: None,
        suggestions: refusal.suggestions.clone(),
        warnings: sifted.warnings,
        model_used: None,
        context_chunks_used: 0,
        context_tokens_used: 0,
        generation_time_ms: 0,
        grounded: false,
        trace: sifted.trace,
        receipt: None,
    }
}

/// An answer that is not sure enough goes to somebody who may know; it is withheld, unless the policy shows drafts.
pub(super) fn route(draft: Answer, withheld: Answer, policy: &Policy) -> Answer {
    let shows_drafts = policy.rules.speak.confidence.as_ref().is_some_and(|rules| rules.show_draft);
    if !shows_drafts {
        let Answer { generation_time_ms, trace, .. } = draft;
        return Answer { action: Action::Route, generation_time_ms, trace, ..withheld };
    }
    let receipt = draft.receipt.map(|mut receipt| {
        receipt.stretches.insert(0, Stretch::policy(format!("{}\n\n", policy.rules.wording.draft.trim())));
        receipt
    });
    Answer {
        action: Action::Route,
        answer: receipt.as_ref().map(Receipt::text).unwrap_or_default(),
        receipt,
        reason: withheld.reason,
        refusal_reason: withheld.refusal_reason,
        route_to: withheld.route_to,
        suggestions: withheld.suggestions,
        ..draft
    }
}

pub(super) fn unsure(confidence: Confidence, threshold: f64, next_steps: &[String]) -> Refusal {
    Refusal {
        reason: Reason::LowConfidence,
        explanation: format!("Confidence ({}) below threshold ({threshold})", confidence.overall),
        suggestions: next_steps.to_vec(),
    }
}

/// The asker is asked for what is missing: no refusal, and no answer.
pub(crate) fn ask_back(sifted: Sifted, refusal: &Refusal, text: String, listener: &mut dyn Listener) -> Answer {
    listener.sentence(&text, Vec::new());
    Answer { action: Action::Clarify, answer: text, refused: false, ..refuse(sifted, refusal) }
}

/// A refusal by rule, before anything was searched: there is nothing to say about how the search went.
pub(crate) fn refuse_unsearched(asked: Asked, gate: GateRecord, refusal: &Refusal) -> Answer {
    let sifted = Sifted { trace: vec![gate], ..Sifted::unsearched(asked) };
    let transparency = Transparency { statement: None, show_to_user: false };
    Answer { transparency, ..refuse(sifted, refusal) }
}
