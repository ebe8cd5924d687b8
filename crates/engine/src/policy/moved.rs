//! The thresholds of a policy, and the same policy with some of them moved: for trying numbers before they are in force.

use std::collections::BTreeMap;

use ibidem_words::PolicyTexts;
use serde_json::Value;

use super::bounds::{self, put};
use super::{Policy, PolicyError};

/// A number that a decision is held against.
#[derive(Clone, PartialEq, Debug)]
pub struct Threshold {
    /// Names the setting as other places do: `sift.top1_similarity`, `speak.confidence.cite_from`.
    pub setting: String,
    pub value: f64,
    /// It may be anything from 0 to this.
    pub most: f64,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    #[error("{0} is no threshold of the policy file in force")]
    Unknown(String),
    #[error(transparent)]
    Policy(#[from] PolicyError),
}

/// A threshold, and the way to it in the text of the policy.
struct LocatedThreshold {
    threshold: Threshold,
    path: Vec<String>,
}

/// The name of the gate that may have numbers from a text of their own.
const BY_COLLECTION: &str = "collections";

impl Policy {
    /// Every number between 0 and 1 that a gate has, in the gates' order, and those that what was written is held against.
    pub fn thresholds(&self) -> Vec<Threshold> {
        self.located_thresholds().into_iter().map(|found| found.threshold).collect()
    }

    /// Returns the same policy with other numbers. A bound that was shown for the numbers before is not in it. It is
    /// checked as any policy is.
    pub fn moved(&self, to: &BTreeMap<String, f64>) -> Result<Self, MoveError> {
        if to.is_empty() {
            return Ok(self.clone());
        }
        let found = self.located_thresholds();
        let mut tree = self.tree()?;
        for (setting, value) in to {
            let path = found.iter().find(|found| found.threshold.setting == *setting).map(|found| &found.path);
            let path = path.ok_or_else(|| MoveError::Unknown(setting.clone()))?;
            put(&mut tree, path, Value::from(*value));
        }
        tree.as_object_mut().and_then(|sections| sections.remove("calibration"));
        let policy = serde_json::to_string_pretty(&tree).map_err(|error| PolicyError::Unreadable(error.to_string()))?;
        let texts = PolicyTexts { policy, thresholds: self.texts.thresholds.clone() };
        Ok(Self { place: self.place.clone(), ..Self::of_texts(&texts)? })
    }

    fn tree(&self) -> Result<Value, PolicyError> {
        bounds::tree(&self.texts.policy)
    }

    fn located_thresholds(&self) -> Vec<LocatedThreshold> {
        let Ok(tree) = self.tree() else { return Vec::new() };
        let written = tree["sift"]["gates"].as_array().map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        for (place, (gate, written)) in self.rules.sift.gates.iter().zip(written).enumerate() {
            if gate.name() == BY_COLLECTION && self.texts.thresholds.is_some() {
                continue;
            }
            let mut numbers = Vec::new();
            leaves(written, &mut Vec::new(), &mut numbers);
            for (names, value) in numbers {
                if !gate.has_share(&names) {
                    continue;
                }
                let setting = format!("sift.{}", names.join("."));
                let ahead = ["sift".to_owned(), "gates".to_owned(), place.to_string()];
                let path = ahead.into_iter().chain(names).collect();
                found.push(LocatedThreshold { threshold: Threshold { setting, value, most: 1.0 }, path });
            }
        }
        let (sift, speak) = (&self.rules.sift, &self.rules.speak);
        let has_reader = sift.gates.iter().any(|gate| gate.name() == "answerability");
        let others = [
            ("sift.named_share", has_reader.then_some(sift.named_share), 1.0),
            ("speak.verification.least_support", Some(speak.verification.least_support), 1.0),
            ("speak.least_answering", speak.least_answering, 1.0),
            ("speak.confidence.cite_from", speak.confidence.as_ref().map(|rules| rules.cite_from), 100.0),
        ];
        found.extend(others.into_iter().filter_map(|(setting, value, most)| {
            let path = setting.split('.').map(str::to_owned).collect();
            Some(LocatedThreshold { threshold: Threshold { setting: setting.to_owned(), value: value?, most }, path })
        }));
        found
    }
}

/// Every number in a section, with the names that lead to it.
fn leaves(value: &Value, names: &mut Vec<String>, found: &mut Vec<(Vec<String>, f64)>) {
    match value {
        Value::Object(section) => {
            for (name, value) in section {
                names.push(name.clone());
                leaves(value, names, found);
                names.pop();
            }
        }
        value => found.extend(value.as_f64().map(|number| (names.clone(), number))),
    }
}

#[cfg(test)]
mod tests {
    use super::super::SHIPPED_POLICIES;
    use super::*;

