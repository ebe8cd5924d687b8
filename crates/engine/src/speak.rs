//! The fourth movement: what is said, each sentence with its source, and nothing else.

pub(crate) mod answers;
mod background;
pub mod budget;
pub(crate) mod checked_sentence;
mod citing;
mod conclude;
pub mod confidence;
pub mod extractive;
pub mod footnotes;
pub mod gauntlet;
mod general;
mod generate;
mod in_form;
mod judge;
mod key_phrases;
pub mod markup;
mod not_in_force;
pub(crate) mod note_line;
pub(crate) mod outline;
mod own_sentences;
pub mod probes;
pub mod prompt;
pub(crate) mod quoting;
mod repeats;
pub(crate) mod route_to;
mod stale;
mod structure;
pub mod verify;

use crate::candidate::Candidate;
use ibidem_ports::language_model::{ModelError, ModelFault};
use ibidem_words::Fallback;
use ibidem_words::{Reason, Refusal};
use tracing::{Instrument as _, trace_span};

use answers::AnswerReader;
pub(crate) use citing::quote;
pub(crate) use citing::refused;
use conclude::concluded;
use confidence::Weighing;
use extractive::sayable;
use footnotes::Footnotes;
use generate::{Reply, Standard, generate};
use own_sentences::{InsteadOf, StandIn, own_sentences};
use verify::Verifier;

use crate::draft::{Draft, Ended};
use crate::listener::Listener;
use crate::outcome::{Decided, Outcome};
use crate::parts::Parts;
use crate::policy::{OutOfCorpus, Policy, SpeakMode};
use crate::roles::NamedModel;
use crate::sift::Sifted;
use crate::turn::{Asked, TurnLog};

/// What is to be answered, and from what.
#[derive(Clone, Copy)]
struct Brief<'a> {
    parts: &'a Parts,
    asked: &'a Asked,
    evidence: &'a [Candidate],
    background: &'a [String],
}

/// Speaks from what was sifted: outline, budget, writing, verification, confidence. Fails only when the asker named a
/// model that is not served.
pub(crate) async fn speak(parts: &Parts, sifted: Sifted, listener: &mut dyn Listener) -> Result<Decided, ModelError> {
    let Sifted { asked, evidence, background, mut log, .. } = sifted;
    let policy = asked.policy.clone();
    let named = asked.question.model.as_deref();
    let writer = parts.roles.writer(named)?;
    let asks_a_model = policy.rules.speak.mode != SpeakMode::Extractive;
    let Some(writer) = writer.filter(|_| asks_a_model) else {
        let stand_in = asks_a_model.then_some(StandIn::default());
        let brief = Brief { parts, asked: &asked, evidence: &evidence, background: &background };
        return Ok(own_sentences(brief, log, stand_in, listener).await);
    };
    let mut failures = Vec::new();
    let evidence = outlined(parts, &asked, evidence, &mut log, &mut failures).await;
    if evidence.is_empty() {
        return Ok(refused(&policy, no_thesis(&policy), &evidence, log));
    }
    let brief = Brief { parts, asked: &asked, evidence: &evidence, background: &background };
    let mut attempt = match attempt(brief, writer, &log, listener).await {
        Ok(attempt) => attempt,
        Err(refusal) => return Ok(refused(&policy, refusal, &evidence, log)),
    };
    if let Ended::Early(error) = &attempt.draft.ended
        && attempt.draft.has_failed()
    {
        // Somebody else's model in its place would not be what was asked for.
        if named.is_some() && matches!(error, ModelError::Own(ModelFault::NotServed { .. })) {
            return Err(error.clone());
        }
        failures.push(error.to_string());
        log.not_asked(error);
        attempt = match by_fallback(brief, &mut log, &mut failures, listener).await {
            Some(second) => second,
            None => {
                return Ok(quoted(brief, log, InsteadOf::Failure, attempt.draft, failures, listener).await);
            }
        };
    }
    let is_in_vain = attempt.draft.has_reader && attempt.draft.is_in_vain(&policy);
    if is_in_vain && policy.rules.speak.quote_instead.is_some() {
        note_unverified(&attempt.draft, &mut log, &mut failures);
        return Ok(quoted(brief, log, InsteadOf::WrittenInVain, attempt.draft, failures, listener).await);
    }
    Ok(concluded(brief, log, attempt, failures, listener).await)
}

/// The sources' own sentences, in place of what a model wrote.
async fn quoted(
    brief: Brief<'_>,
    log: TurnLog,
    instead_of: InsteadOf,
    draft: Draft,
    mut failures: Vec<String>,
    listener: &mut dyn Listener,
) -> Decided {
    let stand_in = StandIn { after_ms: draft.took_ms, instead_of };
    let decided = own_sentences(brief, log, Some(stand_in), listener).await;
    failures.extend(decided.failure);
    Decided { draft: Some(draft), failure: joined(&failures), ..decided }
}

/// A question that the documents do not answer, where the policy lets a model answer from what it knows.
pub(crate) async fn out_of_corpus(
    parts: &Parts,
    sifted: Sifted,
    refusal: Refusal,
    listener: &mut dyn Listener,
) -> Decided {
    let policy = &sifted.asked.policy;
    let refused = refused(policy, refusal.clone(), &sifted.evidence, sifted.log);
    let (OutOfCorpus::Disclaimed(rules), Some(model)) = (&policy.rules.out_of_corpus, &parts.roles.out_of_corpus)
    else {
        return refused;
    };
    match general::disclaim(model, rules, &sifted.asked, refusal, listener).await {
        Ok((general, is_cut)) => {
            let warning = is_cut.then(|| policy.rules.wording.cut_short.clone());
            let mut decided = Decided { outcome: Outcome::Routed(general), ..refused };
            decided.log.warnings.extend(warning);
            decided
        }
        Err(error) => Decided { failure: Some(error.to_string()), ..refused },
    }
}

