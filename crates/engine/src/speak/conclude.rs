//! What becomes of what a model wrote: it is said, refused, or given to somebody who may know.

use ibidem_ports::language_model::{ModelError, ModelFault};
use ibidem_words::Fallback;
use ibidem_words::{Confidence, Reason, Refusal, Stretch, Verdict};

use super::checked_sentence::support;
use super::citing::Finished;
use super::confidence::Weighing;
use super::footnotes::Footnotes;
use super::stale::stale;
use super::{Attempt, Brief, answers, joined, judge, note_unverified, route_to};
use crate::draft::{AnswerReading, Draft, Ended};
use crate::listener::Listener;
use crate::outcome::{Cited, Decided, Outcome, Refused, Routed, Writing};
use crate::policy::{Below, Judge, Policy};
use crate::turn::TurnLog;

/// What becomes of what was written: said, refused, or given to somebody who may know.
pub(super) async fn concluded(
    brief: Brief<'_>,
    mut log: TurnLog,
    attempt: Attempt,
    mut failures: Vec<String>,
    listener: &mut dyn Listener,
) -> Decided {
    let Attempt { evidence, context_tokens, weighing, mut draft } = attempt;
    let footnotes = Footnotes::mint(&evidence).on(brief.asked.at.date_naive());
    if let Ended::Early(error) = &draft.ended {
        failures.push(error.to_string());
        // What was released stays; it was whole and checked. What the model still owed is said openly.
        log.warnings.push(brief.asked.policy.rules.wording.cut_short.clone());
        log.raise(Fallback::ModelInterrupted);
    }
    note_unverified(&draft, &mut log, &mut failures);
    if draft.is_cut_by_verifier && !draft.released.is_empty() {
        log.warnings.push(brief.asked.policy.rules.wording.texts().rest_unchecked.clone());
    }
    if let Some(failure) = draft.answering.as_ref().and_then(|reading| reading.failure.clone()) {
        failures.push(failure.to_string());
        log.fall_back(Fallback::NoRerank, &failure);
    }
    let gate = draft.answering.as_ref().and_then(|reading| answers::record(&brief.asked.policy, &reading.so_far));
    log.trace.extend(gate.clone());
    let beside = gate.filter(|gate| gate.verdict == Verdict::Stop);
    let decided = if draft.is_unverified() {
        let policy = &brief.asked.policy;
        let refused = Refused { took_ms: draft.took_ms, ..Refused::under(policy, unverified(policy, &draft)) };
        Decided::plainly(Outcome::Refused(refused), weighing.with(&log.fallback_reasons).retrieval(), log)
    } else if draft.is_silent() {
        let policy = &brief.asked.policy;
        let refused = Refused { took_ms: draft.took_ms, ..Refused::under(policy, unsupported(policy, &draft)) };
        Decided::plainly(Outcome::Refused(refused), weighing.retrieval(), log)
    } else if let Some(gate) = beside {
        let policy = &brief.asked.policy;
        let is_unread = draft.answering.as_ref().is_some_and(|reading| reading.is_unread);
        let refusal = if is_unread { answers::unread(policy, &gate) } else { answers::refusal(policy, &gate, false) };
        let refused = Refused { took_ms: draft.took_ms, ..Refused::under(policy, refusal) };
        let retrieval = weighing.with(&log.fallback_reasons).retrieval();
        Decided::plainly(Outcome::Refused(refused), retrieval, log)
    } else {
        let writing = Writing {
            model: Some(draft.model.clone()),
            took_ms: draft.took_ms,
            passages: evidence.len(),
            tokens: context_tokens,
        };
        let weighing = weighing.with(&log.fallback_reasons);
        let confidence = weigh(brief, &mut log, &weighing, &footnotes, &draft, &mut failures).await;
        log.trace.extend(weighing.record(confidence));
        if weighing.is_enough(confidence) && draft.released.is_empty() {
            draft.release(&footnotes, listener);
        }
        let is_released = !draft.released.is_empty();
        let sentences = if is_released { &draft.released } else { &draft.withheld };
        let retrieval = weighing.retrieval();
        let finished = Finished { footnotes: &footnotes, sentences, writing, confidence, retrieval };
        if is_released {
            finished.cited(brief.asked, log, listener)
        } else {
            finished.unsure(brief, log, listener).await
        }
    };
    Decided { draft: Some(draft), failure: joined(&failures), ..decided }
}

