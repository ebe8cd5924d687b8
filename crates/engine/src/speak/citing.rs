//! From sentences that may be said to the outcome that carries them.

use std::collections::BTreeSet;

use crate::candidate::Candidate;
use ibidem_words::{Confidence, Refusal, as_shown};

use super::checked_sentence::receipt;
use super::confidence::{Weighing, retrieval_base};
use super::footnotes::Footnotes;
use super::not_in_force::marks;
use super::stale::stale;
use crate::draft::CheckedSentence;
use crate::listener::Listener;
use crate::outcome::{Cited, Decided, Outcome, Refused, Retrieval, Writing};
use crate::policy::Policy;
use crate::turn::{Asked, TurnLog};

/// All that may be said, and how sure it is.
pub(super) struct Finished<'a> {
    pub(super) footnotes: &'a Footnotes<'a>,
    pub(super) sentences: &'a [CheckedSentence],
    pub(super) writing: Writing,
    pub(super) confidence: Confidence,
    pub(super) retrieval: Retrieval,
}

impl Finished<'_> {
    /// It is said, each sentence with its source.
    pub(super) fn cited(self, asked: &Asked, mut log: TurnLog, listener: &mut dyn Listener) -> Decided {
        let retrieval = self.retrieval;
        for mark in self.marks(asked) {
            listener.sentence(&mark.sentence.text, Vec::new());
        }
        let cited = self.answer(asked);
        log.warnings.extend(stale(&asked.policy, &cited.citations, asked.at));
        Decided::plainly(Outcome::Cited(cited), retrieval, log)
    }

    fn marks(&self, asked: &Asked) -> Vec<CheckedSentence> {
        marks(&asked.policy.rules.wording.standing, self.footnotes, self.sentences, asked.at.date_naive())
    }

    pub(super) fn answer(self, asked: &Asked) -> Cited {
        let numbers: BTreeSet<u32> =
            self.sentences.iter().flat_map(|checked| checked.sentence.citations.iter().copied()).collect();
        let citations = numbers.into_iter().filter_map(|number| self.footnotes.citation(number)).collect();
        let sentences: Vec<CheckedSentence> = self.sentences.iter().cloned().chain(self.marks(asked)).collect();
        let receipt = receipt(self.footnotes, &sentences);
        Cited { receipt, citations, confidence: Some(self.confidence), writing: self.writing }
    }
}

/// A refusal in the policy's words, with the reason, its numbers and a next step.
pub(crate) fn refused(policy: &Policy, refusal: Refusal, evidence: &[Candidate], log: TurnLog) -> Decided {
    let base = retrieval_base(policy, evidence);
    Decided::plainly(Outcome::Refused(Refused::under(policy, refusal)), Retrieval::searched(base), log)
}

/// The sources' own words, chosen by a rule, and no model: the evidence, each piece under its number. `covered` is the
/// share of what the rule found that is said.
pub(crate) fn quote(
    asked: &Asked,
    evidence: &[Candidate],
    log: TurnLog,
    sentences: &[CheckedSentence],
    covered: f64,
    listener: &mut dyn Listener,
) -> Decided {
    let footnotes = Footnotes::mint(evidence).on(asked.at.date_naive());
    let weighing = Weighing::of(&asked.policy, &asked.question, &log.fallback_reasons, evidence);
    let confidence = weighing.confidence(as_shown(covered), None);
    for checked in sentences {
        listener.sentence(&checked.sentence.text, footnotes.citations(&checked.sentence));
    }
    let writing = writing_from(evidence);
    Finished { footnotes: &footnotes, sentences, writing, confidence, retrieval: weighing.retrieval() }
        .cited(asked, log, listener)
}

/// Quoted from these passages, by no model.
pub(super) fn writing_from(evidence: &[Candidate]) -> Writing {
    let tokens = evidence.iter().map(|candidate| u64::from(candidate.passage.tokens)).sum();
    Writing { passages: evidence.len(), tokens, ..Writing::default() }
}
