//! What a question ends in, and the one place that makes the wire's answer of it.

use std::time::Duration;

use ibidem_language::markers::quoted;
use ibidem_ports::records::ToolCallRecord;
use ibidem_words::{
    Action, Answer, Citation, Confidence, GateRecord, NearestMiss, Offer, ProposedCall, Reason, Receipt, Refusal,
    RetrievalQuality, RouteTarget, Transparency,
};
use uuid::Uuid;

use crate::draft::Draft;
use crate::no_look_alike;
use crate::policy::Policy;
use crate::texts::Texts;
use crate::turn::{SearchRecord, TurnLog};

/// The four ways in which a question ends.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Cited(Cited),
    Refused(Refused),
    Clarified(Clarified),
    Routed(Routed),
}

/// It is answered, each claim with its source.
#[derive(Clone, Debug)]
pub(crate) struct Cited {
    pub(crate) receipt: Receipt,
    pub(crate) citations: Vec<Citation>,
    /// None where a vocabulary was quoted, and there was nothing to weigh.
    pub(crate) confidence: Option<Confidence>,
    pub(crate) writing: Writing,
}

/// Who wrote what is said, in how long, and from how much.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Writing {
    pub(crate) model: Option<String>,
    pub(crate) took_ms: u64,
    pub(crate) passages: usize,
    pub(crate) tokens: u64,
}

/// It is not answered, with the reason and the next steps.
#[derive(Clone, Debug)]
pub(crate) struct Refused {
    /// What the asker reads, in the policy's words.
    pub(crate) text: String,
    pub(crate) refusal: Refusal,
    /// The reason in a sentence, by the policy.
    pub(crate) why: Option<String>,
    /// What came nearest.
    pub(crate) nearest: Vec<NearestMiss>,
    /// What can be asked instead, until it is checked perhaps with several queries for one text.
    pub(crate) offers: Vec<Offer>,
    /// Who looks after what came nearest; none where nobody is known.
    pub(crate) ask: Option<RouteTarget>,
    /// How sure the answer was that was written and is not sure enough.
    pub(crate) confidence: Option<Confidence>,
    pub(crate) took_ms: u64,
}

/// The asker is asked for what is missing: no refusal, and no answer.
#[derive(Clone, Debug)]
pub(crate) struct Clarified {
    pub(crate) text: String,
    pub(crate) reason: Option<Reason>,
    /// The numbers behind it, where there are any.
    pub(crate) explanation: Option<String>,
    /// The meanings or topics to choose from, until they are checked perhaps with several queries for one text.
    pub(crate) offers: Vec<Offer>,
    /// What the asker is asked to say.
    pub(crate) details: Vec<String>,
    /// The meanings to choose from, where a vocabulary has several.
    pub(crate) quoted: Option<(Receipt, Vec<Citation>)>,
}

/// It goes elsewhere: to somebody who may know, or to what a model knows by itself.
#[derive(Clone, Debug)]
pub(crate) enum Routed {
    /// What was written is withheld.
    Withheld { refused: Refused, to: RouteTarget },
    /// What was written is shown as a draft.
    Draft { draft: Cited, refusal: Refusal, to: RouteTarget },
    /// A model answered without the documents, under a disclaimer. Nobody vouches for it, and the reason why the
    /// documents gave no answer stays.
    General { receipt: Receipt, refusal: Refusal, model: String, took_ms: u64 },
}

/// How well the search went, as far as the asker is told.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Retrieval {
    /// The mean similarity of the best passages.
    pub(crate) base: f64,
    /// Nothing was searched: there is nothing to tell the asker about the search.
    pub(crate) is_by_rule: bool,
}

impl Retrieval {
    pub(crate) fn searched(base: f64) -> Self {
        Self { base, is_by_rule: false }
    }

    pub(crate) fn by_rule() -> Self {
        Self { base: 0.0, is_by_rule: true }
    }
}

/// An outcome, with what was noted on the way to it.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    pub(crate) outcome: Outcome,
    pub(crate) retrieval: Retrieval,
    pub(crate) log: TurnLog,
    /// What a model wrote; none where none did.
    pub(crate) draft: Option<Draft>,
    /// What went wrong with a part, in its own words: for the operator, never for the asker.
    pub(crate) failure: Option<String>,
    /// The tools that were called, or were to be.
    pub(crate) tool_calls: Vec<ToolCallRecord>,
    /// A call that the asker is asked to confirm.
    pub(crate) proposed: Option<ProposedCall>,
}

/// An answer, and what it was made from that the asker does not see.
#[derive(Clone, Debug)]
pub struct Spoken {
    pub answer: Answer,
    /// What a model wrote; none where none did.
    pub draft: Option<Draft>,
    /// What went wrong with a part, in its own words: for the operator, never for the asker.
    pub failure: Option<String>,
    /// How long each stage took, in order.
    pub stages: Vec<(&'static str, Duration)>,
    /// None when nothing was searched.
    pub search: Option<SearchRecord>,
    /// The tools that were called, or were to be.
    pub tool_calls: Vec<ToolCallRecord>,
}

impl Decided {
    /// Makes a decision that no model took part in.
    pub(crate) fn plainly(outcome: Outcome, retrieval: Retrieval, log: TurnLog) -> Self {
        Self { outcome, retrieval, log, draft: None, failure: None, tool_calls: Vec::new(), proposed: None }
    }

    /// Makes the answer as it goes out, but for the seal of its receipt.
    pub(crate) fn sealed(self, request_id: Uuid, texts: &Texts) -> Spoken {
        let Self { outcome, retrieval, log, draft, failure, tool_calls, proposed } = self;
        let answer = Answer { confirmation: proposed, ..answer(request_id, retrieval, log, outcome, texts) };
        Spoken { answer, draft, failure, stages: Vec::new(), search: None, tool_calls }
    }

