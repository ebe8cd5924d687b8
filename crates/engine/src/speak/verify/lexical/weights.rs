//! How the signs of a pair are weighed, fitted on pairs whose answer is known.

use super::signs::Signs;

/// A weight for each sign, in their order, after a constant. The sum is the logarithm of the odds that the premise
/// supports the claim, moved so that 0 is where a claim is let through.
pub(super) struct Weights {
    constant: f64,
    signs: [f64; 6],
}

/// With the embedding model's opinion. `just fit-verifier` prints both.
pub(super) const WITH_SIMILARITY: Weights = Weights { constant: 0.0, signs: [1.4, -0.66, -0.93, -0.98, -0.35, 3.65] };
/// By words alone: where there is no embedding model, or it does not answer.
pub(super) const BY_WORDS: Weights = Weights { constant: 1.7, signs: [2.48, -0.54, -0.91, -1.06, -0.35, 0.0] };

impl Weights {
    /// From 0 to 1; a half parts supported from not.
    pub(super) fn score(&self, signs: &Signs) -> f64 {
        let weighed: f64 = self.signs.iter().zip(signs.values()).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(self.constant + weighed)).exp())
    }
}
