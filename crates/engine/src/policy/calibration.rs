//! What a policy says about where its threshold comes from: by which questions it was chosen, what it promises, and
//! with which models. With others it promises nothing.

use std::fmt;

use chrono::{DateTime, Utc};
use ibidem_words::Sha256Hash;
use serde::{Deserialize, Serialize};

use super::{Answerability, CollectionThresholds, SiftRules, Top1Similarity};

/// The gate whose number was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalibratedGate {
    /// `answerability`: the least probability, of the best passage, that it answers.
    Answerability,
    /// `top1_similarity`: the least similarity of the best passage.
    Top1Similarity,
    /// `collections`: the most distance of a passage, the same in every collection.
    DistanceThreshold,
}

impl fmt::Display for CalibratedGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Answerability => "answerability",
            Self::Top1Similarity => "top1_similarity",
            Self::DistanceThreshold => "distance_threshold",
        })
    }
}

/// Proves a threshold. With probability of at least `confidence` over the draw of the labels, at most
/// `max_hallucination` of the answers given are wrong; on questions of the same kind, and no others.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    pub gate: CalibratedGate,
    /// Holds the threshold as it stands in the gate.
    pub threshold: f64,
    pub max_hallucination: f64,
    pub confidence: f64,
    /// The name of the test.
    pub bound: String,
    /// Labelled questions that were searched for.
    pub labels: usize,
    /// How many of these were answered at this threshold, and how many of those answers were wrong: to a question that
    /// nothing answers, from no right document, or without the words that a person marked.
    pub answered: usize,
    pub wrong: usize,
    pub observed_risk: f64,
    /// Identifies the files of labels by their digests, in their order.
    pub labels_sha256: Sha256Hash,
    /// Identifies the policy's text that was calibrated.
    pub policy_sha256: Sha256Hash,
    pub at: DateTime<Utc>,
    pub models: CalibratedModels,
    /// What becomes of the policy where other models are in use.
    #[serde(default)]
    pub with_other_models: WithOtherModels,
}

/// What becomes of a calibrated policy that is used with models it was not calibrated with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WithOtherModels {
    /// It is not put in force.
    #[default]
    Refuse,
    /// It is put in force and promises nothing; `ibidem doctor` says so.
    PromiseNothing,
}

/// The models whose numbers a threshold is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CalibratedModels {
    pub embedding: ModelIdentity,
    /// What reads the candidates; none where none was configured.
    #[serde(default)]
    pub reranker: Option<ModelIdentity>,
    /// What judges sentences, and with them how sure an answer is.
    #[serde(default)]
    pub verifier: Option<ModelIdentity>,
}

/// A model by what makes it another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelIdentity {
    pub name: String,
    /// None where it is asked over the network: then the name must do.
    #[serde(default)]
    pub sha256: Option<Sha256Hash>,
}

impl ModelIdentity {
    /// The name is for people where there is a digest.
    fn is(&self, other: &Self) -> bool {
        match (self.sha256, other.sha256) {
            (None, None) => self.name == other.name,
            (one, other) => one == other,
        }
    }
}

impl fmt::Display for ModelIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sha256 {
            Some(hash) => write!(f, "{} (hash {})", self.name, hash.short(12)),
            None => f.write_str(&self.name),
        }
    }
}

impl CalibratedModels {
    /// What is another model now than it was; empty when none is.
    pub(super) fn differences(&self, in_use: &Self) -> Vec<String> {
        let parts = [
            ("embedding model", Some(&self.embedding), Some(&in_use.embedding)),
            ("reranker", self.reranker.as_ref(), in_use.reranker.as_ref()),
            ("verifier", self.verifier.as_ref(), in_use.verifier.as_ref()),
        ];
        let named = |mark: Option<&ModelIdentity>| mark.map_or_else(|| "none".to_owned(), ToString::to_string);
        let differs = |one: Option<&ModelIdentity>, other: Option<&ModelIdentity>| match (one, other) {
            (Some(one), Some(other)) => !one.is(other),
            (one, other) => one.is_some() != other.is_some(),
        };
        let different = parts.into_iter().filter(|(_, was, is)| differs(*was, *is));
        different.map(|(part, was, is)| format!("the {part} was {}, and {} is in use", named(was), named(is))).collect()
    }
}

impl Calibration {
    /// A number that was changed afterwards is not the one that was tested.
    pub(super) fn contradictions(&self, rules: &SiftRules, found: &mut Vec<String>) {
        let same = |number: f64| (number - self.threshold).abs() < 1e-9;
        let stands = match self.gate {
            CalibratedGate::Answerability => rules.rules_of::<Answerability>().any(|rule| same(rule.0)),
            CalibratedGate::Top1Similarity => rules.rules_of::<Top1Similarity>().any(|rule| same(rule.0)),
            CalibratedGate::DistanceThreshold => rules.rules_of::<CollectionThresholds>().any(|thresholds| {
                let mut all = thresholds.collections.values().chain([&thresholds.default]);
                all.all(|thresholds| same(thresholds.distance_threshold))
            }),
        };
        if !stands {
            found.push(format!(
                "calibration is about sift.{} = {}, which is not what the gate has: put the number back, calibrate \
                 again, or take `calibration` out, and with it the bound",
                self.gate, self.threshold
            ));
        }
    }
}

#[cfg(test)]
mod tests;
