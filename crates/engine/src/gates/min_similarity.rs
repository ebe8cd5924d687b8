//! `min_similarity`: drops candidates below a similarity. What gathering promised a place is exempt.

use serde::Deserialize;

use super::contradictions::demands_nothing;
use super::{Absent, DropsCandidates, Gate, GateRule, Look};
use crate::gates::pool::WorkingPool;

/// Drops candidates whose similarity is below this.
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
        vec![format!("It is dropped below a similarity of {}, unless it was promised a place.", self.0)]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![(Self::name(), self.0)]
    }

    fn without_effect_among(&self, _gates: &[Gate]) -> Vec<String> {
        demands_nothing("sift.min_similarity", self.0).into_iter().collect()
    }
}

impl DropsCandidates for MinSimilarity {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        let least = self.0;
        pool.demand(least);
        pool.keep_if_or_promised(Self::name(), least, usize::MAX, |candidate| candidate.similarity() >= least);
    }

    fn may_drop_all(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use ibidem_words::{Promise, Verdict};

    use super::super::tests::{warnings_of, words_of};
    use crate::sift::fixtures::{evidence, gathered, pool};
    use crate::sift::sift;

    #[test]
    fn the_minimum_similarity_drops_below_itself_and_spares_what_was_promised_a_place() {
        let gates = "[{min_similarity: 0.3}]";
        let mut pool = pool(&[0.9, 0.3, 0.2999, 0.1]);
        pool[2].forced = true;
        assert_eq!(evidence(&sift(gathered("oil", gates, pool.clone()))), [0, 1], "as older records have it");
        for promise in [Promise::Words, Promise::Kind, Promise::Curator, Promise::Name] {
            pool[2].promised = Some(promise);
            let sifted = sift(gathered("oil", gates, pool.clone()));
            assert_eq!(evidence(&sifted), [0, 1, 2], "{promise:?}");
            let trace = &sifted.sifted().log.trace;
            let kept = trace.iter().find(|record| record.gate == "min_similarity_promised").unwrap();
            assert_eq!((kept.verdict, kept.observed, kept.threshold), (Verdict::Pass, 1.0, 0.3));
        }
    }

    #[test]
    fn it_says_its_number_and_that_zero_is_none() {
        assert_eq!(
            words_of("{min_similarity: 0.3}"),
            ["It is dropped below a similarity of 0.3, unless it was promised a place."]
        );
        assert_eq!(warnings_of("[{min_similarity: 0.01}]"), Vec::<String>::new());
        let [open] = &warnings_of("[{min_similarity: 0}]")[..] else { panic!("it drops nothing") };
        assert!(open.starts_with("sift.min_similarity is 0: "), "{open}");
    }
}
