//! Policies: the gates, limits and wording in force, as data, versioned by the hash of their file.

mod gather;
mod pattern;
mod sift;

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::words::{Reason, Sha256Hash};

pub use gather::{
    AddressRules, AddressSeries, AddressWording, CuratedRules, GatherRules, ListRules, ListWording, RerankRules,
    RewriteRules, TerminologyRules, TerminologyWording, Topic, TopicRules, TopicWording,
};
pub use pattern::AddressPattern;
pub use sift::{CollectionThresholds, Coverage, Gate, KeepBest, NoContext, NoiseFloor, SiftRules, Thresholds};

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
        self.sift.contradictions(&mut found);
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
