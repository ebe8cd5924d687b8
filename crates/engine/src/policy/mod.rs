//! Policies: the gates, limits and wording in force, as data, versioned by the hash of their file.

mod gather;
mod pattern;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::words::{Reason, Sha256Hash};

pub use gather::{
    AddressRules, AddressSeries, AddressWording, CuratedRules, GatherRules, ListRules, ListWording, RerankRules,
    RewriteRules, TerminologyRules, TerminologyWording, Topic, TopicRules, TopicWording,
};
pub use pattern::AddressPattern;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    #[error("the policy cannot be read: {0}")]
    Unreadable(String),
    #[error("the policy contradicts itself: {}", .0.join("; "))]
    Contradictory(Vec<String>),
}

/// A policy, checked.
#[derive(Clone, PartialEq, Debug)]
pub struct Policy {
    pub rules: Rules,
    /// Of the file's text: what an answer was decided by, exactly.
    pub hash: Sha256Hash,
}

/// What a policy file says.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub name: String,
    /// What it is for, and where its numbers come from.
    pub about: String,
    pub gather: GatherRules,
    pub sift: SiftRules,
    pub speak: SpeakRules,
    pub wording: Wording,
}

/// Each threshold is off when it is null.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiftRules {
    /// Candidates below this cosine are noise; forced ones are exempt.
    pub noise_floor: Option<f64>,
    /// The same where a reranker has read them: it tells noise better than a cosine does.
    #[serde(default)]
    pub noise_floor_reranked: Option<f64>,
    /// Candidates below this cosine are dropped.
    pub min_similarity: Option<f64>,
    /// Of two candidates whose texts are more alike than this, the worse is dropped.
    pub duplicates: Option<f64>,
    /// At most so many candidates of one document.
    pub per_document: Option<usize>,
    /// Below this cosine of the best candidate the question is refused.
    pub top1_similarity: Option<f64>,
    /// Warn when this share of the question's words, or more, is missing from the evidence.
    pub missing_keywords: Option<f64>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpeakRules {
    pub mode: SpeakMode,
    /// Sentences of an extractive answer.
    pub extractive_sentences: usize,
    pub temperature: f64,
    pub max_answer_tokens: u32,
    /// What the model is told; the notes and the question follow as messages of their own.
    pub system_prompt: String,
    /// Said above curators' notes, which the model may know and must not say.
    #[serde(default)]
    pub background_prompt: String,
    /// A conversation that shows how it is done.
    #[serde(default)]
    pub examples: Vec<Example>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub notes: Vec<String>,
    pub question: String,
    pub answer: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeakMode {
    /// A model writes from the notes; when it does not answer, the sources' own sentences stand in.
    Model,
    /// The sources' own sentences, and no model at all.
    Extractive,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wording {
    /// What a refusal says, unless its reason has words of its own.
    pub refusal: String,
    #[serde(default)]
    pub refusal_by_reason: BTreeMap<Reason, String>,
    /// Said above an extractive answer that stands in for a model's.
    pub extractive_notice: String,
    /// What the asker can do next.
    #[serde(default)]
    pub next_steps: Vec<String>,
}

impl Policy {
    /// Reads and checks a policy file's text.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let rules: Rules = serde_saphyr::from_str(text).map_err(|error| PolicyError::Unreadable(error.to_string()))?;
        let contradictions = rules.contradictions();
        if !contradictions.is_empty() {
            return Err(PolicyError::Contradictory(contradictions));
        }
        Ok(Self { rules, hash: Sha256Hash::of(text.as_bytes()) })
    }
}

impl Rules {
    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        let sift = &self.sift;
        for (name, threshold) in [
            ("sift.noise_floor", sift.noise_floor),
            ("sift.noise_floor_reranked", sift.noise_floor_reranked),
            ("sift.min_similarity", sift.min_similarity),
            ("sift.duplicates", sift.duplicates),
            ("sift.top1_similarity", sift.top1_similarity),
            ("sift.missing_keywords", sift.missing_keywords),
        ] {
            if threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
                found.push(format!("{name} must be between 0 and 1"));
            }
        }
        if sift.per_document == Some(0) {
            found.push("sift.per_document is 0: nothing could ever be answered".to_owned());
        }
        self.gather.contradictions(&mut found);
        if self.gather.curated.is_some() && self.speak.background_prompt.trim().is_empty() {
            found.push("speak.background_prompt is empty: curators' notes would pass for sources".to_owned());
        }
        if self.speak.extractive_sentences == 0 {
            found.push("speak.extractive_sentences is 0: an extractive answer would be empty".to_owned());
        }
        if self.wording.refusal.trim().is_empty() {
            found.push("wording.refusal is empty: a refusal would say nothing".to_owned());
        }
        found
    }
}

impl Wording {
    pub fn refusal_for(&self, reason: Reason) -> &str {
        self.refusal_by_reason.get(&reason).unwrap_or(&self.refusal)
    }
}
