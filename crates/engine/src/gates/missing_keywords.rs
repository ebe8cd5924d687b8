//! `missing_keywords`: warns when this share of the question's words, or more, is missing from the evidence. It never
//! refuses: a passage may answer in other words.

use ibidem_language::PresentTerms;
use ibidem_words::{GateRecord, Verdict};
use serde::Deserialize;

use super::{Absent, ChecksPool, GateRule, Look};
use crate::gates::pool::{Finding, WorkingPool};

/// Warns when at least this share of the question's words is missing.
#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
#[serde(transparent)]
pub struct MissingKeywords(pub f64);

impl GateRule for MissingKeywords {
    fn name() -> &'static str {
        "missing_keywords"
    }

    fn when_absent() -> Absent {
        Absent::Off("missing words")
    }

    fn look(&self) -> Look<'_> {
        Look::AtAll(self)
    }

    fn words(&self) -> Vec<String> {
        vec![format!(
            "A share of {} or more of the question's words is in no passage: the words are named in a warning.",
            self.0
        )]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![(Self::name(), self.0)]
    }
}

impl ChecksPool for MissingKeywords {
    fn check(&self, pool: &mut WorkingPool<'_>) -> Finding {
        if pool.terms.is_empty() {
            return Finding::Passes;
        }
        let mut present = PresentTerms::default();
        for candidate in &mut pool.kept {
            present.add(&candidate.overlap_with(&pool.terms).present);
        }
        let missing = pool.terms.missing_from(&present);
        let share = missing.len() as f64 / pool.terms.len() as f64;
        let warns = !missing.is_empty() && share >= self.0;
        pool.trace.push(GateRecord {
            gate: "keywords".to_owned(),
            verdict: if warns { Verdict::Warn } else { Verdict::Pass },
            observed: share,
            threshold: self.0,
        });
        if warns {
            pool.warnings.push(format!("The sources do not mention: {}", missing.join(", ")));
        }
        Finding::Passes
    }
}

#[cfg(test)]
mod tests {
    use ibidem_words::Verdict;

    use super::super::tests::{contradictions_of, words_of};
    use crate::sift::SiftOutcome;
    use crate::sift::fixtures::{candidate, gathered};
    use crate::sift::sift;

    #[test]
    fn missing_words_warn_and_never_refuse() {
        let SiftOutcome::Enough(sifted) =
            sift(gathered("How much oil does the turbine take?", "", vec![candidate(1, 0, 0.9, "Oil is taken.")]))
        else {
            panic!("a warning does not refuse");
        };
        assert_eq!(sifted.log.warnings, ["The sources do not mention: turbine"]);
        assert_eq!(sifted.log.trace.last().unwrap().verdict, Verdict::Warn);
        let SiftOutcome::Enough(sifted) = sift(gathered("oil", "", vec![candidate(1, 0, 0.9, "Oil is taken.")])) else {
            panic!("nothing is missing");
        };
        assert!(sifted.log.warnings.is_empty());
    }

    #[test]
    fn a_word_in_another_short_form_is_not_missing() {
        let text = "Losing a card costs fees, and the bank paid them.";
        let SiftOutcome::Enough(sifted) =
            sift(gathered("Who pays the fee when I lose my card?", "", vec![candidate(1, 0, 0.9, text)]))
        else {
            panic!("a warning does not refuse");
        };
        assert_eq!(sifted.log.warnings, Vec::<String>::new());
    }

    #[test]
    fn it_says_its_share_which_must_be_one() {
        assert_eq!(
            words_of("{missing_keywords: 0.5}"),
            ["A share of 0.5 or more of the question's words is in no passage: the words are named in a warning."]
        );
        let beyond = ["sift.missing_keywords must be between 0 and 1"];
        assert_eq!(contradictions_of("[{missing_keywords: 2}]"), beyond);
    }
}