    /// Refused by rule, before anything was searched.
    pub(crate) fn refused_by_rule(refused: Refused, gate: GateRecord) -> Self {
        Self::plainly(Outcome::Refused(refused), Retrieval::by_rule(), TurnLog::of(gate))
    }
}

impl Refused {
    /// Refuses in the words that the policy has for the reason.
    pub(crate) fn under(policy: &Policy, refusal: Refusal) -> Self {
        let text = policy.rules.wording.refusal_for(refusal.reason).trim().to_owned();
        let why = Some(policy.rules.wording.why(refusal.reason).trim().to_owned());
        Self { why, ..Self::saying(text, refusal) }
    }

    /// Refuses in words of its own.
    pub(crate) fn saying(text: String, refusal: Refusal) -> Self {
        Self {
            text,
            refusal,
            why: None,
            nearest: Vec::new(),
            offers: Vec::new(),
            ask: None,
            confidence: None,
            took_ms: 0,
        }
    }
}

/// The answer as it goes out, but for the seal of its receipt.
fn answer(request_id: Uuid, retrieval: Retrieval, log: TurnLog, outcome: Outcome, texts: &Texts) -> Answer {
    let TurnLog { fallback_reasons, warnings, trace, unread: _ } = log;
    let retrieval_quality = RetrievalQuality::of(retrieval.base, fallback_reasons);
    let statement = if retrieval.is_by_rule { None } else { texts.of_search(&retrieval_quality) };
    let transparency = Transparency { show_to_user: statement.is_some(), statement };
    let blank = Answer {
        request_id,
        action: Action::Refuse,
        rewritten_question: None,
        answer: String::new(),
        refused: false,
        refusal_reason: None,
        why: None,
        nearest: Vec::new(),
        language: Some(texts.code.clone()),
        reason: None,
        grounded: false,
        receipt: None,
        citations: Vec::new(),
        confidence: None,
        retrieval_quality,
        transparency,
        route_to: None,
        suggestions: Vec::new(),
        offers: Vec::new(),
        details: Vec::new(),
        warnings,
        model_used: None,
        context_chunks_used: 0,
        context_tokens_used: 0,
        generation_time_ms: 0,
        trace,
        confirmation: None,
    };
    match outcome {
        Outcome::Cited(cited) => Answer { action: Action::Cite, ..with_citations(blank, cited) },
        Outcome::Refused(refused) => Answer { action: Action::Refuse, ..with_refusal(blank, refused) },
        Outcome::Clarified(Clarified { text, reason, explanation, offers, details, quoted }) => {
            let (receipt, citations) = quoted.map_or((None, Vec::new()), |(receipt, all)| (Some(receipt), all));
            Answer {
                action: Action::Clarify,
                answer: text,
                reason,
                refusal_reason: explanation,
                suggestions: texts_of(&offers).chain(details.iter().cloned()).collect(),
                offers,
                details,
                grounded: !citations.is_empty(),
                context_chunks_used: citations.len(),
                receipt,
                citations,
                ..blank
            }
        }
        Outcome::Routed(Routed::Withheld { refused, to }) => {
            Answer { action: Action::Route, route_to: Some(to), ..with_refusal(blank, refused) }
        }
        Outcome::Routed(Routed::Draft { draft, refusal, to }) => Answer {
            action: Action::Route,
            reason: Some(refusal.reason),
            refusal_reason: Some(refusal.explanation),
            suggestions: refusal.suggestions,
            route_to: Some(to),
            ..with_citations(blank, draft)
        },
        Outcome::Routed(Routed::General { receipt, refusal, model, took_ms }) => Answer {
            action: Action::Route,
            answer: receipt.text(),
            reason: Some(refusal.reason),
            refusal_reason: Some(refusal.explanation),
            suggestions: refusal.suggestions,
            receipt: Some(receipt),
            model_used: Some(model),
            generation_time_ms: took_ms,
            ..blank
        },
    }
}

fn with_citations(blank: Answer, cited: Cited) -> Answer {
    let Cited { receipt, citations, confidence, writing } = cited;
    Answer {
        answer: receipt.text(),
        receipt: Some(receipt),
        grounded: !citations.is_empty(),
        citations,
        confidence,
        model_used: writing.model,
        context_chunks_used: writing.passages,
        context_tokens_used: writing.tokens,
        generation_time_ms: writing.took_ms,
        ..blank
    }
}

fn texts_of(offers: &[Offer]) -> impl Iterator<Item = String> {
    offers.iter().map(|offer| offer.text.clone())
}

/// A refusal cites nothing, so nothing in it may look like a citation: neither its words nor the names of documents.
fn with_refusal(blank: Answer, refused: Refused) -> Answer {
    let Refused { text, refusal, why, nearest, offers, ask, confidence, took_ms } = refused;
    let nearest = nearest.into_iter().map(no_look_alike::nearest).collect();
    let as_text = |offer: Offer| Offer { text: quoted(&offer.text).into_owned(), ..offer };
    let offers: Vec<Offer> = offers.into_iter().map(as_text).collect();
    let advice = refusal.suggestions.iter().map(|step| quoted(step).into_owned());
    Answer {
        answer: quoted(&text).into_owned(),
        refused: true,
        reason: Some(refusal.reason),
        refusal_reason: Some(refusal.explanation),
        why,
        nearest,
        route_to: ask,
        suggestions: texts_of(&offers).chain(advice).collect(),
        offers,
        confidence,
        generation_time_ms: took_ms,
        ..blank
    }
}