    fn policy(text: &str) -> Policy {
        Policy::parse(text).unwrap()
    }

    fn moved(policy: &Policy, changes: &[(&str, f64)]) -> Result<Policy, MoveError> {
        policy.moved(&changes.iter().map(|(setting, value)| ((*setting).to_owned(), *value)).collect())
    }

    #[test]
    fn every_threshold_of_every_shipped_policy_can_be_moved_and_nothing_else_changes() {
        for (name, text) in SHIPPED_POLICIES {
            let own = policy(text);
            let thresholds = own.thresholds();
            assert!(thresholds.len() >= 3, "{name}: {thresholds:?}");
            for Threshold { setting, value, most } in &thresholds {
                assert!((0.0..=*most).contains(value), "{name}: {setting}");
                // Where it stands it is the same policy, bound and all that is not a number aside.
                let same = moved(&own, &[(setting, *value)]).unwrap();
                assert_eq!(same.rules.sift, own.rules.sift, "{name}: {setting}");
                assert_eq!(same.rules.speak, own.rules.speak, "{name}: {setting}");
                assert_eq!(same.rules.gather, own.rules.gather, "{name}: {setting}");
                let Ok(other) = moved(&own, &[(setting, value * 0.99)]) else { continue };
                let before = thresholds.iter().map(|one| (&one.setting, one.value));
                let after = other.thresholds();
                for ((of, before), after) in before.zip(&after) {
                    assert_eq!(before != after.value, of == setting && *value > 0.0, "{name}: {setting} and {of}");
                }
            }
        }
    }

    #[test]
    fn the_thresholds_of_the_default_policy_have_the_names_that_policy_diff_gives_them() {
        let thresholds = policy(SHIPPED_POLICIES[2].1).thresholds();
        let names: Vec<&str> = thresholds.iter().map(|threshold| threshold.setting.as_str()).collect();
        assert_eq!(
            names,
            [
                "sift.min_similarity",
                "sift.duplicates",
                "sift.top1_similarity",
                "sift.answerability",
                "sift.missing_keywords",
                "sift.named_share",
                "speak.verification.least_support",
                "speak.least_answering",
                "speak.confidence.cite_from",
            ]
        );
        assert_eq!((thresholds[8].value, thresholds[8].most), (60.0, 100.0));
        let architecture = policy(SHIPPED_POLICIES[0].1).thresholds();
        let of_collection = |one: &Threshold| one.setting == "sift.collections.default.distance_threshold";
        assert!(architecture.iter().any(of_collection), "{architecture:?}");
    }

    #[test]
    fn a_section_that_the_text_leaves_out_is_made() {
        let book = policy(SHIPPED_POLICIES[1].1);
        assert!(!book.texts.policy.contains("verification"));
        let other = moved(&book, &[("speak.verification.least_support", 0.7)]).unwrap();
        assert_eq!(other.rules.speak.verification.least_support, 0.7);
        assert_eq!(other.rules.speak.verification.mode, book.rules.speak.verification.mode);
    }

    #[test]
    fn what_is_no_threshold_or_no_possible_number_is_refused() {
        let own = policy(SHIPPED_POLICIES[2].1);
        for setting in ["sift.per_document", "speak.temperature", "name", "", "sift.gates", "sift.nonsense"] {
            let error = moved(&own, &[(setting, 0.5)]).unwrap_err();
            assert_eq!(error, MoveError::Unknown(setting.to_owned()));
        }
        for (setting, value) in
            [("sift.top1_similarity", 1.1), ("sift.top1_similarity", -0.1), ("speak.confidence.cite_from", 101.0)]
        {
            assert!(matches!(moved(&own, &[(setting, value)]), Err(MoveError::Policy(_))), "{setting} {value}");
        }
        assert!(moved(&own, &[("sift.top1_similarity", f64::NAN)]).is_err(), "no number");
        assert_eq!(moved(&own, &[]).unwrap(), own);
    }
}
