//! The third movement: what is said, each sentence with its source, and nothing else.

pub mod extractive;
pub mod footnotes;
pub mod gauntlet;
mod generate;
pub mod prompt;
pub mod sentences;

use std::collections::BTreeSet;

use crate::policy::{Policy, SpeakMode};
use crate::ports::language_model::LanguageModel;
use crate::turn::Sifted;
use crate::words::{Action, Answer, ConfidenceLevel, Reason, Refusal, RetrievalQuality, Transparency};

use extractive::extract;
use footnotes::Footnotes;
use gauntlet::Counts;
pub use generate::Draft;
use generate::{Ended, generate};
use sentences::Sentence;

/// Hears what is released, as soon as it is.
pub trait Listener: Send {
    /// A whole sentence that may be shown, with the notes it cites.
    fn sentence(&mut self, sentence: &Sentence, footnotes: &Footnotes<'_>);
}

/// Nobody listens: the answer is read when it is whole.
pub struct Nobody;

impl Listener for Nobody {
    fn sentence(&mut self, _: &Sentence, _: &Footnotes<'_>) {}
}

/// An answer, and what it was made from that the asker does not see.
#[derive(Clone, Debug)]
pub struct Spoken {
    pub answer: Answer,
    pub draft: Option<Draft>,
}

/// Speaks from what was sifted.
pub async fn speak(model: Option<&dyn LanguageModel>, mut sifted: Sifted, listener: &mut dyn Listener) -> Spoken {
    let policy = sifted.asked.policy.clone();
    let evidence = std::mem::take(&mut sifted.evidence);
    let footnotes = Footnotes::mint(&evidence);
    let rules = &policy.rules.speak;

    let mut draft = None;
    if rules.mode == SpeakMode::Model
        && let Some(model) = model
    {
        let written = generate(model, rules, &sifted.asked.question, &footnotes, listener).await;
        match written.ended {
            Ended::Whole if !written.sentences.is_empty() => {
                let answer = answer(sifted, &footnotes, &written.sentences, &written.model);
                return Spoken { answer, draft: Some(written) };
            }
            Ended::Whole => {
                let refusal = unsupported(&policy, &written);
                let answer = refuse(sifted, &policy, &refusal);
                return Spoken { answer, draft: Some(written) };
            }
            // What was released stays; it was whole and cited. What the model still owed is said openly.
            Ended::Early(_) if !written.sentences.is_empty() => {
                sifted.warnings.push("The model stopped before its answer was complete.".to_owned());
                sifted.fallback_reasons.push("model_interrupted".to_owned());
                let answer = answer(sifted, &footnotes, &written.sentences, &written.model);
                return Spoken { answer, draft: Some(written) };
            }
            Ended::Early(_) => {
                sifted.fallback_reasons.push("extractive".to_owned());
                draft = Some(written);
            }
        }
    } else if rules.mode == SpeakMode::Model {
        sifted.fallback_reasons.push("extractive".to_owned());
    }
    let sentences = extract(&sifted.asked.question.query, &footnotes, rules.extractive_sentences);
    for sentence in &sentences {
        listener.sentence(sentence, &footnotes);
    }
    if draft.is_some() || rules.mode == SpeakMode::Model {
        sifted.warnings.push(policy.rules.wording.extractive_notice.clone());
    }
    let answer = answer(sifted, &footnotes, &sentences, "extractive");
    Spoken { answer, draft }
}

fn answer(sifted: Sifted, footnotes: &Footnotes<'_>, sentences: &[Sentence], model_used: &str) -> Answer {
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
        citations,
        transparency: transparency(&retrieval_quality),
        retrieval_quality,
        suggestions: Vec::new(),
        warnings: sifted.warnings,
        model_used: Some(model_used.to_owned()),
        context_chunks_used: footnotes.notes().count(),
        context_tokens_used: 0,
        generation_time_ms: 0,
        trace: sifted.trace,
    }
}

/// A refusal: the policy's words, the reason with its numbers, and a next step. No model has run, or none is believed.
pub fn refuse(sifted: Sifted, policy: &Policy, refusal: &Refusal) -> Answer {
    let base = mean(sifted.evidence.iter().map(crate::words::Candidate::similarity));
    let retrieval_quality = RetrievalQuality::of(base, sifted.fallback_reasons);
    Answer {
        request_id: sifted.asked.request_id,
        action: Action::Refuse,
        answer: policy.rules.wording.refusal_for(refusal.reason).trim().to_owned(),
        refused: true,
        refusal_reason: Some(refusal.explanation.clone()),
        reason: Some(refusal.reason),
        citations: Vec::new(),
        transparency: transparency(&retrieval_quality),
        retrieval_quality,
        suggestions: refusal.suggestions.clone(),
        warnings: sifted.warnings,
        model_used: None,
        context_chunks_used: 0,
        context_tokens_used: 0,
        generation_time_ms: 0,
        grounded: false,
        trace: sifted.trace,
    }
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
