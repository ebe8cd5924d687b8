//! `coverage`: the pool as a whole is good enough, hopeless, or worth another round.

use crate::candidate::Candidate;
use ibidem_words::{DocumentKind, Reason};
use serde::Deserialize;

use super::contradictions::never_decides;
use super::{Absent, ChecksPool, Gate, GateRule, Look};
use crate::gates::pool::{Finding, WorkingPool, format_number};

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coverage {
    /// Enough where the best reaches this and there are so many of the primary kind.
    pub sufficient: f64,
    pub least_of_kind: usize,
    /// Which kind of document counts; any kind when null.
    #[serde(default)]
    pub primary_kind: Option<DocumentKind>,
    /// The similarity that is enough on its own.
    pub confident: f64,
    /// The similarity below which nothing is close, and nothing more is tried.
    pub bail_out: f64,
}

impl GateRule for Coverage {
    fn name() -> &'static str {
        "coverage"
    }

    fn when_absent() -> Absent {
        Absent::Off("coverage")
    }

    fn look(&self) -> Look<'_> {
        Look::AtAll(self)
    }

    fn words(&self) -> Vec<String> {
        let kind =
            self.primary_kind.as_ref().map_or_else(|| "passages".to_owned(), |kind| format!("of the kind {kind}"));
        vec![
            format!(
                "It is enough where the best reaches {} and {} are {kind}, or where the best reaches {} alone.",
                self.sufficient, self.least_of_kind, self.confident
            ),
            format!(
                "Otherwise the search is made once more, wider, unless the best is below {}; then it is refused, \
                 `low_coverage`.",
                self.bail_out
            ),
        ]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("coverage.sufficient", self.sufficient),
            ("coverage.confident", self.confident),
            ("coverage.bail_out", self.bail_out),
        ]
    }

    fn contradictions(&self) -> Vec<String> {
        let falls = self.bail_out > self.sufficient || self.sufficient > self.confident;
        let contradiction = "sift.coverage must have bail_out, sufficient and confident in rising order: some of them would \
                    never decide";
        falls.then(|| contradiction.to_owned()).into_iter().collect()
    }

    fn measures_similarity(&self) -> bool {
        true
    }

    fn without_effect_after(&self, before: &[Gate]) -> Vec<String> {
        let numbers = [("sift.coverage.bail_out", self.bail_out), ("sift.coverage.sufficient", self.sufficient)];
        numbers.into_iter().filter_map(|(setting, number)| never_decides(setting, number, before)).collect()
    }
}

impl ChecksPool for Coverage {
    fn check(&self, pool: &mut WorkingPool<'_>) -> Finding {
        let observed = pool.best();
        let is_primary =
            |candidate: &&Candidate| self.primary_kind.is_none() || candidate.passage.kind == self.primary_kind;
        let primary = pool.passing().filter(is_primary).count();
        let threshold = if primary >= self.least_of_kind { self.sufficient } else { self.confident };
        if !pool.record(Self::name(), observed < threshold, observed, threshold) {
            return Finding::Passes;
        }
        let explanation = self.explanation(observed, threshold, primary);
        if observed >= self.bail_out && pool.round == 0 {
            return Finding::TriesAgain(Reason::LowCoverage, explanation);
        }
        Finding::Refuses(Reason::LowCoverage, explanation)
    }
}

impl Coverage {
    /// Why it is not enough, with the numbers.
    fn explanation(&self, observed: f64, threshold: f64, primary: usize) -> String {
        if observed < self.bail_out {
            let (observed, least) = (format_number(observed), format_number(self.bail_out));
            return format!("Best similarity ({observed}) below what is worth another look ({least})");
        }
        let kind = self.primary_kind.as_ref();
        let kind = kind.map_or_else(|| "passages".to_owned(), |kind| format!("passages of the kind {kind}"));
        let (observed, threshold, least) = (format_number(observed), format_number(threshold), self.least_of_kind);
        format!("Best similarity ({observed}) below threshold ({threshold}) with {primary} of {least} {kind}")
    }
}

#[cfg(test)]
mod tests {
    use ibidem_words::Reason;

    use super::super::tests::{contradictions_of, warnings_of, words_of};
    use crate::sift::SiftOutcome;
    use crate::sift::fixtures::{gathered, pool};
    use crate::sift::sift;

