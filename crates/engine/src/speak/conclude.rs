//! What becomes of what a model wrote: it is said, refused, or given to somebody who may know.

use ibidem_words::degrade::flags;
use ibidem_words::ports::language_model::ModelError;
use ibidem_words::{Answer, Confidence, Reason, Refusal};

use super::answers::{Writing, cite, refuse, route, unsure};
use super::confidence::Weighing;
use super::footnotes::Footnotes;
use super::generate::{Draft, Ended};
use super::said::Said;
use super::{Attempt, Listener, judge, route_to};
use crate::ask::Engine;
use crate::policy::{Below, Judge, Policy};
use crate::turn::Sifted;

/// What becomes of what was written: said, refused, or given to somebody who may know.
pub(super) async fn concluded(
    engine: &Engine,
    mut sifted: Sifted,
    attempt: Attempt,
    failures: &mut Vec<String>,
    listener: &mut dyn Listener,
) -> (Answer, Draft) {
    let Attempt { evidence, beyond_budget, context_tokens, weighing, mut draft } = attempt;
    let policy = sifted.asked.policy.clone();
    let footnotes = Footnotes::mint(&evidence);
    sifted.dropped.extend(beyond_budget.into_iter().map(|candidate| ("budget", candidate)));
    if let Ended::Early(error) = &draft.ended {
        failures.push(error.to_string());
        // What was released stays; it was whole and checked. What the model still owed is said openly.
        sifted.warnings.push("The model stopped before its answer was complete.".to_owned());
        flags::raise(&mut sifted.fallback_reasons, "model_interrupted");
    }
    if let Some(failure) = draft.verifier_failure.clone() {
        failures.push(failure.to_string());
        flags::fall_back(&mut sifted.fallback_reasons, "no_entailment", &failure);
    }
    let writing = Writing { model: Some(draft.model.clone()), took_ms: draft.took_ms, context_tokens };
    if draft.is_silent() {
        sifted.evidence = evidence;
        let answer = refuse(sifted, &unsupported(&policy, &draft));
        return (Answer { generation_time_ms: draft.took_ms, ..answer }, draft);
    }
    let weighing = weighing.with(&sifted.fallback_reasons);
    let confidence = weigh(engine, &mut sifted, &weighing, &footnotes, &mut draft, failures).await;
    let is_enough = weighing.is_enough(confidence);
    sifted.trace.extend(weighing.record(confidence));
    if is_enough && draft.said.is_empty() {
        draft.release(&footnotes, listener);
    }
    if !draft.said.is_empty() {
        return (cite(sifted, &footnotes, &draft.said, writing, confidence), draft);
    }
    let unsure = Unsure { footnotes: &footnotes, said: &draft.withheld, writing, confidence };
    let answer = unsure.answered(engine, sifted, listener).await;
    (answer, draft)
}

/// How sure the answer is: by the verifier as far as it was said, or by a model that reads the whole.
async fn weigh(
    engine: &Engine,
    sifted: &mut Sifted,
    weighing: &Weighing,
    footnotes: &Footnotes<'_>,
    draft: &mut Draft,
    failures: &mut Vec<String>,
) -> Confidence {
    let policy = sifted.asked.policy.clone();
    let said = if draft.said.is_empty() { &draft.withheld } else { &draft.said };
    let verified = weighing.verified(said);
    let Some(rules) = policy.rules.speak.confidence.as_ref().filter(|rules| rules.judge != Judge::Verifier) else {
        return verified;
    };
    let judge = match rules.judge {
        Judge::Itself => engine.roles.writers().find(|model| model.name == draft.model),
        _ => engine.roles.judge.as_ref().filter(|judge| judge.name != draft.model),
    };
    let text: String = said.iter().map(|said| said.sentence.text.as_str()).collect();
    let judged = match judge {
        Some(judge) => judge::judge(judge, rules, &sifted.asked.question.query, footnotes, text.trim()).await,
        None => Err(ModelError::Failed("no model other than the one that wrote has the role of a judge".to_owned())),
    };
    match judged {
        Ok(number) => weighing.judged(said, number),
        Err(error) => {
            failures.push(error.to_string());
            flags::fall_back(&mut sifted.fallback_reasons, "no_judge", &error);
            verified
        }
    }
}

/// An answer that is not sure enough.
pub(super) struct Unsure<'a> {
    pub(super) footnotes: &'a Footnotes<'a>,
    pub(super) said: &'a [Said],
    pub(super) writing: Writing,
    pub(super) confidence: Confidence,
}

impl Unsure<'_> {
    /// It is refused, or goes to somebody who may know, as the policy says.
    pub(super) async fn answered(self, engine: &Engine, sifted: Sifted, listener: &mut dyn Listener) -> Answer {
        let Self { footnotes, said, writing, confidence } = self;
        let policy = sifted.asked.policy.clone();
        let rules = policy.rules.speak.confidence.as_ref();
        let threshold = rules.map_or(0.0, |rules| rules.cite_from);
        let refusal = unsure(confidence, threshold, &policy.rules.wording.next_steps);
        let took_ms = writing.took_ms;
        let sifted = Sifted { evidence: footnotes.evidence().to_vec(), ..sifted };
        if rules.is_some_and(|rules| rules.below == Below::Refuse) {
            let answer = refuse(sifted, &refusal);
            return Answer { confidence: Some(confidence), generation_time_ms: took_ms, ..answer };
        }
        let (owners, admin) = (engine.owners.as_deref(), engine.admin_email.as_deref());
        let target =
            route_to::route_to(owners, admin, &sifted.asked.scope, footnotes.evidence(), &refusal.explanation).await;
        let draft = cite(sifted.clone(), footnotes, said, writing, confidence);
        let withheld = Answer { confidence: Some(confidence), route_to: Some(target), ..refuse(sifted, &refusal) };
        let answer = route(draft, withheld, &policy);
        if rules.is_some_and(|rules| rules.show_draft) {
            listener.sentence(&answer.answer, answer.citations.clone());
        }
        answer
    }
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
