//! How the signs of a pair are weighed, fitted on pairs whose answer is known.

use super::signs::Signs;

/// A weight for each sign, in their order, after a constant. The sum is the logarithm of the odds that the premise
/// supports the claim, moved so that 0 is where a claim is let through.
pub(super) struct Weights {
    constant: f64,
    signs: [f64; 7],
}

/// With the embedding model's opinion. `just fit-verifier` prints both.
pub(super) const WITH_SIMILARITY: Weights =
    Weights { constant: 2.6, signs: [0.87, -0.86, -0.97, -1.03, -1.09, -0.34, 3.10] };
/// By words alone: where there is no embedding model, or it does not answer.
pub(super) const BY_WORDS: Weights = Weights { constant: 3.9, signs: [1.29, -0.79, -1.1, 0.0, 0.0, 0.0, 0.0] };

impl Weights {
    /// From 0 to 1; a half parts supported from not.
    pub(super) fn score(&self, signs: &Signs) -> f64 {
        let weighed: f64 = self.signs.iter().zip(signs.values()).map(|(weight, value)| weight * value).sum();
        1.0 / (1.0 + (-(self.constant + weighed)).exp())
    }
}
