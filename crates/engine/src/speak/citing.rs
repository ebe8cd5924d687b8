//! From sentences that may be said to the outcome that carries them.

use std::collections::BTreeSet;

use ibidem_words::{Candidate, Confidence, Refusal};

use super::confidence::{Weighing, retrieval_base};
use super::footnotes::Footnotes;
use super::said::receipt;
use super::stale::stale;
use crate::draft::Said;
use crate::listener::Listener;
use crate::outcome::{Cited, Decided, Outcome, Refused, Retrieval, Writing};
use crate::policy::Policy;
use crate::turn::{Asked, TurnLog};

/// What is said, each sentence with its source.
pub(super) fn cited(
    asked: &Asked,
    footnotes: &Footnotes<'_>,
    said: &[Said],
    writing: Writing,
    confidence: Confidence,
    mut log: TurnLog,
) -> Decided {
    let cited = answer_of(footnotes, said, writing, confidence);
    log.warnings.extend(stale(&asked.policy, &cited.citations, asked.at));
    let base = retrieval_base(&asked.policy, footnotes.evidence());
    Decided::plainly(Outcome::Cited(cited), Retrieval::searched(base), log)
}

pub(super) fn answer_of(footnotes: &Footnotes<'_>, said: &[Said], writing: Writing, confidence: Confidence) -> Cited {
    let numbers: BTreeSet<u32> = said.iter().flat_map(|said| said.sentence.citations.iter().copied()).collect();
    let citations = numbers.into_iter().filter_map(|number| footnotes.citation(number)).collect();
    Cited { receipt: receipt(footnotes, said), citations, confidence: Some(confidence), writing }
}

/// A refusal in the policy's words, with the reason, its numbers and a next step.
pub(super) fn refused(policy: &Policy, refusal: Refusal, evidence: &[Candidate], log: TurnLog) -> Decided {
    let base = retrieval_base(policy, evidence);
    Decided::plainly(Outcome::Refused(Refused::under(policy, refusal)), Retrieval::searched(base), log)
}

/// The sources' own words, chosen by a rule, and no model: the evidence, each piece under its number.
pub(crate) fn quote(
    asked: &Asked,
    evidence: &[Candidate],
    log: TurnLog,
    said: &[Said],
    listener: &mut dyn Listener,
) -> Decided {
    let footnotes = Footnotes::mint(evidence);
    let confidence = Weighing::of(&asked.policy, &log.fallback_reasons, evidence).verified(said);
    for said in said {
        listener.sentence(&said.sentence.text, footnotes.citations(&said.sentence));
    }
    cited(asked, &footnotes, said, writing_from(evidence), confidence, log)
}

/// Quoted from these passages, by no model.
pub(super) fn writing_from(evidence: &[Candidate]) -> Writing {
    let tokens = evidence.iter().map(|candidate| u64::from(candidate.passage.tokens)).sum();
    Writing { passages: evidence.len(), tokens, ..Writing::default() }
}
