//! One answer, checked as answers are before they are released.

use std::ops::Range;
use std::time::Instant;

use ibidem_engine::speak::verify::windows::windows_of;
use ibidem_language::figures::{self, Finding};
use ibidem_language::sentences::sentences_of;
use ibidem_ports::degrade::{Deadline, Part};
use ibidem_ports::entailment::{Entailment, EntailmentError, Pair, Support};

use super::asides::{Aside, aside};
use super::ragtruth::{MarkedAnswer, MarkedSpan, without_references};

#[derive(Clone, PartialEq, Debug)]
pub struct CheckedAnswer {
    pub id: String,
    /// In characters.
    pub length: usize,
    pub sentences: Vec<CheckedSentence>,
    pub marked: Vec<MarkedSpan>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct CheckedSentence {
    /// Where it stands in its answer.
    pub characters: Range<usize>,
    pub text: String,
    /// It claims nothing, and needs no support.
    pub aside: Option<Aside>,
    /// What is wrong with its figures.
    pub findings: Vec<Finding>,
    /// Of the window that supports it best.
    pub support: f64,
    /// That window says otherwise.
    pub contradicted: bool,
    /// For all of it: figures, windows, the model.
    pub milliseconds: f64,
}

impl CheckedSentence {
    /// It would not have been said.
    pub fn is_flagged(&self, least_support: f64) -> bool {
        !self.findings.is_empty() || self.is_unsupported(least_support)
    }

    /// The entailment model would not have let it through.
    pub fn is_unsupported(&self, least_support: f64) -> bool {
        self.aside.is_none() && self.support < least_support
    }
}

impl CheckedAnswer {
    pub fn is_flagged(&self, least_support: f64) -> bool {
        self.sentences.iter().any(|sentence| sentence.is_flagged(least_support))
    }
}

/// Every sentence of an answer against all passages, because these answers cite none in particular.
pub async fn check_answer(
    entailment: &Part<dyn Entailment>,
    answer: &MarkedAnswer,
) -> Result<CheckedAnswer, EntailmentError> {
    let passages: Vec<&str> = answer.passages.iter().map(String::as_str).collect();
    Ok(CheckedAnswer {
        id: answer.id.clone(),
        length: answer.answer.chars().count(),
        sentences: check_text(entailment, &answer.answer, &passages).await?,
        marked: answer.spans.clone(),
    })
}

/// The sentences of a text, one after the other, as they are released.
pub async fn check_text(
    entailment: &Part<dyn Entailment>,
    text: &str,
    passages: &[&str],
) -> Result<Vec<CheckedSentence>, EntailmentError> {
    let mut checked = Vec::new();
    let mut end = 0;
    for sentence in sentences_of(text) {
        let Some(place) = text[end..].find(sentence) else { continue };
        let begin = end + place;
        end = begin + sentence.len();
        let before = text[..begin].chars().count();
        let characters = before..before + sentence.chars().count();
        let claim = without_references(sentence);
        if !claim.chars().any(char::is_alphabetic) {
            continue;
        }
        let found = check_sentence(entailment, claim.trim(), passages).await?;
        checked.push(CheckedSentence { characters, text: sentence.to_owned(), ..found });
    }
    Ok(checked)
}

/// Figures by rule; then whether any window supports it, unless it claims nothing.
async fn check_sentence(
    entailment: &Part<dyn Entailment>,
    sentence: &str,
    passages: &[&str],
) -> Result<CheckedSentence, EntailmentError> {
    let began = Instant::now();
    let findings = figures::check(sentence, passages);
    let aside = aside(sentence);
    let (mut support, mut contradicted) = (0.0, false);
    if aside.is_none() {
        let windows = windows_of(passages).into_iter();
        let pairs = windows.map(|premise| Pair { premise, claim: sentence.to_owned() }).collect();
        let classifications = entailment.call(Deadline::NONE, |entailment| entailment.classify(pairs)).await?;
        if let Some(best) = classifications.iter().max_by(|one, other| one.score.total_cmp(&other.score)) {
            support = f64::from(best.score);
            contradicted = best.support == Support::Contradicted;
        }
    }
    let milliseconds = began.elapsed().as_secs_f64() * 1_000.0;
    Ok(CheckedSentence { aside, findings, support, contradicted, milliseconds, ..CheckedSentence::default() })
}
