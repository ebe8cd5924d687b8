//! What a policy was read from.

/// Enough to read a policy again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PolicyTexts {
    pub policy: String,
    /// Holds the thresholds of single collections, which are laid over the policy's.
    pub thresholds: Option<String>,
}
