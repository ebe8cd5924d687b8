//! `duplicates`: of two candidates whose texts are more alike than this, drops the worse.

use crate::word_overlap::WordOverlap;
use serde::Deserialize;

use super::{Absent, DropsCandidates, Gate, GateRule, Look};
use crate::gates::pool::WorkingPool;

/// The most that two texts may be alike.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(transparent)]
pub struct Duplicates(pub f64);

impl GateRule for Duplicates {
    fn name() -> &'static str {
        "duplicates"
    }

    fn when_absent() -> Absent {
        Absent::Off("duplicates")
    }

    fn look(&self) -> Look<'_> {
        Look::AtEach(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!("Of two whose texts are more alike than {}, the worse is dropped.", self.0)]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![(Self::name(), self.0)]
    }

    fn without_effect_among(&self, _gates: &[Gate]) -> Vec<String> {
        let never = "sift.duplicates is 1: no two texts are more alike than that; leaving the gate out says so openly";
        (self.0 == 1.0).then(|| never.to_owned()).into_iter().collect()
    }
}

impl DropsCandidates for Duplicates {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        let mut is_new = self.distinct(pool).into_iter();
        pool.keep_if(Self::name(), self.0, |_, _| is_new.next().unwrap_or(true));
    }

    /// The best is always new.
    fn may_drop_all(&self) -> bool {
        false
    }
}

impl Duplicates {
    /// Whether each candidate says something that no better one says. Best first, compared with all better ones: compared
    /// with new ones only, a stricter number would bring back what a duplicate had dropped.
    fn distinct(&self, pool: &mut WorkingPool<'_>) -> Vec<bool> {
        let alone = pool.gates_look_alone;
        let (all, terms) = pool.read_all();
        let overlaps: Vec<&WordOverlap> = all.into_iter().map(|candidate| candidate.overlap_with(terms)).collect();
        let mut better: Vec<&WordOverlap> = Vec::new();
        let mut is_new = Vec::with_capacity(overlaps.len());
        for overlap in overlaps {
            let new = !better.iter().any(|better| better.is_more_alike(overlap, self.0));
            if new || alone {
                better.push(overlap);
            }
            is_new.push(new);
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{warnings_of, words_of};
    use crate::sift::fixtures::{candidate, evidence, gathered};
    use crate::sift::sift;

    #[test]
    fn of_two_texts_that_say_the_same_the_better_stays() {
        let text = "The gearbox holds 1.8 litres of oil and is filled from above";
        let pool = vec![
            candidate(1, 0, 0.9, text),
            candidate(2, 1, 0.8, &text.to_uppercase()),
            candidate(3, 2, 0.8, "Something else entirely about wipers"),
        ];
        assert_eq!(evidence(&sift(gathered("oil", "", pool.clone()))), [0, 2]);
        assert_eq!(evidence(&sift(gathered("oil", "[]", pool))), [0, 1, 2]);
    }

    #[test]
    fn duplicates_are_more_alike_than_the_threshold_not_as_alike() {
        // Nineteen of twenty runs in common: 0.9 and less drops, 0.95 does not.
        let words: Vec<String> = (0..22).map(|number| format!("w{number}")).collect();
        let (one, other) = (words[..21].join(" "), words[1..].join(" "));
        for (most, kept) in [("0.89", 1), ("0.9", 2), ("0.91", 2)] {
            let pool = vec![candidate(1, 0, 0.9, &one), candidate(2, 1, 0.8, &other)];
            let kept_now = evidence(&sift(gathered("oil", &format!("[{{duplicates: {most}}}]"), pool))).len();
            assert_eq!(kept_now, kept, "{most}");
        }
    }

    #[test]
    fn test_deduplicate_chunks() {
        let text = "Leave of up to five days may be carried over into the next year by all staff";
        let candidates =
            vec![candidate(1, 0, 0.9, text), candidate(2, 1, 0.8, text), candidate(3, 2, 0.7, "Meals are paid")];
        assert_eq!(evidence(&sift(gathered("leave", "[{duplicates: 0.9}]", candidates))), [0, 2]);
    }

    #[test]
    fn it_says_its_number_and_that_one_is_none() {
        let expected = ["Of two whose texts are more alike than 0.9, the worse is dropped."];
        assert_eq!(words_of("{duplicates: 0.9}"), expected);
        assert_eq!(warnings_of("[{duplicates: 0.99}]"), Vec::<String>::new());
        let [never] = &warnings_of("[{duplicates: 1.0}]")[..] else { panic!("it drops nothing") };
        assert!(never.starts_with("sift.duplicates is 1: "), "{never}");
    }
}
