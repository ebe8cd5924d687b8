//! The third movement: what is said, each sentence with its source, and nothing else.

mod answers;
mod background;
pub mod budget;
mod conclude;
pub mod confidence;
pub mod extractive;
pub mod footnotes;
pub mod gauntlet;
mod general;
mod generate;
mod judge;
mod key_phrases;
pub mod markup;
mod outline;
pub mod prompt;
mod route_to;
mod said;
mod structure;
mod transparency;
pub mod verify;

use std::time::Duration;

use ibidem_words::degrade::flags;
use ibidem_words::ports::language_model::ModelError;
use ibidem_words::{Answer, Candidate, Citation, Reason, Refusal};

use crate::ask::{AskError, Engine};
use crate::policy::{OutOfCorpus, Policy, SpeakMode};
use crate::roles::NamedModel;
use crate::turn::{SearchRecord, Sifted};
pub use answers::refuse;
use answers::{Writing, cite};
pub(crate) use answers::{ask_back, refuse_unsearched};
use conclude::{Unsure, concluded};
use confidence::Weighing;
use extractive::extract;
use footnotes::Footnotes;
pub use generate::{Draft, Ended};
use generate::{Standard, generate};
pub use said::Said;

/// Hears what is released, as soon as it is.
pub trait Listener: Send {
    /// A whole sentence that may be shown, white space after it included, with what it cites.
    fn sentence(&mut self, text: &str, citations: Vec<Citation>);
}

/// Nobody listens: the answer is read when it is whole.
pub struct Nobody;

impl Listener for Nobody {
    fn sentence(&mut self, _: &str, _: Vec<Citation>) {}
}