    /// The rule of the policy `lectures`.
    const COVERAGE: &str =
        "[{coverage: {sufficient: 0.55, least_of_kind: 2, primary_kind: lecture, confident: 0.65, bail_out: 0.40}}]";

    #[test]
    fn coverage_is_sufficient_confident_worth_another_round_or_hopeless() {
        let outcome = |cosine: f32, lectures: usize, round: u32| {
            let mut pool = pool(&[cosine, 0.3, 0.3]);
            for candidate in pool.iter_mut().take(lectures) {
                candidate.passage.kind = Some("lecture".parse().unwrap());
            }
            let mut gathered = gathered("oil", COVERAGE, pool);
            gathered.search.round = round;
            match sift(gathered) {
                SiftOutcome::Enough(_) => "through",
                SiftOutcome::TooThin { .. } => "again",
                SiftOutcome::Refused { refusal, .. } => {
                    assert_eq!(refusal.reason, Reason::LowCoverage);
                    "stopped"
                }
                SiftOutcome::Unclear { .. } => "unclear",
            }
        };
        for (cosine, lectures, expected) in [
            (0.55, 2, "through"),
            (0.5499, 2, "again"),
            (0.55, 1, "again"),
            (0.5501, 3, "through"),
            (0.65, 0, "through"),
            (0.6499, 0, "again"),
            (0.6501, 0, "through"),
            (0.40, 2, "again"),
            (0.3999, 2, "stopped"),
            (0.4001, 0, "again"),
        ] {
            assert_eq!(outcome(cosine, lectures, 0), expected, "{cosine} {lectures}");
            let later = if expected == "again" { "stopped" } else { expected };
            assert_eq!(outcome(cosine, lectures, 1), later, "{cosine} {lectures}, in the second round");
        }
    }

    #[test]
    fn a_refusal_names_what_was_missing() {
        let explanation = |cosine: f32| match sift(gathered("oil", COVERAGE, pool(&[cosine]))) {
            SiftOutcome::TooThin { refusal, .. } | SiftOutcome::Refused { refusal, .. } => refusal.explanation,
            SiftOutcome::Enough(_) | SiftOutcome::Unclear { .. } => panic!("{cosine} is not enough"),
        };
        assert_eq!(
            explanation(0.5),
            "Best similarity (0.5) below threshold (0.65) with 0 of 2 passages of the kind lecture"
        );
        assert_eq!(explanation(0.3), "Best similarity (0.3) below what is worth another look (0.4)");
    }

    #[test]
    fn it_says_when_it_is_enough_and_when_it_is_hopeless() {
        let gate = "{coverage: {sufficient: 0.55, least_of_kind: 2, confident: 0.65, bail_out: 0.4}}";
        assert_eq!(
            words_of(gate),
            [
                "It is enough where the best reaches 0.55 and 2 are passages, or where the best reaches 0.65 alone.",
                "Otherwise the search is made once more, wider, unless the best is below 0.4; then it is refused, \
                 `low_coverage`.",
            ]
        );
    }

    #[test]
    fn its_numbers_rise_and_are_above_what_stands_before() {
        let gate = |sufficient: &str, confident: &str| {
            format!(
                "{{coverage: {{sufficient: {sufficient}, least_of_kind: 2, confident: {confident}, bail_out: 0.4}}}}"
            )
        };
        let contradictions = |sufficient, confident| contradictions_of(&format!("[{}]", gate(sufficient, confident)));
        assert_eq!(contradictions("0.4", "0.4"), Vec::<String>::new());
        for (sufficient, confident) in [("0.7", "0.6"), ("0.3", "0.6")] {
            let [falls] = &contradictions(sufficient, confident)[..] else { panic!("{sufficient} {confident}") };
            assert!(falls.contains("in rising order"), "{falls}");
        }
        let found = warnings_of(&format!("[{{top1_similarity: 0.5}}, {}]", gate("0.5", "0.6")));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("sift.coverage.bail_out (0.4) is not above sift.top1_similarity (0.5)"),
            "{found:?}"
        );
        assert!(found[1].starts_with("sift.coverage.sufficient (0.5) is not above"), "{found:?}");
    }
}
