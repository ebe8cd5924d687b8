//! What an operator allows the policies of tenants, which may be less than a policy file can say.

use ibidem_words::{PolicyTexts, Question};
use serde_json::Value;

use super::bounds::{bring_within, number, put, tree};
use super::{Policy, PolicyError, Rules, VerificationMode};

/// Bounds the policies of all tenants with a floor and ceilings. The installation's own policy is the operator's, and
/// is not held against them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PolicyLimits {
    /// Sentences are checked at least so strictly.
    pub verification: VerificationMode,
    /// The least of `speak.verification.least_support`.
    pub least_support: f64,
    /// The most passages that a lane brings, a reader reads of one round, and that are kept.
    pub most_passages: usize,
    /// The most tokens that a model may write for an answer.
    pub most_answer_tokens: u32,
}

impl Default for PolicyLimits {
    /// No less than any policy file can say.
    fn default() -> Self {
        Self {
            verification: VerificationMode::Off,
            least_support: 0.0,
            most_passages: usize::MAX,
            most_answer_tokens: u32::MAX,
        }
    }
}

/// What a tenant's policy says beyond what the operator allows, and what stands for it.
struct Beyond {
    key: &'static str,
    allowed: Value,
    says: String,
}

impl PolicyLimits {
    /// Why a tenant's policy is not taken, if it is not.
    pub fn check(&self, policy: &Policy) -> Result<(), PolicyError> {
        let beyond = self.beyond(&policy.rules);
        if beyond.is_empty() { Ok(()) } else { Err(PolicyError::NotAllowed(says(beyond))) }
    }

    fn beyond(&self, rules: &Rules) -> Vec<Beyond> {
        let mut found = Vec::new();
        let verification = rules.speak.verification;
        if strictness(verification.mode) < strictness(self.verification) {
            let (is, least) = (name(verification.mode), name(self.verification));
            let says = format!("speak.verification.mode is {is}; it must be at least as strict as {least}");
            found.push(Beyond { key: "speak.verification.mode", allowed: Value::from(least), says });
        }
        if verification.least_support < self.least_support {
            let (is, least) = (verification.least_support, self.least_support);
            let says = format!("speak.verification.least_support is {is}; it must be at least {least}");
            found.push(Beyond { key: "speak.verification.least_support", allowed: number(least), says });
        }
        let gather = &rules.gather;
        let mut at_most = |key, is: usize, most: usize| {
            if is > most {
                let says = format!("{key} is {is}; it must be at most {most}");
                found.push(Beyond { key, allowed: Value::from(most), says });
            }
        };
        at_most("gather.hits_per_lane", gather.hits_per_lane, self.most_passages);
        let for_each = self.most_passages / Question::MOST_CONTEXT_CHUNKS;
        at_most("gather.hits_for_each_asked", gather.hits_for_each_asked, for_each);
        if let Some(rerank) = &gather.rerank {
            at_most("gather.rerank.pool", rerank.pool, self.most_passages);
            at_most("gather.rerank.keep", rerank.keep, self.most_passages);
        }
        let (tokens, most) = (rules.speak.max_answer_tokens, self.most_answer_tokens);
        at_most("speak.max_answer_tokens", tokens as usize, most as usize);
        found
    }
}

fn says(beyond: Vec<Beyond>) -> Vec<String> {
    beyond.into_iter().map(|one| one.says).collect()
}

/// More of it drops more.
fn strictness(mode: VerificationMode) -> u8 {
    match mode {
        VerificationMode::Off => 0,
        VerificationMode::Mark => 1,
        VerificationMode::Strict => 2,
    }
}

fn name(mode: VerificationMode) -> &'static str {
    match mode {
        VerificationMode::Off => "off",
        VerificationMode::Mark => "mark",
        VerificationMode::Strict => "strict",
    }
}

impl Policy {
    /// A tenant's policy that was stored earlier, perhaps by a version or under an operator that allowed more. What it
    /// says beyond what is allowed now is set to what is allowed, and told: refused, every question of the tenant would
    /// fail after an update. It is another policy then, with a text and a hash of its own, so that a record says by which
    /// numbers it was decided.
    pub fn of_stored(texts: &PolicyTexts, limits: &PolicyLimits) -> Result<(Self, Vec<String>), PolicyError> {
        let mut tree = tree(&texts.policy)?;
        let within = bring_within(&mut tree);
        let texts = if within.is_empty() { texts.clone() } else { with_text(texts, &tree)? };
        let policy = Self::of_texts(&texts)?;
        let mut changed: Vec<String> = within.iter().map(ToString::to_string).collect();
        let beyond = limits.beyond(&policy.rules);
        if beyond.is_empty() {
            return Ok((policy, changed));
        }
        for Beyond { key, allowed, .. } in &beyond {
            let path: Vec<String> = key.split('.').map(str::to_owned).collect();
            put(&mut tree, &path, allowed.clone());
        }
        changed.extend(says(beyond));
        Ok((Self::of_texts(&with_text(&texts, &tree)?)?, changed))
    }
}

