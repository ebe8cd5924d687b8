//! What the labels of an entailment model mean: by their names, never by their order, which differs from one to the next.

use ibidem_ports::entailment::{Classification, Support};

use super::claim_input::ClaimInput;
use super::config::Config;
use super::cross_encoder::Judges;
use super::pair_model::{Head, sigmoid};
use super::pairs::Layout;

const SUPPORTED: [&str; 7] = ["entailment", "entailed", "entails", "supported", "supports", "support", "consistent"];
const CONTRADICTED: [&str; 7] =
    ["contradiction", "contradicted", "contradicts", "refuted", "refutes", "refute", "contradictory"];
const UNKNOWN: [&str; 11] = [
    "neutral",
    "unknown",
    "nei",
    "not enough info",
    "not enough information",
    "not entailment",
    "not entailed",
    "not supported",
    "unsupported",
    "inconsistent",
    "hallucinated",
];

pub(super) enum Labels {
    /// One logit: how sure it is that the claim is consistent with the premise.
    Score,
    /// One logit for each of these.
    Named(Vec<Support>),
}

/// What a model that judges claims reads, and what its logits stand for.
pub(super) struct ClaimHead {
    input: ClaimInput,
    labels: Labels,
}

impl Head for ClaimHead {
    const SECTION: &'static str = "entailment";
    const WANTED: &'static str =
        "a model that names its labels entailment, neutral and contradiction, or gives one logit";

    fn layout(&self) -> Layout {
        self.input.layout()
    }

    fn judges(&self) -> Judges {
        match &self.labels {
            Labels::Named(meanings) if self.input.marks_tokens() => {
                let support = meanings.iter().position(|meaning| *meaning == Support::Supported).unwrap_or(0);
                Judges::Tokens { logits: meanings.len(), support }
            }
            Labels::Named(meanings) => Judges::Pairs(meanings.len()),
            Labels::Score => Judges::Pairs(1),
        }
    }
}

impl ClaimHead {
    /// Refuses a model that was made for something else.
    pub(super) fn of(config: &Config, input: ClaimInput) -> Result<Self, String> {
        match (config.marks_tokens(), input.marks_tokens()) {
            (Some(true), false) => {
                return Err(
                    "it marks tokens, and does not judge pairs: set entailment.input to lettucedetect if it was \
                            taught as LettuceDetect is"
                        .to_owned(),
                );
            }
            (Some(false), true) => {
                return Err(
                    "it judges pairs, and entailment.input is lettucedetect, of which each token is judged".to_owned()
                );
            }
            _ => {}
        }
        let names = config.labels()?;
        let labels = match input.unnamed() {
            Some(unnamed) if names.iter().all(|name| is_numbered(name)) && [0, 2].contains(&names.len()) => {
                Labels::Named(unnamed.to_vec())
            }
            _ => Labels::named(&names)?,
        };
        if input.marks_tokens() && matches!(labels, Labels::Score) {
            return Err("it has one label, and each token needs two".to_owned());
        }
        Ok(Self { input, labels })
    }

    pub(super) fn classification(&self, logits: &[f32]) -> Classification {
        self.labels.classification(logits)
    }
}

/// The share of one of these logits, by softmax.
pub(super) fn share_of(logits: &[f32], one: usize) -> f64 {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weight = |logit: &f32| f64::from(logit - highest).exp();
    logits.get(one).map_or(0.0, weight) / logits.iter().map(weight).sum::<f64>()
}

impl Labels {
    fn named(labels: &[&str]) -> Result<Self, String> {
        let all = labels.join(", ");
        match labels {
            [] => return Ok(Self::Score),
            [only] if is_numbered(only) => return Ok(Self::Score),
            _ => {}
        }
        if labels.iter().any(|label| is_numbered(label)) {
            return Err(format!(
                "it calls its labels {all}, which does not say which of them means support; name them in id2label as \
                 the model's page does, for instance entailment, neutral and contradiction"
            ));
        }
        let meanings = labels.iter().map(|label| meaning(label)).collect::<Result<Vec<Support>, String>>()?;
        let supporting = meanings.iter().filter(|meaning| **meaning == Support::Supported).count();
        match (supporting, labels.len()) {
            (1, 1) => Ok(Self::Score),
            (1, _) => Ok(Self::Named(meanings)),
            (0, _) => Err(format!("none of its labels means support: {all}")),
            _ => Err(format!("more than one of its labels means support: {all}")),
        }
    }

    /// As many logits as there are labels.
    pub(super) fn classification(&self, logits: &[f32]) -> Classification {
        let meanings = match self {
            Self::Score => return Classification::of(sigmoid(logits.first().copied().unwrap_or(f32::NEG_INFINITY))),
            Self::Named(meanings) => meanings,
        };
        let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f64> = logits.iter().map(|logit| f64::from(logit - highest).exp()).collect();
        let supporting = meanings.iter().zip(&weights).filter(|(meaning, _)| **meaning == Support::Supported);
        let share = supporting.map(|(_, weight)| weight).sum::<f64>() / weights.iter().sum::<f64>();
        #[expect(clippy::cast_possible_truncation, reason = "rounding to the precision of a score is meant")]
        let classification = Classification::of(share as f32);
        let winner = meanings.iter().zip(logits).find(|(_, logit)| **logit == highest).map(|(meaning, _)| *meaning);
        match (classification.support, winner) {
            (Support::Unknown, Some(Support::Contradicted)) => {
                Classification { support: Support::Contradicted, ..classification }
            }
            _ => classification,
        }
    }
}

/// The names a library gives to labels that nobody named.
pub(crate) fn is_numbered(label: &str) -> bool {
    let number = label.to_lowercase();
    number.strip_prefix("label_").is_some_and(|number| number.parse::<usize>().is_ok())
}

/// What a label's name says of support.
pub(crate) fn meaning(label: &str) -> Result<Support, String> {
    let plain = label.to_lowercase().replace(['_', '-'], " ");
    let plain = plain.trim();
    let is_among = |names: &[&str]| names.contains(&plain);
    if is_among(&SUPPORTED) {
        Ok(Support::Supported)
    } else if is_among(&CONTRADICTED) {
        Ok(Support::Contradicted)
    } else if is_among(&UNKNOWN) {
        Ok(Support::Unknown)
    } else {
        let known: Vec<&str> = [SUPPORTED.as_slice(), &CONTRADICTED, &UNKNOWN].concat();
        Err(format!("its label {label:?} says nothing about support; labels that do are: {}", known.join(", ")))
    }
}

#[cfg(test)]
mod tests;
