//! `retrieval_confidence`: how well the search went, with what its fallbacks cost. Below this it is not relied on.

use ibidem_words::{Reason, RetrievalQuality};
use serde::Deserialize;

use super::{Absent, ChecksPool, GateRule, Look};
use crate::gates::pool::{Finding, WorkingPool, format_number};

/// The least confidence in the search as a whole.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(transparent)]
pub struct RetrievalConfidence(pub f64);

impl GateRule for RetrievalConfidence {
    fn name() -> &'static str {
        "retrieval_confidence"
    }

    fn when_absent() -> Absent {
        Absent::Off("how well the search went")
    }

    fn look(&self) -> Look<'_> {
        Look::AtAll(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!(
            "The best similarity, times 0.8 where the search was simpler than it should be, is below {}: refused, \
             `low_confidence`.",
            self.0
        )]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![(Self::name(), self.0)]
    }
}

impl ChecksPool for RetrievalConfidence {
    fn check(&self, pool: &mut WorkingPool<'_>) -> Finding {
        let observed = RetrievalQuality::score(pool.best(), !pool.fallback_reasons.is_empty());
        if !pool.record(Self::name(), observed < self.0, observed, self.0) {
            return Finding::Passes;
        }
        let explanation =
            format!("Retrieval confidence ({}) below threshold ({})", format_number(observed), format_number(self.0));
        Finding::Refuses(Reason::LowConfidence, explanation)
    }
}

#[cfg(test)]
mod tests {
    use crate::candidate::Candidate;
    use ibidem_words::Fallback;
    use ibidem_words::Reason;

    use super::super::tests::{contradictions_of, words_of};
    use crate::sift::SiftOutcome;
    use crate::sift::fixtures::{candidate, gathered, passes, pool};
    use crate::sift::sift;

    #[test]
    fn where_meaning_was_not_searched_the_share_of_the_words_stands_in_and_costs_a_fifth() {
        for (text, passes_it) in [("leave days carried over", true), ("leave days", false)] {
            let by_words = Candidate { cosine: None, ..candidate(1, 0, 0.0, text) };
            let mut gathered = gathered("leave days carried year", "[{retrieval_confidence: 0.5}]", vec![by_words]);
            gathered.log.fallback_reasons = vec![Fallback::KeywordsOnly, Fallback::CircuitOpen];
            let outcome = sift(gathered);
            assert_eq!(passes(&outcome), passes_it, "{text}");
            if let SiftOutcome::Refused { refusal, .. } = outcome {
                assert_eq!(refusal.explanation, "Retrieval confidence (0.4) below threshold (0.5)");
                assert_eq!(refusal.reason, Reason::LowConfidence);
            }
        }
    }

    #[test]
    fn retrieval_confidence_refuses_below_and_passes_at_its_threshold() {
        for (cosine, expected) in [(0.4989, false), (0.5, true), (0.5011, true)] {
            let found = sift(gathered("oil", "[{retrieval_confidence: 0.5}]", pool(&[cosine])));
            assert_eq!(passes(&found), expected, "{cosine}");
        }
    }

    #[test]
    fn it_says_its_number_which_must_be_a_share() {
        assert_eq!(
            words_of("{retrieval_confidence: 0.5}"),
            ["The best similarity, times 0.8 where the search was simpler than it should be, is below 0.5: refused, \
              `low_confidence`."]
        );
        let beyond = ["sift.retrieval_confidence must be between 0 and 1"];
        assert_eq!(contradictions_of("[{retrieval_confidence: -0.5}]"), beyond);
    }
}
