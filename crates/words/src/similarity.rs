//! What policies call similarity: the cosine of the embedding model in use, on one scale for all models.

/// Which cosines of a model count as the similarities 0 and 1. Between them similarity is a straight line, beyond them
/// it stays 0 and 1. Cosines of different models mean different things, and a policy's thresholds are written once.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SimilarityScale {
    zero: f64,
    one: f64,
}

/// Neither point is ever NaN.
impl Eq for SimilarityScale {}

impl Default for SimilarityScale {
    fn default() -> Self {
        Self::COSINE
    }
}

impl SimilarityScale {
    /// Similarity is the cosine itself, as it is for the model that the shipped thresholds were found with.
    pub const COSINE: Self = Self { zero: 0.0, one: 1.0 };

    /// None where the points are no scale.
    pub fn new(zero: f64, one: f64) -> Option<Self> {
        let is_scale = zero.is_finite() && one.is_finite() && one > zero;
        is_scale.then_some(Self { zero, one })
    }

    pub fn zero(self) -> f64 {
        self.zero
    }

    pub fn one(self) -> f64 {
        self.one
    }

    pub fn is_cosine(self) -> bool {
        self == Self::COSINE
    }

    pub fn similarity(self, cosine: f64) -> f64 {
        if self.is_cosine() {
            return cosine;
        }
        self.unbounded(cosine).clamp(0.0, 1.0)
    }

    /// Follows the straight line beyond 0 and 1. It is for ordering: two different cosines never come to the same
    /// number.
    pub fn unbounded(self, cosine: f64) -> f64 {
        (cosine - self.zero) / (self.one - self.zero)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_points_are_0_and_1_and_what_lies_beyond_stays_there() {
        let scale = SimilarityScale::new(0.75, 0.95).unwrap();
        for (cosine, similarity) in [(0.75, 0.0), (0.85, 0.5), (0.95, 1.0), (0.2, 0.0), (-0.3, 0.0), (1.0, 1.0)] {
            assert!((scale.similarity(cosine) - similarity).abs() < 1e-9, "{cosine}");
        }
    }

    #[test]
    fn without_a_scale_it_is_the_cosine_bit_for_bit() {
        for cosine in [-0.1, 0.0, 0.123_456_789, 1.000_000_1] {
            assert_eq!(SimilarityScale::default().similarity(cosine).to_bits(), cosine.to_bits());
        }
    }

    #[test]
    fn points_that_are_no_scale_are_refused() {
        for (zero, one) in [(0.5, 0.5), (0.9, 0.7), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert_eq!(SimilarityScale::new(zero, one), None, "{zero} {one}");
        }
    }
}