fn with_text(texts: &PolicyTexts, tree: &Value) -> Result<PolicyTexts, PolicyError> {
    let policy = serde_json::to_string_pretty(tree).map_err(|error| PolicyError::Unreadable(error.to_string()))?;
    Ok(PolicyTexts { policy, thresholds: texts.thresholds.clone() })
}

#[cfg(test)]
mod tests {
    use super::super::SHIPPED_POLICIES;
    use super::*;

    const LIMITS: PolicyLimits = PolicyLimits {
        verification: VerificationMode::Strict,
        least_support: 0.6,
        most_passages: 40,
        most_answer_tokens: 256,
    };

    fn texts(policy: &str) -> PolicyTexts {
        PolicyTexts { policy: policy.to_owned(), thresholds: None }
    }

    fn default_with(changes: &[(&str, &str)]) -> String {
        let text = SHIPPED_POLICIES[2].1.to_owned();
        changes.iter().fold(text, |text, (old, new)| {
            assert!(text.contains(old), "{old}");
            text.replacen(old, new, 1)
        })
    }

    #[test]
    fn a_policy_beyond_what_the_operator_allows_is_refused_by_key_value_and_limit() {
        let text = default_with(&[
            ("mode: strict, least_support: 0.5", "mode: mark, least_support: 0.2"),
            ("hits_per_lane: 12", "hits_per_lane: 50\n  hits_for_each_asked: 3"),
            ("pool: 16\n    keep: 16", "pool: 41\n    keep: 41"),
        ]);
        let Err(PolicyError::NotAllowed(problems)) = LIMITS.check(&Policy::parse(&text).unwrap()) else { panic!() };
        assert_eq!(
            problems,
            [
                "speak.verification.mode is mark; it must be at least as strict as strict",
                "speak.verification.least_support is 0.2; it must be at least 0.6",
                "gather.hits_per_lane is 50; it must be at most 40",
                "gather.hits_for_each_asked is 3; it must be at most 2",
                "gather.rerank.pool is 41; it must be at most 40",
                "gather.rerank.keep is 41; it must be at most 40",
                "speak.max_answer_tokens is 512; it must be at most 256",
            ]
        );
        for (name, text) in SHIPPED_POLICIES {
            assert_eq!(PolicyLimits::default().check(&Policy::parse(text).unwrap()), Ok(()), "{name}");
        }
    }

    #[test]
    fn what_was_stored_before_is_brought_within_what_is_allowed_and_has_a_hash_of_its_own() {
        let text = default_with(&[
            ("mode: strict, least_support: 0.5", "mode: off"),
            ("hits_per_lane: 12", "hits_per_lane: 10000000"),
            ("max_answer_tokens: 512", "max_answer_tokens: 4000000000"),
        ]);
        assert!(matches!(Policy::parse(&text), Err(PolicyError::Contradictory(_))));
        let (policy, changed) = Policy::of_stored(&texts(&text), &LIMITS).unwrap();
        assert_eq!(changed.len(), 6, "{changed:?}");
        assert_eq!(changed[0], "gather.hits_per_lane is 10000000; it must be from 1 to 200");
        assert_eq!((policy.rules.gather.hits_per_lane, policy.rules.speak.max_answer_tokens), (40, 256));
        assert_eq!(policy.rules.speak.verification.mode, VerificationMode::Strict);
        assert_eq!(policy.rules.speak.verification.least_support, 0.6, "the default is below the floor");
        let again = Policy::of_texts(&policy.texts).unwrap();
        assert_eq!((&again.rules, again.hash), (&policy.rules, policy.hash));
        assert_ne!(policy.hash, Policy::as_recorded(&texts(&text)).unwrap().hash);
        assert_eq!(Policy::of_stored(&policy.texts, &LIMITS).unwrap(), (policy, Vec::new()));
    }

    #[test]
    fn what_is_allowed_stays_as_it_was_written() {
        for (name, text) in SHIPPED_POLICIES {
            let (policy, changed) = Policy::of_stored(&texts(text), &PolicyLimits::default()).unwrap();
            assert_eq!((policy, changed), (Policy::parse(text).unwrap(), Vec::new()), "{name}");
        }
    }
}
