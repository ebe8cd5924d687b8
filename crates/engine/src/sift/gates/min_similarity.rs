//! `min_similarity`: drops candidates below a similarity, whatever they are.

use serde::Deserialize;

use super::contradictions::demands_nothing;
use super::{Absent, DropsCandidates, Gate, GateRule, Look};
use crate::sift::pool::WorkingPool;

/// The least similarity of a candidate.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(transparent)]
pub struct MinSimilarity(pub f64);

impl GateRule for MinSimilarity {
    fn name() -> &'static str {
        "min_similarity"
    }

    fn when_absent() -> Absent {
        Absent::Off("the least similarity")
    }

    fn look(&self) -> Look<'_> {
        Look::AtEach(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!("It is dropped below a similarity of {}.", self.0)]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![(Self::name(), self.0)]
    }

    fn without_effect_among(&self, _gates: &[Gate]) -> Vec<String> {
        demands_nothing("sift.min_similarity", self.0).into_iter().collect()
    }

    fn least_similarity(&self) -> Option<f64> {
        Some(self.0)
    }
}

impl DropsCandidates for MinSimilarity {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        let least = self.0;
        pool.demand(least);
        pool.keep_if(Self::name(), least, |candidate, _| candidate.similarity() >= least);
    }

    fn may_drop_all(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{warnings_of, words_of};
    use crate::sift::fixtures::{evidence, gathered, pool};
    use crate::sift::sift;

    #[test]
    fn the_minimum_similarity_drops_below_itself_and_spares_nobody() {
        let mut pool = pool(&[0.9, 0.3, 0.2999]);
        pool[2].forced = true;
        assert_eq!(evidence(&sift(gathered("oil", "[{min_similarity: 0.3}]", pool))), [0, 1]);
    }

    #[test]
    fn it_says_its_number_and_that_zero_is_none() {
        assert_eq!(words_of("{min_similarity: 0.3}"), ["It is dropped below a similarity of 0.3."]);
        assert_eq!(warnings_of("[{min_similarity: 0.01}]"), Vec::<String>::new());
        let [open] = &warnings_of("[{min_similarity: 0}]")[..] else { panic!("it drops nothing") };
        assert!(open.starts_with("sift.min_similarity is 0: "), "{open}");
    }
}