/// An answer, and what it was made from that the asker does not see.
#[derive(Clone, Debug)]
pub struct Spoken {
    pub answer: Answer,
    pub draft: Option<Draft>,
    /// What went wrong with a part, in its own words: for the operator, never for the asker.
    pub failure: Option<String>,
    /// How long each stage took, in order.
    pub stages: Vec<(&'static str, Duration)>,
    /// None when nothing was searched.
    pub search: Option<SearchRecord>,
}

impl Spoken {
    /// Said without any model.
    pub fn plainly(answer: Answer) -> Self {
        Self { answer, draft: None, failure: None, stages: Vec::new(), search: None }
    }
}

/// Speaks from what was sifted: outline, budget, writing, verification, confidence. Fails only when the asker named a
/// model that is not served.
pub async fn speak(engine: &Engine, mut sifted: Sifted, listener: &mut dyn Listener) -> Result<Spoken, AskError> {
    let policy = sifted.asked.policy.clone();
    let named = sifted.asked.question.model.clone();
    let writer = engine.roles.writer(named.as_deref()).map_err(AskError::Model)?;
    let (SpeakMode::Model, Some(writer)) = (policy.rules.speak.mode, writer) else {
        let stands_in = policy.rules.speak.mode == SpeakMode::Model;
        return Ok(Spoken::plainly(own_sentences(engine, sifted, stands_in, listener).await));
    };
    let mut failures = Vec::new();
    if let Some(error) = outlined(engine, &mut sifted).await {
        failures.push(error);
    }
    if sifted.evidence.is_empty() {
        return Ok(Spoken::plainly(refuse(sifted, &no_thesis(&policy))));
    }
    let mut attempt = match attempt(engine, writer, &sifted, listener).await {
        Ok(attempt) => attempt,
        Err(refusal) => return Ok(Spoken::plainly(refuse(sifted, &refusal))),
    };
    if let Ended::Early(error) = &attempt.draft.ended
        && attempt.draft.is_silent()
    {
        // Somebody else's model in its place would not be what was asked for.
        if named.is_some() && matches!(error, ModelError::NotServed { .. }) {
            return Err(AskError::Model(error.clone()));
        }
        failures.push(error.to_string());
        flags::not_asked(&mut sifted.fallback_reasons, error);
        attempt = match by_fallback(engine, &mut sifted, &mut failures, listener).await {
            Some(second) => second,
            None => {
                let took_ms = attempt.draft.took_ms;
                let answer = own_sentences(engine, sifted, true, listener).await;
                let answer = Answer { generation_time_ms: took_ms, ..answer };
                let failure = joined(&failures);
                return Ok(Spoken { draft: Some(attempt.draft), failure, ..Spoken::plainly(answer) });
            }
        };
    }
    let (answer, draft) = concluded(engine, sifted, attempt, &mut failures, listener).await;
    Ok(Spoken { draft: Some(draft), failure: joined(&failures), ..Spoken::plainly(answer) })
}

/// A question that the documents do not answer, where the policy lets a model answer from what it knows.
pub(crate) async fn out_of_corpus(
    engine: &Engine,
    sifted: Sifted,
    refusal: &Refusal,
    listener: &mut dyn Listener,
) -> Spoken {
    let policy = sifted.asked.policy.clone();
    let question = sifted.asked.question.query.clone();
    let refused = refuse(sifted, refusal);
    let (OutOfCorpus::Disclaimed(rules), Some(model)) = (&policy.rules.out_of_corpus, &engine.roles.out_of_corpus)
    else {
        return Spoken::plainly(refused);
    };
    let temperature = policy.rules.speak.temperature;
    match general::disclaim(model, rules, &question, refused, temperature, listener).await {
        Ok(answer) => Spoken::plainly(answer),
        Err((refused, error)) => Spoken { failure: Some(error.to_string()), ..Spoken::plainly(refused) },
    }
}

/// The sources' own words, chosen by a rule, and no model: the evidence, each piece under its number.
pub(crate) fn quote(mut sifted: Sifted, said: &[Said], listener: &mut dyn Listener) -> Answer {
    let policy = sifted.asked.policy.clone();
    let evidence = std::mem::take(&mut sifted.evidence);
    let footnotes = Footnotes::mint(&evidence);
    let confidence = Weighing::of(&policy, &sifted.fallback_reasons, &evidence).verified(said);
    for said in said {
        listener.sentence(&said.sentence.text, footnotes.citations(&said.sentence));
    }
    cite(
        sifted,
        &footnotes,
        said,
        Writing { context_tokens: passage_tokens(&evidence), ..Writing::default() },
        confidence,
    )
}

/// The model that answered was not the one that should have.
const FALLBACK_MODEL: &str = "fallback_model";

/// What a model wrote, and the evidence it was shown.
struct Attempt {
    evidence: Vec<Candidate>,
    beyond_budget: Vec<Candidate>,
    context_tokens: u64,
    weighing: Weighing,
    draft: Draft,
}

/// Lets a model write from as much of the evidence as fits.
async fn attempt(
    engine: &Engine,
    model: &NamedModel,
    sifted: &Sifted,
    listener: &mut dyn Listener,
) -> Result<Attempt, Refusal> {
    let policy = &sifted.asked.policy;
    let (rules, question) = (&policy.rules.speak, &sifted.asked.question);
    let allotted = budget::allot(rules, model, question, &sifted.evidence, &sifted.background).await?;
    let (evidence, beyond_budget) = allotted.part(sifted.evidence.clone());
    let footnotes = Footnotes::mint(&evidence);
    let prompt = prompt::prompt(rules, &allotted, question, &footnotes, &sifted.background);
    let weighing = Weighing::of(policy, &sifted.fallback_reasons, &evidence);
    let standard = Standard {
        policy,
        question: &question.query,
        footnotes: &footnotes,
        background: &sifted.background,
        verifier: &engine.verifier(policy),
        weighing: &weighing,
    };
    let draft = generate(model, prompt, &standard, listener).await;
    let written_from = evidence.iter().map(|candidate| candidate.passage.passage).collect();
    let draft = Draft { written_from, fell_back: !sifted.fallback_reasons.is_empty(), ..draft };
    Ok(Attempt { evidence, beyond_budget, context_tokens: allotted.tokens.context as u64, weighing, draft })
}

/// The model that writes when the other has not said anything, if there is one and it does.
async fn by_fallback(
    engine: &Engine,
    sifted: &mut Sifted,
    failures: &mut Vec<String>,
    listener: &mut dyn Listener,
) -> Option<Attempt> {
    let fallback = engine.roles.fallback.as_ref()?;
    // Raised before it writes: what it says is weighed with what falling back costs.
    flags::raise(&mut sifted.fallback_reasons, FALLBACK_MODEL);
    let second = attempt(engine, fallback, sifted, listener).await;
    let failed = match &second {
        Ok(second) => match &second.draft.ended {
            Ended::Early(error) if second.draft.is_silent() => Some(error.clone()),
            _ => None,
        },
        Err(_) => None,
    };
    if let Some(error) = &failed {
        failures.push(error.to_string());
        flags::not_asked(&mut sifted.fallback_reasons, error);
    }
    if failed.is_some() || second.is_err() {
        sifted.fallback_reasons.retain(|flag| flag != FALLBACK_MODEL);
        return None;
    }
    second.ok()
}

/// The sources' own sentences; in place of a model's, that is said.
async fn own_sentences(engine: &Engine, mut sifted: Sifted, stands_in: bool, listener: &mut dyn Listener) -> Answer {
    let policy = sifted.asked.policy.clone();
    if stands_in {
        flags::raise(&mut sifted.fallback_reasons, flags::EXTRACTIVE);
        sifted.warnings.push(policy.rules.wording.extractive_notice.clone());
    }
    let evidence = std::mem::take(&mut sifted.evidence);
    let footnotes = Footnotes::mint(&evidence);
    let sentences = extract(&sifted.asked.question.query, &footnotes, policy.rules.speak.extractive_sentences);
    let said: Vec<Said> = sentences.into_iter().map(Said::verbatim).collect();
    let weighing = Weighing::of(&policy, &sifted.fallback_reasons, &evidence);
    let confidence = weighing.verified(&said);
    sifted.trace.extend(weighing.record(confidence));
    let writing =
        Writing { model: Some("extractive".to_owned()), context_tokens: passage_tokens(&evidence), took_ms: 0 };
    if !weighing.is_enough(confidence) {
        let unsure = Unsure { footnotes: &footnotes, said: &said, writing, confidence };
        return unsure.answered(engine, sifted, listener).await;
    }
    for said in &said {
        listener.sentence(&said.sentence.text, footnotes.citations(&said.sentence));
    }
    cite(sifted, &footnotes, &said, writing, confidence)
}

/// Where the policy wants an outline and a planner is there: only the notes it would write from are left, in its order.
/// A planner that fails is gone without, and that is said; what it failed of is returned.
async fn outlined(engine: &Engine, sifted: &mut Sifted) -> Option<String> {
    let policy = sifted.asked.policy.clone();
    let (rules, planner) = policy.rules.speak.outline.as_ref().zip(engine.roles.planner.as_ref())?;
    let footnotes = Footnotes::mint(&sifted.evidence);
    let places = match outline::outline(planner.model(), rules, &sifted.asked.question, &footnotes).await {
        Ok(places) => places,
        Err(error) => {
            flags::fall_back(&mut sifted.fallback_reasons, "no_outline", &error);
            return Some(error.to_string());
        }
    };
    sifted.trace.push(outline::record(places.len()));
    let mut all: Vec<Option<Candidate>> = std::mem::take(&mut sifted.evidence).into_iter().map(Some).collect();
    sifted.evidence = places.into_iter().filter_map(|place| all[place].take()).collect();
    sifted.dropped.extend(all.into_iter().flatten().map(|candidate| ("outline", candidate)));
    None
}

fn no_thesis(policy: &Policy) -> Refusal {
    Refusal {
        reason: Reason::NoThesis,
        explanation: "Passages that support an answer (0) below the least that is needed (1)".to_owned(),
        suggestions: policy.rules.wording.next_steps.clone(),
    }
}

fn passage_tokens(evidence: &[Candidate]) -> u64 {
    evidence.iter().map(|candidate| u64::from(candidate.passage.tokens)).sum()
}

fn joined(failures: &[String]) -> Option<String> {
    (!failures.is_empty()).then(|| failures.join("; "))
}
