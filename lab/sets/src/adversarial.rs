//! Sentences made to slip past a verifier, each with the passages it cites: what it catches, and what it wrongly drops.

pub mod kinds;

use std::path::Path;

use serde::{Deserialize, Serialize};

#[derive(Debug, thiserror::Error)]
pub enum AdversarialError {
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, std::io::Error),
    #[error("{0}, line {1}: {2}")]
    BadLine(String, usize, serde_json::Error),
    #[error("{0}: {1} is {2}, but its class says otherwise: only faithful sentences are supported")]
    WrongLabel(String, String, &'static str),
}

/// What was done to a sentence that was faithful before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    Number,
    Unit,
    Date,
    Entity,
    Negation,
    Comparison,
    /// A detail that no passage has.
    Invented,
    /// True, of a passage that is not the one cited.
    WrongPassage,
    /// Each part stands in a passage, but they do not belong together.
    Merged,
    /// Nothing: said nearly in the passage's words.
    FaithfulNear,
    /// Nothing: said in other words.
    FaithfulFree,
}

impl Class {
    pub const ALL: [Self; 11] = [
        Self::Number,
        Self::Unit,
        Self::Date,
        Self::Entity,
        Self::Negation,
        Self::Comparison,
        Self::Invented,
        Self::WrongPassage,
        Self::Merged,
        Self::FaithfulNear,
        Self::FaithfulFree,
    ];

    pub fn is_faithful(self) -> bool {
        matches!(self, Self::FaithfulNear | Self::FaithfulFree)
    }

    /// What a rule can decide without understanding the sentence.
    pub fn is_deterministic(self) -> bool {
        matches!(self, Self::Number | Self::Unit | Self::Date | Self::Negation | Self::Comparison)
    }
}

/// A sentence with the passages it cites.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct CitedSentence {
    pub id: String,
    pub class: Class,
    pub passages: Vec<String>,
    pub sentence: String,
    /// Whether its passages bear it out.
    pub supported: bool,
    /// What was changed, for people.
    pub note: String,
}

impl CitedSentence {
    pub fn cited(&self) -> Vec<&str> {
        self.passages.iter().map(String::as_str).collect()
    }
}

/// How the sentences of one class did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ClassScore {
    pub class: Class,
    pub sentences: usize,
    /// Objected to: right for what was tampered with, wrong for what is faithful.
    pub objected: usize,
    /// The ids of those that were let through although they are not supported, or objected to although they are.
    pub wrong: Vec<String>,
}

pub fn load(file: &Path) -> Result<Vec<CitedSentence>, AdversarialError> {
    let name = || file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| AdversarialError::Unreadable(name(), error))?;
    let mut sentences: Vec<CitedSentence> = Vec::new();
    for (place, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let sentence: CitedSentence =
            serde_json::from_str(line).map_err(|error| AdversarialError::BadLine(name(), place + 1, error))?;
        if sentence.supported != sentence.class.is_faithful() {
            let label = if sentence.supported { "supported" } else { "not supported" };
            return Err(AdversarialError::WrongLabel(name(), sentence.id, label));
        }
        sentences.push(sentence);
    }
    Ok(sentences)
}

/// Asks the checker about every sentence whether it objects, and counts by class.
pub fn score(sentences: &[CitedSentence], mut objects: impl FnMut(&CitedSentence) -> bool) -> Vec<ClassScore> {
    let mut scores: Vec<ClassScore> = Class::ALL
        .into_iter()
        .map(|class| ClassScore { class, sentences: 0, objected: 0, wrong: Vec::new() })
        .collect();
    for sentence in sentences {
        let Some(score) = scores.iter_mut().find(|score| score.class == sentence.class) else { continue };
        let objected = objects(sentence);
        score.sentences += 1;
        score.objected += usize::from(objected);
        if objected == sentence.supported {
            score.wrong.push(sentence.id.clone());
        }
    }
    scores
}

/// The share of the faithful sentences that were objected to.
pub fn faithful_dropped(scores: &[ClassScore]) -> f64 {
    let faithful = scores.iter().filter(|score| score.class.is_faithful());
    let (objected, all) =
        faithful.fold((0, 0), |(objected, all), score| (objected + score.objected, all + score.sentences));
    if all == 0 { 0.0 } else { objected as f64 / all as f64 }
}

#[cfg(test)]
mod tests;
