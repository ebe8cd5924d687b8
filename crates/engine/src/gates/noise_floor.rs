//! `noise_floor`: drops candidates below a similarity, which are noise. What was forced or promised a place is exempt.

use crate::candidate::Candidate;
use serde::Deserialize;

use super::contradictions::demands_nothing;
use super::{Absent, DropsCandidates, Gate, GateRule, Look, MinSimilarity, RuleOfGate as _};
use crate::gates::pool::WorkingPool;

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoiseFloor {
    /// Where a reranker has read the candidates: it tells noise better than a cosine does.
    pub reranked: f64,
    pub otherwise: f64,
}

impl NoiseFloor {
    /// Its numbers by their names in a policy file.
    fn settings(&self) -> [(&'static str, f64); 2] {
        [("sift.noise_floor.otherwise", self.otherwise), ("sift.noise_floor.reranked", self.reranked)]
    }
}

impl GateRule for NoiseFloor {
    fn name() -> &'static str {
        "noise_floor"
    }

    fn when_absent() -> Absent {
        Absent::Off("the noise floor")
    }

    fn look(&self) -> Look<'_> {
        Look::AtEach(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!(
            "Below a similarity of {}, or {} where a reranker has read it, it is noise, unless it is kept in any case.",
            self.otherwise, self.reranked
        )]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![("noise_floor.reranked", self.reranked), ("noise_floor.otherwise", self.otherwise)]
    }

    fn without_effect_among(&self, gates: &[Gate]) -> Vec<String> {
        let least = gates.iter().find_map(MinSimilarity::of).map(|rule| rule.0);
        let covered = self.settings().into_iter().filter_map(|(setting, floor)| {
            let least = least.filter(|least| floor <= *least)?;
            Some(format!(
                "{setting} ({floor}) is not above sift.min_similarity ({least}), which drops the same and more"
            ))
        });
        let open = self.settings().into_iter().filter_map(|(setting, floor)| demands_nothing(setting, floor));
        covered.chain(open).collect()
    }
}

impl DropsCandidates for NoiseFloor {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        let floor = match (pool.reranked, pool.unread) {
            (true, _) => self.reranked,
            (false, None) => self.otherwise,
            // A reader that failed makes no floor lower than the one it would have had.
            (false, Some(_)) => self.otherwise.max(self.reranked),
        };
        pool.demand(floor);
        let passes = |candidate: &mut Candidate| candidate.forced || candidate.similarity() >= floor;
        pool.keep_if_or_promised(Self::name(), floor, usize::MAX, passes);
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
    use crate::turn::Gathered;

    #[test]
    fn the_noise_floor_drops_below_itself_and_spares_forced_hits() {
        let pool = || {
            let mut pool = pool(&[0.9, 0.45, 0.4499, 0.18, 0.1799, 0.1]);
            pool[5].forced = true;
            pool
        };
        let gates = "[{noise_floor: {reranked: 0.18, otherwise: 0.45}}]";
        let most = |reranked: bool| {
            let mut gathered = gathered("oil", gates, pool());
            gathered.asked.question.max_context_chunks = 20;
            sift(Gathered { reranked, ..gathered })
        };
        assert_eq!(evidence(&most(false)), [0, 1, 5]);
        assert_eq!(evidence(&most(true)), [0, 1, 2, 3, 5], "a reranker tells noise better");
    }

    #[test]
    fn a_reader_that_failed_makes_the_floor_no_lower_than_it_would_be_with_it() {
        for gates in
            ["[{noise_floor: {reranked: 0.5, otherwise: 0.2}}]", "[{noise_floor: {reranked: 0.2, otherwise: 0.5}}]"]
        {
            let mut gathered = gathered("oil", gates, pool(&[0.9, 0.4]));
            gathered.log.unread = Some("it is busy".to_owned());
            assert_eq!(evidence(&sift(gathered)), [0], "{gates}");
        }
    }

    #[test]
    fn it_says_both_floors() {
        assert_eq!(
            words_of("{noise_floor: {reranked: 0.18, otherwise: 0.45}}"),
            [
                "Below a similarity of 0.45, or 0.18 where a reranker has read it, it is noise, unless it is kept in any \
              case."
            ]
        );
    }

    #[test]
    fn a_floor_that_the_least_similarity_covers_wherever_it_stands_has_no_effect() {
        for gates in [
            "[{noise_floor: {reranked: 0.3, otherwise: 0.31}}, {min_similarity: 0.3}]",
            "[{min_similarity: 0.3}, {noise_floor: {reranked: 0.3, otherwise: 0.31}}]",
        ] {
            let covered = "sift.noise_floor.reranked (0.3) is not above sift.min_similarity (0.3), which drops the \
                           same and more";
            assert_eq!(warnings_of(gates), [covered], "{gates}");
        }
        let open = warnings_of("[{noise_floor: {reranked: 0.2, otherwise: 0}}]");
        assert_eq!(
            open,
            ["sift.noise_floor.otherwise is 0: next to nothing is below it; leaving the gate out says openly that it \
              is off"]
        );
    }
}
