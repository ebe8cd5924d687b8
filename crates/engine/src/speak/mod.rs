//! The third movement: what is said, each sentence with its source, and nothing else.

mod background;
pub mod extractive;
pub mod footnotes;
pub mod gauntlet;
mod generate;
pub mod prompt;
pub mod sentences;

use std::collections::BTreeSet;

use crate::ask::AskError;
use crate::policy::{Policy, SpeakMode};
use crate::ports::language_model::{LanguageModel, ModelError};
use crate::turn::{Asked, Sifted};
use crate::words::{
    Action, Answer, Citation, ConfidenceLevel, GateRecord, Reason, Receipt, ReceiptSentence, ReceiptSource, Refusal,
    RetrievalQuality, SentenceCheck, Transparency,
};

use extractive::extract;
use footnotes::Footnotes;
use gauntlet::Counts;
pub use generate::Draft;
use generate::{Ended, generate};
use sentences::{Kind, Sentence};

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
}

impl Spoken {
    /// Said without any model.
    pub fn plainly(answer: Answer) -> Self {
        Self { answer, draft: None, failure: None }
    }
}

/// Speaks from what was sifted. Fails only when the asker named a model that is not served.
pub async fn speak(
    model: Option<&dyn LanguageModel>,
    mut sifted: Sifted,
    listener: &mut dyn Listener,
) -> Result<Spoken, AskError> {
    let policy = sifted.asked.policy.clone();
    let evidence = std::mem::take(&mut sifted.evidence);
    let footnotes = Footnotes::mint(&evidence);
    let rules = &policy.rules.speak;
    if rules.mode == SpeakMode::Extractive {
        return Ok(Spoken::plainly(extractive_answer(sifted, &footnotes, listener)));
    }
    let Some(model) = model else {
        return Ok(Spoken::plainly(stand_in(sifted, &footnotes, listener)));
    };
    let written = generate(model, rules, &sifted.asked.question, &footnotes, &sifted.background, listener).await;
    let answer = match &written.ended {
        Ended::Whole if written.sentences.is_empty() => {
            let refusal = unsupported(&policy, &written);
            sifted.evidence.clone_from(&evidence);
            Answer { generation_time_ms: written.took_ms, ..refuse(sifted, &refusal) }
        }
        Ended::Whole => Answer {
            generation_time_ms: written.took_ms,
            ..answer(sifted, &footnotes, &written.sentences, &written.model, SentenceCheck::unchecked)
        },
        // Somebody else's model in its place would not be what was asked for.
        Ended::Early(error @ ModelError::NotServed { .. }) if sifted.asked.question.model.is_some() => {
            return Err(AskError::Model(error.clone()));
        }
        Ended::Early(_) if written.sentences.is_empty() => {
            Answer { generation_time_ms: written.took_ms, ..stand_in(sifted, &footnotes, listener) }
        }
        // What was released stays; it was whole and cited. What the model still owed is said openly.
        Ended::Early(_) => {
            sifted.warnings.push("The model stopped before its answer was complete.".to_owned());
            sifted.fallback_reasons.push("model_interrupted".to_owned());
            Answer {
                generation_time_ms: written.took_ms,
                ..answer(sifted, &footnotes, &written.sentences, &written.model, SentenceCheck::unchecked)
            }
        }
    };
    let failure = match &written.ended {
        Ended::Early(error) => Some(error.to_string()),
        Ended::Whole => None,
    };
    Ok(Spoken { answer, draft: Some(written), failure })
}

/// The sources' own sentences in place of a model's, and that is said.
fn stand_in(mut sifted: Sifted, footnotes: &Footnotes<'_>, listener: &mut dyn Listener) -> Answer {
    sifted.fallback_reasons.push("extractive".to_owned());
    sifted.warnings.push(sifted.asked.policy.rules.wording.extractive_notice.clone());
    extractive_answer(sifted, footnotes, listener)
}

fn extractive_answer(sifted: Sifted, footnotes: &Footnotes<'_>, listener: &mut dyn Listener) -> Answer {
    let most = sifted.asked.policy.rules.speak.extractive_sentences;
    let sentences = extract(&sifted.asked.question.query, footnotes, most);
    for sentence in &sentences {
        listener.sentence(&sentence.text, footnotes.citations(sentence));
    }
    answer(sifted, footnotes, &sentences, "extractive", SentenceCheck::verbatim)
}

