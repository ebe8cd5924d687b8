//! `top1_similarity`: below this similarity of the best candidate the question is refused.

use ibidem_words::Reason;
use serde::Deserialize;

use super::contradictions::{demands_nothing, never_decides};
use super::{Absent, ChecksPool, Gate, GateRule, Look};
use crate::gates::pool::{Finding, WorkingPool, format_number};

/// Refuses when the best candidate's similarity is below this.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(transparent)]
pub struct Top1Similarity(pub f64);

impl GateRule for Top1Similarity {
    fn name() -> &'static str {
        "top1_similarity"
    }

    fn when_absent() -> Absent {
        Absent::Off("the similarity of the best")
    }

    fn look(&self) -> Look<'_> {
        Look::AtAll(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!("The best that is left has a similarity below {}: refused, `low_similarity`.", self.0)]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![(Self::name(), self.0)]
    }

    fn measures_similarity(&self) -> bool {
        true
    }

    fn without_effect_after(&self, before: &[Gate]) -> Vec<String> {
        never_decides("sift.top1_similarity", self.0, before).into_iter().collect()
    }

    fn without_effect_among(&self, _gates: &[Gate]) -> Vec<String> {
        demands_nothing("sift.top1_similarity", self.0).into_iter().collect()
    }

    fn least_similarity(&self) -> Option<f64> {
        Some(self.0)
    }
}

impl ChecksPool for Top1Similarity {
    fn check(&self, pool: &mut WorkingPool<'_>) -> Finding {
        let observed = pool.best();
        if !pool.record(Self::name(), observed < self.0, observed, self.0) {
            return Finding::Passes;
        }
        Finding::Refuses(Reason::LowSimilarity, too_far(&format_number(observed), self.0))
    }
}

pub(crate) fn too_far(observed: &str, threshold: f64) -> String {
    format!("Top-1 similarity ({observed}) below threshold ({})", format_number(threshold))
}

#[cfg(test)]
mod tests {
    use ibidem_words::{Reason, Verdict};

    use super::super::tests::{contradictions_of, warnings_of, words_of};
    use crate::sift::SiftOutcome;
    use crate::sift::fixtures::{gathered, passes, pool};
    use crate::sift::sift;

    #[test]
    fn top1_similarity_refuses_below_and_passes_at_its_threshold() {
        for (cosine, expected) in [(0.6999, false), (0.7, true), (0.7001, true), (0.62, false)] {
            assert_eq!(passes(&sift(gathered("oil", "", pool(&[cosine])))), expected, "{cosine}");
        }
    }

    #[test]
    fn a_refusal_names_the_numbers_that_decided() {
        for (cosine, figure) in [(0.62, "(0.62)"), (0.6996, "(0.6996)"), (0.5, "(0.5)")] {
            let SiftOutcome::Refused { refusal, sifted } = sift(gathered("oil", "", pool(&[cosine]))) else {
                panic!("{cosine} is below");
            };
            assert_eq!(refusal.reason, Reason::LowSimilarity);
            assert_eq!(refusal.explanation, format!("Top-1 similarity {figure} below threshold (0.7)"));
            let gate = sifted.log.trace.last().unwrap();
            assert_eq!((gate.gate.as_str(), gate.verdict, gate.threshold), ("top1_similarity", Verdict::Stop, 0.7));
        }
    }

    #[test]
    fn it_says_its_number_and_what_takes_its_effect() {
        let expected = ["The best that is left has a similarity below 0.7: refused, `low_similarity`."];
        assert_eq!(words_of("{top1_similarity: 0.7}"), expected);
        let beyond = ["sift.top1_similarity must be between 0 and 1"];
        assert_eq!(contradictions_of("[{top1_similarity: 1.5}]"), beyond);
        let all_promised = warnings_of("[{min_similarity: 0.3}, {top1_similarity: 0.3}]");
        assert_eq!(all_promised, Vec::<String>::new(), "what was promised a place gets there below 0.3");
        let [open] = &warnings_of("[{top1_similarity: 0}]")[..] else { panic!("it stops nothing") };
        assert!(open.starts_with("sift.top1_similarity is 0: "), "{open}");
    }
}
