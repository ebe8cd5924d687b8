//! The section `policy`.

use std::path::PathBuf;

use ibidem_engine::policy::{PolicyLimits, VerificationMode};
use serde::Deserialize;

use super::Problems;
use crate::settings::checked::PolicySettings;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPolicy {
    r#use: String,
    thresholds: Option<PathBuf>,
    of_tenants: RawPolicyLimits,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPolicyLimits {
    verification: Mode,
    least_support: f64,
    most_passages: usize,
    most_answer_tokens: u32,
}

/// YAML takes `off` for a word or for false, as its reader pleases.
#[derive(Deserialize)]
#[serde(untagged)]
enum Mode {
    Checked(bool),
    Word(String),
}

impl RawPolicy {
    pub(super) fn check(self, problems: &mut Problems) -> Option<PolicySettings> {
        let of_tenants = self.of_tenants.check(problems)?;
        Some(PolicySettings { named: self.r#use, thresholds: self.thresholds, of_tenants })
    }
}

impl RawPolicyLimits {
    fn check(&self, problems: &mut Problems) -> Option<PolicyLimits> {
        let Self { least_support, most_passages, most_answer_tokens, .. } = *self;
        let modes =
            [("off", VerificationMode::Off), ("mark", VerificationMode::Mark), ("strict", VerificationMode::Strict)];
        let written = match &self.verification {
            Mode::Checked(false) => "off",
            Mode::Checked(true) => "true",
            Mode::Word(word) => word,
        };
        let verification = problems.one_of("policy.of_tenants.verification", written, &modes);
        if !(0.0..=1.0).contains(&least_support) {
            let problem = format!("is {least_support}; it must be from 0 to 1");
            problems.note("policy.of_tenants.least_support", &problem);
        }
        problems.at_least("policy.of_tenants.most_passages", most_passages as u64, 1);
        problems.at_least("policy.of_tenants.most_answer_tokens", most_answer_tokens.into(), 1);
        Some(PolicyLimits { verification: verification?, least_support, most_passages, most_answer_tokens })
    }
}