/// What a model wrote, and the evidence it was shown.
struct Attempt {
    evidence: Vec<Candidate>,
    context_tokens: u64,
    weighing: Weighing,
    draft: Draft,
}

/// Lets a model write from as much of the evidence as fits.
async fn attempt(
    brief: Brief<'_>,
    model: &NamedModel,
    log: &TurnLog,
    listener: &mut dyn Listener,
) -> Result<Attempt, Refusal> {
    let Brief { parts, asked, evidence, background } = brief;
    let policy = &asked.policy;
    let (rules, question) = (&policy.rules.speak, &asked.question);
    let allotted = budget::allot(rules, model, question, evidence, background, asked.deadline).await?;
    let (evidence, _) = allotted.part(evidence.to_vec());
    let footnotes = Footnotes::mint(&evidence).on(asked.at.date_naive());
    let (prompt, reply) = match rules.mode {
        SpeakMode::Choose => {
            let (sentences, most) = (sayable(&footnotes), rules.extractive_sentences);
            (prompt::choice(question, &sentences, most, &footnotes), Reply::Choice { sentences, most })
        }
        _ => {
            let reply = Reply::of(rules.notes_by, &footnotes);
            (prompt::prompt(rules, &allotted, question, &footnotes, background), reply)
        }
    };
    let weighing = Weighing::of(policy, question, &log.fallback_reasons, &evidence);
    let standard = Standard {
        policy,
        question: &question.query,
        footnotes: &footnotes,
        background,
        verifier: &Verifier {
            rules: policy.rules.speak.verification,
            entailment: &parts.entailment,
            deadline: asked.deadline,
        },
        weighing: &weighing,
        reader: AnswerReader::of(parts, asked, &question.query, &evidence, log),
        deadline: asked.deadline,
    };
    let has_reader = standard.reader.is_some();
    let draft = generate(model, prompt, reply, &standard, listener).instrument(trace_span!("generate")).await;
    let written_from = evidence.iter().map(|candidate| candidate.passage.passage).collect();
    let draft = Draft { written_from, fell_back: !log.fallback_reasons.is_empty(), has_reader, ..draft };
    Ok(Attempt { evidence, context_tokens: allotted.tokens.context as u64, weighing, draft })
}

/// The model that writes when the other has not said anything, if there is one and it does.
async fn by_fallback(
    brief: Brief<'_>,
    log: &mut TurnLog,
    failures: &mut Vec<String>,
    listener: &mut dyn Listener,
) -> Option<Attempt> {
    let fallback = brief.parts.roles.fallback.as_ref()?;
    // Raised before it writes: what it says is weighed with what falling back costs.
    log.raise(Fallback::FallbackModel);
    let second = attempt(brief, fallback, log, listener).await;
    let failed = match &second {
        Ok(second) => match &second.draft.ended {
            Ended::Early(error) if second.draft.has_failed() => Some(error.clone()),
            _ => None,
        },
        Err(_) => None,
    };
    if let Some(error) = &failed {
        failures.push(error.to_string());
        log.not_asked(error);
    }
    if failed.is_some() || second.is_err() {
        log.fallback_reasons.retain(|flag| *flag != Fallback::FallbackModel);
        return None;
    }
    second.ok()
}

/// Where the policy wants an outline and a planner is there: only the notes it would write from are left, in its order.
/// A planner that fails is skipped, and that is said.
async fn outlined(
    parts: &Parts,
    asked: &Asked,
    evidence: Vec<Candidate>,
    log: &mut TurnLog,
    failures: &mut Vec<String>,
) -> Vec<Candidate> {
    if asked.policy.rules.speak.mode == SpeakMode::Choose {
        // Choosing sentences is choosing notes as well.
        return evidence;
    }
    let planned = asked.policy.rules.speak.outline.as_ref().zip(parts.roles.planner.as_ref());
    let Some((rules, planner)) = planned else { return evidence };
    let footnotes = Footnotes::mint(&evidence);
    let outline = match outline::outline(planner.model(), rules, asked, &footnotes).await {
        Ok(outline) => outline,
        Err(error) => {
            log.fall_back(Fallback::NoOutline, &error);
            failures.push(error.to_string());
            return evidence;
        }
    };
    log.trace.extend(outline::records(&outline));
    let mut all: Vec<Option<Candidate>> = evidence.into_iter().map(Some).collect();
    outline.places.into_iter().filter_map(|place| all[place].take()).collect()
}

/// Whoever should have checked what was written failed: that is said.
fn note_unverified(draft: &Draft, log: &mut TurnLog, failures: &mut Vec<String>) {
    if let Some(failure) = &draft.verifier_failure {
        failures.push(failure.to_string());
        log.fall_back(Fallback::NoEntailment, failure);
    }
}

fn no_thesis(policy: &Policy) -> Refusal {
    Refusal {
        reason: Reason::NoThesis,
        explanation: "Passages that support an answer (0) below the least that is needed (1)".to_owned(),
        suggestions: policy.rules.wording.next_steps.clone(),
    }
}

fn joined(failures: &[String]) -> Option<String> {
    (!failures.is_empty()).then(|| failures.join("; "))
}
