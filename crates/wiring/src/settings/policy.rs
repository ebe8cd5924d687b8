//! What decides: the sections `policy`, `routing` and `breakers`.

use std::path::PathBuf;

use ibidem_engine::policy::{PolicyLimits, VerificationMode};
use ibidem_ports::degrade::BreakerSettings;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::Settings;
use super::value::{AtLeast, Millis, Word, checked};

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicySettings {
    /// A policy that is shipped, by its name, or a file.
    pub r#use: String,
    /// Thresholds by collection, laid over the policy's.
    pub thresholds: Option<PathBuf>,
    of_tenants: OfTenants,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfTenants {
    verification: Word<VerificationMode>,
    #[serde(deserialize_with = "share")]
    least_support: f64,
    most_passages: AtLeast<usize, 1>,
    most_answer_tokens: AtLeast<u32, 1>,
}

fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let share = f64::deserialize(deserializer)?;
    let problem = || D::Error::custom(format!("is {share}; it must be from 0 to 1"));
    (0.0..=1.0).contains(&share).then_some(share).ok_or_else(problem)
}

impl PolicySettings {
    /// What the policies of tenants may say at most, and at least.
    pub fn of_tenants(&self) -> PolicyLimits {
        PolicyLimits {
            verification: self.of_tenants.verification.get(),
            least_support: self.of_tenants.least_support,
            most_passages: self.of_tenants.most_passages.get(),
            most_answer_tokens: self.of_tenants.most_answer_tokens.get(),
        }
    }
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoutingSettings {
    /// Whom a question goes to when what it is about has no owner.
    #[serde(deserialize_with = "email")]
    pub admin_email: Option<String>,
}

fn email<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let is_right = |email: &Option<String>| email.as_ref().is_none_or(|email| email.contains('@'));
    checked(deserializer, is_right, "is not an e-mail address; write name@host")
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breakers {
    failures: AtLeast<u32, 1>,
    open_ms: Millis,
    successes: AtLeast<u32, 1>,
}

impl Settings {
    pub fn breakers(&self) -> BreakerSettings {
        BreakerSettings {
            failures_to_open: self.breakers.failures.get(),
            open_for: self.breakers.open_ms.get(),
            successes_to_close: self.breakers.successes.get(),
        }
    }
}