/// How sure the answer is: by the verifier as far as it was said, or by a model that reads the whole.
async fn weigh(
    brief: Brief<'_>,
    log: &mut TurnLog,
    weighing: &Weighing,
    footnotes: &Footnotes<'_>,
    draft: &Draft,
    failures: &mut Vec<String>,
) -> Confidence {
    let to_judge = if draft.released.is_empty() { &draft.withheld } else { &draft.released };
    // As it was weighed when the last of it went out.
    let then = draft.coverage.iter().find(|(sentences, _)| *sentences == to_judge.len()).map(|(_, coverage)| *coverage);
    let likely = draft.answering.as_ref().and_then(AnswerReading::last);
    let coverage = then.unwrap_or_else(|| weighing.coverage(to_judge, likely));
    let verified = weighing.confidence(coverage, support(to_judge));
    let Some(rules) = brief.asked.policy.rules.speak.confidence.as_ref().filter(|rules| rules.judge != Judge::Verifier)
    else {
        return verified;
    };
    let judge = match rules.judge {
        Judge::Itself => brief.parts.roles.writers().find(|model| model.name == draft.model),
        _ => brief.parts.roles.judge.as_ref().filter(|judge| judge.name != draft.model),
    };
    let text: String = to_judge.iter().map(|checked| checked.sentence.text.as_str()).collect();
    let judged = match judge {
        Some(judge) => judge::judge(judge, rules, brief.asked, footnotes, text.trim()).await,
        None => Err(ModelError::Own(ModelFault::Failed(
            "no model other than the one that wrote has the role of a judge".to_owned(),
        ))),
    };
    match judged {
        Ok(number) => weighing.confidence(coverage, Some(number)),
        Err(error) => {
            failures.push(error.to_string());
            log.fall_back(Fallback::NoJudge, &error);
            verified
        }
    }
}

impl Finished<'_> {
    /// It is not sure enough: it is refused, or goes to somebody who may know, as the policy says.
    pub(super) async fn unsure(self, brief: Brief<'_>, mut log: TurnLog, listener: &mut dyn Listener) -> Decided {
        let (confidence, retrieval) = (self.confidence, self.retrieval);
        let policy = &brief.asked.policy;
        let rules = policy.rules.speak.confidence.as_ref();
        let threshold = rules.map_or(0.0, |rules| rules.cite_from);
        let refusal = low_confidence(confidence, threshold, &policy.rules.wording.next_steps);
        let refused = Refused {
            confidence: Some(confidence),
            took_ms: self.writing.took_ms,
            ..Refused::under(policy, refusal.clone())
        };
        if rules.is_some_and(|rules| rules.below == Below::Refuse) {
            return Decided::plainly(Outcome::Refused(refused), retrieval, log);
        }
        let (owners, admin) = (brief.parts.owners.as_deref(), brief.parts.admin_email.as_deref());
        let scope = &brief.asked.scope;
        let texts = policy.rules.wording.texts();
        let to = route_to::route_to(owners, admin, scope, self.footnotes.evidence(), texts).await;
        if !rules.is_some_and(|rules| rules.show_draft) {
            return Decided::plainly(Outcome::Routed(Routed::Withheld { refused, to }), retrieval, log);
        }
        let draft = as_draft(self.answer(brief.asked), policy);
        log.warnings.extend(stale(policy, &draft.citations, brief.asked.at));
        listener.sentence(&draft.receipt.text(), draft.citations.clone());
        Decided::plainly(Outcome::Routed(Routed::Draft { draft, refusal, to }), retrieval, log)
    }
}

/// Under the policy's words for a draft.
fn as_draft(mut answer: Cited, policy: &Policy) -> Cited {
    let above = Stretch::policy(format!("{}\n\n", policy.rules.wording.draft.trim()));
    answer.receipt.stretches.insert(0, above);
    answer
}

fn low_confidence(confidence: Confidence, threshold: f64, next_steps: &[String]) -> Refusal {
    Refusal {
        reason: Reason::LowConfidence,
        explanation: format!("Confidence ({}) below threshold ({threshold})", confidence.overall),
        suggestions: next_steps.to_vec(),
    }
}

/// Nothing can be shown, because nobody could check it.
fn unverified(policy: &Policy, written: &Draft) -> Refusal {
    let explanation = format!(
        "Sentences that were checked and may be shown (0) below the least that can be shown (1): the entailment model does \
         not answer, and {} sentences could not be checked",
        written.dropped.len()
    );
    let suggestions = vec![policy.rules.wording.texts().again.clone()];
    Refusal { reason: Reason::UnsupportedClaims, explanation, suggestions }
}

/// Nothing can be shown. A model that said that the documents do not answer has found nothing.
fn unsupported(policy: &Policy, written: &Draft) -> Refusal {
    Refusal {
        reason: if written.has_denied() { Reason::NoResults } else { Reason::UnsupportedClaims },
        explanation: format!(
            "Sentences that their sources support (0) below the least that can be shown (1): {} sentences dropped, {} markers valid, {} dropped",
            written.dropped.len(),
            written.markers.expanded,
            written.markers.dropped(),
        ),
        suggestions: policy.rules.wording.next_steps.clone(),
    }
}
