//! `no_context`: too few candidates, or too weak ones on the whole. What is missing is asked for, where the policy
//! knows what to ask.

use crate::candidate::Candidate;
use ibidem_words::{Reason, as_shown};
use serde::Deserialize;

use super::contradictions::never_decides;
use super::{Absent, ChecksPool, Gate, GateRule, Look};
use crate::gates::pool::{Finding, WorkingPool, format_number};

#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoContext {
    pub least_hits: usize,
    pub least_mean: f64,
    /// The mean is that of so many, the most similar of all that was found; of all where nothing is said.
    #[serde(default)]
    pub of_best: Option<usize>,
    /// What the asker is asked for. Where there is nothing to ask for, the question is refused.
    #[serde(default)]
    pub ask_for: Vec<String>,
    /// Said above what is asked for.
    #[serde(default)]
    pub clarify: String,
}

impl GateRule for NoContext {
    fn name() -> &'static str {
        "no_context"
    }

    fn when_absent() -> Absent {
        Absent::Off("no context")
    }

    fn look(&self) -> Look<'_> {
        Look::AtAll(self)
    }

    fn words(&self) -> Vec<String> {
        let ends = if self.ask_for.is_empty() {
            "refused, `low_similarity`".to_owned()
        } else {
            format!("asked back, “{}” {}", self.clarify.trim(), self.ask_for.join("; "))
        };
        let (hits, mean) = (self.least_hits, self.least_mean);
        let of = self.of_best.map_or_else(|| "all".to_owned(), |best| format!("the best {best}"));
        vec![format!(
            "Fewer than {hits} are left, or the mean similarity of {of} that was found is below {mean}: {ends}."
        )]
    }

    fn shares(&self) -> Vec<(&'static str, f64)> {
        vec![("no_context.least_mean", self.least_mean)]
    }

    fn measures_similarity(&self) -> bool {
        true
    }

    fn without_effect_after(&self, before: &[Gate]) -> Vec<String> {
        never_decides("sift.no_context.least_mean", self.least_mean, before).into_iter().collect()
    }
}

impl ChecksPool for NoContext {
    fn check(&self, pool: &mut WorkingPool<'_>) -> Finding {
        let hits = pool.passing().count();
        // Of all that was found: without the weakest the mean would rise.
        let mut found: Vec<f64> = pool.looked_at().into_iter().map(Candidate::similarity).collect();
        if let Some(best) = self.of_best {
            found.sort_by(|one, other| other.total_cmp(one));
            found.truncate(best);
        }
        let mean = if found.is_empty() { 0.0 } else { as_shown(found.iter().sum::<f64>() / found.len() as f64) };
        let few = pool.record("no_context_hits", hits < self.least_hits, hits as f64, self.least_hits as f64);
        let weak = pool.record("no_context_mean", mean < self.least_mean, mean, self.least_mean);
        let explanation = match (few, weak) {
            (false, false) => return Finding::Passes,
            (true, _) => format!("Hits ({hits}) below threshold ({})", self.least_hits),
            (false, true) => format!(
                "Mean similarity ({}) below threshold ({})",
                format_number(mean),
                format_number(self.least_mean)
            ),
        };
        if self.ask_for.is_empty() {
            return Finding::Refuses(Reason::LowSimilarity, explanation);
        }
        let lines = self.ask_for.iter().map(|detail| format!("\n- {detail}"));
        let text = std::iter::once(self.clarify.trim().to_owned()).chain(lines).collect();
        Finding::AsksBack { reason: Reason::LowSimilarity, explanation, text, ask_for: self.ask_for.clone() }
    }
}

#[cfg(test)]
mod tests {
    use ibidem_words::Reason;

    use super::super::tests::{contradictions_of, warnings_of, words_of};
    use crate::sift::SiftOutcome;
    use crate::sift::fixtures::{gathered, pool};
    use crate::sift::sift;

    const NO_CONTEXT: &str = "[{no_context: {least_hits: 3, least_mean: 0.5}}]";

    #[test]
    fn too_few_hits_or_too_weak_a_mean_is_no_context() {
        for (cosines, expected) in [
            (vec![0.5, 0.5, 0.5], None),
            (vec![0.5, 0.5, 0.4996], Some("Mean similarity (0.4999) below threshold (0.5)")),
            (vec![0.9, 0.9], Some("Hits (2) below threshold (3)")),
            (vec![0.9, 0.9, 0.1], None),
            (vec![0.31, 0.28, 0.25], Some("Mean similarity (0.28) below threshold (0.5)")),
        ] {
            let explanation = match sift(gathered("oil", NO_CONTEXT, pool(&cosines))) {
                SiftOutcome::Refused { refusal, .. } => Some(refusal.explanation),
                _ => None,
            };
            assert_eq!(explanation.as_deref(), expected, "{cosines:?}");
        }
    }

    #[test]
    fn the_mean_may_be_that_of_the_best_alone() {
        let gates = |best: usize| format!("[{{no_context: {{least_hits: 3, least_mean: 0.5, of_best: {best}}}}}]");
        let is_refused = |best| {
            let found = sift(gathered("oil", &gates(best), pool(&[0.6, 0.5, 0.45, 0.1])));
            matches!(found, SiftOutcome::Refused { .. })
        };
        assert!(!is_refused(3));
        assert!(is_refused(4));
        let [line] = &words_of("{no_context: {least_hits: 3, least_mean: 0.5, of_best: 8}}")[..] else { panic!() };
        assert!(line.contains("the mean similarity of the best 8 that was found is below 0.5"), "{line}");
    }

    #[test]
    fn where_the_policy_knows_what_to_ask_no_context_is_asked_back() {
        let gates = "[{no_context: {least_hits: 3, least_mean: 0.5, clarify: 'Please clarify:', ask_for: [device model, symptoms]}}]";
        let SiftOutcome::Unclear { refusal, text, .. } = sift(gathered("oil", gates, pool(&[0.41]))) else {
            panic!("it asks back");
        };
        assert_eq!(text, "Please clarify:\n- device model\n- symptoms");
        assert_eq!((refusal.reason, refusal.suggestions.len()), (Reason::LowSimilarity, 2));
    }

    #[test]
    fn it_says_its_numbers_and_how_it_ends() {
        assert_eq!(
            words_of("{no_context: {least_hits: 3, least_mean: 0.5}}"),
            [
                "Fewer than 3 are left, or the mean similarity of all that was found is below 0.5: refused, `low_similarity`."
            ]
        );
        assert_eq!(
            words_of("{no_context: {least_hits: 3, least_mean: 0.5, clarify: 'Please say:', ask_for: [model, year]}}"),
            [
                "Fewer than 3 are left, or the mean similarity of all that was found is below 0.5: asked back, “Please say:” model; year."
            ]
        );
    }

    #[test]
    fn a_mean_that_everything_before_it_has_never_decides() {
        let gates =
            |mean: &str| format!("[{{top1_similarity: 0.3}}, {{no_context: {{least_hits: 2, least_mean: {mean}}}}}]");
        assert_eq!(warnings_of(&gates("0.31")), Vec::<String>::new());
        let [never] = &warnings_of(&gates("0.3"))[..] else { panic!("no mean is below 0.3") };
        assert!(
            never.starts_with("sift.no_context.least_mean (0.3) is not above sift.top1_similarity (0.3)"),
            "{never}"
        );
        assert_eq!(contradictions_of(&gates("1.3")), ["sift.no_context.least_mean must be between 0 and 1"]);
    }
}
