//! `collections`: drops candidates that are too far from the question, or have too few of its words, for their
//! collection.

use std::collections::BTreeMap;

use crate::candidate::Candidate;
use ibidem_words::{Reason, as_shown};
use serde::Deserialize;

use super::{Absent, DropsCandidates, GateRule, Look};
use crate::gates::pool::{WorkingPool, format_number};

/// Sets thresholds by collection. Those that are not named have the default's.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CollectionThresholds {
    pub default: Thresholds,
    #[serde(default)]
    pub collections: BTreeMap<String, Thresholds>,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// The most that 1 − cosine may be.
    pub distance_threshold: f64,
    /// The least share of the question's significant words that a candidate must have.
    pub min_query_coverage: f64,
}

/// Holds thresholds from a file of their own, which are laid over a policy's: those it names count, the others stay.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThresholdsOverlay {
    #[serde(default)]
    pub collections: BTreeMap<String, Thresholds>,
    #[serde(default)]
    pub default: Option<Thresholds>,
}

impl ThresholdsOverlay {
    pub(crate) fn is_empty(&self) -> bool {
        self.collections.is_empty() && self.default.is_none()
    }

    pub(crate) fn onto(self, thresholds: &mut CollectionThresholds) {
        thresholds.collections.extend(self.collections);
        thresholds.default = self.default.unwrap_or(thresholds.default);
    }
}

impl CollectionThresholds {
    /// Those of a candidate's own collection.
    fn for_candidate(&self, candidate: &Candidate) -> Thresholds {
        let own = self.collections.iter();
        let mut own = own.filter(|(name, _)| name.eq_ignore_ascii_case(candidate.passage.collection.as_str()));
        own.next().map_or(self.default, |(_, own)| *own)
    }
}

impl GateRule for CollectionThresholds {
    fn name() -> &'static str {
        "collections"
    }

    fn when_absent() -> Absent {
        Absent::Off("thresholds of collections")
    }

    fn look(&self) -> Look<'_> {
        Look::AtEach(self)
    }

    fn words(&self) -> Vec<String> {
        let line = |name: &str, of: &Thresholds| {
            format!(
                "Of {name}: dropped beyond a distance of {}, or with less than {} of the question's words.",
                of.distance_threshold, of.min_query_coverage
            )
        };
        let own = self.collections.iter().map(|(name, own)| line(name, own));
        own.chain([line("any other collection", &self.default)]).collect()
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        let all = self.collections.values().chain([&self.default]);
        let both = |thresholds: &Thresholds| {
            [
                ("collections.distance_threshold", thresholds.distance_threshold),
                ("collections.min_query_coverage", thresholds.min_query_coverage),
            ]
        };
        all.flat_map(both).collect()
    }
}

impl DropsCandidates for CollectionThresholds {
    fn drop_from(&self, pool: &mut WorkingPool<'_>) {
        let before = pool.dropped.len();
        pool.keep_if("distance_threshold", self.default.distance_threshold, |candidate, _| {
            distance(candidate) <= self.for_candidate(candidate).distance_threshold
        });
        if let Some(best) = best_of_all_dropped(pool, before) {
            let (seen, most) =
                (format_number(distance(best)), format_number(self.for_candidate(best).distance_threshold));
            let explanation = format!("Distance ({seen}) above threshold ({most}) of {}", best.passage.collection);
            pool.why_none_is_left = Some((Reason::LowSimilarity, explanation));
        }
        let before = pool.dropped.len();
        pool.keep_if("query_coverage", self.default.min_query_coverage, |candidate, terms| {
            candidate.overlap_with(terms).coverage >= self.for_candidate(candidate).min_query_coverage
        });
        if let Some(best) = best_of_all_dropped(pool, before) {
            let seen = format_number(best.overlap.as_ref().map_or(0.0, |overlap| overlap.coverage));
            let least = format_number(self.for_candidate(best).min_query_coverage);
            let explanation =
                format!("Query coverage ({seen}) below threshold ({least}) of {}", best.passage.collection);
            pool.why_none_is_left = Some((Reason::LowCoverage, explanation));
        }
    }

    fn may_drop_all(&self) -> bool {
        true
    }
}

/// The best of what was dropped, if nothing is left; `before` is how many had been dropped until then.
fn best_of_all_dropped<'a>(pool: &'a WorkingPool<'_>, before: usize) -> Option<&'a Candidate> {
    pool.dropped.get(before).filter(|_| pool.kept.is_empty()).map(|(_, best)| best)
}

/// Compared as it is shown: a distance of 0.45 is not more than 0.45.
fn distance(candidate: &Candidate) -> f64 {
    as_shown(1.0 - candidate.similarity())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{contradictions_of, words_of};
    use crate::sift::fixtures::{candidate, gathered, passes};
    use crate::sift::sift;

    /// The numbers of the policy `architecture`.
    const COLLECTIONS: &str =
        "[{collections: {default: {distance_threshold: 0.50, min_query_coverage: 0.20}, collections: {
        ADR: {distance_threshold: 0.45, min_query_coverage: 0.20},
        Vocabulary: {distance_threshold: 0.35, min_query_coverage: 0.30},
        Principle: {distance_threshold: 0.50, min_query_coverage: 0.15},
        Policy: {distance_threshold: 0.50, min_query_coverage: 0.20}}}}]";

    #[test]
    fn each_collection_has_its_own_distance_and_its_own_coverage() {
        // Twenty words that mean something: a share of 0.05 each.
        let words: Vec<String> = ('b'..='u').map(|letter| letter.to_string().repeat(6)).collect();
        let query = words.join(" ");
        for (collection, distance, least) in [
            ("ADR", 0.45_f32, 4),
            ("Vocabulary", 0.35, 6),
            ("Principle", 0.50, 3),
            ("Policy", 0.50, 4),
            ("Handbook", 0.50, 4),
            ("adr", 0.45, 4),
        ] {
            let within = |cosine: f32, has: usize| {
                let mut one = candidate(1, 0, cosine, &words[..has].join(" and "));
                one.passage.collection = collection.parse().unwrap();
                passes(&sift(gathered(&query, COLLECTIONS, vec![one])))
            };
            let at = 1.0 - distance;
            assert!(within(at, 20) && within(at + 0.001, 20) && !within(at - 0.001, 20), "{collection}");
            assert!(within(0.9, least) && within(0.9, least + 1) && !within(0.9, least - 1), "{collection}");
        }
    }

    #[test]
    fn it_says_the_thresholds_of_each_collection_and_each_must_be_a_share() {
        let gate = "{collections: {default: {distance_threshold: 0.5, min_query_coverage: 0.2}, collections: {
            ADR: {distance_threshold: 1.45, min_query_coverage: -1}}}}";
        assert_eq!(
            words_of(gate),
            [
                "Of ADR: dropped beyond a distance of 1.45, or with less than -1 of the question's words.",
                "Of any other collection: dropped beyond a distance of 0.5, or with less than 0.2 of the question's \
                 words.",
            ]
        );
        assert_eq!(
            contradictions_of(&format!("[{gate}]")),
            [
                "sift.collections.distance_threshold must be between 0 and 1",
                "sift.collections.min_query_coverage must be between 0 and 1",
            ]
        );
    }
}