/// The sources' own words, chosen by a rule, and no model: the evidence, each piece under its number.
pub(crate) fn quote(
    mut sifted: Sifted,
    sentences: &[Sentence],
    check: fn() -> SentenceCheck,
    listener: &mut dyn Listener,
) -> Answer {
    let evidence = std::mem::take(&mut sifted.evidence);
    let footnotes = Footnotes::mint(&evidence);
    for sentence in sentences {
        listener.sentence(&sentence.text, footnotes.citations(sentence));
    }
    Answer { model_used: None, ..answer(sifted, &footnotes, sentences, "", check) }
}

fn answer(
    sifted: Sifted,
    footnotes: &Footnotes<'_>,
    sentences: &[Sentence],
    model_used: &str,
    check: fn() -> SentenceCheck,
) -> Answer {
    let text: String = sentences.iter().map(|sentence| sentence.text.as_str()).collect();
    let cited: BTreeSet<u32> = sentences.iter().flat_map(|sentence| sentence.citations.iter().copied()).collect();
    let citations: Vec<_> = cited.into_iter().filter_map(|number| footnotes.citation(number)).collect();
    let base = mean(footnotes.notes().map(|(_, candidate)| candidate.similarity()));
    let retrieval_quality = RetrievalQuality::of(base, sifted.fallback_reasons);
    Answer {
        request_id: sifted.asked.request_id,
        action: Action::Cite,
        answer: text.trim().to_owned(),
        refused: false,
        refusal_reason: None,
        reason: None,
        grounded: !citations.is_empty(),
        receipt: Some(receipt(footnotes, sentences, check)),
        citations,
        confidence: None,
        transparency: transparency(&retrieval_quality),
        retrieval_quality,
        route_to: None,
        suggestions: Vec::new(),
        warnings: sifted.warnings,
        model_used: Some(model_used.to_owned()),
        context_chunks_used: footnotes.notes().count(),
        context_tokens_used: footnotes.notes().map(|(_, candidate)| u64::from(candidate.passage.tokens)).sum(),
        generation_time_ms: 0,
        trace: sifted.trace,
    }
}

fn receipt(footnotes: &Footnotes<'_>, sentences: &[Sentence], check: fn() -> SentenceCheck) -> Receipt {
    let sentence = |sentence: &Sentence| ReceiptSentence {
        text: sentence.text.trim().to_owned(),
        check: check(),
        sources: footnotes.citations(sentence).iter().map(ReceiptSource::from).collect(),
    };
    let claims = sentences.iter().filter(|sentence| sentence.kind == Kind::Claim);
    let sentences = claims.map(sentence).collect();
    Receipt::unsealed(None, sentences)
}

/// A refusal: the policy's words, the reason with its numbers, and a next step. No model has run, or none is believed.
pub fn refuse(sifted: Sifted, refusal: &Refusal) -> Answer {
    let base = mean(sifted.evidence.iter().map(crate::words::Candidate::similarity));
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

fn unsupported(policy: &Policy, written: &Draft) -> Refusal {
    let Counts { expanded, .. } = written.markers;
    Refusal {
        reason: Reason::UnsupportedClaims,
        explanation: format!(
            "Sentences with a source ({}) below the least that can be shown (1): {} sentences dropped, {} markers valid, {} dropped",
            written.sentences.len(),
            written.dropped_sentences,
            expanded,
            written.markers.dropped(),
        ),
        suggestions: policy.rules.wording.next_steps.clone(),
    }
}

fn transparency(quality: &RetrievalQuality) -> Transparency {
    let statement = if quality.degraded {
        Some(format!(
            "A simplified search was used ({}); results may be less comprehensive.",
            quality.fallback_reasons.join(", ")
        ))
    } else if quality.confidence_level == ConfidenceLevel::Low {
        Some("Limited relevant information was found; rephrasing the question may help.".to_owned())
    } else {
        None
    };
    Transparency { show_to_user: statement.is_some(), statement }
}

fn mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0_u32), |(sum, count), number| (sum + number, count + 1));
    if count == 0 { 0.0 } else { sum / f64::from(count) }
}
